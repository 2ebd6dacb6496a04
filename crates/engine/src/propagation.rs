//! What an object must carry by the rules, held against what it carries.

mod carries;
mod class_patches;
mod expected;
mod field_value;
mod fields;
mod layers;
pub(crate) mod managed;
pub(crate) mod metadata;
pub(crate) mod propagated;
mod room;
mod sources;
pub(crate) mod topology_opt_in;
pub(crate) mod untouched;
