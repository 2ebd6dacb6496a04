//! Raw JSON: one view, one path, one splicer. Values stay spans of the text they stand in.

pub(crate) mod document;
mod malformed;
pub(crate) mod map;
pub(crate) mod path;
pub(crate) mod scan;
pub(crate) mod splice;
mod view;

use std::borrow::Cow;

pub use self::malformed::Malformed;
pub(crate) use self::map::Map;
pub(crate) use self::view::Json;

/// The text of a JSON string, `None` for any other value. Borrowed where it has no escapes.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains(['\\', '"']) {
        serde_json::from_str(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Adds a text as a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
