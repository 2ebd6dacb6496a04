//! What an object must carry, whether it does or not.

use kubernetes::{MapKind, Value};

/// One entry of one map that propagates from a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Propagated {
    /// The map that it is in, such as `spec.template.metadata.labels`.
    pub at: String,
    /// The map that it is an entry of.
    pub map: MapKind,
    /// The entry's key.
    pub key: String,
    /// The value by the rules.
    pub value: Value,
    /// The value in the object; absent if there is none.
    pub found: Option<Value>,
    /// The rule.
    pub rule: String,
    /// The object that it propagates from.
    pub source: String,
    /// The map in that object; absent for labels that Cluster API sets itself.
    pub place: Option<String>,
}
