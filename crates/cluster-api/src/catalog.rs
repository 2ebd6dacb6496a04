//! The facts, as tables. Nothing here decides about an object.

pub mod appliers;
pub mod controllers;
pub mod effects;
pub mod fields;
pub mod forced;
pub mod groups;
pub mod guards;
pub mod keys;
pub mod kinds;
pub mod limits;
pub mod masks;
pub mod node_restriction;
pub mod place;
pub mod rules;
pub mod tools;
pub mod topology_values;
pub mod version;
