//! The annotations by which a user states that an edit is intended, where they do not count.

/// A waiver is a copy of that of an object above.
pub(crate) fn copied(annotation: &str, above: &str) -> String {
    format!("annotation `{annotation}` has no effect here: copied from {above}")
}

/// It is not known whether a waiver is a copy.
pub(crate) fn unread(annotation: &str, query: &str) -> String {
    format!("annotation `{annotation}` has no effect: cannot read {query}")
}

/// A stored waiver of an object whose creation is not checked does not count for users who may not set it.
pub(crate) fn of_others(annotation: &str, setting: &str) -> String {
    format!("annotation `{annotation}` is valid here only for users in `{setting}`")
}

/// A user sets a waiver and may not.
pub(crate) fn forbidden(annotation: &str) -> String {
    format!("annotation `{annotation}` may not be set by this user")
}

/// Who may set a waiver.
pub(crate) fn one_of(setting: &str, users: &str) -> String {
    format!("a user in `{setting}` ({users})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_that_does_not_count_says_why() {
        for (message, expected) in [
            (
                copied("example.com/exempt", "MachineDeployment fleet/md"),
                "annotation `example.com/exempt` has no effect here: copied from MachineDeployment fleet/md",
            ),
            (
                unread("example.com/exempt", "cluster.x-k8s.io/v1beta2 MachineDeployment fleet/md"),
                "annotation `example.com/exempt` has no effect: cannot read cluster.x-k8s.io/v1beta2 MachineDeployment fleet/md",
            ),
            (
                of_others("example.com/approve", "clusterApi.approveRolloutBy"),
                "annotation `example.com/approve` is valid here only for users in `clusterApi.approveRolloutBy`",
            ),
            (one_of("guards.exemptBy", "alice, admins"), "a user in `guards.exemptBy` (alice, admins)"),
            (forbidden("example.com/exempt"), "annotation `example.com/exempt` may not be set by this user"),
        ] {
            assert_eq!(message, expected);
        }
    }
}
