//! What is propagated, what is edited, and what is set at a place from which nothing propagates.

use super::{EntryName, Location, SettingValue};

/// An entry was missing and is added.
pub const ADDED: &str = "added";
/// An entry had another value and is corrected.
pub const CORRECTED: &str = "corrected";
/// The request changed or removed a correct entry, and it is restored.
pub const RESTORED: &str = "restored";
/// The request changed or removed a correct entry, and the settings leave the edit.
pub const NOT_RESTORED: &str = "edited but not restored";
/// The request changed or removed a correct entry, and restoring it could make the user its owner.
pub const LEFT_TO_CLUSTER_API: &str = "not restored by this policy";
/// An entry that this policy had added is removed.
pub const REMOVED: &str = "removed";

/// The warning about one entry: what happened to it, and why.
pub fn changed(entry: EntryName<'_>, what_happened: &str, reason: &str) -> String {
    format!("{entry} {what_happened}: {reason}")
}

/// Why an entry is set: an object above has it.
pub fn set_on(source: Location<'_>) -> String {
    format!("set on {source}")
}

/// Why an edit is left to Cluster API: the owners of the entry are not known.
pub const NO_MANAGED_FIELDS: &str = "no readable managedFields; Cluster API restores it";

/// Why an entry is removed: the object above dropped it.
pub fn no_longer_set_on(source: Location<'_>) -> String {
    format!("no longer set on {source}")
}

/// Why an entry is set: Cluster API derives it from an object above.
pub fn managed_by_cluster_api(source: Location<'_>) -> String {
    format!("set by Cluster API from {source}")
}

/// In a refusal: an entry is missing or has another value.
pub fn must_be(entry: EntryName<'_>, at: &str, value: &str, reason: &str) -> String {
    format!("{entry} in `{at}` must be `{value}`: {reason}")
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

/// The rule behind the policy's own annotation.
pub const RECORD: &str = "record of the keys that this policy added";

/// The rule behind the Machine controller's record on a Node.
pub const NODE_RECORD: &str = "record of the keys that are set from the Machine";

/// The rule behind the removal of an entry whose source is no longer known.
pub const SOURCE_DROPPED: &str = "added by this policy, no longer set on its source";

/// The rule behind an entry that a topology has from its own Cluster's metadata.
pub fn cluster_to_topology(map: &str, path: &str) -> String {
    format!("`Cluster.metadata.{map}` => `Cluster.{path}` (`clusterApi.optIn.clusterToTopology`)")
}

/// An entry that the API server would reject is omitted.
pub fn not_propagated(entry: EntryName<'_>, reason: &str, source: Location<'_>) -> String {
    format!("{entry} not propagated: {reason}; change it on {source}")
}

/// The same for entries that do not fit into the annotations of the object.
pub fn no_room(count: usize) -> String {
    let entries = if count == 1 { "entry" } else { "entries" };
    format!("{count} {entries} not propagated: annotations of an object are limited to 256 KiB in total")
}

/// In a warning, why an entry is omitted.
pub const INVALID_KEY: &str = "the key is not valid";
/// In a warning, why an entry is omitted.
pub const INVALID_VALUE: &str = "the value is not valid";
/// In a warning, why an entry is omitted.
pub const NO_ROOM: &str = "the annotations would exceed 256 KiB";
/// In a warning, why a list is omitted.
pub const TOO_MANY: &str = "the list would be too long";

/// A request sets a key at a place from which nothing propagates, although the object has a place from which it would.
pub fn not_propagated_from_here(entry: EntryName<'_>, instead: Location<'_>) -> String {
    format!("{entry} is not propagated from here; set it in {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEAM: EntryName<'_> = EntryName { noun: "label", key: "team" };
    const SET: Location<'_> =
        Location::InObject { object: "MachineSet fleet/ms", path: ".spec.template.metadata.labels" };
    const MACHINE: &str = "Machine fleet/m-1";

    #[test]
    fn what_is_left_out_names_its_source_last() {
        assert_eq!(
            not_propagated(TEAM, INVALID_VALUE, SET),
            "label `team` not propagated: the value is not valid; change it on MachineSet fleet/ms (.spec.template.metadata.labels)"
        );
        assert_eq!(no_room(1), "1 entry not propagated: annotations of an object are limited to 256 KiB in total");
        assert_eq!(no_room(2), "2 entries not propagated: annotations of an object are limited to 256 KiB in total");
    }

    #[test]
    fn a_change_names_its_source() {
        for (what_happened, reason, expected) in [
            (ADDED, set_on(SET), "label `team` added: set on MachineSet fleet/ms (.spec.template.metadata.labels)"),
            (CORRECTED, set_on(Location::Kind("MachineSet")), "label `team` corrected: set on the MachineSet"),
            (
                RESTORED,
                managed_by_cluster_api(Location::Object("MachineSet fleet/ms")),
                "label `team` restored: set by Cluster API from MachineSet fleet/ms",
            ),
            (
                NOT_RESTORED,
                set_on(Location::Object("MachineSet fleet/ms")),
                "label `team` edited but not restored: set on MachineSet fleet/ms",
            ),
            (
                LEFT_TO_CLUSTER_API,
                NO_MANAGED_FIELDS.to_owned(),
                "label `team` not restored by this policy: no readable managedFields; Cluster API restores it",
            ),
            (
                REMOVED,
                no_longer_set_on(Location::Object("Cluster fleet/c1")),
                "label `team` removed: no longer set on Cluster fleet/c1",
            ),
            (
                REMOVED,
                SOURCE_DROPPED.to_owned(),
                "label `team` removed: added by this policy, no longer set on its source",
            ),
        ] {
            assert_eq!(changed(TEAM, what_happened, &reason), expected);
        }
    }

    #[test]
    fn a_refusal_names_object_setting_entry_and_source() {
        let missing = must_be(TEAM, "metadata.labels", "red", &set_on(SET));
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

    #[test]
    fn rules_of_the_policys_own_are_worded_like_the_pages() {
        assert_eq!(
            cluster_to_topology("labels", "spec.topology.controlPlane.metadata.labels"),
            "`Cluster.metadata.labels` => `Cluster.spec.topology.controlPlane.metadata.labels` \
             (`clusterApi.optIn.clusterToTopology`)"
        );
        assert_eq!(RECORD, "record of the keys that this policy added");
    }

    #[test]
    fn a_key_at_a_wrong_place_names_the_right_one() {
        assert_eq!(
            not_propagated_from_here(TEAM, Location::Here("spec.template.metadata.labels")),
            "label `team` is not propagated from here; set it in `spec.template.metadata.labels`"
        );
        let path = ".spec.topology.controlPlane.metadata.labels";
        assert_eq!(
            not_propagated_from_here(TEAM, Location::InObject { object: "Cluster fleet/c1", path }),
            "label `team` is not propagated from here; set it in Cluster fleet/c1 \
             (.spec.topology.controlPlane.metadata.labels)"
        );
    }
}
