//! What the webhook of ClusterClasses refuses in patches.
//!
//! Source: `core/webhooks/admission/patch_validation.go` of Cluster API.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{get, is_true, list, text};
use crate::obstacle::TopologyRefusal;
use crate::patches::check_path;
use crate::selection::{Holder, ReferredTemplate, has_inline_template, is_match, is_of_type, referred};
use crate::template::syntax;
use crate::variables::schemas;

/// What is refused, wherever the patches apply.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let variables: BTreeSet<&str> = schemas(class).into_keys().collect();
    let (referred, has_inline) = (referred(class), has_inline_template(class));
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for patch in list(class, &["spec", "patches"]) {
        let name = text(patch, &["name"]);
        let refused =
            |at: &str, reason: String| TopologyRefusal::Patch { patch: name.to_owned(), path: at.to_owned(), reason };
        let template = |text: &str| {
            let error = syntax(text).err()?;
            Some(TopologyRefusal::Template { patch: name.to_owned(), error })
        };
        if name.is_empty() || !names.insert(name) {
            found.push(refused("name", "the names of patches must be unique".to_owned()));
        }
        found.extend(template(text(patch, &["enabledIf"])));
        let definitions = list(patch, &["definitions"]);
        if definitions.is_empty() == get(patch, &["external"]).is_none() {
            found.push(refused("definitions", "a patch has either `definitions` or `external`".to_owned()));
        }
        for definition in definitions {
            if list(definition, &["jsonPatches"]).is_empty() {
                found.push(refused("jsonPatches", "a definition has at least one".to_owned()));
            }
            for json_patch in list(definition, &["jsonPatches"]) {
                let path = text(json_patch, &["path"]);
                found.extend(check(json_patch, &variables).err().map(|reason| refused(path, reason)));
                found.extend(template(text(json_patch, &["valueFrom", "template"])));
            }
        }
        if !has_inline && has_idle_selector(&referred, patch) {
            found.push(TopologyRefusal::Selector { patch: name.to_owned() });
        }
    }
    found
}

/// Checks operation, path, and where the value is from.
fn check(json_patch: &Value, variables: &BTreeSet<&str>) -> Result<(), String> {
    let op = text(json_patch, &["op"]);
    if !["add", "replace", "remove"].contains(&op) {
        return Err(format!("operation `{op}` is not one of `add`, `remove` and `replace`"));
    }
    check_path(op, text(json_patch, &["path"]))?;
    if op == "remove" {
        return Ok(());
    }
    let [template, variable] = ["template", "variable"].map(|field| text(json_patch, &["valueFrom", field]));
    let sources = [get(json_patch, &["value"]).is_some(), !template.is_empty(), !variable.is_empty()];
    if sources.into_iter().filter(|is_set| *is_set).count() != 1 {
        return Err("exactly one of `value`, `valueFrom.template` and `valueFrom.variable` must be set".to_owned());
    }
    let name = variable.split(['.', '[']).find(|name| !name.is_empty()).unwrap_or_default();
    let is_known = match variable.strip_prefix("builtin.") {
        Some(builtin) => BUILTINS.contains(&builtin),
        None => variable.is_empty() || variables.contains(name),
    };
    if is_known { Ok(()) } else { Err(format!("variable `{variable}` is not defined")) }
}

/// What `valueFrom.variable` may read of `builtin`. Templates may read more.
const BUILTINS: &[&str] = &[
    "cluster",
    "cluster.metadata.annotations",
    "cluster.metadata.labels",
    "cluster.name",
    "cluster.namespace",
    "cluster.network",
    "cluster.network.pods",
    "cluster.network.serviceDomain",
    "cluster.network.services",
    "cluster.topology",
    "cluster.topology.class",
    "cluster.topology.classNamespace",
    "cluster.topology.classRef.name",
    "cluster.topology.classRef.namespace",
    "cluster.topology.version",
    "cluster.uid",
    "controlPlane",
    "controlPlane.machineTemplate.infrastructureRef.name",
    "controlPlane.metadata.annotations",
    "controlPlane.metadata.labels",
    "controlPlane.name",
    "controlPlane.replicas",
    "controlPlane.version",
    "machineDeployment",
    "machineDeployment.bootstrap.configRef.name",
    "machineDeployment.class",
    "machineDeployment.infrastructureRef.name",
    "machineDeployment.metadata.annotations",
    "machineDeployment.metadata.labels",
    "machineDeployment.name",
    "machineDeployment.replicas",
    "machineDeployment.topologyName",
    "machineDeployment.version",
    "machinePool",
    "machinePool.bootstrap.configRef.name",
    "machinePool.class",
    "machinePool.infrastructureRef.name",
    "machinePool.metadata.annotations",
    "machinePool.metadata.labels",
    "machinePool.name",
    "machinePool.replicas",
    "machinePool.topologyName",
    "machinePool.version",
];

/// Whether a selector of a patch is on for something that it does not match, or for nothing.
fn has_idle_selector(referred: &[ReferredTemplate<'_>], patch: &Value) -> bool {
    list(patch, &["definitions"]).iter().any(|definition| {
        let selector = get(definition, &["selector"]).unwrap_or(&Value::Null);
        let holders = || referred.iter().filter(|it| is_of_type(selector, it.reference)).map(|it| &it.holder);
        let is_on = |name: &str| is_true(selector, &["matchResources", name]);
        let is_idle = |name: &str, holder: &Holder| is_on(name) && !holders().any(|it| it == holder);
        let names = |kind: &str| list(selector, &["matchResources", kind, "names"]).iter().filter_map(Value::as_str);
        let is_any = ["infrastructureCluster", "controlPlane"].into_iter().any(is_on)
            || ["machineDeploymentClass", "machinePoolClass"]
                .iter()
                .any(|kind| !list(selector, &["matchResources", kind, "names"]).is_empty());
        !is_any
            || is_idle("infrastructureCluster", &Holder::Infrastructure)
            || is_idle("controlPlane", &Holder::ControlPlane)
            || names("machineDeploymentClass").any(|name| {
                !holders().any(|it| matches!(it, Holder::MachineDeployment(class) if is_match(name, class)))
            })
            || names("machinePoolClass")
                .any(|name| !holders().any(|it| matches!(it, Holder::MachinePool(class) if is_match(name, class))))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_webhook_refuses_is_named() {
        let class = json!({"spec": {
            "infrastructure": {"templateRef": {"apiVersion": "a/v1", "kind": "InfraTemplate", "name": "infra"}},
            "variables": [{"name": "size", "schema": {"openAPIV3Schema": {"type": "string"}}}],
        }});
        let cases = [
            (json!({"op": "add", "path": "/spec/a", "valueFrom": {"variable": "size"}}), None),
            (json!({"op": "add", "path": "/spec/a", "value": 1}), None),
            (
                json!({"op": "add", "path": "/spec/a", "value": null}),
                Some("exactly one of `value`, `valueFrom.template` and `valueFrom.variable` must be set"),
            ),
            (json!({"op": "remove", "path": "/spec/a"}), None),
            (
                json!({"op": "move", "path": "/spec/a"}),
                Some("operation `move` is not one of `add`, `remove` and `replace`"),
            ),
            (json!({"op": "add", "path": "/metadata", "value": 1}), Some("the path must begin with `/spec`")),
            (
                json!({"op": "add", "path": "/spec/a"}),
                Some("exactly one of `value`, `valueFrom.template` and `valueFrom.variable` must be set"),
            ),
            (
                json!({"op": "add", "path": "/spec/a", "valueFrom": {"variable": "builtin.cluster.network.pods[0]"}}),
                Some("variable `builtin.cluster.network.pods[0]` is not defined"),
            ),
            (
                json!({"op": "add", "path": "/spec/a", "valueFrom": {"variable": "other.field"}}),
                Some("variable `other.field` is not defined"),
            ),
        ];
        for (json_patch, expected) in cases {
            let variables = schemas(&class).into_keys().collect();
            assert_eq!(check(&json_patch, &variables).err().as_deref(), expected, "{json_patch}");
        }
        let mut broken = class.clone();
        broken["spec"]["patches"] = json!([
            {"name": "a", "enabledIf": "{{ if }}", "definitions": [{"jsonPatches": [{"op": "remove", "path": "/spec/a"}], "selector": {
                "apiVersion": "a/v1", "kind": "InfraTemplate", "matchResources": {"infrastructureCluster": true}}}]},
            {"name": "a", "definitions": [{"selector": {"apiVersion": "a/v1", "kind": "Other",
                "matchResources": {}}}]}]);
        let found: Vec<String> = refusals(&broken).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(
            found[1..],
            [
                "patch `a` cannot patch `name`: the names of patches must be unique",
                "patch `a` cannot patch `jsonPatches`: a definition has at least one",
                "a selector of patch `a` matches nothing"
            ]
        );
    }
}
