//! The settings that decide about tags.

use kubernetes::settings::Mode;

use super::cloud_tags::CloudTags;

/// `cloudTags` and `mode`.
#[derive(Debug, Clone, Copy)]
pub struct TagSettings<'e> {
    /// Whether drift is corrected or refused.
    pub mode: Mode,
    /// Which labels become tags.
    pub cloud_tags: &'e CloudTags,
}
