//! What is read besides the label registry.

use kubernetes::{Masks, masks};

/// Fields that are read of the composite that composes another one: metadata is always returned.
pub const PARENT_MASKS: Masks = masks!["metadata.uid"];
/// Fields that are read of an object for its labels: metadata is always returned.
pub const LABEL_MASKS: Masks = masks!["metadata.labels"];
