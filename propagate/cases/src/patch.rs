//! RFC 6902 patches: from one object to another, and back onto it.

use serde_json::{Value, json};

use crate::fault::CaseFault;

/// The operations from one object to another. An object that is written must be another one.
pub fn patch(object: &Value, mutated: &Value) -> Result<Vec<Value>, CaseFault> {
    let patch =
        serde_json::to_value(json_patch::diff(object, mutated)).map_err(|error| CaseFault::of("patch", error))?;
    match patch {
        Value::Array(operations) if !operations.is_empty() => Ok(operations),
        _ => Err(CaseFault::new("an object was returned although nothing changed")),
    }
}

/// The object with a patch applied.
pub fn patched(object: &Value, patch: &[Value]) -> Result<Value, CaseFault> {
    let mut object = object.clone();
    let patch: json_patch::Patch =
        serde_json::from_value(json!(patch)).map_err(|error| CaseFault::of("patch", error))?;
    json_patch::patch(&mut object, &patch).map_err(|error| CaseFault::of("patch", error))?;
    Ok(object)
}
