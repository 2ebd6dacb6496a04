//! Raw JSON: one view, one path, one splicer. Values stay spans of the text they stand in.

pub(crate) mod document;
pub(crate) mod path;
pub(crate) mod scan;
pub(crate) mod splice;
mod view;

pub use self::view::Malformed;
pub(crate) use self::view::{Field, Json, Map, fields, string};

/// Adds a text as a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
