//! Raw JSON: one view, one path, one splicer. Values stay spans of their text.

#[cfg(test)]
mod against_serde;
pub(crate) mod document;
pub(crate) mod equal;
pub(crate) mod lanes;
mod level;
mod malformed;
pub(crate) mod map;
pub(crate) mod path;
mod scan;
pub(crate) mod splice;
mod string;
pub(crate) mod type_name;
mod write;

pub use self::malformed::Malformed;
pub(crate) use self::map::Map;
pub use self::string::utf8;
pub(crate) use self::string::{push_string, string};
pub use self::write::{Embedded, NotWritten, Quoted, to_json};
