//! The record of what this policy added where no controller will ever own it.
//!
//! A key that a webhook adds has no owner, so nobody would remove it when its source drops it. The record, an annotation
//! on the object, is how the policy remembers what it has to remove.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::json::{Json, Malformed};
use crate::keys::TRACKING;
use crate::object::Object;
use crate::place::MapKind;
use crate::subject::Subject;

/// Keys that this policy added to an object, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    labels: BTreeSet<String>,
    annotations: BTreeSet<String>,
    fields: BTreeSet<String>,
}

impl Record {
    /// The record as it is stored: a user's edit of it does not count. On CREATE, as an earlier life of the object left
    /// it. What cannot be read records nothing.
    ///
    /// # Errors
    /// When the stored object has another shape than Kubernetes gives it.
    pub(crate) fn stored(subject: &Subject<'_>) -> Result<Record, Malformed> {
        Ok(Record::of(subject.old()?.unwrap_or(&subject.object)))
    }

    /// The record that an object carries.
    pub(crate) fn of(object: &Object<'_>) -> Record {
        object.annotations.get(TRACKING).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    pub(crate) fn keys(&mut self, map: MapKind) -> &mut BTreeSet<String> {
        match map {
            MapKind::Labels => &mut self.labels,
            MapKind::Annotations => &mut self.annotations,
        }
    }

    pub(crate) fn fields(&mut self) -> &mut BTreeSet<String> {
        &mut self.fields
    }

    /// The annotation's value; none where nothing is recorded.
    pub(crate) fn to_annotation(&self) -> Option<String> {
        if *self == Record::default() { None } else { serde_json::to_string(self).ok() }
    }
}

/// Keys of a map that somebody declares as theirs: appliers, who remove a key themselves when they drop it, and Cluster
/// API's own managers.
///
/// What an Update changed does not count: an edit that was reverted leaves the same trace. Keys under `f:metadata` are
/// spelt as they are behind their `f:`.
///
/// Source: field managers of internal/util/ssa/patch.go and of the controllers' packages.
///
/// # Errors
/// When `managedFields` has another shape than Kubernetes gives it.
pub(crate) fn claimed(object: &Object<'_>, map: MapKind) -> Result<BTreeSet<String>, Malformed> {
    let mut claimed = BTreeSet::new();
    let entries = object.managed_fields.as_ref().map(Json::elements).transpose()?;
    for entry in entries.unwrap_or_default() {
        let manager = entry.string(&["manager"])?.unwrap_or_default();
        let applies = entry.string(&["operation"])?.as_deref() == Some("Apply");
        if !applies && !manager.starts_with("capi-") && manager != "machinepool-controller" {
            continue;
        }
        let field = if map == MapKind::Labels { "f:labels" } else { "f:annotations" };
        if let Some(keys) = entry.at(&["fieldsV1", "f:metadata", field], None)? {
            claimed.extend(keys.present_fields()?.filter_map(|(key, _)| key.strip_prefix("f:").map(str::to_owned)));
        }
    }
    Ok(claimed)
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
        let object = Object::parse(
            r#"{"metadata":{"managedFields":[
                {"manager":"argocd","operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a/b":{}}}}},
                {"manager":"capi-machineset","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:c":{}}}}},
                {"manager":"machinepool-controller","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:e":{}}}}},
                {"manager":"kubectl-edit","operation":"Update","fieldsV1":{"f:metadata":{"f:labels":{"f:d":{}}}}}]}}"#,
        )
        .unwrap();
        assert_eq!(claimed(&object, MapKind::Labels).unwrap(), ["a/b", "c", "e"].map(str::to_owned).into());
        assert_eq!(claimed(&object, MapKind::Annotations).unwrap(), BTreeSet::new());
    }
}
