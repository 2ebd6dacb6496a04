//! Cloud tags: which labels of a Crossplane composite become tags of its cloud resources, and why the others do not.
//!
//! A label reaches `spec.cloudTags` when its definition in the label registry opts it in and the profile of the
//! composite's provider admits it. [`cloud_tags`] is the pure transformer, [`PROFILES`] what the providers admit.

pub(crate) mod composite;
mod crossplane;
mod field;
mod labels;
pub(crate) mod provider;
pub(crate) mod registry;
mod transform;

pub use self::transform::{CLOUD_TAG_PREFIX, Labels, Transformed, cloud_tags};
pub use crate::catalog::profiles::{KeyCharacters, PROFILES, Profile, Unit};
pub use crate::report::tags::{SkippedLabel, TagReport, TagSkipReason};
pub use crate::settings::{Definition, SEEDED, Scope};
