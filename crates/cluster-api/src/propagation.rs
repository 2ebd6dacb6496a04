//! What an object must carry by the rules, compared with what it carries.

mod class_patches;
mod dropped;
mod expected;
mod field_value;
mod fields;
mod kept_record;
mod layers;
pub mod listing;
pub(crate) mod managed;
pub mod metadata;
mod moved_fields;
mod node_record;
pub mod owned_path;
pub mod ownership;
mod room;
pub(crate) mod sources;
pub mod topology_opt_in;
