//! Raw JSON: one view, one path, one splicer. Values stay spans of their text.
//!
//! A [`Document`] is read level by level, on first use; [`splice`](splice()) writes values into its
//! text and keeps every other byte; [`to_json`] writes new text. Nothing here knows Kubernetes' types.
//!
//! ```
//! use raw_json::{Document, Edit, Path, Write, splice};
//!
//! let object = Document::new(r#"{"metadata": {"name": "m"}, "spec": { }}"#);
//! assert_eq!(object.root().string(&["metadata", "name"])?, Some("m"));
//! let labels = Path::fields(&["metadata", "labels"]);
//! let write = Write { object: labels.steps(), field: "team", edit: Edit::Set(r#""red""#.into()) };
//! let written = splice(object.root(), &[write]).map_err(|problem| problem.to_string())?;
//! assert_eq!(written, r#"{"metadata": {"name": "m","labels":{"team":"red"}}, "spec": { }}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(missing_docs, reason = "an inner crate of the policy: a name that says enough has no comment")]

mod document;
mod equal;
pub mod lanes;
mod level;
mod map;
mod path;
mod scan;
mod splice;
mod string;
mod write;

pub use self::document::{Document, Json};
pub use self::equal::equal;
pub use self::map::{Map, plain};
pub use self::path::{Malformed, Path, Step};
pub use self::splice::{Edit, NotWritable, Write, splice};
pub use self::string::{push_string, string, utf8};
pub use self::write::{Embedded, NotWritten, Quoted, to_json};
