//! Explanations for programs.

use fleet::{Hierarchy, Member, MetadataUse, Placement};
use serde_json::{Value, json};

use super::UnnamedGroups;
use super::columns::cell;
use super::kubelet::Kubelets;

/// The steps of the propagation path of a key through an object.
pub(crate) fn propagation_path(hierarchy: &Hierarchy, number: usize, key: &str) -> Value {
    let steps = hierarchy.propagation_path(number, key).into_iter().filter_map(|step| {
        let member = hierarchy.member(step.member)?;
        let patch = |used: &MetadataUse| json!({"name": used.patch, "templates": used.kind, "what": used.to_string()});
        let patches: Vec<Value> = step.patches.iter().map(patch).collect();
        Some(described(member, [("placements", json!(step.placements)), ("patches", json!(patches))]))
    });
    steps.collect()
}

/// Everything that one object has, and what it does not get.
pub(super) fn object(
    hierarchy: &Hierarchy,
    number: usize,
    (unnamed, kubelets): (&UnnamedGroups, &Kubelets),
) -> Option<Value> {
    let member = hierarchy.member(number)?;
    let carried = member.carried.iter().map(|entry| {
        let mut placement = json!(Placement::of(entry, member));
        if let Some(fields) = placement.as_object_mut() {
            fields.insert("key".to_owned(), json!(entry.key));
            fields.insert("source".to_owned(), json!(entry.source));
        }
        placement
    });
    let carried: Vec<Value> = carried.collect();
    let unknown = hierarchy.unknown(number).map(|(_, reason)| reason.to_string()).or_else(|| unnamed.reason(member));
    Some(described(
        member,
        [
            ("carried", json!(carried)),
            ("skipped", json!(member.report.skipped)),
            ("cloudTags", json!(member.report.cloud_tags)),
            ("unknown", json!(unknown)),
            ("registered", json!(kubelets.of(number))),
        ],
    ))
}

/// An object with everything below it, and the values of some keys.
pub(super) fn tree((hierarchy, kubelets): (&Hierarchy, &Kubelets), number: usize, keys: &[String]) -> Option<Value> {
    let member = hierarchy.member(number)?;
    let columns: Value =
        keys.iter().map(|key| (key.clone(), json!(cell((hierarchy, kubelets), number, key)))).collect();
    let children: Vec<Value> =
        member.children.iter().filter_map(|child| tree((hierarchy, kubelets), *child, keys)).collect();
    Some(described(member, [("columns", columns), ("children", json!(children))]))
}

fn described<const N: usize>(member: &Member, more: [(&str, Value); N]) -> Value {
    let mut described = json!({
        "kind": member.id.kind,
        "namespace": member.id.namespace,
        "name": member.id.name,
        "isAmongTheFiles": member.origin.is_some(),
    });
    if let Some(fields) = described.as_object_mut() {
        fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    described
}
