//! What each check finds, and what to do about it.

mod help;

use std::borrow::Cow;

use fleet::{
    CLOUD_TAGS, DRIFT, ILLEGAL, MISPLACED, MISSING_TEMPLATE, MISSPELLED, ObjectFinding, REFUSED, SELECTOR, UNREADABLE,
};
use metadata_propagation::{GUARDS, Guard};

use self::help::help_of_fact;

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Check {
    /// Its name in findings.
    pub(crate) id: &'static str,
    /// What it finds.
    pub(crate) finds: &'static str,
    /// What to do about it.
    pub(crate) help: &'static str,
    /// The page with more details, below `docs`.
    page: &'static str,
    /// The heading on that page, as a link anchor; empty for the whole page.
    heading: &'static str,
}

const PAGES: &str = "https://github.com/plexsphere/metadata-propagation-policy/blob/main/docs/";

/// All checks except the guard rails, ordered by name.
#[rustfmt::skip]
const CHECKS: &[Check] = &[
    check("class.idleSelector", "cli-check.md", "classes",
        "a selector of a patch selects no template of its ClusterClass",
        "correct API version, kind and `matchResources`: they are those of a template that the class refers to; a webhook refuses the class until then"),
    check(MISSING_TEMPLATE, "cli-check.md", "classes",
        "a template that a ClusterClass names is not among the files",
        "add the file with the template, or read the cluster"),
    check("class.noWorkerClass", "cli-check.md", "classes",
        "a selector of a patch names a class of workers that its ClusterClass does not have",
        "correct or remove the name; a webhook refuses the class until then"),
    check("class.replacedMap", "cli-check.md", "classes",
        "a patch replaces a whole map of labels or annotations",
        "write each entry with a path of its own, such as `/spec/template/metadata/labels/example.com~1team`"),
    check("class.unusedVariable", "cli-check.md", "classes",
        "no patch of a ClusterClass reads a variable",
        "remove the variable, or write the patch that reads it"),
    check("clusterApi.rollout", "rollout.md", "approving-a-rollout",
        "an edit would replace, delete or orphan Machines",
        "approve the rollout with the annotation `metadata-propagation.plexsphere.com/approve-rollout` and a reason, or revert the edit"),
    check(CLOUD_TAGS, "tag-profiles.md", "labels-that-do-not-become-tags",
        "a label is not added as a cloud tag, or a cloud rejects the tag",
        "change the label to one that the profile of the provider allows (`propagate profiles`), or define it in a label registry"),
    check("cloudTags.adopted", "cloud-tags.md", "composites",
        "a composite was adopted and not provisioned, and its tags are not managed",
        "set the tags where the resource was made, or set `cloudTags.adopted` to `ignore`"),
    check("cloudTags.compositions", "delivery.md", "compositions",
        "a Composition does not pass cloud tags to a managed resource",
        "patch the tags from `spec.cloudTags` to the field of the managed resource"),
    check("cloudTags.xrds", "delivery.md", "definitions",
        "a CompositeResourceDefinition does not declare `spec.cloudTags`, and the API server drops the tags",
        "declare `spec.cloudTags` as a map of strings in each served version"),
    check(DRIFT, "rules.md", "",
        "a label, annotation, in-place mutable field or cloud tag differs from the rules",
        "set the value that the source has (`propagate apply --diff`), or change the source; `propagate explain` names it"),
    check(ILLEGAL, "reasons.md", "when-a-single-key-is-not-propagated",
        "the source has an entry that the API server would reject on this object",
        "shorten or change the entry at its source"),
    check("metadata-propagation.plexsphere.com/approve-rollout", "rollout.md", "approving-a-rollout",
        "an approval of a rollout has no effect",
        "have a user in `clusterApi.approveRolloutBy` set it, with a reason as its value"),
    check("metadata-propagation.plexsphere.com/exempt", "guards.md", "who-may-exempt",
        "an exemption has no effect",
        "have a user in `guards.exemptBy` set it, with a reason as its value"),
    check(MISPLACED, "rules.md", "where-to-put-a-label",
        "a label or annotation is set where nothing propagates from",
        "move it to a place from which it propagates, such as `spec.template.metadata.labels`, or list its key in `clusterApi.ignoreMisplaced`"),
    check(MISSPELLED, "cli-check.md", "check",
        "an annotation is almost one of Cluster API or cluster-autoscaler",
        "correct the key: nothing else is known to read it"),
    check(REFUSED, "cli-check.md", "check",
        "the API server or a validating webhook of Cluster API refuses the object",
        "correct the field that the message names; applying the manifest fails until then"),
    check(SELECTOR, "cli-check.md", "check",
        "a selector does not find the Machines that are made for it",
        "remove the label from `spec.selector`: Cluster API sets it on Machines itself"),
    check(UNREADABLE, "troubleshooting.md", "requests-and-settings",
        "the object does not have the structure of its kind, which also prevents the evaluation of its children",
        "correct the field; `kubectl explain` shows its type. A string that YAML reads as a number or a boolean (`4711`, `yes`) needs quotes"),
];

const fn check(
    id: &'static str,
    page: &'static str,
    heading: &'static str,
    finds: &'static str,
    help: &'static str,
) -> Check {
    Check { id, finds, help, page, heading }
}

/// What to do about a finding: about its fact, or else about everything that its check finds.
pub(crate) fn help_of(finding: &ObjectFinding) -> Cow<'static, str> {
    let of_check = || Check::of(finding.check).map_or("", |check| check.help);
    match &finding.help {
        Some(help) => Cow::Owned(help.clone()),
        None => Cow::Borrowed(help_of_fact(finding.reason).unwrap_or_else(of_check)),
    }
}

impl Check {
    /// All checks, ordered by name.
    pub(crate) fn all() -> Vec<Check> {
        let of_guard = |guard: &Guard| {
            let Guard { setting: id, finds, help, heading, .. } = *guard;
            Check { id, finds, help, page: "guards.md", heading }
        };
        let mut checks: Vec<Check> = CHECKS.iter().copied().chain(GUARDS.iter().map(of_guard)).collect();
        checks.sort_by_key(|check| check.id);
        checks
    }

    /// The check of this name.
    pub(crate) fn of(id: &str) -> Option<Check> {
        Check::all().into_iter().find(|check| check.id == id)
    }

    /// The URL of the page with more details.
    pub(crate) fn link(&self) -> String {
        let mark = if self.heading.is_empty() { "" } else { "#" };
        format!("{PAGES}{}{mark}{}", self.page, self.heading)
    }
}

/// Whether a name selects a check: its own, or that of its group, such as `guards`.
pub(crate) fn is_named(name: &str, check: &str) -> bool {
    check.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_and_heading_exists() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        for check in Check::all() {
            let text = fs::read_to_string(docs.join(check.page)).unwrap();
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let anchors = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-"));
            let is_there = check.heading.is_empty() || anchors.into_iter().any(|anchor| anchor == check.heading);
            assert!(is_there, "{}#{}", check.page, check.heading);
        }
    }

    #[test]
    fn a_group_names_its_checks() {
        let is = |name, check| is_named(name, check);
        let found =
            [is("guards", "guards.adoption"), is("drift", "drift"), is("guard", "guards.adoption"), is("a", "b")];
        assert_eq!(found, [true, true, false, false]);
    }
}
