//! Cloud tags: which labels of a Crossplane composite, or of a Cluster, become tags of its cloud resources, and why the
//! others do not.
//!
//! A label becomes a tag in `spec.cloudTags` when its definition in the label registry opts it in and the profile of
//! the composite's provider allows it. [`cloud_tags`] is the pure transformer, [`PROFILES`](tag_rules::PROFILES) what the providers allow by
//! the specification, [`CLOUDS`](tag_rules::CLOUDS) what their APIs accept. [`STRICT_PROFILES`](tag_rules::STRICT_PROFILES) allow only what the APIs accept, for
//! settings that ask for it.

mod as_stored;
pub mod composite;
mod crossplane;
pub mod fact;
mod field;
pub mod infrastructure;
mod kept_tags;
pub mod key_form;
mod label_sources;
pub mod label_warning;
mod labels;
pub mod messages;
pub mod origin;
mod owner;
mod provider;
pub mod reads;
pub mod registry;
mod registry_object;
mod registry_write;
mod report;
mod required;
mod tag_reason;
mod tagged;
mod transform;
mod union;
mod unread;
mod verdicts;
mod webhook;

pub use self::composite::Composite;
pub use self::infrastructure::Infrastructure;
pub use self::provider::UnknownProvider;
pub use self::registry_write::{RegistryWrite, refused_deletion};
pub use self::report::{CloudVerdict, IgnoredDefinition, IgnoredReason, SkippedLabel, TagReport};
pub use self::required::Missing;
pub use self::tag_reason::NoTagReason;
pub use self::tagged::{Tagged, UndecodedLabel};
pub use self::transform::{Labels, Transformed, cloud_tags};
pub use self::verdicts::verdicts;
use raw_json as json;
