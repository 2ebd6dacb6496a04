//! What an object must carry by the rules, compared with what it carries.

mod carries;
mod class_patches;
pub(crate) mod copied;
mod expected;
mod field_value;
mod fields;
mod layers;
pub(crate) mod listing;
pub(crate) mod managed;
pub(crate) mod metadata;
mod node_record;
mod owned_path;
pub(crate) mod ownership;
mod room;
pub(crate) mod sources;
pub(crate) mod topology_opt_in;
pub(crate) mod untouched;
