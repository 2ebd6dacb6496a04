//! Raw JSON: one view, one path, one splicer. Values stay spans of the text they stand in.

pub(crate) mod path;
pub(crate) mod scan;
pub(crate) mod splice;
mod view;

pub use self::view::Malformed;
pub(crate) use self::view::{Field, Json, Map, fields, string};
