//! Managed resources of Compositions, and the policies that activate their kinds.

use fleet::{Activation, FindingLevel};

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let activation = Activation::of(installation.objects());
    for object in installation.objects() {
        let finding = |inactive: fleet::InactiveKind| {
            let message = format!("{}: {}", object.id, inactive.sentence());
            InstallationFinding::of(
                FindingLevel::Warning,
                (object, inactive.at),
                message,
                "Crossplane cannot create the resource, and so it composes nothing that has tags",
                "add the kind's definition to `spec.activate` of a policy, as PLURAL.GROUP",
            )
        };
        let findings = activation.inactive(object).into_iter().map(finding);
        results.findings.extend(findings.map(|finding| (results.check, finding)));
    }
}
