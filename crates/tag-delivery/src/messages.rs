//! Input that the checks cannot evaluate: a limit that is not a whole number, too many patches, a path that is too long.

/// A bound in a schema is not a number.
pub(crate) const NOT_A_WHOLE_NUMBER: &str = "is not a whole number";

/// The expanded size of patch sets and wildcards is over the limit.
pub(crate) fn too_many_patches(mebibytes: usize) -> String {
    format!("exceeds the limit of {mebibytes} MiB for expanded patches")
}

/// A field path has more steps than an object can have levels.
pub(crate) fn too_deep(steps: usize) -> String {
    format!("has more than {steps} segments")
}
