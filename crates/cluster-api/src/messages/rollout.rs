//! What an edit does to Machines.

use crate::fact::ClusterApiFact;

/// Whose Machines an edit replaces: those below the object.
pub(crate) const MACHINES: &str = "Machines";
/// Whose Machines an edit replaces: those of every Cluster that refers to a class or template.
pub(crate) const MACHINES_OF_EVERY_CLUSTER: &str = "Machines of every Cluster that uses this object";

/// Machines are replaced.
pub(crate) fn replaces(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::Replaces { path: path.into(), machines }
}

/// Machines are replaced when the pause of the object ends.
pub(crate) fn replaces_after_pause(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::ReplacesAfterPause { path: path.into(), machines }
}

/// The annotation that pauses the object is removed.
pub(crate) fn resumes(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::Resumes { path: path.into(), machines }
}

/// Machines are outdated, and replaced when somebody deletes them.
pub(crate) fn replaces_when_deleted(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::ReplacesWhenDeleted { path: path.into(), machines }
}

/// Whether Machines are replaced depends on something that the policy does not see.
pub(crate) fn may_replace(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::MayReplace { path: path.into(), machines }
}

/// Whether Machines are replaced depends on patches of the class, which `propagate plan` evaluates.
pub(crate) fn patches_may_replace(path: &str) -> ClusterApiFact {
    ClusterApiFact::PatchesMayReplace { path: path.into() }
}

/// Machines are replaced at a time that the edit sets.
pub(crate) fn schedules(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::Schedules { path: path.into(), machines }
}

/// The object loses its Machines, and others are created.
pub(crate) fn orphans(path: &str, machines: &'static str) -> ClusterApiFact {
    ClusterApiFact::Orphans { path: path.into(), machines }
}

/// An entry of a topology is removed or renamed.
pub(crate) fn deletes(path: &str) -> ClusterApiFact {
    ClusterApiFact::Deletes { path: path.into() }
}

/// An annotation that defers an upgrade is removed, and an upgrade is pending.
pub(crate) fn releases(path: &str) -> ClusterApiFact {
    ClusterApiFact::Releases { path: path.into() }
}

/// An annotation that defers an upgrade is removed, and it is not known whether an upgrade is pending.
pub(crate) fn may_release(path: &str) -> ClusterApiFact {
    ClusterApiFact::MayRelease { path: path.into() }
}

/// How to make a refused edit anyway. An approval on the Cluster counts for everything that its topology owns. `by`
/// says who may set the annotation, if the user may not.
pub(crate) fn way_out(annotation: &str, is_topology_owned: bool, by: Option<&str>) -> String {
    let set = by.map_or_else(|| "set".to_owned(), |by| format!("have {by} set"));
    let on_cluster = if is_topology_owned { " here or on the Cluster" } else { "" };
    format!("if this is intended, {set} annotation `{annotation}: <reason>`{on_cluster}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::InPlacePaths;

    #[test]
    fn a_refusal_names_the_approval() {
        for (is_topology_owned, by, expected) in [
            (false, None, "if this is intended, set annotation `example.com/approve: <reason>`"),
            (true, None, "if this is intended, set annotation `example.com/approve: <reason>` here or on the Cluster"),
            (
                false,
                Some("a user in `clusterApi.approveRolloutBy` (alice)"),
                "if this is intended, have a user in `clusterApi.approveRolloutBy` (alice) set annotation \
                 `example.com/approve: <reason>`",
            ),
        ] {
            assert_eq!(way_out("example.com/approve", is_topology_owned, by), expected);
        }
    }

    #[test]
    fn an_edit_is_named_by_its_path_and_what_it_does() {
        for (message, expected) in [
            (
                replaces("spec.template.spec.version", MACHINES),
                "changing `spec.template.spec.version` replaces Machines",
            ),
            (
                replaces_after_pause("spec.version", MACHINES),
                "changing `spec.version` replaces Machines when the pause ends",
            ),
            (
                resumes("spec.paused", MACHINES),
                "ending the pause by `spec.paused` replaces Machines if changes are pending",
            ),
            (
                may_replace("spec.variables", MACHINES_OF_EVERY_CLUSTER),
                "changing `spec.variables` may replace Machines of every Cluster that uses this object",
            ),
            (
                patches_may_replace("spec.topology.variables"),
                "changing `spec.topology.variables` may replace Machines; `propagate plan --live FILE` can tell",
            ),
            (
                replaces_when_deleted("spec.template.spec.version", MACHINES),
                "changing `spec.template.spec.version` replaces Machines when they are deleted",
            ),
            (
                schedules("spec.rollout.after", MACHINES),
                "changing `spec.rollout.after` schedules the replacement of Machines",
            ),
            (
                orphans("spec.selector", MACHINES),
                "changing `spec.selector` orphans existing Machines and creates new ones",
            ),
            (
                deletes("spec.topology.workers.machinePools[mp]"),
                "removing `spec.topology.workers.machinePools[mp]` deletes its Machines",
            ),
            (
                releases("metadata.annotations[hold]"),
                "removing `metadata.annotations[hold]` lets a pending upgrade replace Machines",
            ),
            (
                may_release("metadata.annotations[hold]"),
                "removing `metadata.annotations[hold]` replaces Machines if an upgrade is pending",
            ),
        ] {
            assert_eq!(message.to_string(), expected);
        }
    }

    #[test]
    fn an_advice_is_after_what_is_updated_in_place() {
        let fact = Box::new(patches_may_replace("spec.topology.variables"));
        let message = ClusterApiFact::AlsoInPlace { fact, others: InPlacePaths::Counted(1) }.to_string();
        let edit = "changing `spec.topology.variables` may replace Machines; 1 other field updated in place";
        assert_eq!(message, format!("{edit}; `propagate plan --live FILE` can tell"));
    }

    #[test]
    fn what_is_updated_in_place_is_named_or_counted() {
        for (others, expected) in [
            (InPlacePaths::Listed(vec!["a".to_owned(), "b".to_owned()]), "updated in place: `a`, `b`"),
            (InPlacePaths::Counted(1), "1 other field updated in place"),
            (InPlacePaths::Counted(3), "3 other fields updated in place"),
        ] {
            let fact = Box::new(replaces("spec.version", MACHINES));
            let message = ClusterApiFact::AlsoInPlace { fact, others }.to_string();
            assert_eq!(message, format!("changing `spec.version` replaces Machines; {expected}"));
        }
    }
}
