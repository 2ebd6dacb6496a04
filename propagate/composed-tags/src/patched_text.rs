//! What a patch writes for one composite: what it combines, and what its transforms make of it.
//!
//! Source: function-patch-and-transform, patches.go, `ApplyFromFieldPathPatch`, `Combine` and `CombineString`.

use raw_json::Json;
use serde_json::Value;
use tag_delivery::simulation::{FieldPathStep, steps_of};

use crate::transform::{TransformFailure, formatted, transformed};

/// A text, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchedText {
    /// The text.
    Known(String),
    /// It is not known. It is the same if this is the same: the patch, and the values that it reads.
    Unknown(String),
}

/// The value that a patch writes.
pub(crate) enum PatchedValue {
    /// The value.
    Known(Value),
    /// It is not known. It is the same if this is the same: the patch, and the values that it reads.
    Unknown(String),
}

/// The types of patches that only read the composite, and whether they combine several values.
const FROM_COMPOSITE: [(&str, bool); 2] = [("FromCompositeFieldPath", false), ("CombineFromComposite", true)];

/// Whether a patch reads the composite, and whether it combines several values.
fn combines(patch: Json<'_>) -> Option<bool> {
    let kind = patch.string(&["type"]).ok().flatten().unwrap_or("FromCompositeFieldPath");
    FROM_COMPOSITE.iter().find(|(name, _)| *name == kind).map(|(_, combines)| *combines)
}

/// Whether a patch only reads the composite.
pub(crate) fn is_from_composite(patch: Json<'_>) -> bool {
    combines(patch).is_some()
}

/// The text that a patch writes; `None` if the composite does not have what it reads, or the function fails.
pub(crate) fn patched_text(patch: Json<'_>, composite: Json<'_>) -> Option<PatchedText> {
    match patched_value(patch, composite).ok()?? {
        PatchedValue::Known(Value::Null) => None,
        PatchedValue::Known(Value::String(text)) => Some(PatchedText::Known(text)),
        PatchedValue::Known(other) => Some(PatchedText::Known(other.to_string())),
        PatchedValue::Unknown(read) => Some(PatchedText::Unknown(read)),
    }
}

/// The value that a patch writes; `None` if the composite does not have what it reads.
///
/// # Errors
/// When a transform fails.
pub(crate) fn patched_value(patch: Json<'_>, composite: Json<'_>) -> Result<Option<PatchedValue>, TransformFailure> {
    let Some(combines) = combines(patch) else { return Ok(Some(PatchedValue::Unknown(patch.text().to_owned()))) };
    let Some(read) = read(patch, composite, combines) else { return Ok(None) };
    let unknown = || {
        let texts = read.iter().map(|json| json.as_str().unwrap_or_else(|| json.text()));
        PatchedValue::Unknown([patch.text()].into_iter().chain(texts).collect::<Vec<_>>().join("\n"))
    };
    let values: Vec<Value> = read.iter().filter_map(|json| serde_json::from_str(json.text()).ok()).collect();
    let format = || patch.string(&["combine", "string", "fmt"]).ok().flatten();
    let mut value = match combines {
        true => format().and_then(|format| formatted(format, &values)).map(Value::from),
        false => values.into_iter().next(),
    };
    for transform in patch.get("transforms").ok().and_then(Json::as_elements).into_iter().flatten() {
        let transform: Value = serde_json::from_str(transform.text()).unwrap_or_default();
        value = match value {
            Some(value) => transformed(&value, &transform)?,
            None => break,
        };
    }
    Ok(Some(value.map_or_else(unknown, PatchedValue::Known)))
}

/// What a patch reads; `None` if one of the values is absent.
fn read<'a>(patch: Json<'a>, composite: Json<'a>, combines: bool) -> Option<Vec<Json<'a>>> {
    if !combines {
        return Some(vec![value(patch.string(&["fromFieldPath"]).ok()??, composite)?]);
    }
    let variables = patch.get("combine").ok()?.get("variables").ok()?.as_elements()?;
    variables.map(|variable| value(variable.string(&["fromFieldPath"]).ok()??, composite)).collect()
}

fn value<'a>(path: &str, composite: Json<'a>) -> Option<Json<'a>> {
    let found = steps_of(path).ok()?.into_iter().try_fold(composite, |here, step| match step {
        FieldPathStep::Field(name) => here.get(name).ok(),
        FieldPathStep::Element(index) => here.as_elements()?.nth(index as usize),
    });
    found.filter(|value| !value.is_null())
}
