//! The facts, as tables. Nothing here decides about an object.

pub(crate) mod appliers;
pub(crate) mod clouds;
pub(crate) mod controllers;
pub(crate) mod effects;
pub(crate) mod fields;
pub(crate) mod forced;
pub(crate) mod functions;
pub(crate) mod grants;
pub(crate) mod groups;
pub(crate) mod guards;
pub(crate) mod infrastructure;
pub(crate) mod keys;
pub(crate) mod kind_limits;
pub(crate) mod kinds;
pub(crate) mod limits;
pub(crate) mod masks;
pub(crate) mod node_restriction;
pub(crate) mod place;
pub(crate) mod profiles;
pub(crate) mod rules;
pub(crate) mod stance;
pub(crate) mod strict;
pub(crate) mod text_limits;
pub(crate) mod tools;
pub(crate) mod topology_values;
pub(crate) mod version;
