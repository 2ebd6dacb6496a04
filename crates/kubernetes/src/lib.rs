//! Kubernetes: objects, admission requests, managed fields, how objects other than the one under review are read, and what
//! settings and decisions consist of.
//!
//! Nothing here knows the tables of Cluster API, Crossplane or cloud tags. Objects remain raw JSON, read on first use; other objects are
//! read through the [`Cluster`](cluster::Cluster) trait.

pub mod answers;
pub mod bookkeeping;
pub mod cluster;
pub mod decision;
pub mod duration;
pub mod field_paths;
pub mod field_set;
pub mod group_version_kind;
pub mod lookup;
pub mod lookup_record;
pub mod managed_fields;
pub mod map_kind;
pub mod masks;
pub mod metadata_key;
mod names;
pub mod object;
pub mod parent;
pub mod query;
pub mod read_failure;
pub mod request;
pub mod settings;
pub mod subject;

use raw_json as json;
