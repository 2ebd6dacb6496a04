//! The templates that a node group refers to.

use std::collections::BTreeMap;

use fleet::{Hierarchy, Member, ObjectId, referenced};
use serde_json::Value;

/// Members by their name.
pub(crate) struct Templates<'w>(BTreeMap<&'w ObjectId, &'w Member>);

impl<'w> Templates<'w> {
    pub(crate) fn of(hierarchy: &'w Hierarchy) -> Templates<'w> {
        let named = hierarchy.members().iter().filter(|member| member.origin.is_some() && member.id.is_template());
        Templates(named.map(|member| (&member.id, member)).collect())
    }

    /// The template that a field of a node group refers to, by `apiGroup` or by `apiVersion`.
    pub(crate) fn at(&self, group: &Member, object: &Value, field: &str) -> Option<&'w Member> {
        self.0.get(&referenced(object.pointer(field)?, &group.id.namespace)).copied()
    }
}
