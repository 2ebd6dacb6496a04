//! The questions that the page sends.

use fleet::Source;
use serde::Deserialize;

/// A question; `ask` says which.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "camelCase")]
pub(crate) enum PageQuestion {
    Check(CheckQuestion),
    Edit(EditQuestion),
    Path(PathQuestion),
    Matrix(Matrix),
}

/// What does the policy find in these stored objects?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckQuestion {
    pub(crate) manifests: NamedText,
    pub(crate) settings: NamedText,
}

/// What does the policy answer to this write?
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct EditQuestion {
    /// The objects as they are stored; objects that are missing here are new.
    pub(crate) old: NamedText,
    /// The objects as they are written.
    pub(crate) new: NamedText,
    /// The other objects of the cluster.
    pub(crate) others: NamedText,
    pub(crate) settings: NamedText,
    #[serde(default)]
    pub(crate) user: String,
    #[serde(default)]
    pub(crate) groups: Vec<String>,
    #[serde(default)]
    pub(crate) field_manager: String,
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// Which of these objects does a label or annotation propagate to?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathQuestion {
    pub(crate) manifests: NamedText,
    pub(crate) settings: NamedText,
    pub(crate) key: String,
}

/// Which of these labels become tags under each profile?
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Matrix {
    /// A map of qualified keys and values.
    pub(crate) labels: NamedText,
}

/// A text of the page, and its name on the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedText {
    name: String,
    text: String,
}

impl From<NamedText> for Source {
    fn from(NamedText { name, text }: NamedText) -> Source {
        Source { name, text }
    }
}

impl NamedText {
    pub(crate) fn source(&self) -> Source {
        Source { name: self.name.clone(), text: self.text.clone() }
    }
}
