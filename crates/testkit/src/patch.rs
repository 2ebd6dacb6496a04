//! RFC 6902 patches: from one object to another, and back onto it.

use anyhow::{Result, bail};
use serde_json::{Value, json};

/// The operations from one object to another. An object that is written must be another one.
///
/// # Errors
/// When nothing differs.
pub fn patch(object: &Value, mutated: &Value) -> Result<Vec<Value>> {
    let patch = serde_json::to_value(json_patch::diff(object, mutated))?;
    match patch {
        Value::Array(operations) if !operations.is_empty() => Ok(operations),
        _ => bail!("an object was returned although nothing changed"),
    }
}

/// The object with a patch applied.
///
/// # Errors
/// When the patch does not fit.
pub fn patched(object: &Value, patch: &[Value]) -> Result<Value> {
    let mut object = object.clone();
    json_patch::patch(&mut object, &serde_json::from_value::<json_patch::Patch>(json!(patch))?)?;
    Ok(object)
}
