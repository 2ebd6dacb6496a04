//! One resource that a Composition composes.

use crate::json::document::Json;

/// What the steps of a Composition say of one resource.
pub(super) struct ComposedResource<'a> {
    /// Its name; empty where it needs none, as with Crossplane 1.
    pub(super) name: &'a str,
    /// Its entry in a list of `resources`.
    pub(super) at: Json<'a>,
    /// The object before patches; absent where another function makes it.
    pub(super) base: Json<'a>,
    /// In order, patch sets resolved.
    pub(super) patches: Vec<Json<'a>>,
    /// The number of the step that composes it, from 1; 0 without a pipeline.
    pub(super) step: usize,
    /// Whether function-tag-manager runs later and adds the tags of the composite, as far as it serves the kind.
    pub(super) is_tagged_later: bool,
    /// Whether a function that is not known runs later.
    pub(super) is_unknown_later: bool,
}
