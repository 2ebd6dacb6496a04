//! The label registry: definitions, and which of them let their labels become tags.

use serde::Serialize;

use crate::json::{Json, Malformed};
use crate::object::Object;

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

/// Definitions by qualified key. Keys are opaque: the profiles judge their characters.
pub(super) type Definitions = Vec<(String, Definition)>;

/// The definitions that every installation has: of scope platform, immutable, and never tags.
pub const SEEDED: [&str; 3] = ["platform/origin", "platform/mesh-ip", "platform/domain"];

/// One definition as it is written.
///
/// # Errors
/// When it has another shape, its key is empty, or it is a seeded one that was changed.
pub(crate) fn definition(key: &str, written: &Json<'_>) -> Result<Definition, Malformed> {
    if key.is_empty() {
        return Err(written.malformed("has an empty key"));
    }
    let (mut scope, mut cloud_tag_propagation) = (None, false);
    for (name, value) in written.present_fields()? {
        match &*name {
            "scope" => {
                let text = value.as_string()?;
                let known = Scope::ALL.into_iter().find(|scope| scope.as_str() == text);
                scope = Some(known.ok_or_else(|| value.malformed("is not `platform`, `domain` or `project`"))?);
            }
            "cloudTagPropagation" => cloud_tag_propagation = value.as_bool()?,
            _ => return Err(value.malformed("is unknown: a definition has `scope` and `cloudTagPropagation`")),
        }
    }
    let scope = scope.ok_or_else(|| written.malformed("has no `scope`: `platform`, `domain` or `project`"))?;
    if SEEDED.contains(&key) && (scope != Scope::Platform || cloud_tag_propagation) {
        return Err(written.malformed("is seeded: its scope is `platform`, and it cannot be opted in"));
    }
    Ok(Definition { scope, cloud_tag_propagation })
}

/// The definitions of a LabelRegistry object.
///
/// # Errors
/// When the object has another shape: every problem in one sentence.
pub(super) fn definitions(object: &Object<'_>) -> Result<Definitions, String> {
    let mut definitions = Definitions::new();
    let mut problems = Vec::new();
    let listed =
        object.spec.at(&["definitions"], None).and_then(|listed| listed.as_ref().map(Json::fields).transpose());
    let listed = listed.map_err(|malformed| malformed.to_string())?;
    for field in listed.into_iter().flatten() {
        let written = Json::new(field.value, format!("spec.definitions[{}]", field.key));
        match definition(&field.key, &written) {
            Ok(definition) => definitions.push((field.key.into_owned(), definition)),
            Err(malformed) => problems.push(malformed.to_string()),
        }
    }
    if problems.is_empty() { Ok(definitions) } else { Err(problems.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(definitions_text: &str) -> Result<Definitions, String> {
        let text = format!(r#"{{"spec":{{"definitions":{definitions_text}}}}}"#);
        definitions(&Object::parse(&text).unwrap())
    }

    #[test]
    fn a_definition_does_not_propagate_unless_it_says_so() {
        let definition = |cloud_tag_propagation| Definition { scope: Scope::Domain, cloud_tag_propagation };
        let text = r#"{"a":{"scope":"domain"},"b":{"scope":"domain","cloudTagPropagation":true},
            "c":{"scope":"domain","cloudTagPropagation":false}}"#;
        let expected = [("a", definition(false)), ("b", definition(true)), ("c", definition(false))];
        assert_eq!(read(text).unwrap(), expected.map(|(key, definition)| (key.to_owned(), definition)));
    }

    #[test]
    fn keys_are_opaque() {
        let text = r#"{" \u0007ä:/":{"scope":"project"}}"#;
        assert_eq!(read(text).unwrap().first().unwrap().0, " \u{7}ä:/");
    }

    #[test]
    fn seeded_definitions_may_be_repeated_but_not_changed() {
        for key in SEEDED {
            assert!(read(&format!(r#"{{"{key}":{{"scope":"platform","cloudTagPropagation":false}}}}"#)).is_ok());
            let changed =
                format!("`spec.definitions[{key}]` is seeded: its scope is `platform`, and it cannot be opted in");
            for text in [r#"{"scope":"platform","cloudTagPropagation":true}"#, r#"{"scope":"domain"}"#] {
                assert_eq!(read(&format!(r#"{{"{key}":{text}}}"#)).unwrap_err(), changed);
            }
        }
    }

    #[test]
    fn no_definitions_are_no_problem() {
        for text in ["{}", r#"{"spec":null}"#, r#"{"spec":{}}"#, r#"{"spec":{"definitions":null}}"#] {
            assert_eq!(definitions(&Object::parse(text).unwrap()), Ok(Definitions::new()), "{text}");
        }
    }

    #[test]
    fn every_problem_is_named_with_its_path() {
        assert_eq!(read("[]").unwrap_err(), "`spec.definitions` is not an object");
        assert_eq!(
            read(
                r#"{"":{"scope":"domain"},"a":null,"b":{},"c":{"scope":"team"},"d":{"scope":"domain","tags":true},
                    "e":{"scope":7},"f":{"scope":"domain","cloudTagPropagation":"true"}}"#
            )
            .unwrap_err(),
            "`spec.definitions[]` has an empty key; \
             `spec.definitions[a]` is not an object; \
             `spec.definitions[b]` has no `scope`: `platform`, `domain` or `project`; \
             `spec.definitions[c].scope` is not `platform`, `domain` or `project`; \
             `spec.definitions[d].tags` is unknown: a definition has `scope` and `cloudTagPropagation`; \
             `spec.definitions[e].scope` is not a string; \
             `spec.definitions[f].cloudTagPropagation` is neither true nor false"
        );
    }
}
