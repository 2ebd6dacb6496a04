//! What is propagated and what is edited, in refusals and in the log.

use kubernetes::{SettingValue, sentences};

sentences! {
    /// Verify mode refuses an object that lacks something.
    pub(crate) does_not_match(object: &str, setting: SettingValue<'_>, differences: &str)
        "{object} does not match the propagation rules ({setting}): {differences}";
    /// An edit of propagated values is refused.
    pub(crate) edits_propagated_values(object: &str, setting: SettingValue<'_>, differences: &str)
        "{object} edits propagated values ({setting}): {differences}";
    /// Logged when a controller's own write is compared with the rules and differs.
    pub(crate) controller_write_does_not_match(object: &str)
        "a controller's write of {object} does not match the propagation rules";
    /// Logged when an edit of a propagated entry is undone; `noun` is what kind of entry it is.
    pub(crate) restored_edit(noun: &str, object: &str) "restored a propagated {noun} that was edited on {object}";
    /// Logged when an edit of a propagated entry is left.
    pub(crate) left_edit(noun: &str, object: &str) "did not restore a propagated {noun} that was edited on {object}";
    /// Logged when one entry is written.
    pub(crate) propagated_one(object: &str) "propagated one entry to {object}";
    /// Logged when several entries are written.
    pub(crate) propagated(count: usize, object: &str) "propagated {count} entries to {object}";
    /// Logged when nothing but the policy's own annotation is written.
    pub(crate) updated_record(object: &str) "updated the record of propagated keys on {object}";
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = "Machine fleet/m-1";

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
