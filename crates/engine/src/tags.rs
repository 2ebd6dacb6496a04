//! Cloud tags: which labels of a Crossplane composite, or of a Cluster, become tags of its cloud resources, and why the
//! others do not.
//!
//! A label becomes a tag in `spec.cloudTags` when its definition in the label registry opts it in and the profile of
//! the composite's provider allows it. [`cloud_tags`] is the pure transformer, [`PROFILES`] what the providers allow by
//! the specification, [`CLOUDS`] what their APIs accept. [`STRICT_PROFILES`] allow only what the APIs accept, for
//! settings that ask for it.

mod admits;
mod as_stored;
mod ascii;
pub(crate) mod composite;
mod crossplane;
mod field;
pub(crate) mod infrastructure;
mod key_form;
mod label_sources;
mod labels;
pub(crate) mod origin;
mod owner;
pub(crate) mod provider;
pub(crate) mod registry;
pub(crate) mod registry_write;
pub(crate) mod required;
mod rules;
pub(crate) mod tagged;
mod transform;
mod union;
mod unread;
mod verdicts;
mod webhook;

pub use self::rules::TagRules;
pub use self::transform::{Labels, Transformed, cloud_tags};
pub use self::verdicts::verdicts;
pub use crate::catalog::clouds::{CLOUDS, Cloud, KeyCase, Text};
pub use crate::catalog::infrastructure::{INFRA_CLUSTERS, InfraCluster};
pub use crate::catalog::profiles::{CLOUD_TAG_PREFIX, KeyCharacters, PROFILES, Profile, Unit};
pub use crate::catalog::strict::{STRICT_PROFILES, Spelling, StrictProfile};
pub use crate::catalog::text_limits::{Alphabet, Form, Length};
pub use crate::report::tags::{CloudVerdict, IgnoredDefinition, IgnoredReason, SkippedLabel, TagReport, TagSkipReason};
pub use crate::settings::{Definition, LabelSource, SEEDED, Scope};
