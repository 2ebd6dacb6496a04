//! The templates that a node group refers to.

use std::collections::BTreeMap;

use fleet::{Hierarchy, Member, ObjectId};
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
        let reference = object.pointer(field)?;
        let text = |name: &str| reference.get(name).and_then(Value::as_str).unwrap_or_default();
        let of_version = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        let of_template = if text("apiGroup").is_empty() { of_version } else { text("apiGroup") };
        self.0.get(&ObjectId::new(of_template, text("kind"), &group.id.namespace, text("name"))).copied()
    }
}
