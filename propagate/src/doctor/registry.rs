//! The LabelRegistry objects that the settings name.

use super::finding::CheckResults;
use super::installation::Installation;
use super::names::did_you_mean;
use crate::registries::named;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let known: Vec<&str> = installation
        .of_kind("labels.plexsphere.com", "LabelRegistry")
        .map(|registry| &*registry.object.id.name)
        .collect();
    for policy in &installation.policies {
        let Some(settings) = policy.valid_settings(results) else { continue };
        let names = named(settings);
        if names.is_empty() {
            continue;
        }
        if known.is_empty() && !installation.is_live {
            results.not_examined(&policy.title(), "no LabelRegistry is among the files");
            continue;
        }
        let missing = names.iter().filter(|name| !known.contains(&&***name));
        let findings = missing.map(|name| {
            let guess = did_you_mean(name, known.iter().copied());
            policy.error(
                policy.setting("cloudTags.registry"),
                format!(": LabelRegistry `{name}` does not exist{guess}"),
                "without it `cloudTags.onRegistryFailure` decides: by default composites with labels are not written",
                "create the LabelRegistry, after deploy/label-registry-crd.yaml, or correct the name",
            )
        });
        results.judge(&policy.title(), findings.collect(), || {
            "the LabelRegistry objects of the settings exist".to_owned()
        });
    }
}
