//! The label registry as an object of the cluster.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::catalog::grants::{LABELS, REGISTRY_MASKS};
use crate::kube::lookup::Lookups;
use crate::kube::object::Object;
use crate::kube::query::{ObjectName, ObjectQuery};
use crate::kube::stop::Stop;
use crate::settings::{CloudTags, Definition, Problem, listed, read_definition};

/// The kind of the registry as an object.
pub(crate) const REGISTRY: &str = "LabelRegistry";

/// Where a registry object has its definitions.
const DEFINITIONS: &str = "spec.definitions";

/// The definitions in the settings, or those of the assigned keys in the object that they name.
///
/// # Errors
/// When the registry object cannot be read, or one of these definitions cannot be used.
pub(super) fn definitions_of<'e>(
    settings: &'e CloudTags,
    lookups: &Lookups<'e>,
    is_assigned: impl Fn(&str) -> bool,
) -> Result<Cow<'e, BTreeMap<String, Definition>>, Stop> {
    let Some(reference) = &settings.registry else { return Ok(Cow::Borrowed(&settings.definitions)) };
    let query = ObjectQuery {
        group: LABELS,
        version: None,
        object: ObjectName { kind: REGISTRY, namespace: "", name: &reference.name },
        uid: "",
        masks: REGISTRY_MASKS,
    };
    let registry = lookups.parent(&query).map_err(Stop::of_registry)?;
    definitions(&registry.object, is_assigned)
        .map(Cow::Owned)
        .map_err(|problems| Stop::unreadable(registry.name.to_string(), &listed(&problems)).of_registry())
}

/// The definitions of the keys that are wanted. What is wrong with others is told where they are written.
///
/// # Errors
/// When one of them cannot be used, or there is no map of them: every problem.
pub(crate) fn definitions(
    object: &Object<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Definition>, Vec<Problem>> {
    let written = object.spec.get("definitions").and_then(|written| written.fields());
    let written = written.map_err(|malformed| vec![Problem::new(malformed.path, "expected an object")])?;
    let (mut definitions, mut problems) = (BTreeMap::new(), Vec::new());
    // Of several definitions of one key the last counts.
    let written: BTreeMap<_, _> = written.filter(|(key, _)| is_wanted(key)).collect();
    for (key, written) in written {
        match read_definition(key, written.text()) {
            Ok(definition) => {
                definitions.insert(key.to_owned(), definition);
            }
            Err(found) => problems.extend(found.into_iter().map(|problem| problem.below(DEFINITIONS))),
        }
    }
    if problems.is_empty() { Ok(definitions) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    fn problems(spec: &str) -> String {
        let document = Document::new(format!(r#"{{"spec":{spec}}}"#));
        let object = Object::read(&document).unwrap();
        definitions(&object, |_| true).err().map(|problems| listed(&problems)).unwrap_or_default()
    }

    #[test]
    fn no_definitions_are_no_problem() {
        for spec in ["null", "{}", r#"{"definitions":null}"#, r#"{"definitions":{}}"#] {
            assert_eq!(problems(spec), "", "{spec}");
        }
    }

    #[test]
    fn only_wanted_definitions_are_read() {
        let document =
            Document::new(r#"{"spec":{"definitions":{"a":{"scope":"domain"},"b":7,"c":{"scope":"project"}}}}"#);
        let definitions = definitions(&Object::read(&document).unwrap(), |key| key != "b").unwrap();
        assert_eq!(definitions.keys().collect::<Vec<_>>(), ["a", "c"]);
    }

    #[test]
    fn the_last_of_two_definitions_of_one_key_counts() {
        assert_eq!(problems(r#"{"definitions":{"a":7,"a":{"scope":"domain"}}}"#), "");
        let twice = r#"{"definitions":{"a":{"scope":"domain"},"a":7}}"#;
        assert_eq!(problems(twice), "spec.definitions[a]: expected an object, found a number");
        assert_eq!(problems(r#"{"definitions":7,"definitions":{}}"#), "");
    }

    #[test]
    fn every_problem_is_named_with_its_path() {
        assert_eq!(problems(r#"{"definitions":[]}"#), "spec.definitions: expected an object");
        assert_eq!(
            problems(r#"{"definitions":{"a/b":{"scope":"team"},"":{"scope":"domain"},"c":null}}"#),
            "spec.definitions[]: the key is empty; \
             spec.definitions[a/b].scope: unknown variant `team`, expected one of `platform`, `domain`, `project`; \
             spec.definitions[c]: expected an object, found null"
        );
    }
}
