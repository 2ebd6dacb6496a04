//! The environment that function-environment-configs reads for a Composition.
//!
//! Source: function-environment-configs fd738e4, fn.go, `RunFunction`, `getSelectedEnvConfigs` and `mergeMaps`.

use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, group_and_version};
use crate::relations::text;

const INPUT: &str = "environmentconfigs.fn.crossplane.io";

/// The environment of a Composition; `None` if it has none, or not all of it is among the objects.
pub(crate) fn environment(composition: &Value, fleet: &Fleet) -> Option<Value> {
    let steps = composition.pointer("/spec/pipeline")?.as_array()?;
    let inputs = steps.iter().filter_map(|step| step.get("input"));
    let mut inputs = inputs.filter(|input| group_and_version(text(input, "apiVersion")).0 == INPUT);
    let spec = inputs.next().filter(|_| inputs.next().is_none())?.get("spec")?;
    let mut environment = spec.get("defaultData").cloned().unwrap_or_else(|| json!({}));
    for source in spec.get("environmentConfigs")?.as_array()? {
        let is_reference = matches!(text(source, "type"), "" | "Reference") && source.get("toFieldPath").is_none();
        let name = source.pointer("/ref/name")?.as_str().filter(|_| is_reference)?;
        let config = fleet.objects().find(|object| {
            object.id.kind == "EnvironmentConfig" && object.id.group == CROSSPLANE_GROUP && object.id.name == name
        })?;
        merge(&mut environment, config.value().get("data")?);
    }
    Some(environment)
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
