//! What the policy says of an edit, and the objects around it.

use std::borrow::Cow;

use metadata_propagation::{Effect, Operation, Review, Settings, evaluate, has_effects};
use serde_json::Value;

use super::path::EditPath;
use crate::hierarchy::Hierarchy;
use crate::object::{ObjectId, create};
use crate::refusal::has_variable;

/// The objects before and after the change.
#[derive(Clone, Copy)]
pub(super) struct Sides<'p> {
    pub(super) before: &'p Hierarchy,
    pub(super) after: &'p Hierarchy,
    pub(super) settings: &'p Settings,
}

/// The paths of an object that differ and what each does, as the policy reports them; `None` for kinds that it does not know.
pub(super) fn impact(
    id: &ObjectId,
    version: &str,
    [old, new]: [&str; 2],
    sides: Sides<'_>,
) -> Option<Vec<(EditPath, Effect)>> {
    let [old, new] = [old, new].map(without_variables);
    let review = Review { operation: Operation::Update, old_object: Some(&old), ..create(id, version, &new) };
    if !has_effects(&review) {
        return None;
    }
    let report = evaluate(&review, sides.settings, sides.after).report.unwrap_or_default();
    let edits = report.rollout.map(|impact| impact.edits).unwrap_or_default();
    Some(edits.into_iter().map(|edit| (EditPath::parse(&edit.at), edit.effect)).collect())
}

/// An object without the maps and lists that are filled in before it is applied: the rest can be compared.
fn without_variables(json: &str) -> Cow<'_, str> {
    const FIELDS: [&str; 6] = ["annotations", "labels", "matchLabels", "metadata", "readinessGates", "taints"];
    fn remove(value: &mut Value) {
        match value {
            Value::Array(elements) => elements.iter_mut().for_each(remove),
            Value::Object(fields) => {
                let is_variable = |value: &Value| value.as_str().is_some_and(has_variable);
                fields.retain(|field, value| !FIELDS.contains(&&**field) || !is_variable(value));
                fields.values_mut().for_each(remove);
            }
            _ => {}
        }
    }
    let Some(mut object) = has_variable(json).then(|| serde_json::from_str(json).ok()).flatten() else {
        return Cow::Borrowed(json);
    };
    remove(&mut object);
    Cow::Owned(object.to_string())
}
