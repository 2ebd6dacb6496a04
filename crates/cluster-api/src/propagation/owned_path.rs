//! The path of a propagated value in `metadata.managedFields`, in each version of its object.

use std::ops::Deref;

use crate::catalog::{FIELDS, Field, Place};
use crate::json::Json;
use kubernetes::field_set::{NotASet, below};
use kubernetes::managed_fields::ManagedFieldsEntry;
use kubernetes::{Action, Change, MapKind};

/// A difference from the rules, and what determines the owners of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedChange {
    pub change: Change,
    /// What determines its owners; `None` for what no rule propagates.
    pub(crate) owned: Option<OwnedPath>,
}

impl Deref for OwnedChange {
    type Target = Change;

    fn deref(&self) -> &Change {
        &self.change
    }
}

impl From<Change> for OwnedChange {
    fn from(change: Change) -> OwnedChange {
        OwnedChange { change, owned: None }
    }
}

impl OwnedChange {
    /// Whether what is written may have owners. What is added has none but the manager that applies it, or those of the
    /// elements of a list that are as they are stored.
    pub fn moves_owners(&self) -> bool {
        let has_owners = |owned: &OwnedPath| owned.manager.is_some() || !owned.elements.is_empty();
        self.owned.as_ref().is_some_and(|owned| self.action != Action::Added || has_owners(owned))
    }
}

/// A propagated value that is written: its path in `metadata.managedFields`, and its owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnedPath {
    pub(crate) place: Place,
    pub(crate) value: OwnedValue,
    /// For a list, the elements that are written.
    pub(crate) elements: Vec<OwnedElement>,
    /// Whether the stored object has the same value.
    pub(crate) is_as_stored: bool,
    /// Whether a controller of Cluster API sets the value with its next write, and no selector depends on it before.
    pub(crate) can_wait: bool,
    /// The field manager that applies what propagates to the place, if it is known.
    pub(crate) manager: Option<&'static str>,
    /// Whether its entry is begun if it has not applied yet: otherwise nothing removes the value if the source drops it
    /// before.
    pub(crate) begins: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnedValue {
    Entry(MapKind),
    /// An in-place mutable field, by its name in `FIELDS`.
    Field(&'static str),
}

/// One element of a list that is a map by some of its fields, or one field of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnedElement {
    /// Its key in a set of fields, from the list on, such as `k:{"conditionType":"A"}` and `f:polarity`.
    pub(crate) steps: Vec<String>,
    /// For a whole element, the names of its fields.
    pub(crate) fields: Vec<String>,
    /// Whether the stored list has the same.
    pub(crate) is_as_stored: bool,
}

/// The versions in which the tables know where fields are, and one for all others.
pub(super) const VERSIONS: [&str; 3] = ["v1beta1", "v1beta2", ""];

/// The index of a version in [`VERSIONS`].
pub(super) fn version_index(version: &str) -> usize {
    VERSIONS.iter().position(|known| *known == version).unwrap_or(VERSIONS.len() - 1)
}

impl OwnedPath {
    /// The steps to the value in a set of fields of objects of this version; `key` is the entry's. `None` if the
    /// version does not have it, or is not known.
    pub(super) fn steps(&self, key: &str, version: &str) -> Option<Vec<String>> {
        let step = |name: &str| ["f:", name].concat();
        match self.value {
            OwnedValue::Entry(map) => {
                let path = self.place.path(version).iter().copied().chain([map.field(), key]);
                Some(path.map(step).collect())
            }
            OwnedValue::Field(name) if is_known(version) => {
                let path = field(name)?.path(self.place, version)?;
                Some(path.into_iter().map(step).collect())
            }
            OwnedValue::Field(_) => None,
        }
    }

    /// The keys of the entry's map that a manager owns.
    pub(super) fn keys<'e>(&self, entry: &ManagedFieldsEntry<'e>) -> Result<Vec<&'e str>, NotASet> {
        let Some(mut map) = self.steps("", entry.version) else { return Ok(Vec::new()) };
        map.pop();
        let steps = below(entry.fields, &map)?.and_then(Json::as_fields);
        Ok(steps.into_iter().flatten().filter_map(|(step, _)| step.strip_prefix("f:")).collect())
    }

    /// Whether the path of the value in `metadata.managedFields` is known to all of these entries, if their versions have
    /// it at all.
    pub(super) fn is_known_to_all<'m, 'e: 'm>(
        &self,
        entries: impl Iterator<Item = &'m ManagedFieldsEntry<'e>>,
    ) -> bool {
        let is_known_to = |entry: &ManagedFieldsEntry<'_>| {
            is_known(entry.version) || entry.fields.get("f:spec").is_ok_and(|spec| spec.is_null())
        };
        match self.value {
            // Labels and annotations are at the same path in every version.
            OwnedValue::Entry(_) => true,
            OwnedValue::Field(_) => { entries }.all(is_known_to),
        }
    }
}

/// Whether the tables know where fields are in a version.
fn is_known(version: &str) -> bool {
    version_index(version) < VERSIONS.len() - 1
}

fn field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(place: Place, value: OwnedValue) -> OwnedPath {
        OwnedPath {
            place,
            value,
            elements: Vec::new(),
            is_as_stored: true,
            can_wait: true,
            manager: None,
            begins: false,
        }
    }

    #[test]
    fn labels_and_annotations_are_at_one_path_in_every_version() {
        let label = owned(Place::MachineSetTemplate, OwnedValue::Entry(MapKind::Labels));
        let expected = ["f:spec", "f:template", "f:metadata", "f:labels", "f:a/b"].map(str::to_owned).to_vec();
        for version in ["v1beta1", "v1beta2", "v1alpha4"] {
            assert_eq!(label.steps("a/b", version), Some(expected.clone()), "{version}");
        }
    }

    #[test]
    fn a_field_is_where_its_version_has_it() {
        let path = |place, name, version| {
            owned(place, OwnedValue::Field(name)).steps("", version).map(|steps| steps.join(" "))
        };
        let drain = "nodeDrainTimeout";
        let expected = |path: &str| Some(path.to_owned());
        assert_eq!(path(Place::Machine, drain, "v1beta1"), expected("f:spec f:nodeDrainTimeout"));
        assert_eq!(path(Place::Machine, drain, "v1beta2"), expected("f:spec f:deletion f:nodeDrainTimeoutSeconds"));
        assert_eq!(path(Place::Machine, drain, "v1alpha4"), None);
        assert_eq!(path(Place::Machine, "minReadySeconds", "v1beta1"), None);
    }
}
