//! The label registry: definitions, and which of them let their labels become tags.

use serde::Serialize;

use crate::json::{self, Field, Json, Malformed};
use crate::kube::object::Object;

/// What the registry says about one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Definition {
    /// Whose definition it is.
    pub scope: Scope,
    /// Whether labels of this key become cloud tags. Nothing does by itself.
    #[serde(default)]
    pub cloud_tag_propagation: bool,
}

/// Whose definition it is. Labels of all three are tags alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// A platform operator's.
    Platform,
    /// A domain owner's.
    Domain,
    /// A project owner's.
    Project,
}

impl Scope {
    const ALL: [Scope; 3] = [Scope::Platform, Scope::Domain, Scope::Project];

    /// The name, as definitions write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Platform => "platform",
            Scope::Domain => "domain",
            Scope::Project => "project",
        }
    }
}

/// The kind of the registry as an object.
pub(super) const REGISTRY: &str = "LabelRegistry";

/// The definitions that every installation has: of scope platform, immutable, and never tags.
pub const SEEDED: [&str; 3] = ["platform/origin", "platform/mesh-ip", "platform/domain"];

/// One definition of the map at `path`, as it is written.
///
/// # Errors
/// When it has another shape, its key is empty, or it is a seeded one that was changed.
pub(super) fn definition(path: &str, written: &Field<'_>) -> Result<Definition, Malformed> {
    let key = &*written.key;
    let wrong = |field: &str, problem: &str| {
        Err(Malformed { path: format!("{path}[{key}]{field}"), problem: problem.to_owned() })
    };
    if key.is_empty() {
        return wrong("", "has an empty key");
    }
    let Some(fields) = json::fields(written.value) else { return wrong("", "is not an object") };
    let (mut scope, mut cloud_tag_propagation) = (None, false);
    for field in &fields {
        match (&*field.key, field.value) {
            (_, "null") => {}
            ("scope", value) => {
                let text = json::string(value).unwrap_or_default();
                scope = Scope::ALL.into_iter().find(|scope| scope.as_str() == text);
                if scope.is_none() {
                    return wrong(".scope", "is not `platform`, `domain` or `project`");
                }
            }
            ("cloudTagPropagation", "true") => cloud_tag_propagation = true,
            ("cloudTagPropagation", "false") => cloud_tag_propagation = false,
            ("cloudTagPropagation", _) => return wrong(".cloudTagPropagation", "is neither true nor false"),
            (name, _) => {
                return wrong(&format!(".{name}"), "is unknown: a definition has `scope` and `cloudTagPropagation`");
            }
        }
    }
    let Some(scope) = scope else { return wrong("", "has no `scope`: `platform`, `domain` or `project`") };
    if SEEDED.contains(&key) && (scope != Scope::Platform || cloud_tag_propagation) {
        return wrong("", "is seeded: its scope is `platform`, and it cannot be opted in");
    }
    Ok(Definition { scope, cloud_tag_propagation })
}

/// What is wrong with the definitions of a map, `None` for an absent one.
pub(crate) fn problems(definitions: Option<&Json<'_>>) -> Vec<Malformed> {
    let Some(definitions) = definitions else { return Vec::new() };
    match definitions.fields() {
        Ok(fields) => fields.iter().filter_map(|field| definition(definitions.path(), field).err()).collect(),
        Err(malformed) => vec![malformed],
    }
}

/// The definitions of a LabelRegistry object, as they are written.
///
/// # Errors
/// When `spec` is not an object.
pub(super) fn definitions<'a>(object: &Object<'a>) -> Result<Option<Json<'a>>, Malformed> {
    object.spec.at(&["definitions"], None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let problems = problems(Some(&Json::new(text, "spec.definitions")));
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_definition_does_not_propagate_unless_it_says_so() {
        let text = r#"{"a":{"scope":"domain"},"b":{"scope":"domain","cloudTagPropagation":true},
            "c":{"scope":"domain","cloudTagPropagation":false},"d":{"scope":"domain","cloudTagPropagation":null}}"#;
        let fields = json::fields(text).unwrap();
        let read = |field: &Field<'_>| definition("", field).unwrap();
        let expected = [false, true, false, false]
            .map(|cloud_tag_propagation| Definition { scope: Scope::Domain, cloud_tag_propagation });
        assert_eq!(fields.iter().map(read).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn keys_are_opaque() {
        assert_eq!(told(r#"{" \u0007ä:/":{"scope":"project"}}"#), "");
    }

    #[test]
    fn seeded_definitions_may_be_repeated_but_not_changed() {
        for key in SEEDED {
            assert_eq!(told(&format!(r#"{{"{key}":{{"scope":"platform","cloudTagPropagation":false}}}}"#)), "");
            let changed =
                format!("`spec.definitions[{key}]` is seeded: its scope is `platform`, and it cannot be opted in");
            for text in [r#"{"scope":"platform","cloudTagPropagation":true}"#, r#"{"scope":"domain"}"#] {
                assert_eq!(told(&format!(r#"{{"{key}":{text}}}"#)), changed);
            }
        }
    }

    #[test]
    fn no_definitions_are_no_problem() {
        for text in ["{}", r#"{"spec":null}"#, r#"{"spec":{}}"#, r#"{"spec":{"definitions":null}}"#] {
            let object = Object::parse(text).unwrap();
            assert_eq!(problems(definitions(&object).unwrap().as_ref()), [], "{text}");
        }
    }

    #[test]
    fn every_problem_is_named_with_its_path() {
        assert_eq!(told("[]"), "`spec.definitions` is not an object");
        assert_eq!(
            told(
                r#"{"":{"scope":"domain"},"a":null,"b":{},"c":{"scope":"team"},"d":{"scope":"domain","tags":true},
                    "e":{"scope":7},"f":{"scope":"domain","cloudTagPropagation":"true"}}"#
            ),
            "`spec.definitions[]` has an empty key; \
             `spec.definitions[a]` is not an object; \
             `spec.definitions[b]` has no `scope`: `platform`, `domain` or `project`; \
             `spec.definitions[c].scope` is not `platform`, `domain` or `project`; \
             `spec.definitions[d].tags` is unknown: a definition has `scope` and `cloudTagPropagation`; \
             `spec.definitions[e].scope` is not `platform`, `domain` or `project`; \
             `spec.definitions[f].cloudTagPropagation` is neither true nor false"
        );
    }
}
