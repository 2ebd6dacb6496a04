//! Errors in a document, regardless of the rules.

use serde::Serialize;

/// A problem with a document that its author needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its level.
    pub severity: Severity,
    /// How many documents or objects are skipped because of it, without being an error.
    pub skips: usize,
    /// Whether what it is about becomes manifests when it is rendered or decrypted: a template, a kustomization or a patch of one.
    pub is_rendered: bool,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// The number of the text.
    pub source: usize,
    /// Where in the text, in bytes.
    pub at: usize,
}

/// The level of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The document is skipped: it is not a Kubernetes object, and nothing suggests that it should be one.
    Note,
    /// The document is read, but perhaps not as intended, or its object is skipped because another one has its name.
    Warning,
    /// The document cannot be read.
    Error,
}

pub(crate) mod messages {
    /// The parser's own message.
    pub(crate) fn not_yaml(error: &dyn std::fmt::Display) -> String {
        format!("invalid YAML: {error}")
    }

    pub(crate) const ALIAS_OF_ITSELF: &str = "an alias refers to an anchor that contains it";
    pub(crate) const KEY_NO_TEXT: &str = "a key is not a string";
    pub(crate) const MERGE_OF_NO_MAP: &str = "the value of `<<` is not a mapping";
    pub(crate) const NOT_FINITE: &str = "infinity and `.nan` do not exist in JSON";

    pub(crate) fn too_deep(most: usize) -> String {
        format!("nested deeper than {most} levels")
    }

    pub(crate) fn too_large() -> String {
        "too large when aliases are expanded".to_owned()
    }

    pub(crate) fn unreadable(message: &str) -> String {
        format!("cannot read this document: {message}")
    }

    pub(crate) fn twice(key: &str) -> String {
        format!("key `{key}` occurs twice in the same mapping; the last value is used")
    }

    pub(crate) fn key_twice(key: &str) -> String {
        format!("key `{key}` occurs twice in the same mapping")
    }

    pub(crate) const MORE_DOCUMENTS: &str = "expected a single document, but a second one begins here";
    pub(crate) const JSON_PATCH: &str = "a JSON patch, not a Kubernetes object; skipped";
    pub(crate) const HELM_TEMPLATE: &str =
        "a Helm template, not a manifest; use `helm template … | propagate check -` to render it";
    pub(crate) const ENCRYPTED: &str =
        "encrypted by SOPS, its kind or name included; skipped (`encrypted_regex` in .sops.yaml leaves them readable)";
    pub(crate) const KUSTOMIZATION: &str = "a kustomization, not a manifest; use `--kustomize` to render it";

    pub(crate) fn kustomize_patch(kustomization: &str) -> String {
        format!("a patch of {kustomization}, not a manifest; use `--kustomize` to apply it")
    }

    pub(crate) fn kustomize_file(kustomization: &str) -> String {
        format!("a file of {kustomization}, not a manifest; use `--kustomize` to read it")
    }

    pub(crate) const NO_OBJECT: &str = "not a Kubernetes object: `apiVersion` or `kind` is missing";

    pub(crate) const NOT_STRINGS: &str =
        "`apiVersion`, `kind`, `metadata.name` and `metadata.namespace` must be strings (`y` and `n` are booleans)";

    pub(crate) fn no_name(kind: &str) -> String {
        format!("no object: {kind} without `metadata.name`")
    }

    pub(crate) fn duplicate(object: &str, before: &str, others: usize) -> String {
        let others = match others {
            0 => String::new(),
            1 => ", and so is 1 other object of this file".to_owned(),
            others => format!(", and so are {others} other objects of this file"),
        };
        format!("{object} is already defined in {before}; this one is skipped{others}")
    }
}
