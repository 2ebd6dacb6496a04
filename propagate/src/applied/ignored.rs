//! Fields that what applies an object leaves as they are in the cluster.

use fleet::ObjectId;
use serde_json::Value;

/// One rule of an applier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IgnoredFields {
    /// Group, kind, namespace and name of the objects, as far as they are written.
    of: [Option<String>; 4],
    /// The fields as JSON pointers.
    pointers: Vec<String>,
    /// Whether it has fields that are written in another way, which is not evaluated.
    has_others: bool,
}

/// What of an edit is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IgnoredEdit {
    /// A part, or it is not known which.
    Part,
    All,
}

impl IgnoredFields {
    /// A rule in `spec.ignore` of a Flux Kustomization (docs/spec/v1/kustomizations.md of kustomize-controller).
    pub(super) fn of_flux(rule: &Value) -> IgnoredFields {
        let target = rule.get("target").unwrap_or(&Value::Null);
        let has_others = ["labelSelector", "annotationSelector"].iter().any(|field| target.get(field).is_some());
        IgnoredFields { of: objects(target), pointers: texts(rule, "paths"), has_others }
    }

    /// A rule in `spec.ignoreDifferences` of an Application (docs/user-guide/diffing.md of Argo CD).
    pub(super) fn of_argo(rule: &Value) -> IgnoredFields {
        let others = ["jqPathExpressions", "managedFieldsManagers"];
        let has_others = others.iter().any(|field| !texts(rule, field).is_empty());
        IgnoredFields { of: objects(rule), pointers: texts(rule, "jsonPointers"), has_others }
    }

    fn is_of(&self, id: &ObjectId) -> bool {
        let parts = [&id.group, &id.kind, &id.namespace, &id.name];
        // What a pattern stands for is not evaluated: it may be this object.
        let is = |(written, part): (&Option<String>, &String)| {
            let is_pattern = |it: &str| it.contains(['*', '?', '[', '(', '|', '^', '$']);
            written.as_deref().is_none_or(|it| it.is_empty() || it == part || is_pattern(it))
        };
        self.of.iter().zip(parts).all(is)
    }
}

/// What of an edit rules ignore; `None` if nothing.
pub(crate) fn ignored(rules: &[IgnoredFields], id: &ObjectId, was: &Value, is: &Value) -> Option<IgnoredEdit> {
    let rules: Vec<&IgnoredFields> = rules.iter().filter(|rule| rule.is_of(id)).collect();
    rules.first()?;
    let mut kept = is.clone();
    let mut has_others = false;
    for rule in rules {
        rule.pointers.iter().for_each(|pointer| put_back(pointer, was, &mut kept));
        has_others |= rule.has_others;
    }
    match kept == *was {
        true => Some(IgnoredEdit::All),
        false => (has_others || kept != *is).then_some(IgnoredEdit::Part),
    }
}

/// Gives a field the value that it had.
fn put_back(pointer: &str, was: &Value, is: &mut Value) {
    let Some((parent, field)) = pointer.rsplit_once('/') else { return };
    let field = field.replace("~1", "/").replace("~0", "~");
    let former = was.pointer(pointer);
    match is.pointer_mut(parent) {
        Some(Value::Object(fields)) => match former {
            Some(value) => drop(fields.insert(field, value.clone())),
            None => drop(fields.remove(&field)),
        },
        Some(_) => {
            if let (Some(value), Some(former)) = (is.pointer_mut(pointer), former) {
                *value = former.clone();
            }
        }
        None => {}
    }
}

fn objects(rule: &Value) -> [Option<String>; 4] {
    ["group", "kind", "namespace", "name"].map(|field| rule.get(field).and_then(Value::as_str).map(str::to_owned))
}

fn texts(rule: &Value, field: &str) -> Vec<String> {
    let items = rule.get(field).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
