//! Cloud tags: which labels of a Crossplane composite, or of a Cluster, become tags of its cloud resources, and why the
//! others do not.
//!
//! A label becomes a tag in `spec.cloudTags` when its definition in the label registry opts it in and the profile of
//! the composite's provider allows it. [`cloud_tags`] is the pure transformer, [`PROFILES`](tag_rules::PROFILES) what the providers allow by
//! the specification, [`CLOUDS`](tag_rules::CLOUDS) what their APIs accept. [`STRICT_PROFILES`](tag_rules::STRICT_PROFILES) allow only what the APIs accept, for
//! settings that ask for it.

#![allow(missing_docs, reason = "an inner crate of the policy: a name that says enough has no comment")]

mod as_stored;
pub mod composite;
mod crossplane;
pub mod fact;
mod field;
pub mod infrastructure;
mod kept_tags;
mod label_sources;
pub mod label_warning;
mod labels;
pub mod messages;
mod owner;
mod provider;
pub mod registry;
mod registry_object;
mod registry_write;
mod report;
mod tag_reason;
mod tagged;
mod transform;
mod union;

pub use self::composite::Composite;
pub use self::infrastructure::Infrastructure;
pub use self::labels::origin_finding;
pub use self::owner::keys_of_another_form;
pub use self::provider::UnknownProvider;
pub use self::registry_write::{RegistryWrite, refused_deletion};
pub use self::report::{CloudVerdict, IgnoredDefinition, IgnoredReason, SkippedLabel, TagReport, verdicts};
pub use self::tag_reason::NoTagReason;
pub use self::tagged::{Missing, Tagged, UndecodedLabel};
pub use self::transform::{Labels, Transformed, cloud_tags};
use kubernetes::{Masks, masks};
use raw_json as json;

/// Fields that are read of the composite that composes another one: metadata is always returned.
pub const PARENT_MASKS: Masks = masks!["metadata": "uid"];
/// Fields that are read of an object for its labels: metadata is always returned.
pub const LABEL_MASKS: Masks = masks!["metadata": "labels"];
