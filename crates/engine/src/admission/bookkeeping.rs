//! Requests that change nothing but bookkeeping.

use super::request::{Operation, Review};
use crate::json::document::{Document, Json};

impl Review<'_> {
    /// Whether something is stored by it that differs from what is stored by more than `metadata.managedFields` and
    /// `metadata.resourceVersion`.
    pub(crate) fn changes_something(&self) -> bool {
        self.operation == Operation::Create
            || (!self.dry_run
                && match (self.object, self.old_object) {
                    (Some(object), Some(old)) => object != old && !differ_in_bookkeeping_only(object, old),
                    _ => true,
                })
    }
}

/// Whether two objects are the same but for `metadata.managedFields` and `metadata.resourceVersion`.
fn differ_in_bookkeeping_only(object: &str, old: &str) -> bool {
    let (object, old) = (Document::new(object), Document::new(old));
    let (fields, old) = (lasting_fields(object.root()), lasting_fields(old.root()));
    fields.is_some() && fields == old
}

/// The fields of an object and of its metadata but those two, as they are written; `None` where one is not an object.
fn lasting_fields(object: Json<'_>) -> Option<Vec<(&str, Json<'_>)>> {
    let mut lasting = Vec::new();
    for (key, value) in object.as_fields()? {
        if key == "metadata" {
            let bookkeeping = |key: &str| ["managedFields", "resourceVersion"].contains(&key);
            lasting.extend(value.as_fields()?.filter(|(key, _)| !bookkeeping(key)));
        } else {
            lasting.push((key, value));
        }
    }
    Some(lasting)
}
