//! A value of a tree, and its path.

use std::collections::BTreeSet;
use std::ptr;

use serde_json::Value;

/// The values that were found wrong, by their addresses: the tree is not changed while it is read.
pub(super) type Wrong = BTreeSet<*const Value>;

/// A value of a tree.
#[derive(Clone, Copy)]
pub(super) struct SettingNode<'a> {
    pub(super) value: &'a Value,
    /// The step to it from the value around it.
    pub(super) step: SettingStep<'a>,
    pub(super) wrong: &'a Wrong,
}

/// The step to a value from the one around it.
#[derive(Clone, Copy)]
pub(super) enum SettingStep<'a> {
    /// It is the whole tree.
    Root,
    Field(&'a str),
    /// An entry of a map.
    Key(&'a str),
    Element(usize),
}

impl SettingNode<'_> {
    /// Whether an element, or an entry of such a key, was found wrong before.
    pub(super) fn has_lost(&self, is_looked_for: impl Fn(&str) -> bool) -> bool {
        let is_wrong = |value: &Value| self.wrong.contains(&ptr::from_ref(value));
        match self.value {
            Value::Array(list) => list.iter().any(is_wrong),
            Value::Object(map) => map.iter().any(|(key, value)| is_looked_for(key) && is_wrong(value)),
            _ => false,
        }
    }
}
