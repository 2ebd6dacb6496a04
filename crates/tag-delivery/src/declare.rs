//! The missing declarations of `spec.cloudTags` in a CompositeResourceDefinition.

use super::schema::Schema;
use super::xrd;
use crate::json::{Json, Malformed};
use kubernetes::{Action, Change, ChangeRule, EntryNoun, Value};

/// The steps from `openAPIV3Schema` down, and what is written under the first missing one.
const STEPS: [(&str, &str); 5] = [
    (
        "properties",
        r#"{"spec":{"type":"object","properties":{"cloudTags":{"type":"object","additionalProperties":{"type":"string"}}}}}"#,
    ),
    (
        "spec",
        r#"{"type":"object","properties":{"cloudTags":{"type":"object","additionalProperties":{"type":"string"}}}}"#,
    ),
    ("properties", r#"{"cloudTags":{"type":"object","additionalProperties":{"type":"string"}}}"#),
    ("cloudTags", r#"{"type":"object","additionalProperties":{"type":"string"}}"#),
    ("additionalProperties", r#"{"type":"string"}"#),
];

/// The declaration that each served version of a definition lacks, with the version's name; none for a version that is
/// complete, or that none can be added to.
///
/// A different declaration is not changed: a type, a limit or a list of keys was written on purpose.
pub(super) fn missing(spec: Json<'_>) -> Result<Vec<(String, Change)>, Malformed> {
    let mut changes = Vec::new();
    for version in xrd::served(spec)? {
        let schema = Schema::read(version)?;
        let can_add = if schema.tags.is_null() { !schema.preserves } else { schema.is_bare()? };
        if schema.root.is_null() || !can_add {
            continue;
        }
        let mut here = schema.root;
        for (key, value) in STEPS {
            let next = here.get(key)?;
            if next.is_null() {
                changes.push((version.string(&["name"])?.unwrap_or_default().to_owned(), added(here, key, value)));
                break;
            }
            here = next;
        }
    }
    Ok(changes)
}

fn added(object: Json<'_>, key: &str, value: &str) -> Change {
    let path = object.path();
    Change {
        at: path.to_string().into(),
        key: key.to_owned(),
        action: Action::Added,
        from: None,
        to: Some(Value::json(value)),
        rule: ChangeRule::Declaration,
        source: None,
        path: path.into(),
        entry: EntryNoun::Field,
        place: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, Write, splice};

    fn definition(schema: &str) -> String {
        let version = format!(r#"{{"served":true,"name":"v1","schema":{{"openAPIV3Schema":{schema}}}}}"#);
        format!(r#"{{"spec":{{"versions": [ {version} ], "a" :1.0 }}}}"#)
    }

    /// What is missing in a definition, and its text with all of it; a second time nothing is missing.
    #[track_caller]
    fn declared(text: &str) -> (Vec<(String, Change)>, String) {
        let document = Document::new(text);
        let missing_in = |object: Json<'_>| missing(object.get("spec").unwrap()).unwrap();
        let changes = missing_in(document.root());
        let writes: Vec<Write<'_>> = changes.iter().map(|(_, change)| change.write()).collect();
        let written = splice(document.root(), &writes).unwrap();
        assert!(missing_in(Document::new(&*written).root()).is_empty(), "missing twice: {written}");
        (changes, written)
    }

    /// The schema as it is after declaring, `None` where nothing is missing.
    #[track_caller]
    fn check(schema: &str, expected: Option<&str>) {
        let (changes, written) = declared(&definition(schema));
        assert_eq!((changes.len(), written), (usize::from(expected.is_some()), definition(expected.unwrap_or(schema))));
    }

    #[test]
    fn only_the_declaration_is_added() {
        check(
            r#"{ "type" : "object","properties":{"spec":{"properties" :{ "size":{"type":"integer" }}}}}"#,
            Some(
                r#"{ "type" : "object","properties":{"spec":{"properties" :{ "size":{"type":"integer" },"cloudTags":{"type":"object","additionalProperties":{"type":"string"}}}}}}"#,
            ),
        );
    }

    #[test]
    fn what_leads_to_it_is_made() {
        let tags = r#""cloudTags":{"type":"object","additionalProperties":{"type":"string"}}"#;
        let whole = format!(r#"{{"properties":{{"spec":{{"type":"object","properties":{{{tags}}}}}}}}}"#);
        for schema in [
            "{}",
            r#"{"properties":{}}"#,
            r#"{"properties":{"spec":null}}"#,
            r#"{"properties":{"spec":{"type":"object"}}}"#,
        ] {
            check(schema, Some(&whole));
        }
        let properties = format!(r#"{{"properties":{{"spec":{{"properties":{{{tags}}}}}}}}}"#);
        check(r#"{"properties":{"spec":{"properties":null}}}"#, Some(&properties));
    }

    #[test]
    fn a_bare_object_gets_its_values() {
        check(
            r#"{"properties":{"spec":{"properties":{"cloudTags":{ "type":"object" }}}}}"#,
            Some(
                r#"{"properties":{"spec":{"properties":{"cloudTags":{ "type":"object","additionalProperties":{"type":"string"} }}}}}"#,
            ),
        );
    }

    #[test]
    fn what_is_declared_otherwise_stays() {
        for tags in [
            r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            r#"{"type":"object","additionalProperties":false}"#,
            r#"{"type":"object","properties":{"team":{"type":"string"}}}"#,
            r#"{"type":"string"}"#,
        ] {
            check(&format!(r#"{{"properties":{{"spec":{{"properties":{{"cloudTags":{tags}}}}}}}}}"#), None);
        }
        check(r#"{"properties":{"spec":{"x-kubernetes-preserve-unknown-fields":true}}}"#, None);
    }

    #[test]
    fn five_thousand_versions_are_declared() {
        let version = |n| format!(r#"{{"served":true,"name":"v{n}","schema":{{"openAPIV3Schema":{{}}}}}}"#);
        let versions: Vec<String> = (0..5_000).map(version).collect();
        let (changes, _) = declared(&format!(r#"{{"spec":{{"versions":[{}]}}}}"#, versions.join(",")));
        let (name, last) = changes.last().unwrap();
        assert_eq!(
            (changes.len(), name.as_str(), &*last.at),
            (5_000, "v4999", "spec.versions[4999].schema.openAPIV3Schema")
        );
    }
}
