//! Objects of groups that may make Machines, which a plan does not compute.

use std::collections::BTreeMap;

use fleet::{CROSSPLANE_GROUP, Fleet, FleetObject, Happens, Locator, ObjectId, Plan, Planned};
use metadata_propagation::Settings;
use serde_json::Value;

use super::not_read::{About, Matters, NotRead};
use super::rendered::{MANIFESTS, has_another_spec, has_cluster_api};
use super::words::some;
use crate::doctor::is_manager;
use crate::groups::{GroupKnowledge, is_maker, knowledge};
use crate::output::report::Where;
use crate::renderers::is_renderer;
use crate::roots::is_judged;

/// One line for each group whose objects differ and may make Machines. `harmless` are groups that make none.
pub(super) fn objects(plan: &Plan, sides: [&Fleet; 2], settings: &Settings, harmless: &[String]) -> Vec<NotRead> {
    let mut groups: BTreeMap<(String, String), Vec<&Planned>> = BTreeMap::new();
    for planned in &plan.objects {
        if let Some((group, reason)) = reason(planned, sides, settings, harmless) {
            groups.entry((group, reason)).or_default().push(planned);
        }
    }
    let [old, new] = sides;
    let mut locators = [Locator::new(old.sources()), Locator::new(new.sources())];
    let mut found = Vec::new();
    for ((_, reason), planned) in groups {
        let Some(first) = planned.first() else { continue };
        let sides = [(old, old.find(&first.id)), (new, new.find(&first.id))];
        let place = sides
            .into_iter()
            .zip(&mut locators)
            .rev()
            .find_map(|((fleet, object), locator)| Some(Where::of_object(fleet, object?, locator)));
        let names: Vec<String> = planned.iter().map(|planned| format!("{} {}", planned.id, planned.happens)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let reason = format!("{}: {reason}", some(&names));
        let (place, about) = (place.unwrap_or_default(), About::Objects(planned.len()));
        found.push(NotRead { place, reason, matters: Matters::CannotTell, about });
    }
    found
}

/// The group of an object, and why its effects are not known; `None` if they are.
fn reason(
    Planned { id, happens, .. }: &Planned,
    [old, new]: [&Fleet; 2],
    settings: &Settings,
    harmless: &[String],
) -> Option<(String, String)> {
    let object = [new, old].into_iter().find_map(|fleet| fleet.find(id))?;
    let is_definition = id.group == "apiextensions.k8s.io" && id.kind == "CustomResourceDefinition";
    if is_definition && *happens == Happens::Deleted {
        let json = object.value();
        let of = json.pointer("/spec/group").and_then(Value::as_str).unwrap_or_default();
        let defined = ObjectId::new(of, "", "", "");
        let is_harmless = knowledge(&defined, harmless) == GroupKnowledge::Harmless;
        return (!is_harmless).then(|| (id.group.clone(), "all objects of the kind are deleted with it".to_owned()));
    }
    if is_renderer(id) && !is_maker(id) || id.is_cluster_api() {
        return None;
    }
    if is_renderer(id) && !has_another_spec([old, new].map(|fleet| fleet.find(id))) {
        return None;
    }
    if id.group == CROSSPLANE_GROUP {
        let makes = id.kind == "Composition" && [old, new].iter().filter_map(|it| it.find(id)).any(makes_cluster_api);
        return makes.then(|| (id.group.clone(), COMPOSED.to_owned()));
    }
    let definitions = [old, new].map(Fleet::composite_groups);
    if definitions.iter().flatten().any(|(_, group)| *group == id.group) {
        let composes = |it: &&FleetObject| {
            let of = |field: &str| it.value().pointer(&format!("/spec/compositeTypeRef/{field}")).cloned();
            let version = of("apiVersion").and_then(|version| Some(version.as_str()?.split('/').next()?.to_owned()));
            it.id.kind == "Composition" && version.as_ref() == Some(&id.group)
        };
        let compositions: Vec<&FleetObject> = [old, new]
            .into_iter()
            .flat_map(Fleet::objects)
            .filter(|it| it.id.group == CROSSPLANE_GROUP && composes(it))
            .collect();
        let why = match &*compositions {
            [] => "its Composition is not among the files",
            all if all.iter().any(|it| makes_cluster_api(it)) => COMPOSED,
            _ => return None,
        };
        return Some((id.group.clone(), why.to_owned()));
    }
    match knowledge(id, harmless) {
        GroupKnowledge::Harmless => {
            let sides = [old, new].map(|fleet| fleet.find(id));
            let specs = sides.iter().flatten().filter_map(|object| object.value().get("spec").cloned());
            if has_another_spec(sides) && id.kind == "Deployment" && is_manager(&object.value()) {
                return Some((
                    id.group.clone(),
                    "a manager of Cluster API may do something else with Machines".to_owned(),
                ));
            }
            let has_manifests = has_another_spec(sides) && specs.into_iter().any(|spec| has_cluster_api(&spec));
            has_manifests.then(|| (id.group.clone(), MANIFESTS.to_owned()))
        }
        GroupKnowledge::Maker(what) => Some((id.group.clone(), format!("{what} from {}", id.group))),
        GroupKnowledge::Unknown if is_judged(object, settings) => None,
        GroupKnowledge::Unknown => {
            let why = format!("it is not known whether Machines are made from {}", id.group);
            Some((id.group.clone(), why))
        }
    }
}

const COMPOSED: &str = "Crossplane makes objects of Cluster API from it";

/// Whether a Composition names an object of Cluster API, as a resource or in the text of a template.
fn makes_cluster_api(composition: &FleetObject) -> bool {
    fn names(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains("cluster.x-k8s.io/"),
            Value::Array(items) => items.iter().any(names),
            Value::Object(fields) => fields.values().any(names),
            _ => false,
        }
    }
    composition.value().get("spec").is_some_and(names)
}
