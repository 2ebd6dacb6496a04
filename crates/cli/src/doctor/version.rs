//! `clusterApi.version` and the installed Cluster API.

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::managers::managers;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let managers = managers(installation);
    let cores: Vec<_> = managers.iter().filter(|manager| manager.is_core).collect();
    for policy in installation.policies.iter().filter(|policy| policy.is_for_cluster_api()) {
        let title = policy.title();
        let Ok(settings) = &policy.settings else {
            results.not_examined(&title, "its settings are not valid");
            continue;
        };
        if cores.is_empty() {
            results.not_examined(&title, "there is no Deployment of the core manager");
        }
        let set = settings.cluster_api.version;
        for core in &cores {
            let Some(installed) = core.version() else {
                results.not_examined(
                    &core.place(),
                    format!("image `{}` has no version of the form v1.MINOR.PATCH", core.image),
                );
                continue;
            };
            let why = match set > installed {
                true => "rules of a newer version propagate what the installed managers do not",
                false => "rules of an older version leave out what the installed managers propagate",
            };
            let is_same = set == installed;
            let finding = InstallationFinding {
                level: if set > installed { FindingLevel::Error } else { FindingLevel::Warning },
                message: format!("{title}: `clusterApi.version` is {set}, and {} has {installed}", core.place()),
                object: Some(policy.item.object),
                at: format!("{}.settings.clusterApi.version", policy.at),
                why,
                fix: format!("set `clusterApi.version: {installed}`"),
            };
            let findings = if is_same { Vec::new() } else { vec![finding] };
            results.judge(&title, findings, || format!("`clusterApi.version` is {set}, as is {}", core.place()));
        }
    }
}
