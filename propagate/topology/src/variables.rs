//! The variables of a topology: defaults as Cluster API's webhook and reconciler set them, and overrides.
//!
//! Source: `internal/topology/variables/cluster_variable_defaulting.go` of Cluster API, and the structural defaulting of
//! Kubernetes that it calls.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::fields::{get, is_true, list, text};
use crate::obstacle::{Obstacle, TopologyRefusal};
use crate::owner::{TopologyOwner, WORKERS, WorkersKind};

/// Values by the name of the variable.
pub(crate) type Variables = BTreeMap<String, Value>;

/// What a Cluster stores although its manifest does not set it: defaults of the class, which its webhook writes into the
/// Cluster. A changed default does not reach them.
///
/// Source: `DefaultVariables` in core/webhooks/admission/cluster.go of Cluster API.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredDefaults {
    /// Variables that the manifest does not set.
    whole: Variables,
    /// Values in which the manifest leaves out fields with defaults.
    partial: BTreeMap<VariablePlace, PartialValue>,
}

impl StoredDefaults {
    /// The variables that the manifest does not set.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.whole.keys().map(String::as_str)
    }
}

/// A variable of the Cluster, or an override of one of its parts.
pub(crate) type VariablePlace = (Option<TopologyOwner>, String);

/// A value as the manifest sets it, and with the defaults that the Cluster stores in it.
#[derive(Debug, Clone, PartialEq)]
struct PartialValue {
    written: Value,
    stored: Value,
}

/// The variables of a Cluster with the defaults of its class, and those that it stored before.
///
/// # Errors
/// When the Cluster sets a variable that the class does not define.
pub(crate) fn of_cluster(cluster: &Value, class: &Value, stored: &StoredDefaults) -> Result<Variables, Obstacle> {
    let schemas = schemas(class);
    let written = list(cluster, &["spec", "topology", "variables"]);
    let mut values = defaulted((written, None), (class, &schemas), stored)?;
    for (name, schema) in schemas {
        if values.contains_key(name) {
            continue;
        }
        let mut holder = Map::new();
        holder.extend(stored.whole.get(name).or_else(|| schema.get("default")).map(|it| (name.to_owned(), it.clone())));
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
/// let stored = topology::stored_defaults(&json!({}), &class);
/// assert_ne!(stored, topology::StoredDefaults::default());
/// ```
pub fn stored_defaults(cluster: &Value, class: &Value) -> StoredDefaults {
    let mut whole = of_cluster(cluster, class, &StoredDefaults::default()).unwrap_or_default();
    let written = list(cluster, &["spec", "topology", "variables"]);
    for variable in written {
        whole.remove(text(variable, &["name"]));
    }
    let overridden = overriding(cluster).into_iter().map(|(owner, entry)| (Some(owner), overrides_of(entry)));
    let schemas = schemas(class);
    let partial = overridden.chain([(None, written)]).flat_map(|(owner, written)| partial(&owner, written, &schemas));
    StoredDefaults { whole, partial: partial.collect() }
}

/// The values of a list that have defaults in them.
fn partial(
    owner: &Option<TopologyOwner>,
    written: &[Value],
    schemas: &BTreeMap<&str, &Value>,
) -> Vec<(VariablePlace, PartialValue)> {
    let with_defaults = |variable: &Value| {
        let name = text(variable, &["name"]);
        let written = variable.get("value")?.clone();
        let mut stored = written.clone();
        set_defaults(&mut stored, schemas.get(name)?);
        let place = (owner.clone(), name.to_owned());
        (stored != written).then_some((place, PartialValue { written, stored }))
    };
    written.iter().filter_map(with_defaults).collect()
}

/// The parts of a topology that may override variables, with their entries.
pub(crate) fn overriding(cluster: &Value) -> Vec<(TopologyOwner, &Value)> {
    let of_kind = |kind: WorkersKind| {
        let entries = list(cluster, &["spec", "topology", "workers", kind.list]).iter();
        entries.map(move |entry| ((kind.owner)(text(entry, &["name"]).to_owned()), entry))
    };
    let control_plane = get(cluster, &["spec", "topology", "controlPlane"]);
    WORKERS
        .into_iter()
        .flat_map(of_kind)
        .chain(control_plane.map(|entry| (TopologyOwner::ControlPlane, entry)))
        .collect()
}

fn overrides_of(entry: &Value) -> &[Value] {
    list(entry, &["variables", "overrides"])
}

/// The overrides of one control plane, MachineDeployment or MachinePool.
pub(crate) fn overrides(
    (owner, entry): (&TopologyOwner, &Value),
    class: &Value,
    stored: &StoredDefaults,
) -> Result<Variables, Obstacle> {
    defaulted((overrides_of(entry), Some(owner)), (class, &schemas(class)), stored)
}

/// Written values with the defaults of fields in them.
fn defaulted(
    (written, owner): (&[Value], Option<&TopologyOwner>),
    (class, schemas): (&Value, &BTreeMap<&str, &Value>),
    stored: &StoredDefaults,
) -> Result<Variables, Obstacle> {
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
        if let Some(before) = stored.partial.get(&(owner.cloned(), name.to_owned())) {
            keep_defaults(&mut value, &before.written, &before.stored);
        }
        set_defaults(&mut value, schema);
        values.insert(name.to_owned(), value);
    }
    Ok(values)
}

/// Keeps the stored defaults of fields that the manifest did not set and does not set, as server-side apply does. A list
/// that differs is replaced.
pub fn keep_defaults(value: &mut Value, written: &Value, stored: &Value) {
    if value == written {
        *value = stored.clone();
        return;
    }
    let (Value::Object(fields), Value::Object(stored)) = (value, stored) else { return };
    for (name, stored) in stored {
        let written = written.get(name).unwrap_or(&Value::Null);
        match fields.get_mut(name) {
            Some(field) => keep_defaults(field, written, stored),
            None if written.is_null() => _ = fields.insert(name.clone(), stored.clone()),
            None => {}
        }
    }
}

pub(crate) fn schemas(class: &Value) -> BTreeMap<&str, &Value> {
    let schema = |variable| Some((text(variable, &["name"]), get(variable, &["schema", "openAPIV3Schema"])?));
    list(class, &["spec", "variables"]).iter().filter_map(schema).collect()
}

/// Sets the defaults of fields in a value, as the API server does.
pub fn set_defaults(value: &mut Value, schema: &Value) {
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
    is_true(schema, &["nullable"])
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
        assert_eq!(of_cluster(&cluster, &class(), &StoredDefaults::default()), Ok(expected));
    }

    fn with_net(variables: &Value, overrides: &Value) -> Value {
        let entry = json!({"name": "md", "variables": {"overrides": overrides}});
        json!({"spec": {"topology": {"variables": variables, "workers": {"machineDeployments": [entry]}}}})
    }

    fn net(value: &Value) -> Value {
        json!([{"name": "net", "value": value}])
    }

    /// The class with other defaults.
    fn changed() -> Value {
        let mut class = class();
        let schema = |number: usize| format!("/spec/variables/{number}/schema/openAPIV3Schema");
        for (path, default) in [
            (schema(0), json!("huge")),
            (schema(1) + "/properties/mtu", json!(1400)),
            (schema(1) + "/properties/dns/properties/domain", json!("b")),
            (schema(1) + "/properties/ports/items/properties/tcp", json!(false)),
        ] {
            if let Some(schema) = class.pointer_mut(&path) {
                schema["default"] = default;
            }
        }
        class
    }

    #[test]
    fn a_stored_default_stays() {
        let stored = stored_defaults(&json!({}), &class());
        let expected: Variables = [("size".to_owned(), json!("small"))].into();
        assert_eq!(of_cluster(&json!({}), &changed(), &stored), Ok(expected));
    }

    #[test]
    fn a_stored_default_of_a_field_stays_until_the_manifest_sets_it() {
        let was = with_net(&net(&json!({"ports": [{}], "dns": {"search": "x"}})), &net(&json!({"mtu": 9000})));
        let stored = stored_defaults(&was, &class());
        let cases = [
            (
                json!({"ports": [{}], "dns": {"search": "x"}}),
                json!({"mtu": 1500, "dns": {"search": "x", "domain": "a"}, "ports": [{"tcp": true}]}),
            ),
            (json!({"mtu": 1, "dns": {"search": "y"}}), json!({"mtu": 1, "dns": {"search": "y", "domain": "a"}})),
            (
                json!({"ports": [{}, {}]}),
                json!({"mtu": 1500, "dns": {"domain": "b"}, "ports": [{"tcp": false}, {"tcp": false}]}),
            ),
        ];
        for (value, expected) in cases {
            let values = of_cluster(&with_net(&net(&value), &json!([])), &changed(), &stored);
            assert_eq!(values.map(|values| values["net"].clone()), Ok(expected), "{value}");
        }
    }

    #[test]
    fn an_override_has_its_own_stored_defaults() {
        let was = with_net(&net(&json!({})), &net(&json!({"mtu": 9000})));
        let stored = stored_defaults(&was, &class());
        let md = TopologyOwner::MachineDeployment("md".to_owned());
        let other = TopologyOwner::MachineDeployment("other".to_owned());
        for (owner, domain) in [(md, "a"), (other, "b")] {
            let entry = json!({"variables": {"overrides": net(&json!({"mtu": 9000}))}});
            let expected: Variables = [("net".to_owned(), json!({"mtu": 9000, "dns": {"domain": domain}}))].into();
            assert_eq!(overrides((&owner, &entry), &changed(), &stored), Ok(expected), "{owner}");
        }
    }

    #[test]
    fn an_undefined_variable_is_refused() {
        let cluster = json!({"spec": {"topology": {"variables": [{"name": "other", "value": 1}]}}});
        let refused = Obstacle::from(TopologyRefusal::UndefinedVariable("other".to_owned()));
        assert_eq!(of_cluster(&cluster, &class(), &StoredDefaults::default()), Err(refused));
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
