//! Cloud tags: which labels of a Crossplane composite, or of a Cluster, become tags of its cloud resources, and why the
//! others do not.
//!
//! A label becomes a tag in `spec.cloudTags` when its definition in the label registry opts it in and the profile of
//! the composite's provider allows it. [`cloud_tags`] is the pure transformer, [`PROFILES`](tag_rules::profiles::PROFILES) what the providers allow by
//! the specification, [`CLOUDS`](tag_rules::clouds::CLOUDS) what their APIs accept. [`STRICT_PROFILES`](tag_rules::strict::STRICT_PROFILES) allow only what the APIs accept, for
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
pub mod provider;
pub mod reads;
pub mod registry;
mod registry_object;
pub mod registry_write;
pub mod report;
pub mod required;
pub mod tag_reason;
pub mod tagged;
mod transform;
mod union;
mod unread;
mod verdicts;
mod webhook;

pub use self::transform::{Labels, Transformed, cloud_tags};
pub use self::verdicts::verdicts;
use raw_json as json;
