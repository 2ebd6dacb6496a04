//! The record of what this policy added to objects where no controller will ever own it.
//!
//! A key that a webhook adds has no owner, so nothing would remove it when its source drops it. The record, an
//! annotation on the object, tells the policy what it must remove.

use std::collections::BTreeSet;

use crate::catalog::is_of_cluster_api;
use crate::catalog::keys::TRACKING;
use crate::json::{Document, Json, Malformed, Path};
use crate::subject::Subject;
use kubernetes::managed_fields::ManagedFieldsEntry;
use kubernetes::{Action, Change, EntryNoun, MapKind, Object, Value, own_change};
use serde::Serialize;

/// Keys that this policy added to an object, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Record {
    labels: BTreeSet<String>,
    annotations: BTreeSet<String>,
    fields: BTreeSet<String>,
}

impl Record {
    /// The record as it is stored: a user's edit of it does not count. For CREATE, the record in the object, as a
    /// backup may contain it. A record that cannot be read is empty.
    pub(crate) fn stored(subject: &Subject<'_>) -> Result<Record, Malformed> {
        Ok(Record::of(subject.old()?.unwrap_or(&subject.object)))
    }

    pub(crate) fn of(object: &Object<'_>) -> Record {
        object.annotations.get(TRACKING).and_then(Record::read).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Record> {
        let record = Document::new(text);
        let keys = |list| -> Option<BTreeSet<String>> {
            let keys = record.root().get(list).ok()?.as_elements()?;
            keys.map(|key| key.as_str().map(str::to_owned)).collect()
        };
        Some(Record { labels: keys("labels")?, annotations: keys("annotations")?, fields: keys("fields")? })
    }

    pub(crate) fn keys(&mut self, map: MapKind) -> &mut BTreeSet<String> {
        map.of(&mut self.labels, &mut self.annotations)
    }

    pub(crate) fn has(&self, map: MapKind, key: &str) -> bool {
        map.of(&self.labels, &self.annotations).contains(key)
    }

    pub(crate) fn fields(&mut self) -> &mut BTreeSet<String> {
        &mut self.fields
    }

    /// The annotation's value; none if nothing is recorded.
    pub(crate) fn to_annotation(&self) -> Option<String> {
        if *self == Record::default() { None } else { serde_json::to_string(self).ok() }
    }
}

/// Keys of a map that a manager declares: one that applies, which removes a key itself when it drops it, or a manager
/// of Cluster API. None if the `managedFields` cannot be read.
///
/// What an Update changed does not count: an edit that was reverted leaves the same trace.
pub(crate) fn claimed<'e>(managed_fields: Json<'e>, map: MapKind) -> BTreeSet<&'e str> {
    declared(managed_fields, map, |entry| entry.applies() || is_of_cluster_api(entry.manager))
}

/// Keys of a map that some managers declare. None if the `managedFields` cannot be read.
pub(crate) fn declared<'e>(
    managed_fields: Json<'e>,
    map: MapKind,
    by: impl Fn(&ManagedFieldsEntry<'_>) -> bool,
) -> BTreeSet<&'e str> {
    let entries = ManagedFieldsEntry::all(managed_fields).unwrap_or_default();
    let of_claimants = entries.iter().filter(|entry| by(entry));
    let field = map.of("f:labels", "f:annotations");
    let keys = of_claimants.filter_map(|entry| entry.fields.at(&["f:metadata", field]).ok()?.as_fields());
    keys.flatten().filter_map(|(key, _)| key.strip_prefix("f:")).collect()
}

/// The change that updates the record of an object; `None` if it is up to date.
pub(crate) fn recorded(object: &Object<'_>, record: &Record) -> Option<Change> {
    let stands = object.annotations.get(TRACKING).map(Value::string);
    let wanted = record.to_annotation().map(|record| Value::string(&record));
    let path = Path::fields(&["metadata", "annotations"]);
    (stands != wanted).then(|| own_change(path, EntryNoun::Annotation, TRACKING, Action::Recorded, stands, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_is_sorted_and_absent_when_empty() {
        let mut record = Record::default();
        assert_eq!(record.to_annotation(), None);
        record.keys(MapKind::Labels).extend(["b".to_owned(), "a".to_owned()]);
        assert_eq!(record.to_annotation().unwrap(), r#"{"labels":["a","b"],"annotations":[],"fields":[]}"#);
    }

    #[test]
    fn appliers_and_cluster_api_claim_keys_and_editors_do_not() {
        let document = Document::new(
            r#"{"metadata":{"managedFields":[
                {"manager":"argocd","operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a/b":{}}}}},
                {"manager":"capi-machineset","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:c":{}}}}},
                {"manager":"machinepool-controller","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:e":{}}}}},
                {"manager":"kubectl-edit","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:d":{}}}}}]}}"#,
        );
        let object = Object::read(&document).unwrap();
        assert_eq!(claimed(object.managed_fields, MapKind::Labels), ["a/b", "c", "e"].into());
        assert_eq!(claimed(object.managed_fields, MapKind::Annotations), BTreeSet::new());
    }
}
