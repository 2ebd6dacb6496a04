//! From the output of a template to the resources that Crossplane composes.
//!
//! Source: crossplane-contrib/function-go-templating, fn.go, `RunFunction`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use topology::sentences;

use crate::read::value_of;

const NAME: &str = "gotemplating.fn.crossplane.io/composition-resource-name";
const READY: &str = "gotemplating.fn.crossplane.io/ready";
/// The group and version of what is not a resource.
const META: &str = "meta.gotemplating.fn.crossplane.io/v1alpha1";
/// Conditions that only Crossplane sets.
const SYSTEM_CONDITIONS: [&str; 4] = ["Ready", "Synced", "Healthy", "UpToDate"];

sentences! {
    /// Why the function refuses an output. Documents are counted from 1.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) enum OutputRefusal {
        NotYaml { document: usize, error: String } "document {document} is not YAML: {error}";
        NotAnObject { document: usize } "document {document} is not an object";
        NoKind { document: usize } "document {document} has no `kind`";
        NotTexts { kind: String } "an annotation of a `{kind}` is not a string";
        Ready { value: String } "`{value}` is not a value of `{READY}`: use `True`, `False` or `Unspecified`";
        NoName { kind: String } "a `{kind}` has no annotation `{NAME}`";
        MetaKind { kind: String } "`{kind}` is not a kind of `{META}`";
        MetaContent { kind: String } "a `{kind}` of `{META}` has content of another type";
        SystemCondition { name: String } "condition `{name}` is reserved for Crossplane";
        RequirementTwice { name: String } "extra resources `{name}` are requested twice";
    }
}

/// The resources in an output, by their names, for a composite.
pub(super) fn resources(output: &str, composite: &Value) -> Result<BTreeMap<String, Value>, OutputRefusal> {
    let mut objects = Vec::new();
    for (number, text) in documents(output).into_iter().enumerate() {
        let document = number + 1;
        match value_of(&text) {
            Ok(Value::Null) => {}
            Ok(Value::Object(object)) => objects.push(read(object, document)?),
            Ok(_) => return Err(OutputRefusal::NotAnObject { document }),
            Err(error) => return Err(OutputRefusal::NotYaml { document, error }),
        }
    }
    let mut resources = BTreeMap::new();
    let mut requirements = Vec::new();
    for mut object in objects {
        let kind = text(&object, "kind").to_owned();
        let is_meta = text(&object, "apiVersion") == META;
        let is_composite = ["apiVersion", "kind"].iter().all(|field| object.get(*field) == composite.get(*field));
        let mut annotations = annotations(&mut object);
        if let Some(ready) = annotations.as_deref_mut().filter(|_| !is_meta).and_then(|all| all.remove(READY)) {
            let value = ready.as_str().unwrap_or_default();
            if !["True", "False", "Unspecified"].contains(&value) {
                return Err(OutputRefusal::Ready { value: value.to_owned() });
            }
        }
        let name = annotations.and_then(|all| all.remove(NAME));
        match name.as_ref().and_then(Value::as_str) {
            _ if is_meta => meta(&object, kind, &mut requirements)?,
            None if is_composite => {}
            None => return Err(OutputRefusal::NoName { kind }),
            Some(name) => _ = resources.insert(name.to_owned(), Value::Object(object)),
        }
    }
    Ok(resources)
}

/// The documents of an output, as Kubernetes' reader separates them.
fn documents(output: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in output.split_inclusive('\n') {
        if line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty()) {
            documents.push(String::new());
        } else if let Some(last) = documents.last_mut() {
            last.push_str(line);
        }
    }
    documents
}

fn text<'o>(object: &'o Map<String, Value>, field: &str) -> &'o str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn read(object: Map<String, Value>, document: usize) -> Result<Map<String, Value>, OutputRefusal> {
    let kind = text(&object, "kind").to_owned();
    if kind.is_empty() {
        return Err(OutputRefusal::NoKind { document });
    }
    let is_read = match object.get("metadata") {
        None | Some(Value::Null) => true,
        Some(Value::Object(metadata)) => match metadata.get("annotations") {
            None | Some(Value::Null) => true,
            Some(Value::Object(annotations)) => annotations.values().all(Value::is_string),
            Some(_) => false,
        },
        Some(_) => false,
    };
    if is_read { Ok(object) } else { Err(OutputRefusal::NotTexts { kind }) }
}

fn annotations(object: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}

/// Checks what is for the function itself.
fn meta(object: &Map<String, Value>, kind: String, requirements: &mut Vec<String>) -> Result<(), OutputRefusal> {
    let field = |name: &str| object.get(name).unwrap_or(&Value::Null);
    match &*kind {
        "CompositeConnectionDetails" => Ok(()),
        "ClaimConditions" => {
            let Some(conditions) = field("conditions").as_array() else {
                return Err(OutputRefusal::MetaContent { kind });
            };
            let types = conditions.iter().filter_map(|condition| condition.get("type")?.as_str());
            match types.into_iter().find(|name| SYSTEM_CONDITIONS.contains(name)) {
                Some(name) => Err(OutputRefusal::SystemCondition { name: name.to_owned() }),
                None => Ok(()),
            }
        }
        "Context" if field("data").is_object() => Ok(()),
        "ExtraResources" => {
            let Some(asked) = field("requirements").as_object() else {
                return Err(OutputRefusal::MetaContent { kind });
            };
            if !asked.values().all(is_requirement) {
                return Err(OutputRefusal::MetaContent { kind });
            }
            for name in asked.keys() {
                if requirements.contains(name) {
                    return Err(OutputRefusal::RequirementTwice { name: name.clone() });
                }
                requirements.push(name.clone());
            }
            Ok(())
        }
        "Context" => Err(OutputRefusal::MetaContent { kind }),
        _ => Err(OutputRefusal::MetaKind { kind }),
    }
}

/// Whether the fields of extra resources that are requested have their types.
fn is_requirement(asked: &Value) -> bool {
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let are_texts =
        ["apiVersion", "kind", "matchName", "namespace"].iter().all(|name| asked.get(name).is_none_or(is_text));
    let labels = asked.get("matchLabels").filter(|labels| !labels.is_null());
    let are_labels = |labels: &Value| labels.as_object().is_some_and(|labels| labels.values().all(is_text));
    (asked.is_object() || asked.is_null()) && are_texts && labels.is_none_or(are_labels)
}
