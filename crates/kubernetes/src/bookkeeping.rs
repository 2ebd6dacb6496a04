//! Requests that only change bookkeeping.

use std::collections::BTreeMap;

use super::request::{Operation, Review};
use crate::json::{Document, Json, equal};

impl Review<'_> {
    /// Whether the request changes more of the stored object than `metadata.managedFields` and
    /// `metadata.resourceVersion`.
    pub fn changes_something(&self) -> bool {
        self.operation == Operation::Create
            || (!self.dry_run
                && match (self.object, self.old_object) {
                    (Some(object), Some(old)) => {
                        object != old && !same_but_bookkeeping(Document::new(object).root(), Document::new(old).root())
                    }
                    _ => true,
                })
    }
}

/// Whether two objects mean the same, ignoring `metadata.managedFields` and `metadata.resourceVersion`.
pub fn same_but_bookkeeping(object: Json<'_>, old: Json<'_>) -> bool {
    let (Some(fields), Some(others)) = (lasting_fields(object), lasting_fields(old)) else { return false };
    let (absent, other_absent) = (object.absent(), old.absent());
    fields
        .keys()
        .chain(others.keys())
        .all(|key| equal(*fields.get(key).unwrap_or(&absent), *others.get(key).unwrap_or(&other_absent)))
}

/// Fields by whether they are metadata, and by name.
type Lasting<'a> = BTreeMap<(bool, &'a str), Json<'a>>;

/// The fields of an object and of its metadata except those two; `None` if one of the two is not an object.
fn lasting_fields(object: Json<'_>) -> Option<Lasting<'_>> {
    let mut lasting = BTreeMap::new();
    for (key, value) in object.as_fields()? {
        if key == "metadata" {
            let bookkeeping = |key: &str| ["managedFields", "resourceVersion"].contains(&key);
            let metadata = value.as_fields()?.filter(|(key, _)| !bookkeeping(key));
            lasting.extend(metadata.map(|(key, value)| ((true, key), value)));
        } else {
            lasting.insert((false, key), value);
        }
    }
    Some(lasting)
}
