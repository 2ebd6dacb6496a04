//! Patches of a ClusterClass: which templates they select, and what they write.
//!
//! Source: `patches/engine.go` and `patches/inline/json_patch_generator.go` of Cluster API, and the class's webhook.

use std::collections::BTreeSet;
use std::sync::Arc;

use gotmpl::Value as Data;
use serde_json::{Value, json};

use crate::Yaml;
use crate::desired_part::PatchWrite;
use crate::fields::{get, list, text};
use crate::go;
use crate::item::TemplateItem;
use crate::no_output::NoOutput;
use crate::obstacle::{Gap, Obstacle, TopologyRefusal};
use crate::selection::selects;
use crate::stored_template;
use crate::template::{reads, render_value};
use crate::variables::{Variables, at_path};

/// Applies the patches of a class to the templates, in order.
pub(crate) fn apply(class: &Value, items: &mut [TemplateItem], yaml: Yaml) -> Result<(), Obstacle> {
    // Patches change templates, not variables.
    let mut all: Vec<(&Variables, Data)> = Vec::new();
    for variables in items.iter().map(|item| &item.part.variables) {
        // The parts of one owner have the same.
        let known = all.last().filter(|(of, _)| *of == variables).map(|(_, data)| data.clone());
        all.push((variables, known.unwrap_or_else(|| data(variables))));
    }
    let data: Vec<Data> = all.into_iter().map(|(_, data)| data).collect();
    for patch in list(class, &["spec", "patches"]) {
        let name = text(patch, &["name"]);
        let definitions = list(patch, &["definitions"]);
        if definitions.is_empty() {
            by_extension(patch, name, items);
            continue;
        }
        for (item, data) in items.iter_mut().zip(&data) {
            let matching: Vec<&Value> = definitions
                .iter()
                .filter(|it| selects(it.get("selector").unwrap_or(&Value::Null), &item.template, &item.holder))
                .collect();
            if matching.is_empty() {
                continue;
            }
            match apply_to((item, data), (patch, name), &matching, yaml) {
                Err(Obstacle::Unknown(gap)) => {
                    let depends_on = depends_on(patch, &item.part.variables);
                    item.part.gaps.push((gap, depends_on));
                }
                other => other?,
            }
        }
    }
    Ok(())
}

/// An extension reads all variables and templates, and may change every template.
fn by_extension(patch: &Value, name: &str, items: &mut [TemplateItem]) {
    let request: Vec<Value> = items.iter().map(|item| json!([item.template, item.part.variables])).collect();
    for item in items {
        item.part.gaps.push((Gap::ExternalPatch(name.to_owned()), json!([patch, request])));
    }
}

/// What the result of a patch depends on: the patch, and the variables that it reads.
fn depends_on(patch: &Value, variables: &Variables) -> Value {
    let values: Vec<Option<&Value>> = all_reads(patch).iter().map(|path| at_path(variables, path)).collect();
    json!([patch, values])
}

fn all_reads(patch: &Value) -> BTreeSet<String> {
    let mut found = reads(text(patch, &["enabledIf"]));
    let definitions = list(patch, &["definitions"]).iter();
    for json_patch in definitions.flat_map(|definition| list(definition, &["jsonPatches"])) {
        found.append(&mut reads_of(json_patch));
    }
    found
}

/// The variables that one JSON patch reads.
fn reads_of(json_patch: &Value) -> BTreeSet<String> {
    let mut found = reads(text(json_patch, &["valueFrom", "template"]));
    found.extend(get(json_patch, &["valueFrom", "variable"]).and_then(Value::as_str).map(str::to_owned));
    found
}

fn apply_to(
    (item, data): (&mut TemplateItem, &Data),
    (patch, name): (&Value, &str),
    matching: &[&Value],
    yaml: Yaml,
) -> Result<(), Obstacle> {
    let condition = text(patch, &["enabledIf"]);
    if !condition.is_empty() && output(condition, (name, data), yaml)? != Value::Bool(true) {
        return Ok(());
    }
    let condition = reads(condition);
    for definition in matching {
        let mut operations = Vec::new();
        for json_patch in list(definition, &["jsonPatches"]) {
            let (op, path) = (text(json_patch, &["op"]), text(json_patch, &["path"]));
            let refused = |reason: &str| TopologyRefusal::Patch {
                patch: name.to_owned(),
                path: path.to_owned(),
                reason: reason.to_owned(),
            };
            check_path(op, path).map_err(refused)?;
            let mut operation = json!({ "op": op, "path": path });
            if let ("add" | "replace", Some(fields)) = (op, operation.as_object_mut()) {
                fields.insert("value".to_owned(), value(json_patch, (name, &item.part.variables, data), yaml)?);
            }
            let operation: json_patch::PatchOperation =
                serde_json::from_value(operation).map_err(|error| refused(&error.to_string()))?;
            operations.push((operation, json_patch, path));
        }
        for (operation, json_patch, path) in operations {
            stored_template::complete(&mut item.template, path);
            let written = numbered(&item.template, path);
            json_patch::patch(&mut item.template, &[operation]).map_err(|error| TopologyRefusal::Patch {
                patch: name.to_owned(),
                path: path.to_owned(),
                reason: error.kind.to_string(),
            })?;
            let reads = reads_of(json_patch).union(&condition).cloned().collect();
            item.part.writes.iter_mut().for_each(|write| make_room(write, &written));
            item.part.writes.push(PatchWrite { patch: name.to_owned(), path: written, reads });
        }
    }
    Ok(())
}

/// The path of an element that is appended, with the number that it gets.
fn numbered(template: &Value, path: &str) -> String {
    let length = path.strip_suffix("/-").and_then(|list| Some((list, template.pointer(list)?.as_array()?.len())));
    length.map_or_else(|| path.to_owned(), |(list, length)| format!("{list}/{length}"))
}

/// Moves what was written into a list before another element was put at its beginning.
fn make_room(write: &mut PatchWrite, path: &str) {
    let Some(list) = path.strip_suffix("/0") else { return };
    let inner = write.path.strip_prefix(list).and_then(|rest| rest.strip_prefix('/'));
    let Some(inner) = inner else { return };
    let (number, rest) = inner.split_at(inner.find('/').unwrap_or(inner.len()));
    if let Ok(number) = number.parse::<usize>() {
        write.path = format!("{list}/{}{rest}", number + 1);
    }
}

/// Whether the webhook admits a path.
pub(crate) fn check_path(op: &str, path: &str) -> Result<(), &'static str> {
    if !path.starts_with("/spec") {
        return Err("the path must begin with `/spec`");
    }
    for index in path.split('/').filter_map(|part| part.parse::<i64>().ok()) {
        match op {
            "add" if index == 0 => {}
            "add" => return Err("only the indices `0` and `-` are allowed"),
            _ => return Err("elements of lists can only be added"),
        }
    }
    Ok(())
}

/// The value that a JSON patch writes.
fn value(
    json_patch: &Value,
    (name, variables, data): (&str, &Variables, &Data),
    yaml: Yaml,
) -> Result<Value, Obstacle> {
    if let Some(value) = get(json_patch, &["value"]) {
        return Ok(value.clone());
    }
    let variable = text(json_patch, &["valueFrom", "variable"]);
    if variable.is_empty() {
        return output(text(json_patch, &["valueFrom", "template"]), (name, data), yaml);
    }
    let found = at_path(variables, variable).cloned();
    found.ok_or_else(|| TopologyRefusal::NoValue { patch: name.to_owned(), variable: variable.to_owned() }.into())
}

/// Variables as templates read them.
fn data(variables: &Variables) -> Data {
    go::map(variables.iter().map(|(name, value)| (Arc::from(name.as_str()), go::value(value))))
}

/// The output of a template, as YAML.
fn output(template: &str, (patch, data): (&str, &Data), yaml: Yaml) -> Result<Value, Obstacle> {
    let output = render_value(template, data).map_err(|error| match error {
        NoOutput::Error(error) => Obstacle::from(TopologyRefusal::Template { patch: patch.to_owned(), error }),
        NoOutput::Function(name) | NoOutput::InPlace(name) => Gap::Function(name).into(),
        NoOutput::TooLong => Gap::TooLong(patch.to_owned()).into(),
    })?;
    match &*output {
        "true" => return Ok(Value::Bool(true)),
        "false" => return Ok(Value::Bool(false)),
        _ => {}
    }
    yaml(&output).ok_or_else(|| TopologyRefusal::Output { patch: patch.to_owned(), output }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_into_a_list_is_found_by_its_number() {
        let template = json!({"spec": {"files": ["a", "b"]}});
        let cases = [
            ("/spec/files/-", "/spec/files/2"),
            ("/spec/files/0", "/spec/files/0"),
            ("/spec/other/-", "/spec/other/-"),
        ];
        for (path, expected) in cases {
            assert_eq!(numbered(&template, path), expected);
        }
        let moved = |path: &str, by: &str| {
            let mut write = PatchWrite { patch: String::new(), path: path.to_owned(), reads: BTreeSet::new() };
            make_room(&mut write, by);
            write.path
        };
        let cases = [
            ("/spec/files/2", "/spec/files/0", "/spec/files/3"),
            ("/spec/files/2/owner", "/spec/files/0", "/spec/files/3/owner"),
            ("/spec/files/2", "/spec/files/3", "/spec/files/2"),
            ("/spec/files", "/spec/files/0", "/spec/files"),
            ("/spec/filesystems/2", "/spec/files/0", "/spec/filesystems/2"),
        ];
        for (path, by, expected) in cases {
            assert_eq!(moved(path, by), expected, "{path} {by}");
        }
    }

    #[test]
    fn paths_are_those_that_the_webhook_admits() {
        let cases = [
            ("add", "/spec/template/spec/files/-", Ok(())),
            ("add", "/spec/template/spec/files/0", Ok(())),
            ("add", "/spec/template/spec/files/1", Err("only the indices `0` and `-` are allowed")),
            ("replace", "/spec/template/spec/files/0", Err("elements of lists can only be added")),
            ("add", "/metadata/labels", Err("the path must begin with `/spec`")),
        ];
        for (op, path, expected) in cases {
            assert_eq!(check_path(op, path), expected, "{op} {path}");
        }
    }
}
