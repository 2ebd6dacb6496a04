//! What a patch writes for one composite in its environment: what it combines, and what its transforms make of it.
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

/// What patches read.
#[derive(Clone, Copy)]
pub(crate) struct PatchedFrom<'a> {
    pub(crate) composite: Json<'a>,
    /// The environment, if it is known and no patch writes it.
    pub(crate) environment: Option<Json<'a>>,
}

/// The types of patches that read the composite or the environment: whether they read the environment, and whether they
/// combine several values.
const READING: [(&str, bool, bool); 4] = [
    ("FromCompositeFieldPath", false, false),
    ("CombineFromComposite", false, true),
    ("FromEnvironmentFieldPath", true, false),
    ("CombineFromEnvironment", true, true),
];

impl<'a> PatchedFrom<'a> {
    /// What a patch reads, if it is known, and whether it combines several values.
    fn read_by(self, patch: Json<'_>) -> Option<(Json<'a>, bool)> {
        let kind = patch.string(&["type"]).ok().flatten().unwrap_or("FromCompositeFieldPath");
        let (_, is_of_environment, combines) = READING.iter().find(|(name, ..)| *name == kind)?;
        let read = if *is_of_environment { self.environment? } else { self.composite };
        Some((read, *combines))
    }

    /// Whether what a patch reads is known.
    pub(crate) fn knows(self, patch: Json<'_>) -> bool {
        self.read_by(patch).is_some()
    }
}

/// The text that a patch writes; `None` if what it reads is not there, or the function fails.
pub(crate) fn patched_text(patch: Json<'_>, from: PatchedFrom<'_>) -> Option<PatchedText> {
    match patched_value(patch, from).ok()?? {
        PatchedValue::Known(Value::Null) => None,
        PatchedValue::Known(Value::String(text)) => Some(PatchedText::Known(text)),
        PatchedValue::Known(other) => Some(PatchedText::Known(other.to_string())),
        PatchedValue::Unknown(read) => Some(PatchedText::Unknown(read)),
    }
}

/// The value that a patch writes; `None` if what it reads is not there.
///
/// # Errors
/// When a transform fails.
pub(crate) fn patched_value(patch: Json<'_>, from: PatchedFrom<'_>) -> Result<Option<PatchedValue>, TransformFailure> {
    let Some((source, combines)) = from.read_by(patch) else {
        return Ok(Some(PatchedValue::Unknown(patch.text().to_owned())));
    };
    let Some(read) = read(patch, source, combines) else { return Ok(None) };
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
fn read<'a>(patch: Json<'a>, source: Json<'a>, combines: bool) -> Option<Vec<Json<'a>>> {
    if !combines {
        return Some(vec![value(patch.string(&["fromFieldPath"]).ok()??, source)?]);
    }
    let variables = patch.get("combine").ok()?.get("variables").ok()?.as_elements()?;
    variables.map(|variable| value(variable.string(&["fromFieldPath"]).ok()??, source)).collect()
}

fn value<'a>(path: &str, source: Json<'a>) -> Option<Json<'a>> {
    let found = steps_of(path).ok()?.into_iter().try_fold(source, |here, step| match step {
        FieldPathStep::Field(name) => here.get(name).ok(),
        FieldPathStep::Element(index) => here.as_elements()?.nth(index as usize),
    });
    found.filter(|value| !value.is_null())
}
