//! What the webhooks of Cluster and ClusterClass refuse: values of variables, their schemas, and patches.
//!
//! Source: `internal/topology/variables/cluster_variable_validation.go` of Cluster API.

mod fields;
mod patches;
mod schemas;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{get, list, text};
use crate::obstacle::TopologyRefusal;
use crate::schema::violation;
use crate::variables::{Variables, of_cluster, overrides};

/// What webhooks refuse in a class, whatever its Clusters are.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [
///     {"name": "size", "schema": {"openAPIV3Schema": {"type": "string", "default": 1}}}]}});
/// let refusals: Vec<String> = topology::class_refusals(&class).iter().map(ToString::to_string).collect();
/// let reason = "default: must be of type string, not integer";
/// assert_eq!(refusals, [format!("the class's definition of variable `size` is not valid: {reason}")]);
/// ```
#[must_use]
pub fn class_refusals(class: &Value) -> Vec<TopologyRefusal> {
    let mut found = fields::refusals(class);
    found.extend(schemas::refusals(class));
    found.extend(patches::refusals(class));
    found
}

/// What the webhook of Clusters refuses in the values of variables.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [
///     {"name": "size", "required": true, "schema": {"openAPIV3Schema": {"type": "string"}}}]}});
/// let refusals: Vec<String> = topology::value_refusals(&json!({}), &class).iter().map(ToString::to_string).collect();
/// assert_eq!(refusals, ["variable `size` must be set"]);
/// ```
#[must_use]
pub fn value_refusals(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let Ok(values) = of_cluster(cluster, class, &Variables::new()) else { return Vec::new() };
    let schemas = crate::variables::schemas(class);
    let mut found = Vec::new();
    for variable in list(class, &["spec", "variables"]) {
        let name = text(variable, &["name"]);
        let is_required = get(variable, &["required"]) == Some(&Value::Bool(true));
        if is_required && !values.contains_key(name) {
            found.push(TopologyRefusal::RequiredVariable(name.to_owned()));
        }
    }
    let topology = get(cluster, &["spec", "topology"]).unwrap_or(&Value::Null);
    let workers = ["machineDeployments", "machinePools"].map(|kind| list(topology, &["workers", kind]));
    let entries: Vec<&Value> = workers.into_iter().flatten().chain(get(topology, &["controlPlane"])).collect();
    let lists = entries.iter().map(|entry| list(entry, &["variables", "overrides"]));
    for variables in lists.chain([list(topology, &["variables"])]) {
        let mut names = BTreeSet::new();
        let again = variables.iter().map(|variable| text(variable, &["name"])).filter(|name| !names.insert(*name));
        found.extend(again.map(|name| TopologyRefusal::SetTwice(name.to_owned())));
    }
    let own = entries.into_iter().filter_map(|entry| overrides(entry, class).ok()).flatten();
    for (name, value) in values.iter().map(|(name, value)| (name.clone(), value.clone())).chain(own) {
        if let Some(reason) = schemas.get(&*name).and_then(|schema| violation(&value, schema)) {
            found.push(TopologyRefusal::InvalidVariable { name, reason });
        }
    }
    found
}
