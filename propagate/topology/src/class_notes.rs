//! What a class has and probably does not mean: variables and patches without an effect, and patches that drop labels.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{get, list, text};
use crate::owner::{WORKERS, WorkersKind};
use crate::selection::{has_inline_template, is_match, referred, selects};
use crate::sentences;
use crate::template::{is_whole_read, reads};

/// One such part of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassNote {
    /// What it is.
    pub fact: ClassFact,
    /// Where, such as `spec.variables[size]`.
    pub at: String,
}

sentences! {
    /// What a part of a class is.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum ClassFact {
        UnusedVariable { variable: String } "no patch reads variable `{variable}`";
        IdleSelector { patch: String } "a selector of patch `{patch}` selects no template of the class";
        /// The name may be a pattern.
        NoWorkerClass { patch: String, name: String }
            "patch `{patch}` selects the worker class `{name}`, which the class does not have";
        /// A map of labels or annotations, and not only some of its entries.
        ReplacedMap { patch: String, path: String }
            "patch `{patch}` replaces the whole map `{path}`: entries that were set before are lost";
    }
}

impl ClassFact {
    /// The code of the fact: it stays when the sentence changes.
    ///
    /// ```
    /// let fact = topology::ClassFact::UnusedVariable { variable: "size".to_owned() };
    /// assert_eq!(fact.reason(), "class.unusedVariable");
    /// ```
    pub fn reason(&self) -> &'static str {
        match self {
            ClassFact::UnusedVariable { .. } => "class.unusedVariable",
            ClassFact::IdleSelector { .. } => "class.idleSelector",
            ClassFact::NoWorkerClass { .. } => "class.noWorkerClass",
            ClassFact::ReplacedMap { .. } => "class.replacedMap",
        }
    }

    /// The patch that a selector does not apply, if that is what the fact is about.
    pub fn patch_with_idle_selector(&self) -> Option<&str> {
        match self {
            ClassFact::IdleSelector { patch } | ClassFact::NoWorkerClass { patch, .. } => Some(patch),
            ClassFact::UnusedVariable { .. } | ClassFact::ReplacedMap { .. } => None,
        }
    }
}

/// What a class has and probably does not mean. `templates` returns the template that a reference of the class names, if it
/// is known.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [{"name": "size"}]}});
/// let notes = topology::class_notes(&class, &|_| None);
/// let notes: Vec<_> = notes.iter().map(|note| (&*note.at, note.fact.to_string())).collect();
/// assert_eq!(notes, [("spec.variables[size]", "no patch reads variable `size`".to_owned())]);
/// ```
pub fn class_notes(class: &Value, templates: &dyn Fn(&Value) -> Option<Value>) -> Vec<ClassNote> {
    let mut found = unused_variables(class);
    let referred = referred(class);
    for patch in list(class, &["spec", "patches"]) {
        let name = text(patch, &["name"]);
        for (number, definition) in list(patch, &["definitions"]).iter().enumerate() {
            let at = format!("spec.patches[{name}].definitions[{number}]");
            let selector = definition.get("selector").unwrap_or(&Value::Null);
            let missing = missing_classes(class, selector);
            let selected: Vec<_> = referred.iter().filter(|it| selects(selector, it.reference, &it.holder)).collect();
            if selected.is_empty() && missing.is_empty() && !has_inline_template(class) {
                let fact = ClassFact::IdleSelector { patch: name.to_owned() };
                found.push(ClassNote { fact, at: format!("{at}.selector") });
            }
            found.extend(missing.into_iter().map(|(kind, class)| {
                let fact = ClassFact::NoWorkerClass { patch: name.to_owned(), name: class.to_owned() };
                ClassNote { fact, at: format!("{at}.selector.matchResources.{kind}.names") }
            }));
            for (number, json_patch) in list(definition, &["jsonPatches"]).iter().enumerate() {
                let path = text(json_patch, &["path"]);
                // Labels and annotations of the topology are in the map when patches are applied.
                let has_entries =
                    || selected.iter().any(|it| it.is_object || has_entries(templates(it.reference), path));
                if text(json_patch, &["op"]) != "remove" && MAPS.contains(&path) && has_entries() {
                    let fact = ClassFact::ReplacedMap { patch: name.to_owned(), path: path.to_owned() };
                    found.push(ClassNote { fact, at: format!("{at}.jsonPatches[{number}].path") });
                }
            }
        }
    }
    found
}

/// Source: `patchObject` in internal/util/patch/patch.go of Cluster API v1.14, which copies these maps of patched templates.
const MAPS: [&str; 3] =
    ["/spec/template/metadata", "/spec/template/metadata/labels", "/spec/template/metadata/annotations"];

fn has_entries(template: Option<Value>, path: &str) -> bool {
    let map = template.as_ref().and_then(|template| template.pointer(path)?.as_object());
    map.is_some_and(|entries| !entries.is_empty())
}

/// The variables that no patch reads. An extension may read each of them.
fn unused_variables(class: &Value) -> Vec<ClassNote> {
    let patches = list(class, &["spec", "patches"]);
    let definitions = patches.iter().flat_map(|patch| list(patch, &["definitions"]));
    let values = definitions.flat_map(|it| list(it, &["jsonPatches"])).filter_map(|it| get(it, &["valueFrom"]));
    let values: Vec<&Value> = values.collect();
    let sources = patches.iter().map(|patch| text(patch, &["enabledIf"]));
    let sources: Vec<&str> = sources.chain(values.iter().map(|value| text(value, &["template"]))).collect();
    let is_external = patches.iter().any(|patch| get(patch, &["external"]).is_some());
    if is_external || sources.iter().any(|source| is_whole_read(source)) {
        return Vec::new();
    }
    let variables = values.iter().map(|value| text(value, &["variable"]).to_owned());
    let first = |path: String| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let read: BTreeSet<String> = sources.iter().flat_map(|source| reads(source)).chain(variables).map(first).collect();
    let names = list(class, &["spec", "variables"]).iter().map(|variable| text(variable, &["name"]));
    let mut known = BTreeSet::new();
    let names = names.filter(|name| known.insert(*name));
    let unused = names.filter(|name| !read.contains(*name)).map(|name| ClassNote {
        fact: ClassFact::UnusedVariable { variable: name.to_owned() },
        at: format!("spec.variables[{name}]"),
    });
    unused.collect()
}

/// Names in a selector that are of no class of workers, each with the kind of workers.
fn missing_classes<'c>(class: &Value, selector: &'c Value) -> Vec<(&'static str, &'c str)> {
    let mut found = Vec::new();
    for WorkersKind { list: workers, selected: kind, .. } in WORKERS {
        let classes = list(class, &["spec", "workers", workers]);
        let is_known = |name: &&str| classes.iter().any(|it| is_match(name, text(it, &["class"])));
        let names = list(selector, &["matchResources", kind, "names"]).iter().filter_map(Value::as_str);
        found.extend(names.filter(|name| !is_known(name)).map(|name| (kind, name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class(patches: &Value) -> Value {
        let reference = |kind: &str| json!({"templateRef": {"apiVersion": "g/v1", "kind": kind, "name": "t"}});
        json!({"spec": {
            "infrastructure": reference("InfraTemplate"),
            "workers": {"machineDeployments": [{"class": "worker", "bootstrap": reference("ConfigTemplate")}]},
            "variables": [{"name": "size"}, {"name": "zone"}],
            "patches": patches,
        }})
    }

    fn patch(kind: &str, resources: &Value, json_patch: &Value) -> Value {
        let selector = json!({"apiVersion": "g/v1", "kind": kind, "matchResources": resources});
        json!({"name": "p", "definitions": [{"selector": selector, "jsonPatches": [json_patch]}]})
    }

    fn found(patches: &[Value]) -> Vec<(String, String)> {
        let template = json!({"spec": {"template": {"metadata": {"labels": {"a": "b"}}}}});
        let notes = class_notes(&class(&json!(patches)), &|_| Some(template.clone()));
        notes.into_iter().map(|note| (note.fact.to_string(), note.at)).collect()
    }

    fn unused(variables: &[&str]) -> Vec<(String, String)> {
        let note = |name: &&str| (format!("no patch reads variable `{name}`"), format!("spec.variables[{name}]"));
        variables.iter().map(note).collect()
    }

    #[test]
    fn a_variable_is_read_by_conditions_templates_and_values() {
        let is_on = json!({"infrastructureCluster": true});
        let value = |from: &Value| {
            patch("InfraTemplate", &is_on, &json!({"op": "add", "path": "/spec/template/spec/a", "valueFrom": from}))
        };
        let mut conditional = value(&json!({"variable": "builtin.cluster.name"}));
        conditional["enabledIf"] = json!("{{ eq .zone.name $.size }}");
        let cases = [
            (conditional, unused(&[])),
            (value(&json!({"variable": "size.width[0]"})), unused(&["zone"])),
            (value(&json!({"template": "{{ with .zone }}{{ . }}{{ end }}"})), unused(&["size"])),
            (value(&json!({"template": "{{ range .zone }}{{ toJson . }}{{ end }}"})), unused(&["size"])),
            (value(&json!({"template": "{{ index . \"zone\" }}"})), unused(&[])),
            (value(&json!({"template": "{{ with .zone }}{{ toJson $ }}{{ end }}"})), unused(&[])),
            (value(&json!({"template": "{{ if }}"})), unused(&[])),
            (json!({"name": "p", "external": {"generatePatchesExtension": "e"}}), unused(&[])),
        ];
        for (patch, expected) in cases {
            assert_eq!(found(std::slice::from_ref(&patch)), expected, "{patch}");
        }
    }

    #[test]
    fn a_selector_selects_a_template_and_names_classes_that_exist() {
        let text = "{{ .size }}{{ .zone }}";
        let json_patch = json!({"op": "add", "path": "/spec/template/spec/a", "valueFrom": {"template": text}});
        let workers = |names: &[&str]| json!({"machineDeploymentClass": {"names": names}});
        let at = "spec.patches[p].definitions[0].selector";
        let idle = vec![("a selector of patch `p` selects no template of the class".to_owned(), at.to_owned())];
        let missing = |name: &str| {
            let at = format!("{at}.matchResources.machineDeploymentClass.names");
            vec![(format!("patch `p` selects the worker class `{name}`, which the class does not have"), at)]
        };
        let cases = [
            ("ConfigTemplate", workers(&["work*"]), Vec::new()),
            ("ConfigTemplate", workers(&["worker", "other"]), missing("other")),
            ("ConfigTemplate", workers(&["other-*"]), missing("other-*")),
            ("OtherTemplate", workers(&["worker"]), idle.clone()),
            ("ConfigTemplate", json!({"controlPlane": true}), idle.clone()),
            ("ConfigTemplate", json!({}), idle),
        ];
        for (kind, resources, expected) in cases {
            assert_eq!(found(&[patch(kind, &resources, &json_patch)]), expected, "{kind} {resources}");
        }
    }

    #[test]
    fn a_whole_map_is_replaced_if_it_has_entries() {
        let (cluster, workers) =
            (json!({"infrastructureCluster": true}), json!({"machineDeploymentClass": {"names": ["*"]}}));
        let cases = [
            ("InfraTemplate", &cluster, "add", "/spec/template/metadata/labels", true),
            ("InfraTemplate", &cluster, "replace", "/spec/template/metadata/annotations", true),
            ("InfraTemplate", &cluster, "add", "/spec/template/metadata", true),
            ("InfraTemplate", &cluster, "remove", "/spec/template/metadata/labels", false),
            ("InfraTemplate", &cluster, "add", "/spec/template/metadata/labels/team", false),
            ("ConfigTemplate", &workers, "add", "/spec/template/metadata/labels", true),
            ("ConfigTemplate", &workers, "add", "/spec/template/metadata/annotations", false),
        ];
        for (kind, resources, op, path, expected) in cases {
            let value = json!({"template": "{{ .size }}{{ .zone }}"});
            let notes = found(&[patch(kind, resources, &json!({"op": op, "path": path, "valueFrom": value}))]);
            let fact = format!("patch `p` replaces the whole map `{path}`: entries that were set before are lost");
            let note = (fact, "spec.patches[p].definitions[0].jsonPatches[0].path".to_owned());
            assert_eq!(notes, if expected { vec![note] } else { Vec::new() }, "{kind} {op} {path}");
        }
    }
}
