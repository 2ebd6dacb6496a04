//! The label registry: definitions, and which of them let their labels become tags.

use serde::Serialize;

use crate::json::Malformed;
use crate::json::document::Json;

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
pub(crate) const REGISTRY: &str = "LabelRegistry";

/// The definitions that every installation has: of scope platform, immutable, and never tags.
pub const SEEDED: [&str; 3] = ["platform/origin", "platform/mesh-ip", "platform/domain"];

/// The definition of a key in the map at `path`, as it is written.
///
/// # Errors
/// When it has another shape, its key is empty, or it is a seeded one that was changed.
pub(super) fn definition(path: &str, key: &str, written: Json<'_>) -> Result<Definition, Malformed> {
    let wrong = |field: &str, problem: &str| {
        Err(Malformed { path: format!("{path}[{key}]{field}"), problem: problem.to_owned() })
    };
    if key.is_empty() {
        return wrong("", "has an empty key");
    }
    let Some(fields) = written.present().and_then(Json::as_fields) else { return wrong("", "is not an object") };
    let (mut scope, mut cloud_tag_propagation) = (None, false);
    for (name, value) in fields {
        match (name, value.text()) {
            (_, "null") => {}
            ("scope", _) => {
                let text = value.as_str().unwrap_or_default();
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

/// What is wrong with the definitions of the map at `path`.
pub(crate) fn problems(path: &str, definitions: Json<'_>) -> Vec<Malformed> {
    match definitions.fields() {
        Ok(fields) => fields.filter_map(|(key, written)| definition(path, key, written).err()).collect(),
        Err(malformed) => vec![malformed],
    }
}

/// Where the definitions of a LabelRegistry object stand.
pub(crate) const DEFINITIONS: &str = "spec.definitions";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    fn told(text: &str) -> String {
        let document = Document::named(DEFINITIONS, text);
        let problems = problems(DEFINITIONS, document.root());
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_definition_does_not_propagate_unless_it_says_so() {
        let text = r#"{"a":{"scope":"domain"},"b":{"scope":"domain","cloudTagPropagation":true},
            "c":{"scope":"domain","cloudTagPropagation":false},"d":{"scope":"domain","cloudTagPropagation":null}}"#;
        let document = Document::new(text);
        let read = |(key, written): (&str, Json<'_>)| definition("", key, written).unwrap();
        let expected = [false, true, false, false]
            .map(|cloud_tag_propagation| Definition { scope: Scope::Domain, cloud_tag_propagation });
        assert_eq!(document.root().fields().unwrap().map(read).collect::<Vec<_>>(), expected);
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
        for text in ["{}", "null"] {
            assert_eq!(told(text), "", "{text}");
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
