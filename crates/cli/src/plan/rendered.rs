//! What manifests are rendered from, and is not rendered: objects that a controller renders or applies others from, and files
//! with parameters.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, Locator, ObjectId, Plan, Source};
use serde_json::Value;

use super::not_read::{Matters, NotRead};
use super::roots::relative;
use crate::input::Input;
use crate::output::report::Where;
use crate::renderers::is_renderer;

/// The objects that others are rendered or applied from, and that differ.
pub(super) fn objects(plan: &Plan, [old, new]: [&Fleet; 2]) -> Vec<NotRead> {
    let mut locators = [Locator::new(old.sources()), Locator::new(new.sources())];
    let mut found = Vec::new();
    for planned in &plan.objects {
        let id = &planned.id;
        let (was, is) = (old.find(id), new.find(id));
        let Some(reason) = reason(id, [was, is], new).or_else(|| reason(id, [was, is], old)) else { continue };
        let sides = [(old, was), (new, is)];
        let Some(((fleet, Some(object)), locator)) =
            sides.into_iter().zip(&mut locators).rev().find(|((_, object), _)| object.is_some())
        else {
            continue;
        };
        let at = locator.locate(&object.origin, "", &[]);
        let place = Where::of(fleet, at.source, at.span, at.position);
        let reason = format!("{id} {}: {reason}", planned.happens);
        found.push(NotRead { place, reason, matters: Matters::CannotTell });
    }
    found
}

/// Why the effects of a change of this object are not known; `None` if nothing is rendered from it, or what is rendered
/// from it does not change.
fn reason(id: &ObjectId, [was, is]: [Option<&FleetObject>; 2], fleet: &Fleet) -> Option<String> {
    if is_renderer(id) {
        let spec = |object: Option<&FleetObject>| {
            let json: Value = serde_json::from_str(&object?.json).ok()?;
            json.get("spec").cloned()
        };
        return (spec(was) != spec(is)).then(|| "what it applies is not compared".to_owned());
    }
    if !(id.group.is_empty() && matches!(&*id.kind, "ConfigMap" | "Secret")) {
        return None;
    }
    let reads = |object: &&FleetObject| {
        is_renderer(&object.id)
            && (object.id.namespace == id.namespace || object.id.namespace.is_empty())
            && FIELDS.iter().any(|field| object.json.contains(field))
            && object.json.split('"').any(|word| word == id.name)
    };
    let renderer = fleet.objects().find(reads)?;
    Some(format!("{} reads it, and what that applies is not compared", renderer.id))
}

/// Fields of renderers that name ConfigMaps and Secrets with parameters.
const FIELDS: [&str; 3] = ["valuesFrom", "substituteFrom", "configMapKeyRef"];

/// The files that manifests are rendered from with other programs, and that differ.
pub(super) fn templates(inputs: [&Input; 2], is_of: impl Fn(&str) -> bool) -> Vec<NotRead> {
    let [old, new] = inputs.map(|input| {
        let named = input.templates.iter().map(|(name, hash)| (relative(name, &input.prefix), (name, *hash)));
        named.filter(|(name, _)| is_of(name)).collect::<BTreeMap<_, _>>()
    });
    let mut found = Vec::new();
    for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let hash = |side: &BTreeMap<&str, (&String, u64)>| side.get(name).map(|(_, hash)| *hash);
        if hash(&old) == hash(&new) {
            continue;
        }
        let Some((file, _)) = new.get(name).or_else(|| old.get(name)) else { continue };
        let reason = "it changes: a template, not a manifest; render both sides and compare them".to_owned();
        let place = Where { file: (*file).clone(), ..Where::default() };
        found.push(NotRead { place, reason, matters: Matters::CannotTell });
    }
    found
}

/// Why a file with parameters is named.
pub(super) const PARAMETERS: &str = "no manifest, but manifests may be rendered with it";

/// Which files that are no manifests may have parameters of manifests.
pub(super) struct Parameters {
    /// Whether there is a chart or an ApplicationSet that reads files: parameters are in files of any name.
    is_any: bool,
}

impl Parameters {
    pub(super) fn of(fleet: &Fleet) -> Parameters {
        let is_chart = |source: &Source| FILES.contains(&file(&source.name));
        let generates = |object: &FleetObject| object.id.kind == "ApplicationSet" && object.json.contains("\"files\"");
        Parameters { is_any: fleet.sources().iter().any(is_chart) || fleet.objects().any(generates) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.is_any || file(name).contains("values")
    }
}

/// Names of files that say how manifests are rendered.
const FILES: [&str; 4] = ["Chart.yaml", "fleet.yaml", "helmfile.yaml", "helmfile.yml"];

fn file(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, file)| file)
}
