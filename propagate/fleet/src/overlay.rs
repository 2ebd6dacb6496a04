//! Manifests applied to stored objects.

mod previous;

use serde_json::{Map, Value};

use self::previous::{has_last_applied, previous};
use crate::fleet::Fleet;
use crate::object::{FleetObject, Origin};
use crate::problem::Problem;
use crate::read::Reading;
use crate::scope::DEFAULT_NAMESPACE;
use crate::source::Source;

impl Fleet {
    /// The stored objects after these manifests are applied: fields that a manifest does not contain are not changed,
    /// and what was applied before and is no longer in the manifest is removed. Nothing is deleted.
    ///
    /// Objects that are in a manifest have their position there; the others where they are stored.
    pub fn applied_to(&self, stored: &Fleet) -> Fleet {
        let first = stored.sources().len();
        let sources: Vec<Source> = stored.sources().iter().chain(self.sources()).cloned().collect();
        let moved = |object: &FleetObject, json| {
            let origin = Origin { source: object.origin.source + first, ..object.origin.clone() };
            FleetObject { id: object.id.clone(), version: object.version.clone(), json, origin }
        };
        let mut reading = Reading::default();
        for object in stored.objects().filter(|object| self.find(&object.id).is_none()) {
            reading.objects.push(object.clone());
        }
        for manifest in self.objects() {
            let json = match stored.find(&manifest.id).filter(|object| object.version == manifest.version) {
                Some(object) => applied(&object.json, &manifest.json).into(),
                None => manifest.json.clone(),
            };
            reading.objects.push(moved(manifest, json));
        }
        let problem = |problem: &Problem| Problem { source: problem.source + first, ..problem.clone() };
        reading.problems.extend(self.problems().iter().map(problem));
        Fleet::assemble(sources, vec![reading], DEFAULT_NAMESPACE)
    }
}

/// An object after a manifest is applied.
fn applied(stored: &str, manifest: &str) -> String {
    let parsed = |json| serde_json::from_str::<Value>(json).unwrap_or_default();
    let (stored, manifest) = (parsed(stored), parsed(manifest));
    let previous = previous(&stored).unwrap_or_default();
    // kubectl sends whole lists; server-side apply leaves the elements of others, such as defaults of variables.
    let is_server_side = !previous.is_null() && !has_last_applied(&stored);
    merged(&previous, stored, &manifest, is_server_side).to_string()
}

/// A value after another is applied, which was `previous` before.
fn merged(previous: &Value, stored: Value, manifest: &Value, is_server_side: bool) -> Value {
    match (stored, manifest) {
        (Value::Object(stored), Value::Object(manifest)) => {
            Value::Object(merged_fields(previous, stored, manifest, is_server_side))
        }
        (Value::Array(stored), Value::Array(manifest)) => match (names(&stored), names(manifest)) {
            (Some(names), Some(wanted)) => {
                let at = |name: &str| names.iter().position(|known| known == name);
                let element = |(name, element): (&String, &Value)| match at(name).and_then(|at| stored.get(at)) {
                    Some(stored) => merged(named(previous, name), stored.clone(), element, is_server_side),
                    None => element.clone(),
                };
                let is_of_others = |(name, _): &(&String, &Value)| {
                    is_server_side && !wanted.contains(name) && named(previous, name).is_null()
                };
                let of_others = names.iter().zip(&stored).filter(is_of_others).map(|(_, element)| element.clone());
                wanted.iter().zip(manifest).map(element).chain(of_others).collect()
            }
            _ => Value::Array(manifest.clone()),
        },
        (_, manifest) => manifest.clone(),
    }
}

fn merged_fields(
    previous: &Value,
    mut stored: Map<String, Value>,
    manifest: &Map<String, Value>,
    is_server_side: bool,
) -> Map<String, Value> {
    for name in previous.as_object().into_iter().flat_map(Map::keys).filter(|name| !manifest.contains_key(*name)) {
        stored.remove(name);
    }
    for (name, value) in manifest {
        match stored.remove(name) {
            // A null removes the field.
            _ if value.is_null() => {}
            Some(known) => {
                let previous = previous.get(name).unwrap_or(&Value::Null);
                stored.insert(name.clone(), merged(previous, known, value, is_server_side));
            }
            None => {
                stored.insert(name.clone(), value.clone());
            }
        }
    }
    stored
}

/// The names of the elements of a list, if they are all different: such a list is merged by name.
fn names(list: &[Value]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for element in list {
        let name = element.get("name")?.as_str()?.to_owned();
        if names.contains(&name) {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

/// The element of a list that has a name.
fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    let is_named = |element: &&Value| element.get("name").and_then(Value::as_str) == Some(name);
    list.as_array().and_then(|list| list.iter().find(is_named)).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_manifest_does_not_name_stays_and_what_it_no_longer_names_goes() {
        let previous = json!({ "labels": { "gone": "1", "team": "a" }, "list": [{ "name": "x", "old": 1 }] });
        let stored = json!({
            "labels": { "gone": "1", "team": "a", "by-controller": "2" },
            "list": [{ "name": "x", "old": 1, "default": true }, { "name": "y" }],
            "plain": [1, 2], "status": {}, "unset": "v",
        });
        let manifest = json!({
            "labels": { "team": "b" }, "list": [{ "name": "new" }, { "name": "x" }], "plain": [3], "unset": null,
        });
        let expected = json!({
            "labels": { "team": "b", "by-controller": "2" },
            "list": [{ "name": "new" }, { "name": "x", "default": true }],
            "plain": [3], "status": {},
        });
        assert_eq!(merged(&previous, stored, &manifest, false), expected);
    }

    #[test]
    fn server_side_apply_leaves_the_elements_of_others() {
        let list = |names: &[&str]| names.iter().map(|name| json!({ "name": name })).collect::<Value>();
        let merged = |is_server_side| {
            merged(&list(&["x", "gone"]), list(&["gone", "x", "default"]), &list(&["x", "new"]), is_server_side)
        };
        assert_eq!(merged(true), list(&["x", "new", "default"]));
        assert_eq!(merged(false), list(&["x", "new"]));
    }

    #[test]
    fn objects_in_manifests_are_found_there_and_the_others_stay() {
        let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
        let stored = Fleet::read(vec![
            source("stored/a", "{apiVersion: v1, kind: A, metadata: {name: a, uid: u}}"),
            source("stored/b", "{apiVersion: v1, kind: A, metadata: {name: b}}"),
        ]);
        let manifests = Fleet::read(vec![source(
            "m.yaml",
            "apiVersion: v1\nkind: A\nmetadata: {name: a, labels: {x: z}}\n---\napiVersion: v1\nkind: A\nmetadata: {name: c}\n",
        )]);
        let applied = manifests.applied_to(&stored);
        let found: Vec<(String, &str, Value)> = applied
            .objects()
            .map(|object| {
                let source = &applied.sources()[object.origin.source].name;
                (
                    object.id.to_string(),
                    &**source,
                    serde_json::from_str::<Value>(&object.json).unwrap()["metadata"].clone(),
                )
            })
            .collect();
        let expected = [
            ("A default/b".to_owned(), "stored/b", json!({ "name": "b" })),
            ("A default/a".to_owned(), "m.yaml", json!({ "name": "a", "uid": "u", "labels": { "x": "z" } })),
            ("A default/c".to_owned(), "m.yaml", json!({ "name": "c" })),
        ];
        assert_eq!(found, expected);
    }
}
