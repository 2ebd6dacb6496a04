//! `clusterApi.version` and the installed Cluster API.

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::managers::with_core_managers;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    with_core_managers(installation, results, |policy, settings, core, results| {
        let (title, set) = (policy.title(), settings.version);
        let Some(installed) = core.version() else {
            let problem = format!("image `{}` has no version of the form v1.MINOR.PATCH", core.image);
            return results.not_examined(&core.place(), problem);
        };
        let why = match set > installed {
            true => "rules of a newer version propagate what the installed managers do not",
            false => "rules of an older version leave out what the installed managers propagate",
        };
        let is_same = set == installed;
        let finding = InstallationFinding {
            level: if set > installed { FindingLevel::Error } else { FindingLevel::Warning },
            ..policy.error(
                policy.setting("clusterApi.version"),
                format!(": `clusterApi.version` is {set}, and {} has {installed}", core.place()),
                why,
                format!("set `clusterApi.version: {installed}`"),
            )
        };
        let findings = if is_same { Vec::new() } else { vec![finding] };
        results.judge(&title, findings, || format!("`clusterApi.version` is {set}, as is {}", core.place()));
    });
}
