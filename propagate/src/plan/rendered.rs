//! What manifests are rendered from, and is not rendered: objects that a controller renders or applies others from, and files
//! with parameters.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, Locator, ObjectId, Plan, Source, count};
use serde_json::Value;

use super::not_read::{Matters, NotRead};
use super::roots::relative;
use crate::groups::{GroupKnowledge, is_maker, knowledge};
use crate::input::{Input, UnreadSource};
use crate::kustomizations::Unrendered;
use crate::output::report::Where;
use crate::renderers::is_renderer;

/// The objects that others are rendered or applied from, and that differ.
pub(super) fn objects(plan: &Plan, [old, new]: [&Fleet; 2], inputs: [&Input; 2]) -> Vec<NotRead> {
    let variables = Variables::default();
    let mut locators = [Locator::new(old.sources()), Locator::new(new.sources())];
    let mut found = Vec::new();
    for planned in &plan.objects {
        let id = &planned.id;
        let (was, is) = (old.find(id), new.find(id));
        if applies_what_is_compared([was, is], inputs) {
            continue;
        }
        let reason = reason(id, [was, is], new).or_else(|| reason(id, [was, is], old));
        let Some(reason) = reason.or_else(|| variables.reason([was, is], inputs)) else { continue };
        let sides = [(old, was), (new, is)];
        let Some(((fleet, Some(object)), locator)) =
            sides.into_iter().zip(&mut locators).rev().find(|((_, object), _)| object.is_some())
        else {
            continue;
        };
        let place = Where::of_object(fleet, object, locator);
        let reason = format!("{id} {}: {reason}", planned.happens);
        found.push(NotRead::file(place, reason, Matters::CannotTell));
    }
    found
}

/// The objects of Cluster API that differ, and that what applies them changes with patches of its own.
pub(super) fn patched(plan: &Plan, fleets: [&Fleet; 2], inputs: [&Input; 2]) -> Vec<NotRead> {
    let mut found: BTreeMap<(String, &str), (Where, Vec<&ObjectId>)> = BTreeMap::new();
    for id in plan.objects.iter().map(|planned| &planned.id).filter(|id| id.is_cluster_api()) {
        let sides = fleets.into_iter().zip(inputs).rev();
        let Some((object, (fleet, input))) = sides.into_iter().find_map(|side| Some((side.0.find(id)?, side))) else {
            continue;
        };
        let Some(source) = fleet.sources().get(object.origin.source) else { continue };
        let appliers = input.applied.appliers_of(relative(&source.name, &input.prefix));
        for (title, field) in appliers.into_iter().filter_map(|applier| Some((applier.title(), applier.patches?))) {
            let place = || (Where::file(&source.name), Vec::new());
            found.entry((title, field)).or_insert_with(place).1.push(id);
        }
    }
    let said = |((title, field), (place, ids)): ((String, &str), (Where, Vec<&ObjectId>))| {
        let first = ids.first().map(|id| id.to_string()).unwrap_or_default();
        let they = match ids.len() {
            1 => first,
            more => format!("{first} and {}", count(more - 1, "more object")),
        };
        NotRead::file(
            place,
            format!("{they}: {title} patches what it applies, and its `{field}` is not evaluated"),
            Matters::CannotTell,
        )
    };
    found.into_iter().map(said).collect()
}

/// Why the effects of a change of this object are not known; `None` if nothing is rendered from it, or what is rendered
/// from it does not change.
fn reason(id: &ObjectId, [was, is]: [Option<&FleetObject>; 2], fleet: &Fleet) -> Option<String> {
    if is_renderer(id) {
        // It is counted among the objects of other groups.
        if is_maker(id) {
            return None;
        }
        return has_another_spec([was, is]).then(|| "what it applies is not compared".to_owned());
    }
    if !(id.group.is_empty() && matches!(&*id.kind, "ConfigMap" | "Secret")) {
        return None;
    }
    let reads = |object: &&FleetObject| {
        let is_near = object.id.namespace == id.namespace || object.id.namespace.is_empty();
        is_near
            && (is_renderer(&object.id) && object.has_text(&id.name, Some(&FIELDS))
                || is_maker(&object.id) && object.has_text(&id.name, None))
    };
    match fleet.objects().find(reads) {
        Some(renderer) => Some(format!("{} reads it, and what that applies is not compared", renderer.id)),
        None => {
            let [was, is] = [was, is].map(|object| object.map(entries).unwrap_or_default());
            let mut all = was.iter().chain(&is);
            let is_changed = |key: &String| was.get(key) != is.get(key);
            all.any(|(key, value)| is_changed(key) && has_cluster_api(value)).then(|| MANIFESTS.to_owned())
        }
    }
}

/// Why the effects of an object with manifests in it are not known.
pub(super) const MANIFESTS: &str = "it has manifests of Cluster API, and something may apply them";

/// Whether a value has a manifest of Cluster API, as a text or as it is.
pub(super) fn has_cluster_api(value: &Value) -> bool {
    const GROUP: &str = "cluster.x-k8s.io/";
    match value {
        Value::String(text) => text.contains(GROUP) && text.contains("apiVersion") && text.contains("kind"),
        Value::Array(items) => items.iter().any(has_cluster_api),
        Value::Object(fields) => {
            let is_of_group = fields.get("apiVersion").and_then(Value::as_str).is_some_and(|it| it.contains(GROUP));
            let is_manifest = ["spec", "data", "metadata"].iter().any(|field| fields.contains_key(*field));
            is_of_group && is_manifest || fields.values().any(has_cluster_api)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the spec of an object, which says what it applies, differs.
pub(super) fn has_another_spec(sides: [Option<&FleetObject>; 2]) -> bool {
    let [was, is] = sides.map(|object| object.and_then(|object| object.value().get("spec").cloned()));
    was != is
}

/// Whether an object of Flux or Argo CD differs in nothing but what it applies, which is compared, and when.
fn applies_what_is_compared(objects: [Option<&FleetObject>; 2], inputs: [&Input; 2]) -> bool {
    let sides = objects.into_iter().zip(inputs);
    let is_known = |(object, input): (Option<&FleetObject>, &Input)| {
        // A kustomization may set another namespace than the file has.
        let name = |id: &ObjectId| (id.group.clone(), id.kind.clone(), id.name.clone());
        let mut appliers = input.applied.appliers.iter().map(|applier| name(&applier.id));
        object.is_none_or(|object| appliers.any(|known| known == name(&object.id)))
    };
    let others = |object: Option<&FleetObject>| {
        let mut spec = object?.value().get("spec")?.clone();
        let fields = spec.as_object_mut()?;
        fields.retain(|field, _| !OF_APPLYING.contains(&&**field));
        let sources = fields.get_mut("sources").and_then(Value::as_array_mut).into_iter().flatten();
        sources.for_each(|source| drop(source.as_object_mut().map(|source| source.remove("path"))));
        fields.get_mut("source").and_then(Value::as_object_mut).map(|source| source.remove("path"));
        Some(spec)
    };
    let [was, is] = objects;
    let is_edited = || was.is_some() && is.is_some() && others(was) != others(is);
    sides.clone().any(|(object, _)| object.is_some()) && sides.clone().all(is_known) && !is_edited()
}

/// Fields of a Flux Kustomization or an Application that say which objects are applied and when, and not how they are changed.
const OF_APPLYING: [&str; 13] = [
    "path",
    "prune",
    "suspend",
    "deletionPolicy",
    "interval",
    "retryInterval",
    "timeout",
    "wait",
    "healthChecks",
    "healthCheckExprs",
    "dependsOn",
    "syncPolicy",
    "project",
];

/// The names in `${…}` of objects from which Machines may be made, once something asks for them.
#[derive(Default)]
struct Variables {
    known: std::cell::OnceCell<BTreeMap<String, ObjectId>>,
}

impl Variables {
    /// Why the effects of an edit of a ConfigMap or Secret are not known: its keys are variables elsewhere.
    fn reason(&self, objects: [Option<&FleetObject>; 2], inputs: [&Input; 2]) -> Option<String> {
        let first = objects.iter().flatten().next()?;
        if !(first.id.group.is_empty() && matches!(&*first.id.kind, "ConfigMap" | "Secret")) {
            return None;
        }
        let known = self.known.get_or_init(|| {
            let objects = inputs
                .into_iter()
                .flat_map(|input| input.fleet.objects())
                .filter(|object| !object.id.group.is_empty() && knowledge(&object.id, &[]) != GroupKnowledge::Harmless);
            let of_object = |object: &FleetObject| {
                let names = placeholders(&object.json).map(|name| (name.to_owned(), object.id.clone()));
                names.collect::<Vec<_>>()
            };
            objects.flat_map(of_object).collect()
        });
        let [was, is] = objects.map(|object| object.map(entries).unwrap_or_default());
        let keys: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let mut changed = keys.into_iter().filter(|key| was.get(*key) != is.get(*key));
        let (key, object) = changed.find_map(|key| Some((key, known.get(key)?)))?;
        Some(format!("its key `{key}` may be what `${{{key}}}` in {object} stands for"))
    }
}

/// The entries of a ConfigMap or Secret.
fn entries(object: &FleetObject) -> BTreeMap<String, Value> {
    let json = object.value();
    let maps = ["data", "stringData"].into_iter().filter_map(|field| json.get(field)?.as_object().cloned());
    maps.flatten().collect()
}

/// The names in `${…}` of a text.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| {
        let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))?;
        rest.get(..end).filter(|name| !name.is_empty())
    })
}

/// Fields of renderers that name ConfigMaps and Secrets with parameters.
const FIELDS: [&str; 4] = ["valuesFrom", "substituteFrom", "configMapKeyRef", "secretKeyRef"];

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
        found.push(NotRead::file(Where::file(name), format!("it changes, and is {what}"), Matters::CannotTell));
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
        found.push(NotRead::file(Where::file(&is.file), reason, Matters::CannotTell));
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
        let reads = |object: &FleetObject| is_renderer(&object.id) && object.has_field(&READS);
        Parameters { is_any: fleet.sources().iter().any(is_chart) || fleet.objects().any(reads) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.is_any || file(name).contains("values") || file(name).contains("helmfile")
    }
}

/// Fields of renderers that name files: of Argo CD and of Rancher Fleet.
const READS: [&str; 3] = ["files", "valueFiles", "valuesFiles"];

/// Names of files that say how manifests are rendered.
const FILES: [&str; 4] = ["Chart.yaml", "fleet.yaml", "helmfile.yaml", "helmfile.yml"];

fn file(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, file)| file)
}
