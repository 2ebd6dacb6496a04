//! `contextAwareResources`.

use fleet::count;

use super::finding::CheckResults;
use super::installation::Installation;
use super::needs::needs;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    for policy in installation.policies.iter().filter(|policy| policy.kind.reads_objects) {
        let title = policy.title();
        let Some(settings) = policy.valid_settings(results) else { continue };
        let needs = needs(installation, policy, settings);
        let grants = policy.grants();
        let is_granted = |group: &str, version: &str, kind: &str| {
            grants.iter().any(|(of, granted)| *granted == kind && *of == api_version(group, version))
        };
        let missing = needs
            .iter()
            .filter(|need| !need.versions.iter().any(|version| is_granted(&need.group, version, &need.kind)));
        let findings = missing.map(|need| {
            let version = api_version(&need.group, need.versions.first().map_or("", |version| version));
            policy.error(
                format!("{}.contextAwareResources", policy.at),
                format!(" reads {}, but `contextAwareResources` does not list it", need.kind),
                "the PolicyServer rejects the read, and `lookup.onFailure` or `cloudTags.onRegistryFailure` decides",
                format!("add `apiVersion: {version}`, `kind: {}`", need.kind),
            )
        });
        results.judge(&title, findings.collect(), || match needs.len() {
            0 => "reads no other objects".to_owned(),
            number => format!("`contextAwareResources` lists all that is read: {}", count(number, "kind")),
        });
    }
}

/// The core group has no name.
fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}
