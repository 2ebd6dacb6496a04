//! Kubernetes: objects, admission requests, managed fields, how objects other than the one under review are read, and what
//! settings and decisions consist of.
//!
//! Nothing here knows the tables of Cluster API, Crossplane or cloud tags. Objects remain raw JSON, read on first use; other objects are
//! read through the [`Cluster`] trait.

#![allow(missing_docs, reason = "an inner crate of the policy: a name that says enough has no comment")]

mod answers;
mod cluster;
mod decision;
pub mod duration;
mod field_paths;
pub mod field_set;
mod lookup;
pub mod managed_fields;
mod metadata_key;
mod names;
mod object;
mod query;
mod request;
pub mod settings;
mod subject;

pub use self::answers::{Answers, LookupRecord, MOST_READS, Reads};
pub use self::cluster::{Cluster, Get, LookupCause, LookupError, Manifests};
pub use self::decision::change::{Action, Change, EntryNoun, Value, own_change};
pub use self::decision::change_reason::{ChangeReason, NamedSource};
pub use self::decision::change_rule::{ChangeRule, StoredTags};
pub use self::decision::datum::{Datum, Mentioned, MentionedKeys, NamedEntry, Typed};
pub use self::decision::fact::{Finding, LONGEST_WARNING, Sentence};
pub use self::decision::not_applicable::{InvolvedObject, NotApplicable, NotApplicableReason};
pub use self::decision::source::{SourceObject, SourcePath, SourcePlace};
pub use self::decision::stop::Stop;
pub use self::decision::{EXEMPT, SettingValue, about, and_more};
pub use self::field_paths::PathTree;
pub use self::lookup::{LookupFailed, Lookups, Parent, ReadFailure, Readable};
pub use self::metadata_key::{is_annotation_key, is_label_key, is_label_value, is_subdomain};
pub use self::object::{MapKind, Object, OwnerReference, group_and_version};
pub use self::query::{Masks, ObjectName, ObjectQuery};
pub use self::request::{Call, GroupVersionKind, Objects, Operation, Review, same_but_bookkeeping};
pub use self::subject::{ReviewedObject, Stored};
use raw_json as json;
