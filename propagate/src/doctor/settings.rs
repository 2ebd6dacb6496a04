//! The settings, checked by the engine's own validation.

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    for policy in &installation.policies {
        let problems = policy.settings.as_ref().err().map(|error| &*error.problems).unwrap_or_default();
        let findings = problems.iter().map(|problem| {
            let path = if problem.path.is_empty() { String::new() } else { format!(".{}", problem.path) };
            InstallationFinding {
                level: FindingLevel::Error,
                message: format!("{}: {problem}", policy.title()),
                object: Some(policy.item.object),
                at: format!("{}.settings{path}", policy.at),
                why: "a PolicyServer does not start with invalid settings; existing Pods continue with the previous ones",
                fix: "correct the setting: docs/settings.md; `propagate settings --check FILE` checks a file"
                    .to_owned(),
            }
        });
        results.judge(&policy.title(), findings.collect(), || "the settings are valid".to_owned());
    }
}
