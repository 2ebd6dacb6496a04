//! The environment that function-environment-configs reads for a Composition.
//!
//! Source: function-environment-configs fd738e4, fn.go, `RunFunction`, `getSelectedEnvConfigs` and `mergeMaps`.

use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, ObjectId, group_and_version};
use crate::relations::text;

const INPUT: &str = "environmentconfigs.fn.crossplane.io";
const PATCHES: &str = "pt.fn.crossplane.io";
/// What functions call it in the context that they pass on.
const KEY: &str = "apiextensions.crossplane.io/environment";

/// The kind of the objects that it is read from.
pub(crate) const CONFIG: &str = "EnvironmentConfig";

/// An environment.
pub(crate) struct Environment {
    pub(crate) values: Value,
    /// What it is read from.
    pub(crate) configs: Vec<ObjectId>,
}

/// The environment of a Composition; `None` if it has none, or not all of it is among the objects.
pub(crate) fn environment(composition: &Value, fleet: &Fleet) -> Option<Environment> {
    let steps = composition.pointer("/spec/pipeline")?.as_array()?;
    let group = |step: &Value| step.get("input").map(|input| group_and_version(text(input, "apiVersion")).0.to_owned());
    let is_reading = |step: &&Value| group(step).as_deref() == Some(INPUT);
    let mut reading = steps.iter().filter(is_reading);
    let spec = reading.next().filter(|_| reading.next().is_none())?.pointer("/input/spec")?;
    // A step before it finds no environment, and programs may write one.
    let is_early =
        steps.iter().take_while(|step| !is_reading(step)).any(|step| group(step).as_deref() == Some(PATCHES));
    if is_early || steps.iter().any(|step| step.to_string().contains(KEY)) {
        return None;
    }
    let mut values = spec.get("defaultData").cloned().unwrap_or_else(|| json!({}));
    let mut configs = Vec::new();
    for source in spec.get("environmentConfigs")?.as_array()? {
        let is_reference = matches!(text(source, "type"), "" | "Reference") && source.get("toFieldPath").is_none();
        let name = source.pointer("/ref/name")?.as_str().filter(|_| is_reference)?;
        let config = fleet.find(&ObjectId::new(CROSSPLANE_GROUP, CONFIG, "", name))?;
        merge(&mut values, config.value().get("data")?);
        configs.push(config.id.clone());
    }
    Some(Environment { values, configs })
}

/// Maps are merged, and the second one wins.
fn merge(one: &mut Value, other: &Value) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            for (name, value) in other {
                merge(one.entry(name).or_insert(Value::Null), value);
            }
        }
        (one, other) => one.clone_from(other),
    }
}
