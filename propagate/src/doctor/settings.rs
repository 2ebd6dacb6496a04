//! The settings, checked by the engine's own validation.

use super::finding::CheckResults;
use super::installation::Installation;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    for policy in &installation.policies {
        let problems = policy.settings.as_ref().err().map(|error| &*error.problems).unwrap_or_default();
        let findings = problems.iter().map(|problem| {
            let path = if problem.path.is_empty() { String::new() } else { format!(".{}", problem.path) };
            policy.error(
                format!("{}.settings{path}", policy.at),
                format!(": {problem}"),
                "a PolicyServer does not start with invalid settings; existing Pods continue with the previous ones",
                "correct the setting: docs/settings.md; `propagate settings --check FILE` checks a file",
            )
        });
        results.judge(&policy.title(), findings.collect(), || "the settings are valid".to_owned());
    }
}
