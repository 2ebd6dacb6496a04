//! An ordinary policy, a baseline of `make bench`: labels of a MachineSet's template propagate to its Machines, written
//! as the examples of Kubewarden's SDK are. The object is parsed to a tree, the owner is read whole, labels are merged.
//!
//! It implements one hop and one map, and reports neither rule nor reason.

use kubewarden_policy_sdk::host_capabilities::kubernetes::{GetResourceRequest, get_resource};
use kubewarden_policy_sdk::request::ValidationRequest;
use kubewarden_policy_sdk::settings::Validatable;
use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};
use kubewarden_policy_sdk::{accept_request, mutate_request, protocol_version_guest, validate_settings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Called by the waPC host once per instance.
#[expect(unsafe_code, reason = "waPC finds the policy by this exported name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
    register_function("protocol_version", protocol_version_guest);
}

/// There are no settings.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Settings {}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

fn validate(payload: &[u8]) -> CallResult {
    let review: ValidationRequest<Settings> = ValidationRequest::new(payload)?;
    let mut machine = review.request.object;
    let Some(get) = machine_set_of(&machine) else { return accept_request() };
    let Ok(machine_set) = get_resource::<Value>(&get) else { return accept_request() };
    if merge_labels(&machine_set, &mut machine) { mutate_request(machine) } else { accept_request() }
}

/// The MachineSet that owns a Machine.
fn machine_set_of(machine: &Value) -> Option<GetResourceRequest> {
    if machine.get("kind")? != "Machine" {
        return None;
    }
    let owners = machine.pointer("/metadata/ownerReferences")?.as_array()?;
    let owner = owners.iter().find(|owner| owner.get("kind").is_some_and(|kind| kind == "MachineSet"))?;
    let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
    Some(GetResourceRequest {
        api_version: text(owner.get("apiVersion"))?,
        kind: "MachineSet".to_owned(),
        name: text(owner.get("name"))?,
        namespace: text(machine.pointer("/metadata/namespace")),
        disable_cache: false,
        field_masks: None,
    })
}

/// Writes the labels of a MachineSet's template over those of a Machine, and returns whether that changed anything.
fn merge_labels(machine_set: &Value, machine: &mut Value) -> bool {
    let template = machine_set.pointer("/spec/template/metadata/labels").and_then(Value::as_object);
    let metadata = machine.get_mut("metadata").and_then(Value::as_object_mut);
    let (Some(template), Some(metadata)) = (template, metadata) else { return false };
    let labels = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
    let Some(labels) = labels.as_object_mut() else { return false };
    let mut changed = false;
    for (key, value) in template {
        changed |= labels.insert(key.clone(), value.clone()).as_ref() != Some(value);
    }
    changed
}
