//! Managed resources of Compositions, and the policies that activate their kinds.

use fleet::{Activation, FindingLevel};

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let activation = Activation::of(installation.objects());
    for object in installation.objects() {
        let finding = |inactive: fleet::InactiveKind| InstallationFinding {
            level: FindingLevel::Warning,
            message: format!("{}: {}", object.id, inactive.sentence()),
            object: Some(object),
            at: inactive.at,
            why: "Crossplane cannot create the resource, and so it composes nothing that has tags",
            fix: "add the kind's definition to `spec.activate` of a policy, as PLURAL.GROUP".to_owned(),
        };
        let findings = activation.inactive(object).into_iter().map(finding);
        results.findings.extend(findings.map(|finding| (results.check, finding)));
    }
}
