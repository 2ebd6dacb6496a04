//! Explanations for programs.

use fleet::{Member, Stand, World};
use serde_json::{Value, json};

use super::columns::cell;

/// The steps of the propagation path of a key through an object.
pub(crate) fn way(world: &World, number: usize, key: &str) -> Value {
    let steps = world.way(number, key).into_iter().filter_map(|step| {
        let member = world.member(step.member)?;
        Some(described(member, [("stands", json!(step.stands))]))
    });
    steps.collect()
}

/// Everything that one object carries, and what it does not.
pub(crate) fn object(world: &World, number: usize) -> Option<Value> {
    let member = world.member(number)?;
    let carried = member.carried.iter().map(|entry| {
        let mut stand = json!(Stand::of(entry, member));
        if let Some(fields) = stand.as_object_mut() {
            fields.insert("key".to_owned(), json!(entry.key));
            fields.insert("source".to_owned(), json!(entry.source));
        }
        stand
    });
    let carried: Vec<Value> = carried.collect();
    let unknown = world.unknown(number).map(|(_, reason)| reason.to_string());
    Some(described(
        member,
        [
            ("carried", json!(carried)),
            ("skipped", json!(member.report.skipped)),
            ("cloudTags", json!(member.report.cloud_tags)),
            ("unknown", json!(unknown)),
        ],
    ))
}

/// An object with what is below it, and the values of some keys.
pub(crate) fn tree(world: &World, number: usize, keys: &[String]) -> Option<Value> {
    let member = world.member(number)?;
    let columns: Value = keys.iter().map(|key| (key.clone(), json!(cell(world, number, key)))).collect();
    let children: Vec<Value> = member.children.iter().filter_map(|child| tree(world, *child, keys)).collect();
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
