//! Group, version and kind of an object.

use std::borrow::Cow;

/// Group, version and kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupVersionKind<'a> {
    /// Such as `cluster.x-k8s.io`; empty for the core group.
    pub group: Cow<'a, str>,
    /// Such as `v1beta2`.
    pub version: Cow<'a, str>,
    /// Such as `Machine`.
    pub kind: Cow<'a, str>,
}
