//! Kubernetes objects, and how objects other than the one under review are read.

pub(crate) mod answers;
pub(crate) mod cluster;
pub(crate) mod duration;
pub(crate) mod field_set;
pub(crate) mod group_version_kind;
pub(crate) mod label_value;
pub(crate) mod lookup;
pub(crate) mod managed_fields;
pub(crate) mod metadata_key;
pub(crate) mod object;
pub(crate) mod parent;
pub(crate) mod query;
pub(crate) mod selector;
pub(crate) mod stop;
