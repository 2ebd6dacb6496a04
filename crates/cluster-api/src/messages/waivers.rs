//! The annotations by which a user states that an edit is intended, where they do not count.

use facts::fact::Fact;

/// A waiver is a copy of that of an object above.
pub(crate) fn copied(annotation: &str, above: &str) -> Fact {
    Fact::CopiedWaiver { annotation: annotation.into(), above: above.to_owned() }
}

/// It is not known whether a waiver is a copy.
pub(crate) fn unread(annotation: &str, query: &str) -> Fact {
    Fact::UnreadWaiver { annotation: annotation.into(), query: query.to_owned() }
}

/// A stored waiver of an object whose creation is not checked does not count for users who may not set it.
pub(crate) fn of_others(annotation: &str, setting: &str) -> Fact {
    Fact::WaiverOfOthers { annotation: annotation.into(), setting: setting.into() }
}

/// A user sets a waiver and may not.
pub(crate) fn forbidden(annotation: &str) -> Fact {
    Fact::ForbiddenWaiver { annotation: annotation.into() }
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
            (forbidden("example.com/exempt"), "annotation `example.com/exempt` may not be set by this user"),
        ] {
            assert_eq!(message.to_string(), expected);
        }
        assert_eq!(one_of("guards.exemptBy", "alice, admins"), "a user in `guards.exemptBy` (alice, admins)");
    }
}
