//! What manifests are rendered from, and is not rendered: objects that a controller renders or applies others from, and files
//! with parameters.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, Locator, ObjectId, Plan, Source};

use super::not_read::{Matters, NotRead};
use super::roots::relative;
use crate::input::{Input, UnreadSource};
use crate::kustomizations::Unrendered;
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
            let json = object?.value();
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

/// The files that manifests come from, that are not read, and that differ.
pub(super) fn origins(inputs: [&Input; 2], is_of: impl Fn(&str) -> bool) -> Vec<NotRead> {
    let [old, new] = inputs.map(|input| {
        let named = input.origins.iter().map(|origin| (relative(&origin.name, &input.prefix), origin));
        named.filter(|(name, _)| is_of(name)).collect::<BTreeMap<_, _>>()
    });
    let mut found = Vec::new();
    for name in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let hash = |side: &BTreeMap<&str, &UnreadSource>| side.get(name).map(|origin| origin.hash);
        if hash(&old) == hash(&new) {
            continue;
        }
        let Some(UnreadSource { name, what, .. }) = new.get(name).or_else(|| old.get(name)) else { continue };
        let place = Where { file: name.clone(), ..Where::default() };
        found.push(NotRead { place, reason: format!("it changes, and is {what}"), matters: Matters::CannotTell });
    }
    found
}

/// The kustomizations that are rendered from files that differ, unless these or the kustomization are among those that are
/// `named`, or what is rendered is compared as it is in the files.
pub(super) fn kustomizations(inputs: [&Input; 2], is_of: impl Fn(&str) -> bool, named: &[NotRead]) -> Vec<NotRead> {
    let [old, new] = inputs.map(|input| {
        let named = input.unrendered.iter().map(|it| (relative(&it.file, &input.prefix), it));
        named.filter(|(file, _)| is_of(file)).collect::<BTreeMap<_, _>>()
    });
    let of_side = |name: &str| inputs.map(|input| relative(name, &input.prefix).to_owned());
    let is_uncertain = |not_read: &&NotRead| not_read.matters > Matters::No;
    let named: BTreeSet<String> = named.iter().filter(is_uncertain).flat_map(|it| of_side(&it.place.file)).collect();
    let compared: BTreeSet<&str> = inputs
        .iter()
        .flat_map(|input| input.fleet.sources().iter().map(|source| relative(&source.name, &input.prefix)))
        .collect();
    let mut found = Vec::new();
    for (file, is) in new {
        let Some(was) = old.get(file).filter(|_| !named.contains(file)) else { continue };
        let parts = |it: &Unrendered, input: &Input| {
            let inside = |name: &String| relative(name, &input.prefix).to_owned();
            it.parts.iter().map(|(name, hash)| (inside(name), *hash)).collect::<BTreeSet<_>>()
        };
        let (was_parts, is_parts) = (parts(was, inputs[0]), parts(is, inputs[1]));
        let differing = was_parts.symmetric_difference(&is_parts).map(|(name, _)| name.as_str());
        let is_plain = was.is_plain && is.is_plain;
        let differing = differing.filter(|name| !(named.contains(*name) || is_plain && compared.contains(name)));
        let differing: Vec<&str> = differing.collect::<BTreeSet<_>>().into_iter().collect();
        let Some((first, more)) = differing.split_first() else { continue };
        let more = match more.len() {
            0 => String::new(),
            1 => " and 1 more file".to_owned(),
            more => format!(" and {more} more files"),
        };
        let reason = format!("it is rendered from {first}{more}, which changes: `--kustomize` renders it");
        let place = Where { file: is.file.clone(), ..Where::default() };
        found.push(NotRead { place, reason, matters: Matters::CannotTell });
    }
    found
}

/// Why a file with parameters is named.
pub(super) const PARAMETERS: &str = "no manifest, but manifests may be rendered with it";

/// Which files that are no manifests may have parameters of manifests.
pub(super) struct Parameters {
    /// Whether something reads files by a pattern or from elsewhere: parameters are in files of any name.
    is_any: bool,
}

impl Parameters {
    pub(super) fn of(fleet: &Fleet) -> Parameters {
        let is_chart = |source: &Source| FILES.contains(&file(&source.name)) || source.text.contains("#@ ");
        let reads =
            |object: &FleetObject| is_renderer(&object.id) && READS.iter().any(|field| object.json.contains(field));
        Parameters { is_any: fleet.sources().iter().any(is_chart) || fleet.objects().any(reads) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.is_any || file(name).contains("values") || file(name).contains("helmfile")
    }
}

/// Fields of renderers that name files: of Argo CD and of Rancher Fleet.
const READS: [&str; 3] = ["\"files\"", "\"valueFiles\"", "\"valuesFiles\""];

/// Names of files that say how manifests are rendered.
const FILES: [&str; 4] = ["Chart.yaml", "fleet.yaml", "helmfile.yaml", "helmfile.yml"];

fn file(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, file)| file)
}
