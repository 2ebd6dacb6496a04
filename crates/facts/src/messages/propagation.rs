//! What is propagated and what is edited, in refusals and in the log.

use super::{EntryName, SettingValue};

/// In a refusal: an entry is missing or has another value.
pub fn must_be(entry: EntryName<'_>, at: &str, value: &str, reason: &str) -> String {
    match value {
        "" => format!("{entry} in `{at}` must be empty: {reason}"),
        value => format!("{entry} in `{at}` must be `{value}`: {reason}"),
    }
}

/// In a refusal: an entry must be removed.
pub fn must_be_removed(entry: EntryName<'_>, at: &str, reason: &str) -> String {
    format!("{entry} in `{at}` must be removed: {reason}")
}

/// Verify mode refuses an object that lacks something.
pub fn does_not_match(object: &str, setting: SettingValue<'_>, differences: &str) -> String {
    format!("{object} does not match the propagation rules ({setting}): {differences}")
}

/// An edit of propagated values is refused.
pub fn edits_propagated_values(object: &str, setting: SettingValue<'_>, differences: &str) -> String {
    format!("{object} edits propagated values ({setting}): {differences}")
}

/// Logged when a controller's own write is compared with the rules and differs.
pub fn controller_write_does_not_match(object: &str) -> String {
    format!("a controller's write of {object} does not match the propagation rules")
}

/// Logged when an edit of a propagated entry is undone; `noun` is what kind of entry it is.
pub fn restored_edit(noun: &str, object: &str) -> String {
    format!("restored a propagated {noun} that was edited on {object}")
}

/// Logged when an edit of a propagated entry is left.
pub fn left_edit(noun: &str, object: &str) -> String {
    format!("did not restore a propagated {noun} that was edited on {object}")
}

/// Logged when one entry is written.
pub fn propagated_one(object: &str) -> String {
    format!("propagated one entry to {object}")
}

/// Logged when several entries are written.
pub fn propagated(count: usize, object: &str) -> String {
    format!("propagated {count} entries to {object}")
}

/// Logged when nothing but the policy's own annotation is written.
pub fn updated_record(object: &str) -> String {
    format!("updated the record of propagated keys on {object}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEAM: EntryName<'_> = EntryName { noun: "label", key: "team" };
    const SET: &str = "set on MachineSet fleet/ms (.spec.template.metadata.labels)";
    const SOURCE_DROPPED: &str = "added by this policy, no longer set on its source";
    const MACHINE: &str = "Machine fleet/m-1";

    #[test]
    fn a_refusal_names_object_setting_entry_and_source() {
        let empty = must_be(TEAM, "metadata.labels", "", SET);
        assert_eq!(empty, format!("label `team` in `metadata.labels` must be empty: {SET}"));
        let missing = must_be(TEAM, "metadata.labels", "red", SET);
        let surplus = must_be_removed(TEAM, "metadata.labels", SOURCE_DROPPED);
        assert_eq!(
            does_not_match(MACHINE, SettingValue { setting: "mode", value: "verify" }, &missing),
            "Machine fleet/m-1 does not match the propagation rules (`mode` is `verify`): label `team` in \
             `metadata.labels` must be `red`: set on MachineSet fleet/ms (.spec.template.metadata.labels)"
        );
        assert_eq!(
            edits_propagated_values(
                MACHINE,
                SettingValue { setting: "clusterApi.onConflict", value: "reject" },
                &surplus
            ),
            "Machine fleet/m-1 edits propagated values (`clusterApi.onConflict` is `reject`): label `team` in \
             `metadata.labels` must be removed: added by this policy, no longer set on its source"
        );
    }

    #[test]
    fn log_lines_name_the_object() {
        for (line, expected) in [
            (
                controller_write_does_not_match(MACHINE),
                "a controller's write of Machine fleet/m-1 does not match the propagation rules",
            ),
            (restored_edit("label", MACHINE), "restored a propagated label that was edited on Machine fleet/m-1"),
            (left_edit("field", MACHINE), "did not restore a propagated field that was edited on Machine fleet/m-1"),
            (propagated_one(MACHINE), "propagated one entry to Machine fleet/m-1"),
            (propagated(4, MACHINE), "propagated 4 entries to Machine fleet/m-1"),
            (updated_record(MACHINE), "updated the record of propagated keys on Machine fleet/m-1"),
        ] {
            assert_eq!(line, expected);
        }
    }
}
