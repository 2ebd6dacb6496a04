//! Kubernetes: objects, admission requests, managed fields, how objects other than the one under review are read, and what
//! settings and decisions consist of.
//!
//! Nothing here knows the tables of Cluster API, Crossplane or cloud tags. Objects remain raw JSON, read on first use; other objects are
//! read through the [`Cluster`] trait.

mod answers;
mod bookkeeping;
mod cluster;
mod decision;
pub mod duration;
mod field_paths;
pub mod field_set;
mod group_version_kind;
mod lookup;
mod lookup_record;
pub mod managed_fields;
mod map_kind;
mod masks;
mod metadata_key;
mod names;
mod object;
mod parent;
mod query;
mod read_failure;
mod request;
pub mod settings;
mod subject;

pub use self::answers::{Answers, MOST_READS, ReadBudget, Reads};
pub use self::bookkeeping::same_but_bookkeeping;
pub use self::cluster::{Cluster, Get, LookupCause, LookupError, Manifests};
pub use self::decision::EXEMPT;
pub use self::decision::change::{Action, Change, EntryNoun, Value, own_change};
pub use self::decision::change_reason::{ChangeReason, NamedSource};
pub use self::decision::change_rule::{ChangeRule, StoredTags};
pub use self::decision::datum::{Datum, Mentioned, MentionedKeys, NamedEntry, Typed};
pub use self::decision::fact::{LONGEST_WARNING, Sentence};
pub use self::decision::finding::Finding;
pub use self::decision::messages::{EntryName, SettingValue, about, and_more};
pub use self::decision::not_applicable::{InvolvedObject, NotApplicable, NotApplicableReason};
pub use self::decision::source::{SourceObject, SourcePath, SourcePlace};
pub use self::decision::stop::Stop;
pub use self::field_paths::PathTree;
pub use self::group_version_kind::GroupVersionKind;
pub use self::lookup::{Lookups, Readable};
pub use self::lookup_record::LookupRecord;
pub use self::map_kind::MapKind;
pub use self::masks::Masks;
pub use self::metadata_key::{is_annotation_key, is_label_key, is_label_value, is_subdomain};
pub use self::object::{Object, OwnerReference, group_and_version};
pub use self::parent::Parent;
pub use self::query::{ObjectName, ObjectQuery};
pub use self::read_failure::{LookupFailed, ReadFailure};
pub use self::request::{Call, Objects, Operation, Review};
pub use self::subject::{ReviewedObject, Stored};
use raw_json as json;
