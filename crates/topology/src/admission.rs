//! What the webhooks of Cluster and ClusterClass refuse: values of variables, and selectors of patches.
//!
//! Source: `internal/topology/variables/cluster_variable_validation.go` and `core/webhooks/admission/patch_validation.go`
//! of Cluster API.

use serde_json::Value;

use crate::fields::{get, list, text};
use crate::obstacle::TopologyRefusal;
use crate::patches::is_match;
use crate::variables::{Variables, of_cluster, overrides, schemas};

/// What webhooks refuse in a Cluster and its class.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [
///     {"name": "size", "required": true, "schema": {"openAPIV3Schema": {"type": "string"}}}]}});
/// let refusals: Vec<String> = topology::refusals(&json!({}), &class).iter().map(ToString::to_string).collect();
/// assert_eq!(refusals, ["variable `size` must be set"]);
/// ```
#[must_use]
pub fn refusals(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let mut found = values(cluster, class);
    found.extend(
        list(class, &["spec", "patches"])
            .iter()
            .filter(|patch| has_idle_selector(class, patch))
            .map(|patch| TopologyRefusal::Selector { patch: text(patch, &["name"]).to_owned() }),
    );
    found
}

fn values(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let Ok(values) = of_cluster(cluster, class, &Variables::new()) else { return Vec::new() };
    let schemas = schemas(class);
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
    let entries = workers.into_iter().flatten().chain(get(topology, &["controlPlane"]));
    let own = entries.filter_map(|entry| overrides(entry, class).ok()).flatten();
    for (name, value) in values.iter().map(|(name, value)| (name.clone(), value.clone())).chain(own) {
        if let Some(reason) = schemas.get(&*name).and_then(|schema| violation(&value, schema, "")) {
            found.push(TopologyRefusal::InvalidVariable { name, reason });
        }
    }
    found
}

/// Why a value does not fit its schema: the first reason, with the path in the value.
fn violation(value: &Value, schema: &Value, at: &str) -> Option<String> {
    if value.is_null() && get(schema, &["nullable"]) == Some(&Value::Bool(true)) {
        return None;
    }
    let place = if at.is_empty() { String::new() } else { format!("{at}: ") };
    let kind = text(schema, &["type"]);
    let is_of_kind = match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if !is_of_kind {
        return Some(format!("{place}not of type {kind}"));
    }
    if let Some(options) = get(schema, &["enum"]).and_then(Value::as_array)
        && !options.contains(value)
    {
        return Some(format!("{place}not one of the values that the schema lists"));
    }
    let number = |field: &str| get(schema, &[field]).and_then(Value::as_f64);
    let is_out = |of: Option<f64>, least: &str, most: &str| {
        of.is_some_and(|of| number(least).is_some_and(|it| of < it) || number(most).is_some_and(|it| of > it))
    };
    let length = |length: usize| u32::try_from(length).ok().map(f64::from);
    let sizes = [
        (value.as_f64(), "minimum", "maximum"),
        (value.as_str().and_then(|it| length(it.chars().count())), "minLength", "maxLength"),
        (value.as_array().and_then(|it| length(it.len())), "minItems", "maxItems"),
        (value.as_object().and_then(|it| length(it.len())), "minProperties", "maxProperties"),
    ];
    if sizes.into_iter().any(|(of, least, most)| is_out(of, least, most)) {
        return Some(format!("{place}outside the limits of the schema"));
    }
    if let (Some(value), Some(pattern)) = (value.as_str(), get(schema, &["pattern"]).and_then(Value::as_str))
        && regex_lite::Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(value))
    {
        return Some(format!("{place}does not match the pattern of the schema"));
    }
    if text(schema, &["format"]) == "ipv4" && value.as_str().is_some_and(|it| it.parse::<std::net::Ipv4Addr>().is_err())
    {
        return Some(format!("{place}not an IPv4 address"));
    }
    let inner = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    match value {
        Value::Array(elements) => {
            let items = get(schema, &["items"])?;
            let mut elements = elements.iter().enumerate();
            elements.find_map(|(number, element)| violation(element, items, &format!("{at}[{number}]")))
        }
        Value::Object(fields) => {
            let missing = list(schema, &["required"]).iter().filter_map(Value::as_str);
            if let Some(name) = missing.into_iter().find(|name| !fields.contains_key(*name)) {
                return Some(format!("{}: required", inner(name)));
            }
            fields.iter().find_map(|(name, value)| {
                let schema = get(schema, &["properties", name]).or_else(|| get(schema, &["additionalProperties"]))?;
                violation(value, schema, &inner(name))
            })
        }
        _ => None,
    }
}

/// Whether a selector of a patch is on for something that it does not match.
fn has_idle_selector(class: &Value, patch: &Value) -> bool {
    list(patch, &["definitions"]).iter().filter_map(|definition| get(definition, &["selector"])).any(|selector| {
        let is_meant = |holder: Option<&Value>| {
            holder.and_then(|holder| get(holder, &["templateRef"]).or(get(holder, &["ref"]))).is_some_and(|reference| {
                ["apiVersion", "kind"].iter().all(|field| text(reference, &[field]) == text(selector, &[field]))
            })
        };
        let of_class = |path: &[&str]| is_meant(get(class, path));
        let is_on = |name: &str| get(selector, &["matchResources", name]) == Some(&Value::Bool(true));
        let is_idle = |names: &str, workers: &str| {
            list(selector, &["matchResources", names, "names"]).iter().filter_map(Value::as_str).any(|name| {
                !list(class, &["spec", "workers", workers]).iter().any(|written| {
                    let part = get(written, &["template"]).unwrap_or(written);
                    let fits = ["bootstrap", "infrastructure"].iter().any(|field| is_meant(get(part, &[field])));
                    fits && is_match(name, text(written, &["class"]))
                })
            })
        };
        is_on("infrastructureCluster") && !of_class(&["spec", "infrastructure"])
            || is_on("controlPlane")
                && !of_class(&["spec", "controlPlane"])
                && !of_class(&["spec", "controlPlane", "machineInfrastructure"])
            || is_idle("machineDeploymentClass", "machineDeployments")
            || is_idle("machinePoolClass", "machinePools")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_their_schemas() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "enum": ["a", "b"]}, "port": {"type": "integer", "maximum": 65535},
            "hosts": {"type": "array", "items": {"type": "string", "format": "ipv4"}}}});
        let cases = [
            (json!({"name": "a", "port": 80.0, "hosts": ["10.0.0.1"]}), None),
            (json!({"port": 80}), Some("name: required")),
            (json!({"name": "c"}), Some("name: not one of the values that the schema lists")),
            (json!({"name": "a", "port": 80.5}), Some("port: not of type integer")),
            (json!({"name": "a", "port": 70000}), Some("port: outside the limits of the schema")),
            (json!({"name": "a", "hosts": ["x"]}), Some("hosts[0]: not an IPv4 address")),
            (json!("a"), Some("not of type object")),
        ];
        for (value, expected) in cases {
            assert_eq!(violation(&value, &schema, "").as_deref(), expected, "{value}");
        }
    }
}
