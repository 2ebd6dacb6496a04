//! Writes the missing declaration of `spec.cloudTags` into a CompositeResourceDefinition; every other byte stays.

use super::node::{Node, Places, Wrong};
use super::schema::Schema;
use super::xrd;
use crate::json::path::Path;
use crate::report::change::{Action, Change, Value};
use crate::report::messages_tag_delivery::DECLARATION_RULE;

/// The steps from `openAPIV3Schema` down, and what is written under the first one that is missing.
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

/// A definition's `spec` with all declarations, and by version what was written.
pub(crate) type Declared = (String, Vec<(String, Change)>);

/// The `spec` of a definition with the declarations that its served versions lack; `None` where they lack none, or where
/// none can be added.
///
/// What is declared in another way stays: whoever wrote a type, a limit or a list of keys meant something by it.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn declared(spec: Node<'_>) -> Result<Option<Declared>, Wrong<'_>> {
    let (mut out, mut copied) = (String::new(), 0);
    let mut changes = Vec::new();
    let mut places = Places::of(spec);
    for version in xrd::served(spec)? {
        let schema = Schema::read(version)?;
        let can_add = if schema.tags.is_null() { !schema.preserves } else { schema.is_bare()? };
        if schema.root.is_null() || !can_add {
            continue;
        }
        let mut here = schema.root;
        for (step, value) in STEPS {
            let next = here.get(&[step])?;
            if !next.is_null() {
                here = next;
                continue;
            }
            // A null that stands there gives way, its key stays.
            let fields = here.fields()?;
            let null = fields.iter().rfind(|field| field.key == step);
            let (from, to) = match null.and_then(|field| spec.offset(Node(field.value))) {
                Some(from) => (from, from + "null".len()),
                None => spec.offset(here).map_or((0, 0), |from| (from + 1, from + 1)),
            };
            out.push_str(spec.0.get(copied..from).unwrap_or_default());
            copied = to;
            match null {
                Some(_) => out.push_str(value),
                None => {
                    let comma = if fields.is_empty() { "" } else { "," };
                    out.push_str(&format!(r#""{step}":{value}{comma}"#));
                }
            }
            let change = Change {
                at: places.locate(here),
                key: step.to_owned(),
                action: Action::Added,
                from: None,
                to: Some(Value::json(value)),
                rule: DECLARATION_RULE.to_owned(),
                source: String::new(),
                path: Path::default(),
                entry: "field",
                place: None,
            };
            changes.push((version.string(&["name"])?.into_owned(), change));
            break;
        }
    }
    out.push_str(spec.0.get(copied..).unwrap_or_default());
    Ok((!changes.is_empty()).then_some((out, changes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(schema: &str) -> String {
        format!(
            r#"{{"versions": [ {{"served":true,"name":"v1","schema":{{"openAPIV3Schema":{schema}}}}} ], "a" :1.0 }}"#
        )
    }

    /// The schema as it is after declaring, `None` where nothing was written.
    #[track_caller]
    fn check(schema: &str, expected: Option<&str>) {
        let text = definition(schema);
        let written = declared(Node(&text)).unwrap().map(|(text, _)| text);
        assert_eq!(written, expected.map(definition));
        if let Some(text) = written {
            assert!(declared(Node(&text)).unwrap().is_none(), "written twice: {text}");
        }
    }

    #[test]
    fn only_the_declaration_is_added() {
        check(
            r#"{ "type" : "object","properties":{"spec":{"properties" :{ "size":{"type":"integer" }}}}}"#,
            Some(
                r#"{ "type" : "object","properties":{"spec":{"properties" :{"cloudTags":{"type":"object","additionalProperties":{"type":"string"}}, "size":{"type":"integer" }}}}}"#,
            ),
        );
    }

    #[test]
    fn what_leads_to_it_is_made() {
        let tags = r#""cloudTags":{"type":"object","additionalProperties":{"type":"string"}}"#;
        for (schema, expected) in [
            ("{}", format!(r#"{{"properties":{{"spec":{{"type":"object","properties":{{{tags}}}}}}}}}"#)),
            (
                r#"{"properties":{}}"#,
                format!(r#"{{"properties":{{"spec":{{"type":"object","properties":{{{tags}}}}}}}}}"#),
            ),
            (
                r#"{"properties":{"spec":null}}"#,
                format!(r#"{{"properties":{{"spec":{{"type":"object","properties":{{{tags}}}}}}}}}"#),
            ),
            (
                r#"{"properties":{"spec":{"type":"object"}}}"#,
                format!(r#"{{"properties":{{"spec":{{"properties":{{{tags}}},"type":"object"}}}}}}"#),
            ),
            (
                r#"{"properties":{"spec":{"properties":null}}}"#,
                format!(r#"{{"properties":{{"spec":{{"properties":{{{tags}}}}}}}}}"#),
            ),
        ] {
            check(schema, Some(&expected));
        }
    }

    #[test]
    fn a_bare_object_gets_its_values() {
        check(
            r#"{"properties":{"spec":{"properties":{"cloudTags":{ "type":"object" }}}}}"#,
            Some(
                r#"{"properties":{"spec":{"properties":{"cloudTags":{"additionalProperties":{"type":"string"}, "type":"object" }}}}}"#,
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
        let text = format!(r#"{{"versions":[{}]}}"#, versions.join(","));
        let (written, changes) = declared(Node(&text)).unwrap().unwrap();
        assert!(declared(Node(&written)).unwrap().is_none(), "written twice");
        let (name, last) = changes.last().unwrap();
        assert_eq!(
            (changes.len(), name.as_str(), last.at.as_str()),
            (5_000, "v4999", "spec.versions[4999].schema.openAPIV3Schema")
        );
    }
}
