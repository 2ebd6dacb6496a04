//! What the page asks.

use fleet::Source;
use serde::Deserialize;

/// A question; `ask` says which.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "camelCase")]
pub(crate) enum Question {
    Check(Check),
    Edit(Edit),
    Path(Path),
    Matrix(Matrix),
}

/// What does the policy find in these objects, as they are stored?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub(crate) manifests: Text,
    pub(crate) settings: Text,
}

/// What does the policy answer to this write?
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Edit {
    /// The objects as they are stored; those that are not here are new.
    pub(crate) old: Text,
    /// The objects as they are written.
    pub(crate) new: Text,
    /// The other objects of the cluster.
    pub(crate) others: Text,
    pub(crate) settings: Text,
    #[serde(default)]
    pub(crate) user: String,
    #[serde(default)]
    pub(crate) groups: Vec<String>,
    #[serde(default)]
    pub(crate) field_manager: String,
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// Where does a label or annotation go in these objects?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Path {
    pub(crate) manifests: Text,
    pub(crate) settings: Text,
    pub(crate) key: String,
}

/// Which of these labels become tags under each profile?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Matrix {
    /// A map of qualified keys and values.
    pub(crate) labels: Text,
}

/// A text of the page, by the name that it has there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    name: String,
    text: String,
}

impl From<Text> for Source {
    fn from(Text { name, text }: Text) -> Source {
        Source { name, text }
    }
}

impl Text {
    pub(crate) fn source(&self) -> Source {
        Source { name: self.name.clone(), text: self.text.clone() }
    }
}
