//! A configuration for server-side apply.

use metadata_propagation::{Change, Guards, OnConflict, Settings};
use serde_json::{Map, Value, json};

use super::managed::{Owned, OwnedPath, fields, remove};
use super::{ComparedObject, Needed, StoredObject};
use crate::member::Member;
use crate::splice::block;

impl StoredObject<'_> {
    /// What the object lacks, and what earlier backfills applied, if the rules still set it: server-side apply removes
    /// what a field manager applied before and does not apply again.
    ///
    /// What the rules set is what the policy restores in an object without what was applied. Of lists only the elements
    /// from sources are applied. A complete object only needs a configuration if it drops something.
    pub(super) fn apply(&self, changes: &[Change], is_complete: bool) -> ComparedObject {
        let stored = &self.member.written;
        let owned = Owned::of(stored).own;
        if is_complete && owned.is_empty() {
            return ComparedObject::Complete;
        }
        let mut bare = (**stored).clone();
        for (_, path) in &owned {
            remove(&mut bare, &fields(path));
        }
        // A list is applied without the elements of other owners.
        for change in changes.iter().filter(|change| change.to.as_ref().is_some_and(|to| to.as_json().starts_with('[')))
        {
            let path: Vec<&str> = change.at.split('.').chain([&*change.key]).collect();
            remove(&mut bare, &path);
        }
        let mut settings = Settings { guards: Guards::ignored(), ..self.settings.clone() };
        settings.cluster_api.on_conflict = OnConflict::Restore;
        let wanted = match self.evaluated(&bare, &settings) {
            Ok((_, completed)) => completed.unwrap_or_else(|| bare.clone()),
            Err(reason) => return ComparedObject::Refused(reason),
        };
        let mut patch = identity(self.member);
        merge(&mut patch, lacking(&bare, &wanted).unwrap_or_default());
        remove(&mut patch, &["metadata", "managedFields"]);
        let repeats =
            |path: &OwnedPath<'_>| fields(path).iter().try_fold(&patch, |value, name| value.get(name)).is_some();
        if is_complete && owned.iter().all(|(_, path)| repeats(path)) {
            return ComparedObject::Complete;
        }
        let conflicts = changes.iter().any(|change| change.from.is_some());
        ComparedObject::Lacking(Needed { text: yaml(&patch), conflicts })
    }
}

/// The identity of an object. With another UID, or none, the API server does not create an object from the
/// configuration: it answers with a conflict.
///
/// Source: k8s.io/apiserver, pkg/endpoints/handlers/patch.go, `applyPatch`.
pub(super) fn identity(member: &Member) -> Value {
    let stored = &member.written;
    let mut identity = json!({ "apiVersion": stored.get("apiVersion"), "kind": stored.get("kind") });
    for field in ["name", "namespace", "uid"] {
        if let Some(value) = stored.pointer(&format!("/metadata/{field}")) {
            merge(&mut identity, json!({ "metadata": { field: value } }));
        }
    }
    identity
}

/// A configuration as YAML.
pub(super) fn yaml(configuration: &Value) -> String {
    let mut text = String::new();
    if let Value::Object(fields) = configuration {
        block(fields, 0, &mut text);
    }
    text
}

/// The parts of `wanted` that `stored` does not have; lists as a whole.
fn lacking(stored: &Value, wanted: &Value) -> Option<Value> {
    let (Value::Object(stored), Value::Object(wanted)) = (stored, wanted) else {
        return (stored != wanted).then(|| wanted.clone());
    };
    let entries = wanted.iter().filter_map(|(name, wanted)| {
        let lacking = stored.get(name).map_or_else(|| Some(wanted.clone()), |stored| lacking(stored, wanted));
        Some((name.clone(), lacking?))
    });
    let entries: Map<String, Value> = entries.collect();
    (!entries.is_empty()).then_some(Value::Object(entries))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (into, from) => *into = from,
    }
}
