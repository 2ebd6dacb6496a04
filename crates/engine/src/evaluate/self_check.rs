//! A controller's own writes compared with the rules.

use super::{Evaluation, line};
use crate::admission::request::{Operation, Review};
use crate::json::document::{Document, Json};
use crate::report::messages::propagation::controller_write_does_not_match;
use crate::report::outcome::{Level, Outcome};

impl Evaluation<'_> {
    /// Compares a controller's write with the rules. Whatever comes of it, the write passes as it is.
    pub(super) fn self_check(mut self) -> Outcome {
        let Ok(differences) = self.compare(false) else {
            return Outcome::default();
        };
        if differences.changes.is_empty() {
            return Outcome::default();
        }
        let message = controller_write_does_not_match(&self.report.object);
        let drift: Vec<String> =
            differences.changes.iter().map(|change| format!("{} {}", change.at, change.key)).collect();
        self.outcome.log.push(line(Level::Warning, message, [("drift", drift.join(", "))]));
        self.report.drift = differences.changes;
        self.report.skipped = differences.skipped;
        self.answer()
    }
}

/// A self-check compares CREATEs and UPDATEs that change something for good.
pub(super) fn may_be_checked(review: &Review<'_>) -> bool {
    let changes = |object: Option<&str>, old: Option<&str>| match (object, old) {
        (Some(object), Some(old)) => object != old && !differ_in_bookkeeping_only(object, old),
        _ => true,
    };
    review.operation == Operation::Create || (!review.dry_run && changes(review.object, review.old_object))
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
