//! What each check finds, and what to do about it.

use fleet::{CLOUD_TAGS, DRIFT, ILLEGAL, MISPLACED, UNREADABLE};

/// One check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// As findings name it.
    pub(crate) id: &'static str,
    /// What it finds.
    pub(crate) finds: &'static str,
    /// What to do about it.
    pub(crate) help: &'static str,
    /// The page that says more, below `docs`.
    page: &'static str,
}

const PAGES: &str = "https://github.com/plexsphere/metadata-propagation-policy/blob/main/docs/";

/// All checks, ordered by their names.
pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "clusterApi.rollout",
        finds: "an edit would replace, delete or orphan Machines",
        help: "approve the rollout with the annotation `metadata-propagation.plexsphere.com/approve-rollout` and a reason, or take the edit back",
        page: "rollout.md#approving-a-rollout",
    },
    Check {
        id: CLOUD_TAGS,
        finds: "a label becomes no cloud tag, or a cloud refuses the tag",
        help: "change the label to one that the profile of the provider allows (`propagate profiles`), or define it in a label registry",
        page: "cloud-tags.md#labels-that-do-not-become-tags",
    },
    Check {
        id: "cloudTags.adopted",
        finds: "a composite was adopted and not provisioned, and its tags are not managed",
        help: "set the tags where the resource was made, or set `cloudTags.adopted` to `ignore`",
        page: "cloud-tags.md#composites",
    },
    Check {
        id: "cloudTags.compositions",
        finds: "a Composition does not pass cloud tags to a managed resource",
        help: "patch the tags from `spec.cloudTags` to the field of the managed resource",
        page: "cloud-tags.md#compositions",
    },
    Check {
        id: "cloudTags.xrds",
        finds: "a CompositeResourceDefinition does not declare `spec.cloudTags`, and the API server drops the tags",
        help: "declare `spec.cloudTags` as an object of strings in each served version",
        page: "cloud-tags.md#definitions",
    },
    Check {
        id: DRIFT,
        finds: "a label, annotation, in-place mutable field or cloud tag differs from the rules",
        help: "set the value that the source has (`propagate apply --diff`), or change the source; `propagate explain` names it",
        page: "rules.md",
    },
    Check {
        id: "guards.adoption",
        finds: "an object without a controller gets labels that name an owner, or labels of a topology",
        help: "remove the labels that name an owner, or set the ownerReference to the controller that owns the object",
        page: "guards.md#adoption",
    },
    Check {
        id: "guards.nodeUnreachable",
        finds: "a key looks meant for Nodes and meets none of the criteria",
        help: "use a key below `node.cluster.x-k8s.io`, or add the key to the manager's flag `--additional-sync-machine-labels`",
        page: "guards.md#keys-for-nodes",
    },
    Check {
        id: "guards.reservedKeys",
        finds: "a map that propagates gets a key that Cluster API or a client sets itself",
        help: "remove the key from the map; set it on the single object that it is about",
        page: "guards.md#reserved-keys",
    },
    Check {
        id: "guards.selectorChange",
        finds: "`spec.selector` changes",
        help: "keep the selector; make a new object for another selector",
        page: "guards.md",
    },
    Check {
        id: "guards.selectorLabels",
        finds: "a label by which the owner selects the object, or the ownerReference to its controller, is removed or changed",
        help: "keep the label and the ownerReference; to remove a Machine, delete it",
        page: "guards.md",
    },
    Check {
        id: "guards.templateKeys",
        finds: "a key that is neither in the topology nor in the class is added or changed",
        help: "set the key in the metadata of the topology's entry or of its class",
        page: "guards.md",
    },
    Check {
        id: ILLEGAL,
        finds: "an object above has an entry that the API server would refuse in this one",
        help: "shorten or change the entry at its source",
        page: "troubleshooting.md",
    },
    Check {
        id: "metadata-propagation.plexsphere.com/approve-rollout",
        finds: "an approval of a rollout does not count",
        help: "have a user of `clusterApi.approveRolloutBy` set it, with a reason as its value",
        page: "rollout.md#approving-a-rollout",
    },
    Check {
        id: "metadata-propagation.plexsphere.com/exempt",
        finds: "an exemption does not count",
        help: "have a user of `guards.exemptBy` set it, with a reason as its value",
        page: "guards.md#who-may-exempt",
    },
    Check {
        id: MISPLACED,
        finds: "a label or annotation is set where nothing propagates from",
        help: "set it at the place that the message names, or list it in `clusterApi.ignoreMisplaced`",
        page: "rules.md",
    },
    Check {
        id: UNREADABLE,
        finds: "the object has another shape than Kubernetes gives it, for itself or as the parent of others",
        help: "correct the field; `kubectl explain` shows its shape. A string that YAML reads as a number or a boolean (`4711`, `yes`) needs quotes",
        page: "troubleshooting.md",
    },
];

impl Check {
    /// The check of this name.
    pub(crate) fn of(id: &str) -> Option<&'static Check> {
        CHECKS.iter().find(|check| check.id == id)
    }

    /// The address of the page that says more.
    pub(crate) fn link(&self) -> String {
        format!("{PAGES}{}", self.page)
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

    use metadata_propagation::GUARDS;

    use super::*;

    #[test]
    fn every_guard_rail_is_there_in_the_words_of_the_engine() {
        for guard in GUARDS {
            assert_eq!(Check::of(guard.setting).map(|check| check.finds), Some(guard.finds), "{}", guard.setting);
        }
    }

    #[test]
    fn every_page_and_heading_exists() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for check in CHECKS {
            let (page, heading) = check.page.split_once('#').unwrap_or((check.page, ""));
            let text = fs::read_to_string(docs.join(page)).unwrap();
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let anchors = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-"));
            assert!(heading.is_empty() || anchors.into_iter().any(|anchor| anchor == heading), "{}", check.page);
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
