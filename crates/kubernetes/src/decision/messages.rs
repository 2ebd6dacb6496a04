//! How an entry, a place and a setting are named in every sentence.
//!
//! Sentences are lower case and have no final stop; user input is in backticks, and an object is named by kind,
//! namespace and name.

use std::fmt;

/// An entry of a map, or a field: ``label `team` ``.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryName<'a> {
    /// `label`, `annotation`, `field` or `cloud tag`.
    pub noun: &'static str,
    /// Its key.
    pub key: &'a str,
}

impl fmt::Display for EntryName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        all_of(f, [self.noun, " `", self.key, "`"])
    }
}

/// Concatenates texts. Names are in every sentence about an entry, and `write!` takes longer.
fn all_of<const N: usize>(f: &mut fmt::Formatter<'_>, texts: [&str; N]) -> fmt::Result {
    texts.into_iter().try_for_each(|text| f.write_str(text))
}

/// Where an entry is set, or must be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location<'a> {
    /// An object and a path in it: `MachineSet fleet/ms (.spec.template.metadata.labels)`.
    InObject {
        /// Kind, namespace and name.
        object: &'a str,
        /// The path.
        path: &'a str,
    },
    /// An object: `MachineSet fleet/ms`.
    Object(&'a str),
    /// A path in the one object of a kind that it can be: `Cluster.spec.topology.controlPlane.metadata`.
    InKind {
        /// The kind.
        kind: &'a str,
        /// The path.
        path: &'a str,
    },
    /// The one object of a kind that it can be: `the MachineSet`.
    Kind(&'a str),
    /// A path in the object under review: `` `spec.template.metadata.labels` ``.
    Here(&'a str),
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::InObject { object, path } => all_of(f, [object, " (", path, ")"]),
            Location::Object(object) => f.write_str(object),
            Location::InKind { kind, path } => all_of(f, [kind, path]),
            Location::Kind(kind) => all_of(f, ["the ", kind]),
            Location::Here(path) => all_of(f, ["`", path, "`"]),
        }
    }
}

/// The setting that leads to a refusal, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingValue<'a> {
    /// The path of the setting.
    pub setting: &'a str,
    /// Its value.
    pub value: &'a str,
}

impl fmt::Display for SettingValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is `{}`", self.setting, self.value)
    }
}

/// The last item of a list that is too long to print.
pub fn and_more(count: usize) -> String {
    format!("and {count} more: see the audit annotation `report`")
}

/// A log line about a finding: what was found, and in which object.
pub fn about(object: &str, message: &str) -> String {
    format!("{object}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_by_noun_and_key() {
        assert_eq!(EntryName { noun: "cloud tag", key: "plexsphere:team" }.to_string(), "cloud tag `plexsphere:team`");
    }

    #[test]
    fn a_location_is_as_exact_as_it_is_known() {
        let (object, kind, path) = ("Cluster fleet/c1", "Cluster", ".spec.topology.controlPlane.metadata");
        for (location, expected) in [
            (Location::InObject { object, path }, "Cluster fleet/c1 (.spec.topology.controlPlane.metadata)"),
            (Location::Object(object), "Cluster fleet/c1"),
            (Location::InKind { kind, path }, "Cluster.spec.topology.controlPlane.metadata"),
            (Location::Kind(kind), "the Cluster"),
            (Location::Here("spec.template.metadata.labels"), "`spec.template.metadata.labels`"),
        ] {
            assert_eq!(location.to_string(), expected);
        }
    }

    #[test]
    fn a_refusal_names_setting_and_value() {
        let setting = SettingValue { setting: "guards.adoption", value: "reject" };
        assert_eq!(setting.to_string(), "`guards.adoption` is `reject`");
    }

    #[test]
    fn a_list_that_is_cut_says_where_the_rest_is() {
        assert_eq!(and_more(6), "and 6 more: see the audit annotation `report`");
    }

    #[test]
    fn a_log_line_begins_with_its_object() {
        assert_eq!(about("Machine fleet/m-1", "label `a` added"), "Machine fleet/m-1: label `a` added");
    }
}
