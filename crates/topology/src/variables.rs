//! The variables of a topology: defaults as Cluster API's webhook and reconciler set them, and overrides.
//!
//! Source: `internal/topology/variables/cluster_variable_defaulting.go` of Cluster API, and the structural defaulting of
//! Kubernetes that it calls.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::fields::{get, list, text};
use crate::obstacle::{Obstacle, TopologyRefusal};

/// Values by the name of the variable.
pub type Variables = BTreeMap<String, Value>;

/// The variables of a Cluster with the defaults of its class. `stored` has the values that the Cluster stored before:
/// a variable that is not written keeps its stored value, because a changed default does not reach it.
///
/// # Errors
/// When the Cluster sets a variable that the class does not define.
pub(crate) fn of_cluster(cluster: &Value, class: &Value, stored: &Variables) -> Result<Variables, Obstacle> {
    let schemas = schemas(class);
    let mut values = defaulted(list(cluster, &["spec", "topology", "variables"]), class, &schemas)?;
    for (name, schema) in schemas {
        if values.contains_key(name) {
            continue;
        }
        let mut holder = Map::new();
        holder.extend(stored.get(name).or_else(|| schema.get("default")).map(|it| (name.to_owned(), it.clone())));
        if let Some(value) = holder.get_mut(name) {
            set_defaults(value, schema);
            values.insert(name.to_owned(), value.clone());
        }
    }
    Ok(values)
}

/// The values that a Cluster stores although its manifest does not set them: defaults of the class.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"variables": [
///     {"name": "size", "schema": {"openAPIV3Schema": {"type": "string", "default": "small"}}}]}});
/// assert_eq!(topology::stored_defaults(&json!({}), &class), [("size".to_owned(), json!("small"))].into());
/// ```
#[must_use]
pub fn stored_defaults(cluster: &Value, class: &Value) -> Variables {
    let mut values = of_cluster(cluster, class, &Variables::new()).unwrap_or_default();
    for written in list(cluster, &["spec", "topology", "variables"]) {
        values.remove(text(written, &["name"]));
    }
    values
}

/// The overrides of one control plane, MachineDeployment or MachinePool.
pub(crate) fn overrides(entry: &Value, class: &Value) -> Result<Variables, Obstacle> {
    defaulted(list(entry, &["variables", "overrides"]), class, &schemas(class))
}

/// Written values with the defaults of fields in them.
fn defaulted(written: &[Value], class: &Value, schemas: &BTreeMap<&str, &Value>) -> Result<Variables, Obstacle> {
    let mut values = Variables::new();
    for entry in written {
        let name = text(entry, &["name"]);
        let Some(schema) = schemas.get(name) else {
            // Extensions define variables that only the status of the stored class lists, and read them.
            if list(class, &["spec", "patches"]).iter().any(|patch| get(patch, &["external"]).is_some()) {
                values.insert(name.to_owned(), entry.get("value").cloned().unwrap_or_default());
                continue;
            }
            return Err(TopologyRefusal::UndefinedVariable(name.to_owned()).into());
        };
        let mut value = entry.get("value").cloned().unwrap_or_default();
        set_defaults(&mut value, schema);
        values.insert(name.to_owned(), value);
    }
    Ok(values)
}

pub(crate) fn schemas(class: &Value) -> BTreeMap<&str, &Value> {
    let schema = |variable| Some((text(variable, &["name"]), get(variable, &["schema", "openAPIV3Schema"])?));
    list(class, &["spec", "variables"]).iter().filter_map(schema).collect()
}

/// Sets the defaults of fields in a value.
fn set_defaults(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                let Some(default) = property.get("default") else { continue };
                if fields.get(name).is_none_or(|it| it.is_null() && !is_nullable(property)) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            let others = get(schema, &["additionalProperties"]);
            for (name, value) in fields {
                if let Some(schema) = properties.and_then(|properties| properties.get(name)).or(others) {
                    set_element_defaults(value, schema);
                }
            }
        }
        Value::Array(elements) => {
            if let Some(schema) = schema.get("items") {
                elements.iter_mut().for_each(|element| set_element_defaults(element, schema));
            }
        }
        _ => {}
    }
}

fn set_element_defaults(value: &mut Value, schema: &Value) {
    if value.is_null() && !is_nullable(schema) {
        *value = schema.get("default").cloned().unwrap_or_default();
    }
    set_defaults(value, schema);
}

fn is_nullable(schema: &Value) -> bool {
    schema.get("nullable") == Some(&Value::Bool(true))
}

/// The value of a variable at a path such as `network.cidrs[0]`.
pub(crate) fn at_path<'v>(variables: &'v Variables, path: &str) -> Option<&'v Value> {
    let mut segments = path.split('.').map(|segment| match segment.split_once('[') {
        Some((name, index)) => (name, Some(index.strip_suffix(']'))),
        None => (segment, None),
    });
    let element = |value: &'v Value, index: Option<Option<&str>>| match index {
        None => Some(value),
        Some(index) => value.get(index?.parse::<usize>().ok()?),
    };
    let (name, index) = segments.next()?;
    let first = element(variables.get(name)?, index)?;
    segments.try_fold(first, |here, (name, index)| element(here.get(name)?, index))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class() -> Value {
        json!({"spec": {"variables": [
            {"name": "size", "schema": {"openAPIV3Schema": {"type": "string", "default": "small"}}},
            {"name": "net", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "mtu": {"type": "integer", "default": 1500},
                "dns": {"type": "object", "default": {}, "properties": {"domain": {"type": "string", "default": "a"}}},
                "ports": {"type": "array", "items": {"type": "object", "properties": {"tcp": {"default": true}}}}}}}},
        ]}})
    }

    #[test]
    fn defaults_reach_what_is_not_written() {
        let cluster =
            json!({"spec": {"topology": {"variables": [{"name": "net", "value": {"mtu": null, "ports": [{}]}}]}}});
        let net = json!({"mtu": 1500, "dns": {"domain": "a"}, "ports": [{"tcp": true}]});
        let expected: Variables = [("net".to_owned(), net), ("size".to_owned(), json!("small"))].into();
        assert_eq!(of_cluster(&cluster, &class(), &Variables::new()), Ok(expected));
    }

    #[test]
    fn a_stored_default_stays() {
        let stored: Variables = [("size".to_owned(), json!("large"))].into();
        assert_eq!(of_cluster(&json!({}), &class(), &stored), Ok(stored));
    }

    #[test]
    fn an_undefined_variable_is_refused() {
        let cluster = json!({"spec": {"topology": {"variables": [{"name": "other", "value": 1}]}}});
        let refused = Obstacle::from(TopologyRefusal::UndefinedVariable("other".to_owned()));
        assert_eq!(of_cluster(&cluster, &class(), &Variables::new()), Err(refused));
    }

    #[test]
    fn paths_have_fields_and_indices() {
        let variables: Variables = [("net".to_owned(), json!({"cidrs": ["a", "b"]}))].into();
        let cases = [("net.cidrs[1]", Some(json!("b"))), ("net.cidrs[2]", None), ("net.other", None), ("other", None)];
        for (path, expected) in cases {
            assert_eq!(at_path(&variables, path), expected.as_ref(), "{path}");
        }
    }
}
