//! Selectors that do not find the Machines that are made for them, so that Machines are created without end.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::{Map, Value, json};

use crate::object::FleetObject;
use crate::object_finding::{FindingLevel, ObjectFinding, SELECTOR};
use crate::refusal::{has_variable, holds};
use crate::relations::text;

const SET_NAME: &str = "cluster.x-k8s.io/set-name";
const DEPLOYMENT_NAME: &str = "cluster.x-k8s.io/deployment-name";

/// The finding that the selector of a MachineSet or MachineDeployment asks for another value of a label than Cluster API sets.
/// Labels of the template do not matter: they are overwritten.
///
/// Sources: `machineLabelsFromMachineSet` in core/reconcilers/machineset/machineset_controller.go and `computeDesiredMS` in
/// core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go of Cluster API v1.14; no webhook refuses it:
/// kubernetes-sigs/cluster-api#12156 and #13700.
pub(crate) fn endless(object: &FleetObject) -> Option<ObjectFinding> {
    let name = Some(&*object.id.name).filter(|name| !name.is_empty() && !has_variable(name))?;
    let of_set = (SET_NAME, format!("{name}-*"), "the name of their MachineSet".to_owned());
    let own = |key| (key, name.to_owned(), format!("`{name}`"));
    let forced = match &*object.id.kind {
        _ if object.id.group != CORE_GROUP => return None,
        "MachineSet" => vec![own(SET_NAME)],
        "MachineDeployment" => vec![own(DEPLOYMENT_NAME), of_set],
        _ => return None,
    };
    let value = object.value();
    let selector = value.pointer("/spec/selector")?;
    // Longer names are set as a hash.
    let mut missed = forced.iter().filter(|(key, set, _)| set.len() <= 63 && !finds(selector, key, set));
    let (key, _, is) = missed.next()?;
    let kind = &object.id.kind;
    let message = format!(
        "label `{key}` is {is} on all Machines of this {kind}, whatever its template says: the selector finds none of them, and \
         Machines are created without end"
    );
    Some(ObjectFinding::new(FindingLevel::Error, SELECTOR, "spec.selector", message))
}

/// Whether a selector holds for this value of a label, as far as it is about it.
fn finds(selector: &Value, key: &str, value: &str) -> bool {
    let wanted = selector.get("matchLabels").map_or("", |labels| text(labels, key));
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let labels = Map::from_iter([(key.to_owned(), json!(value))]);
    let is_held = expressions.filter(|it| text(it, "key") == key).all(|it| holds(it, &labels));
    is_held && (wanted.is_empty() || has_variable(wanted) || wanted == value)
}
