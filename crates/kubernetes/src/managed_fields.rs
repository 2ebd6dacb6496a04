//! `metadata.managedFields`: who owns which field of an object.
//!
//! Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go, `DecodeManagedFields`,
//! `BuildManagerIdentifier` and `sortEncodedManagedFields`.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::json;

use crate::json::{Edit, Json, Write, splice};
use crate::object::group_and_version;

/// One entry: what one manager owns through one operation.
#[derive(Debug, Clone, Copy)]
pub struct ManagedFieldsEntry<'a> {
    json: Json<'a>,
    pub manager: &'a str,
    operation: &'a str,
    api_version: &'a str,
    /// The version of the object in which the fields are named.
    pub version: &'a str,
    subresource: &'a str,
    /// Such as `2026-11-22T10:28:00Z`; empty if there is none.
    time: &'a str,
    /// The set of fields, as `FieldsV1`.
    pub fields: Json<'a>,
}

impl<'a> ManagedFieldsEntry<'a> {
    /// The entries of an object; `None` if they do not have the API server's format.
    pub fn all(managed_fields: Json<'a>) -> Option<Vec<ManagedFieldsEntry<'a>>> {
        managed_fields.as_elements()?.map(ManagedFieldsEntry::read).collect()
    }

    fn read(json: Json<'a>) -> Option<ManagedFieldsEntry<'a>> {
        let [mut manager, mut operation, mut api_version, mut subresource, mut time, mut fields_type] = [""; 6];
        let mut fields = json.absent();
        // One pass, because objects have many entries; of several fields with one name the last counts.
        for (key, value) in json.as_fields()? {
            let text = match key {
                "manager" => &mut manager,
                "operation" => &mut operation,
                "apiVersion" => &mut api_version,
                "subresource" => &mut subresource,
                "time" => &mut time,
                "fieldsType" => &mut fields_type,
                "fieldsV1" => {
                    fields = value;
                    continue;
                }
                _ => continue,
            };
            *text = value.as_str().or_else(|| value.is_null().then_some(""))?;
        }
        let is_known = ["Apply", "Update"].contains(&operation) && ["", "FieldsV1"].contains(&fields_type);
        let version = group_and_version(api_version).1;
        let entry = ManagedFieldsEntry { json, manager, operation, api_version, version, subresource, time, fields };
        is_known.then_some(entry)
    }

    /// Whether the manager applies: it declares everything it wants, and removes what it no longer declares.
    pub fn applies(&self) -> bool {
        self.operation == "Apply"
    }

    /// Whether it is what a manager applied to the object itself.
    pub fn is_apply_of(&self, manager: &str) -> bool {
        self.applies() && self.subresource.is_empty() && self.manager == manager
    }

    /// Whether it was begun for a manager that has not applied since: the API server keeps the object's name out of what
    /// a manager applies.
    ///
    /// Source: internal/stripmeta.go, `stripSet`.
    pub fn is_begun(&self) -> bool {
        self.applies() && self.fields.at(&["f:metadata", "f:name"]).is_ok_and(|name| !name.is_null())
    }

    /// What tells managers apart for the API server: entries of Apply are one in all versions.
    pub fn manager_identity(&self) -> [&'a str; 4] {
        let api_version = if self.applies() { "" } else { self.api_version };
        [self.manager, self.operation, self.subresource, api_version]
    }

    /// The order in which the API server lists entries.
    pub fn order(&self, other: &ManagedFieldsEntry<'a>) -> Ordering {
        // Times in one format and zone are ordered like their texts.
        let key = |entry: &ManagedFieldsEntry<'a>| {
            [entry.operation, entry.time, entry.manager, entry.api_version, entry.subresource]
        };
        key(self).cmp(&key(other))
    }

    /// The entry as written, with another set of fields if one is given; `None` if it cannot be written.
    pub fn with(&self, fields: Option<String>) -> Option<Cow<'a, str>> {
        let Some(fields) = fields else { return Some(Cow::Borrowed(self.json.text())) };
        let write = Write { object: &[], field: "fieldsV1", edit: Edit::Set(fields.into()) };
        splice(self.json, &[write]).ok().map(Cow::Owned)
    }
}

/// `managedFields` with only the entry of a manager that has applied nothing yet, made at the time of the last of other
/// entries. Its first apply replaces it.
///
/// Source: Cluster API begins entries in the same way: internal/util/ssa, `MigrateManagedFields` and
/// `MitigateManagedFieldsIssue`.
pub fn begun(manager: &str, api_version: &str, others: &[ManagedFieldsEntry<'_>]) -> String {
    let entry = json!([{
        "apiVersion": api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:name": {}}},
        "manager": manager,
        "operation": "Apply",
        "time": others.iter().map(|entry| entry.time).max().filter(|time| !time.is_empty()),
    }]);
    entry.to_string()
}
