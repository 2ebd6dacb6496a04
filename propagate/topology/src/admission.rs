//! What the webhooks of Cluster and ClusterClass refuse: values of variables, their schemas, and patches.
//!
//! Source: `internal/topology/variables/cluster_variable_validation.go` of Cluster API.

mod fields;
mod health_checks;
mod patches;
mod schemas;
mod versions;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use self::health_checks::{early_startup, health_check_refusals};
pub(crate) use self::versions::numbers;
use crate::fields::{get, is_true, list, text};
use crate::obstacle::{Gap, TopologyRefusal};
use crate::schema::{rules_of_difference, violations};
use crate::variables::{StoredDefaults, VariablePlace, of_cluster, overrides, overriding};

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
pub fn class_refusals(class: &Value) -> Vec<TopologyRefusal> {
    let mut found = fields::refusals(class);
    found.extend(health_checks::refusals(class));
    found.extend(schemas::refusals(class));
    found.extend(patches::refusals(class));
    found.extend(versions::refusals(class));
    found
}

/// Whether a text is a number or a percentage. One that is filled in before it is applied may be.
///
/// Source: `GetScaledValueFromIntOrPercent` in k8s.io/apimachinery/pkg/util/intstr.
pub fn is_amount(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|number| number.parse::<i64>().is_ok()) || text.contains(['$', '{'])
}

/// What is said of a text that is none.
pub const NO_AMOUNT: &str = "must be a number or a percentage";

/// The variables that are set twice in one list.
fn set_twice(variables: &[Value]) -> Vec<TopologyRefusal> {
    let mut names = BTreeSet::new();
    let again = variables.iter().map(|variable| text(variable, &["name"])).filter(|name| !names.insert(*name));
    again.map(|name| TopologyRefusal::SetTwice(name.to_owned())).collect()
}

/// The variables that a Cluster sets, and the class does not define. An extension may define more of them.
fn undefined(
    (cluster, stored): (&Value, &StoredDefaults),
    class: &Value,
    schemas: &BTreeMap<&str, &Value>,
) -> Vec<TopologyRefusal> {
    if list(class, &["spec", "patches"]).iter().any(|patch| get(patch, &["external"]).is_some()) {
        return Vec::new();
    }
    let names = list(cluster, &["spec", "topology", "variables"]).iter().map(|variable| text(variable, &["name"]));
    let names: BTreeSet<&str> = names.chain(stored.names()).collect();
    let names = names.into_iter().filter(|name| !schemas.contains_key(name));
    names.map(|name| TopologyRefusal::UndefinedVariable(name.to_owned())).collect()
}

/// What the webhook of Clusters refuses in the values of variables; `stored` are those that the Cluster stored as
/// defaults.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [
///     {"name": "size", "required": true, "schema": {"openAPIV3Schema": {"type": "string"}}}]}});
/// let stored = topology::StoredDefaults::default();
/// let refusals = topology::value_refusals(&json!({}), &class, &stored);
/// let refusals: Vec<String> = refusals.iter().map(ToString::to_string).collect();
/// assert_eq!(refusals, ["variable `size` must be set"]);
/// ```
pub fn value_refusals(cluster: &Value, class: &Value, stored: &StoredDefaults) -> Vec<TopologyRefusal> {
    let twice = set_twice(list(cluster, &["spec", "topology", "variables"]));
    if !twice.is_empty() {
        return twice;
    }
    let schemas = crate::variables::schemas(class);
    let mut found = undefined((cluster, stored), class, &schemas);
    let mut defined = Cow::Borrowed(cluster);
    if let Some(variables) =
        (!found.is_empty()).then(|| defined.to_mut().pointer_mut("/spec/topology/variables")).flatten()
        && let Some(variables) = variables.as_array_mut()
    {
        variables.retain(|variable| schemas.contains_key(text(variable, &["name"])));
    }
    let Ok(values) = of_cluster(&defined, class, stored) else { return found };
    for variable in list(class, &["spec", "variables"]) {
        let name = text(variable, &["name"]);
        let is_required = is_true(variable, &["required"]);
        if is_required && !values.contains_key(name) {
            found.push(TopologyRefusal::RequiredVariable(name.to_owned()));
        }
    }
    let entries = overriding(cluster);
    found.extend(entries.iter().flat_map(|(_, entry)| set_twice(list(entry, &["variables", "overrides"]))));
    let own = entries.iter().filter_map(|(owner, entry)| overrides((owner, entry), class, stored).ok()).flatten();
    for (name, value) in values.iter().map(|(name, value)| (name.clone(), value.clone())).chain(own) {
        let reasons = schemas.get(&*name).map(|schema| violations(&value, schema)).unwrap_or_default();
        found.extend(reasons.into_iter().map(|reason| TopologyRefusal::InvalidVariable { name: name.clone(), reason }));
    }
    found
}

/// A rule of a schema that is not evaluated, and that a value may break which differs between two Clusters with their
/// classes, or for which the rule is new. What does not differ is admitted as it was.
///
/// ```
/// use serde_json::json;
///
/// let rules = json!([{"rule": "self > 1280"}]);
/// let schema = json!({"type": "integer", "x-kubernetes-validations": rules});
/// let class = json!({"spec": {"variables": [{"name": "mtu", "schema": {"openAPIV3Schema": schema}}]}});
/// let [was, is] = [1500, 10].map(|mtu| json!({"spec": {"topology": {"variables": [{"name": "mtu", "value": mtu}]}}}));
/// let stored = topology::StoredDefaults::default();
/// let gap = topology::unevaluated_rule([(&was, &class), (&is, &class)], &stored).map(|gap| gap.to_string());
/// let expected = "Cluster API may refuse the value of variable `mtu`: rule `x-kubernetes-validations` of its schema is not evaluated";
/// assert_eq!(gap.as_deref(), Some(expected));
/// ```
pub fn unevaluated_rule(sides: [(&Value, &Value); 2], stored: &StoredDefaults) -> Option<Gap> {
    let [was, is] = sides.map(|(cluster, class)| values(cluster, class, stored));
    let [former, schemas] = sides.map(|(_, class)| crate::variables::schemas(class));
    let rule = |(place, is): (&VariablePlace, &Value)| {
        let variable = place.1.clone();
        let schemas = [former.get(&*variable).copied().unwrap_or(&Value::Null), schemas.get(&*variable)?];
        let at = rules_of_difference([was.get(place), Some(is)], schemas, "").into_iter().next()?;
        Some(Gap::Rule { variable, at })
    };
    is.iter().find_map(rule)
}

/// The values of all variables of a Cluster and of all overrides.
fn values(cluster: &Value, class: &Value, stored: &StoredDefaults) -> BTreeMap<VariablePlace, Value> {
    let own = overriding(cluster).into_iter().flat_map(|(owner, entry)| {
        let values = overrides((&owner, entry), class, stored).unwrap_or_default();
        values.into_iter().map(move |(name, value)| ((Some(owner.clone()), name), value))
    });
    let of_all = of_cluster(cluster, class, stored).unwrap_or_default();
    of_all.into_iter().map(|(name, value)| ((None, name), value)).chain(own).collect()
}
