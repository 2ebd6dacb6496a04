//! Annotations of this policy.

/// On an object that the checks should ignore: why.
pub const EXEMPT: &str = "metadata-propagation.plexsphere.com/exempt";
