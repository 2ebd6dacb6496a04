//! The policy's settings, from a file.

use std::path::Path;

use fleet::{Source, to_json};
use metadata_propagation::Settings;
use serde_json::Value;

use crate::Failure;
use crate::file::text;

/// The settings in the file, or the defaults if none is named.
pub(crate) fn read(file: Option<&Path>) -> Result<Settings, Failure> {
    let Some(path) = file else { return Ok(Settings::default()) };
    valid(path).map(|(settings, _)| settings)
}

/// The settings in the file as written.
pub(crate) fn json(file: &Path) -> Result<Value, Failure> {
    let (_, json) = valid(file)?;
    serde_json::from_str(&json).map_err(|error| Failure(error.to_string()))
}

/// The settings in a text, as [`read`] finds them in a file.
pub(crate) fn of_text(name: &str, text: String) -> Result<Settings, Failure> {
    valid_text(name, text).map(|(settings, _)| settings)
}

fn valid(path: &Path) -> Result<(Settings, String), Failure> {
    let name = path.display().to_string();
    let text = text(path).map_err(|reason| Failure(format!("cannot read `{name}`: {reason}")))?;
    valid_text(&name, text)
}

fn valid_text(name: &str, text: String) -> Result<(Settings, String), Failure> {
    let json = to_json(&Source { name: name.to_owned(), text })
        .map_err(|(message, at)| Failure(format!("{name}:{}:{}: {message}", at.line, at.column)))?;
    let json = of_policy(&json).unwrap_or(json);
    let not_valid =
        |problems: &dyn std::fmt::Display| Failure(format!("cannot use the settings of `{name}`: {problems}"));
    Settings::validate(&json).map_err(|problems| not_valid(&problems))?;
    Ok((Settings::from_json(&json).map_err(|problems| not_valid(&problems))?, json))
}

/// Whether a file has the settings themselves, and is not a manifest of the policy.
pub(crate) fn are_bare(file: &Path) -> bool {
    let Ok(text) = text(file) else { return false };
    let json = to_json(&Source { name: String::new(), text });
    json.is_ok_and(|json| serde_json::from_str::<Value>(&json).is_ok_and(|value| value.get("kind").is_none()))
}

/// The settings in a manifest of the policy.
fn of_policy(json: &str) -> Option<String> {
    let manifest: Value = serde_json::from_str(json).ok()?;
    manifest.get("kind")?.as_str().filter(|kind| kind.ends_with("AdmissionPolicy"))?;
    Some(manifest.pointer("/spec/settings").unwrap_or(&Value::Null).to_string())
}
