//! Writes the missing declaration of `spec.cloudTags` into a CompositeResourceDefinition; every other byte stays.

use super::schema::{Declaration, Schema};
use super::xrd;
use crate::json::{Json, Malformed};
use crate::place::MapKind;
use crate::report::{Action, Change};

const VALUES: &str = r#"{"type":"string"}"#;
const TAGS: &str = r#"{"type":"object","additionalProperties":{"type":"string"}}"#;

/// From `openAPIV3Schema` to the declaration.
const STEPS: [&str; 4] = ["properties", "spec", "properties", "cloudTags"];

/// A piece of text to put in the place of another one.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// A definition with all declarations, and by version what was written.
pub(crate) type Declared = (String, Vec<(String, Change)>);

/// The definition with the declarations that its served versions lack; `None` where they lack none, or where none can be
/// added.
///
/// What is declared in another way stays: whoever wrote a type, a limit or a list of keys meant something by it.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn declared(text: &str, spec: &Json<'_>) -> Result<Option<Declared>, Malformed> {
    let (mut edits, mut changes) = (Vec::new(), Vec::new());
    for version in xrd::served(spec)? {
        if let Some((edit, change)) = missing(text, &version.schema)? {
            edits.push(edit);
            changes.push((version.name, change));
        }
    }
    let mut out = String::with_capacity(text.len() + 128 * edits.len());
    let mut copied = 0;
    for edit in &edits {
        out.push_str(text.get(copied..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        copied = edit.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Ok((!edits.is_empty()).then_some((out, changes)))
}

/// What has to be written into one version.
fn missing(text: &str, schema: &Schema<'_>) -> Result<Option<(Edit, Change)>, Malformed> {
    let Some(root) = &schema.root else {
        return Ok(None);
    };
    match (schema.declaration, &schema.tags) {
        (Declaration::Bare, Some(tags)) => {
            let edit = edit(text, tags, "additionalProperties", VALUES.to_owned())?;
            Ok(Some((edit, change(tags.path(), "additionalProperties", VALUES))))
        }
        (Declaration::Absent, _) if !schema.preserves => {
            let mut here = root.clone();
            let mut steps = STEPS.as_slice();
            while let [step, rest @ ..] = steps
                && let Some(next) = here.at(&[step], None)?
            {
                (here, steps) = (next, rest);
            }
            let [step, below @ ..] = steps else {
                return Ok(None);
            };
            let value = below.iter().rev().fold(TAGS.to_owned(), |inner, step| match *step {
                "properties" => format!(r#"{{"type":"object","properties":{inner}}}"#),
                step => format!(r#"{{"{step}":{inner}}}"#),
            });
            let edit = edit(text, &here, step, value)?;
            let at = format!("{}.properties.spec.properties", root.path());
            Ok(Some((edit, change(&at, "cloudTags", TAGS))))
        }
        _ => Ok(None),
    }
}

/// Sets a field that an object does not have, or has as null.
fn edit(text: &str, object: &Json<'_>, key: &str, value: String) -> Result<Edit, Malformed> {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let fields = object.fields()?;
    if let Some(null) = fields.iter().rfind(|field| field.key == key) {
        let start = offset(null.value);
        return Ok(Edit { start, end: start + null.value.len(), text: value });
    }
    let start = offset(object.text()) + 1;
    let comma = if fields.is_empty() { "" } else { "," };
    Ok(Edit { start, end: start, text: format!(r#""{key}":{value}{comma}"#) })
}

fn change(at: &str, key: &str, value: &str) -> Change {
    Change {
        at: at.to_owned(),
        key: key.to_owned(),
        action: Action::Added,
        from: None,
        to: Some(value.to_owned()),
        rule: "a served version has to declare `spec.cloudTags` as a map of strings".to_owned(),
        source: String::new(),
        path: Vec::new(),
        map: MapKind::Labels,
        place: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;

    fn xrd(schema: &str) -> String {
        format!(
            r#"{{ "a" :1.0, "spec":{{"versions": [ {{"served":true,"name":"v1","schema":{{"openAPIV3Schema":{schema}}}}} ]}} }}"#
        )
    }

    /// The schema as it is after declaring, `None` where nothing was written.
    #[track_caller]
    fn check(schema: &str, expected: Option<&str>) {
        let text = xrd(schema);
        let object = Object::parse(&text).unwrap();
        let written = declared(&text, &object.spec).unwrap().map(|(text, _)| text);
        assert_eq!(written, expected.map(xrd));
        if let Some(text) = written {
            let object = Object::parse(&text).unwrap();
            assert!(declared(&text, &object.spec).unwrap().is_none(), "written twice: {text}");
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
}
