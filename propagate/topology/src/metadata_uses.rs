//! Which patches of a class set a label or annotation, or read it.

use std::fmt;

use serde_json::Value;

use crate::fields::{get, list, text};
use crate::owner::TopologyOwner;
use crate::selection::{Holder, ReferredTemplate, referred, selects};
use crate::template::reads;

/// What a patch does with a label or annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataUse {
    /// The name of the patch.
    pub patch: String,
    /// The kind of the templates that it changes.
    pub kind: String,
    /// The parts of a class whose templates it changes; workers by their class.
    pub parts: Vec<TopologyOwner>,
    /// What it does.
    pub action: MetadataAction,
}

/// What a patch does with a label or annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataAction {
    /// It sets it in the objects that are made from the templates.
    Sets {
        /// The map in the template, such as `spec.template.metadata.labels`.
        at: String,
        /// The value, if it is written in the class.
        value: Option<String>,
    },
    /// It removes it.
    Removes {
        /// The map in the template.
        at: String,
    },
    /// What it writes depends on it.
    Reads {
        /// The map, such as `builtin.cluster.metadata.labels`.
        variable: String,
    },
}

impl fmt::Display for MetadataUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MetadataUse { patch, kind, action, .. } = self;
        let made = kind.strip_suffix("Template").unwrap_or(kind);
        match action {
            MetadataAction::Sets { at, value: Some(value) } => {
                write!(f, "patch `{patch}` sets it to `{value}` in `{at}` of {kind}, and so in each {made}")
            }
            MetadataAction::Sets { at, value: None } => {
                write!(f, "patch `{patch}` sets it in `{at}` of {kind}, and so in each {made}")
            }
            MetadataAction::Removes { at } => {
                write!(f, "patch `{patch}` removes it from `{at}` of {kind}, and so from each {made}")
            }
            MetadataAction::Reads { variable } => {
                write!(f, "patch `{patch}` reads it from `{variable}`, and writes {kind}")
            }
        }
    }
}

/// Which patches of a class set a label or annotation, or read it, in their order. What an extension does is not known.
///
/// ```
/// use serde_json::json;
///
/// let reference = json!({"apiVersion": "g/v1", "kind": "InfraTemplate", "name": "infra"});
/// let class = json!({"spec": {"infrastructure": {"templateRef": reference}, "patches": [{"name": "p", "definitions": [{
///     "selector": {"apiVersion": "g/v1", "kind": "InfraTemplate", "matchResources": {"infrastructureCluster": true}},
///     "jsonPatches": [{"op": "add", "path": "/spec/template/spec/zone",
///         "valueFrom": {"template": "{{ .builtin.cluster.metadata.labels.zone }}"}}]}]}]}});
/// let uses: Vec<String> = topology::metadata_uses(&class, "zone").iter().map(ToString::to_string).collect();
/// assert_eq!(uses, ["patch `p` reads it from `builtin.cluster.metadata.labels`, and writes InfraTemplate"]);
/// ```
pub fn metadata_uses(class: &Value, key: &str) -> Vec<MetadataUse> {
    let mut found: Vec<MetadataUse> = Vec::new();
    let referred = referred(class);
    for patch in list(class, &["spec", "patches"]) {
        let condition = text(patch, &["enabledIf"]);
        for definition in list(patch, &["definitions"]) {
            let selector = definition.get("selector").unwrap_or(&Value::Null);
            let selected = referred.iter().filter(|it| selects(selector, it.reference, &it.holder));
            let mut parts: Vec<TopologyOwner> = selected.map(part).collect();
            parts.dedup();
            if parts.is_empty() {
                continue;
            }
            let json_patches = list(definition, &["jsonPatches"]);
            let actions = json_patches.iter().flat_map(|it| of_path(it, key).into_iter().chain(of_value(it, key)));
            for action in of_source(condition, key).into_iter().chain(actions) {
                let (patch, kind) = (text(patch, &["name"]).to_owned(), text(selector, &["kind"]).to_owned());
                let one = MetadataUse { patch, kind, parts: parts.clone(), action };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
    }
    found
}

/// The part of a class that refers to a template.
fn part(template: &ReferredTemplate<'_>) -> TopologyOwner {
    match &template.holder {
        Holder::Infrastructure => TopologyOwner::Infrastructure,
        Holder::ControlPlane => TopologyOwner::ControlPlane,
        Holder::MachineDeployment(class) => TopologyOwner::MachineDeployment(class.clone()),
        Holder::MachinePool(class) => TopologyOwner::MachinePool(class.clone()),
    }
}

/// What a JSON patch does with an entry of the metadata that it writes.
fn of_path(json_patch: &Value, key: &str) -> Option<MetadataAction> {
    let path = text(json_patch, &["path"]).strip_prefix("/spec/template/metadata/")?;
    let (map, entry) = path.split_once('/').map_or((path, None), |(map, entry)| (map, Some(entry)));
    if !["labels", "annotations"].contains(&map) {
        return None;
    }
    let at = format!("spec.template.metadata.{map}");
    let value = json_patch.get("value");
    let value = match entry.map(|entry| entry.replace("~1", "/").replace("~0", "~")) {
        Some(entry) if entry != key => return None,
        _ if text(json_patch, &["op"]) == "remove" => return Some(MetadataAction::Removes { at }),
        Some(_) => value,
        // The value of a whole map that is computed may have any entry.
        None => match value {
            Some(map) => Some(map.get(key)?),
            None => return Some(MetadataAction::Sets { at, value: None }),
        },
    };
    Some(MetadataAction::Sets { at, value: value.and_then(Value::as_str).map(str::to_owned) })
}

/// The maps that a JSON patch reads.
fn of_value(json_patch: &Value, key: &str) -> Vec<MetadataAction> {
    let variable = get(json_patch, &["valueFrom", "variable"]).and_then(Value::as_str);
    let of_variable = variable.and_then(|variable| read_map(variable, key));
    let of_template = of_source(text(json_patch, &["valueFrom", "template"]), key);
    of_variable.map(|variable| MetadataAction::Reads { variable }).into_iter().chain(of_template).collect()
}

/// The maps that a template reads; one that looks up entries only those with a name that it contains.
fn of_source(source: &str, key: &str) -> Vec<MetadataAction> {
    let has_lookup = ["index ", "get ", "hasKey ", "pluck "].iter().any(|name| source.contains(name));
    let is_meant = |_: &String| !has_lookup || source.contains(key);
    let maps = reads(source).into_iter().filter_map(|path| read_map(&path, key)).filter(is_meant);
    maps.map(|variable| MetadataAction::Reads { variable }).collect()
}

/// The map of metadata that has the entry at the path of a builtin variable.
fn read_map(path: &str, key: &str) -> Option<String> {
    let maps = ["metadata.labels", "metadata.annotations"];
    path.starts_with("builtin.").then_some(())?;
    let end = maps.iter().find_map(|map| path.find(map).map(|begin| begin + map.len()))?;
    let (map, rest) = path.split_at_checked(end)?;
    let is_entry = rest.strip_prefix('.').is_none_or(|entry| entry == key);
    is_entry.then(|| map.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn uses(json_patch: &Value, condition: &str) -> Vec<String> {
        let reference = json!({"apiVersion": "g/v1", "kind": "ConfigTemplate", "name": "t"});
        let selector = json!({"apiVersion": "g/v1", "kind": "ConfigTemplate",
            "matchResources": {"machineDeploymentClass": {"names": ["*"]}}});
        let class = json!({"spec": {
            "workers": {"machineDeployments": [{"class": "worker", "bootstrap": {"templateRef": reference}}]},
            "patches": [{"name": "p", "enabledIf": condition,
                "definitions": [{"selector": selector, "jsonPatches": [json_patch]}]}],
        }});
        let found = metadata_uses(&class, "example.com/team");
        assert!(
            found.iter().all(|it| it.parts == [TopologyOwner::MachineDeployment("worker".to_owned())]),
            "{found:?}"
        );
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_label_is_set_by_its_path_or_with_its_map() {
        let in_map = "in `spec.template.metadata.labels` of ConfigTemplate, and so in each Config";
        let with = |value: &str| vec![format!("patch `p` sets it to `{value}` {in_map}")];
        let labels = "/spec/template/metadata/labels";
        let one = "/spec/template/metadata/labels/example.com~1team";
        let cases = [
            (json!({"op": "add", "path": one, "value": "a"}), with("a")),
            (json!({"op": "add", "path": labels, "value": {"example.com/team": "a"}}), with("a")),
            (json!({"op": "add", "path": labels, "value": {"other": "a"}}), Vec::new()),
            (json!({"op": "add", "path": format!("{labels}/team"), "value": "a"}), Vec::new()),
            (json!({"op": "add", "path": "/spec/template/spec", "value": "a"}), Vec::new()),
            (
                json!({"op": "add", "path": one, "valueFrom": {"template": "{{ .team }}"}}),
                vec![format!("patch `p` sets it {in_map}")],
            ),
            (
                json!({"op": "remove", "path": one}),
                vec![
                    "patch `p` removes it from `spec.template.metadata.labels` of ConfigTemplate, and so from each \
                      Config"
                        .to_owned(),
                ],
            ),
        ];
        for (json_patch, expected) in cases {
            assert_eq!(uses(&json_patch, ""), expected, "{json_patch}");
        }
    }

    #[test]
    fn a_label_is_read_by_name_or_with_its_map() {
        let read = |map: &str| vec![format!("patch `p` reads it from `builtin.{map}`, and writes ConfigTemplate")];
        let path = "/spec/template/spec/a";
        let of_workers = "machineDeployment.metadata.labels";
        let template = |text: &str| json!({"op": "add", "path": path, "valueFrom": {"template": text}});
        let cases = [
            (template("{{ index .builtin.machineDeployment.metadata.labels \"example.com/team\" }}"), read(of_workers)),
            (template("{{ index .builtin.machineDeployment.metadata.labels \"tier\" }}"), Vec::new()),
            (template("{{ .builtin.machineDeployment.metadata.labels | toJson }}"), read(of_workers)),
            (template("{{ .builtin.cluster.metadata.annotations.tier }}"), Vec::new()),
            (template("{{ .builtin.cluster.name }}"), Vec::new()),
            (
                json!({"op": "add", "path": path, "valueFrom": {"variable": "builtin.cluster.metadata.labels"}}),
                read("cluster.metadata.labels"),
            ),
        ];
        for (json_patch, expected) in cases {
            assert_eq!(uses(&json_patch, ""), expected, "{json_patch}");
        }
        let condition = "{{ hasKey .builtin.controlPlane.metadata.labels \"example.com/team\" }}";
        assert_eq!(uses(&template("a"), condition), read("controlPlane.metadata.labels"));
    }
}
