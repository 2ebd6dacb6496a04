//! What a change does to cloud tags: to those of composites, of claims and of infrastructure clusters, and to those of
//! the managed resources that Compositions make.
//!
//! Only objects that the change may reach are evaluated: on both sides as the policy evaluates them.

mod composed;
mod definitions;
mod side;
mod stamped;

use std::collections::BTreeSet;

use metadata_propagation::Settings;
use metadata_propagation::cluster_api::CORE_GROUP;
use topology::ObjectPath;

use self::composed::{ComposedResources, differing_resources};
use self::side::Side;
use self::stamped::{Stamped, Subject, changes};
use super::{EntryDifference, Happens, is_same};
use crate::each::each;
use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId};

/// An object whose tags change, or from which resources are composed whose tags do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedObject {
    /// The composite, the claim, or the infrastructure cluster.
    pub id: ObjectId,
    /// The field for its tags; of a claim that of its composite.
    pub at: String,
    /// Whether it is a claim, whose composite has the tags.
    pub is_claim: bool,
    /// Whether it is there before and after the change.
    pub happens: Happens,
    /// What the change is in, as far as it reaches this object.
    pub because: Vec<String>,
    /// The tags that differ, by key.
    pub changes: Vec<TagChange>,
    /// The resources whose tags differ, or may.
    pub resources: Vec<ReachedResource>,
    /// What is not known, and why: sentences, lower case, no final stop.
    pub unknown: Vec<String>,
}

/// A tag that is added, changed or lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagChange {
    /// The key.
    pub key: String,
    /// The value before; `None` if it is added.
    pub from: Option<String>,
    /// The value after; `None` if it is lost.
    pub to: Option<String>,
    /// For a tag of a composite why it is set or lost, for one of a resource what sets it: the path of a patch or of a
    /// value.
    pub reason: String,
}

/// A managed resource whose tags a change reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedResource {
    /// The name of the Composition.
    pub composition: String,
    /// Its name in the Composition; below a nested composite that of the composite first, such as `network/subnet`.
    pub name: String,
    /// The API group of its kind.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// The field for its tags; empty if none is known.
    pub field: String,
    /// The tags that differ.
    pub changes: Vec<TagChange>,
    /// What becomes of the change.
    pub fate: TagFate,
}

/// What becomes of a change of the tags of a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TagFate {
    /// Its provider changes them in place.
    InPlace,
    /// The resource is created with them.
    Created,
    /// The resource is deleted.
    Deleted,
    /// Nothing, because of this: a setting of the resource, or a pause.
    Never(String),
    /// The provider, the API server or the cloud refuses them.
    Refused(String),
    /// It is not known.
    CannotTell(String),
}

impl TaggedObject {
    /// Whether a tag is lost or changes, of the object or of a resource; what is deleted loses none.
    pub fn is_lost_or_changed(&self) -> bool {
        let of_resources = self.kept_resources().flat_map(|resource| &resource.changes);
        let own = self.changes.iter().filter(|_| self.happens != Happens::Deleted);
        own.chain(of_resources).any(|change| change.from.is_some())
    }

    fn kept_resources(&self) -> impl Iterator<Item = &ReachedResource> {
        let is_kept = |fate: &TagFate| !matches!(fate, TagFate::Created | TagFate::Deleted | TagFate::Never(_));
        self.resources.iter().filter(move |resource| is_kept(&resource.fate))
    }

    /// The number of resources whose tags differ.
    pub fn differing_resources(&self) -> u64 {
        let differing = self.kept_resources().filter(|resource| !resource.changes.is_empty());
        let names: BTreeSet<&str> = differing.map(|resource| &*resource.name).collect();
        names.into_iter().map(|_| 1).sum()
    }

    /// The number of objects, this one and resources, of which it is not known what becomes of their tags.
    pub fn unknown(&self) -> u64 {
        let is_unknown = |resource: &&ReachedResource| matches!(resource.fate, TagFate::CannotTell(_));
        let resources = self.resources.iter().filter(is_unknown).map(|_| 1);
        resources.chain(self.unknown.first().map(|_| 1)).sum()
    }

    /// The tags that differ as entries of an object; none of a claim, which has no tags itself, and of an object that
    /// is created or deleted.
    pub fn entries(&self) -> impl Iterator<Item = EntryDifference> {
        let is_shown = !self.is_claim && self.happens == Happens::Changed;
        self.changes.iter().filter(move |_| is_shown).map(|TagChange { key, from, to, .. }| EntryDifference {
            id: self.id.clone(),
            is_predicted: self.id.name.ends_with('*'),
            at: ObjectPath::parse(&self.at),
            key: key.clone(),
            from: from.clone(),
            to: to.clone(),
        })
    }
}

/// The objects whose tags differ, in the order of the new files.
pub(super) fn tags([old, new]: [&Fleet; 2], settings: [&Settings; 2]) -> Vec<TaggedObject> {
    if settings.iter().all(|it| it.cloud_tags.composites.is_empty() && it.cluster_api.cloud_tags.kinds.is_empty()) {
        return Vec::new();
    }
    let is_edited = |object: &FleetObject| match old.find(&object.id) {
        Some(stored) => stored.json != object.json && !is_same([&stored.value(), &object.value()]),
        None => true,
    };
    let objects: Vec<&FleetObject> = new.objects().collect();
    let edited = each(&objects, |object| is_edited(object).then_some(&object.id)).into_iter().flatten();
    let deleted: Vec<&FleetObject> = old.objects().filter(|object| new.find(&object.id).is_none()).collect();
    let edited: BTreeSet<&ObjectId> = edited.chain(deleted.iter().map(|object| &object.id)).collect();
    let [before, after] = settings.map(|settings| format!("{settings:?}"));
    let has_compositions = edited.iter().any(|id| is_of_crossplane(id));
    let change = Change { has_settings: before != after, has_compositions, edited, settings };
    if change.edited.is_empty() && !change.has_settings {
        return Vec::new();
    }
    let is_global = change.has_settings || change.edited.iter().any(|id| change.reaches_all(id));
    let has_clusters = settings.iter().any(|it| !it.cluster_api.cloud_tags.kinds.is_empty());
    let is_reached = |object: &&FleetObject| {
        let is_tagged = settings.iter().any(|it| it.cloud_tags.has_group(&object.id.group));
        let is_cluster = || object.id.group == CORE_GROUP && object.id.kind == "Cluster";
        (is_tagged || has_clusters && is_cluster()) && (is_global || change.is_in(object))
    };
    let reached: Vec<&FleetObject> = objects.into_iter().chain(deleted).filter(is_reached).collect();
    if reached.is_empty() {
        return Vec::new();
    }
    let sides = [Side::of(old, settings[0]), Side::of(new, settings[1])];
    each(&reached, |object| tagged(&object.id, &sides, &change)).into_iter().flatten().collect()
}

/// What a change is in.
struct Change<'c> {
    edited: BTreeSet<&'c ObjectId>,
    has_settings: bool,
    has_compositions: bool,
    settings: [&'c Settings; 2],
}

impl Change<'_> {
    /// Whether every composite may be reached: by a registry, a definition, a Composition, or a tenant.
    fn reaches_all(&self, id: &ObjectId) -> bool {
        id.group == "labels.plexsphere.com" || is_of_crossplane(id) || self.is_tenant(id)
    }

    fn is_tenant(&self, id: &ObjectId) -> bool {
        let tenants = self.settings.iter().filter_map(|it| it.cloud_tags.sources.tenant.as_ref());
        let name = [&*id.kind, ".", &*id.group].concat();
        tenants.into_iter().any(|tenant| *tenant.kind == *name)
    }

    /// Whether an object, its Namespace, or the infrastructure that it names is edited.
    fn is_in(&self, object: &FleetObject) -> bool {
        let namespace = namespace(&object.id);
        let named = || object.references();
        self.edited.contains(&object.id)
            || self.edited.contains(&namespace)
            || object.id.kind == "Cluster" && named().iter().any(|id| self.edited.contains(id))
    }

    /// What the change is in, of what an object is made from.
    fn because(&self, object: &ObjectId, of_composite: &[&str], compositions: &BTreeSet<String>) -> Vec<String> {
        let namespace = namespace(object);
        let is_cause = |id: &&&ObjectId| match (&*id.group, &*id.kind) {
            _ if **id == object || ***id == namespace || self.is_tenant(id) => true,
            ("labels.plexsphere.com", _) => true,
            (CROSSPLANE_GROUP, "CompositeResourceDefinition") => of_composite.contains(&&*id.name),
            (CROSSPLANE_GROUP, _) => compositions.contains(&id.name),
            _ => false,
        };
        let settings = self.has_settings.then(|| "the settings".to_owned());
        self.edited.iter().filter(is_cause).map(ToString::to_string).chain(settings).collect()
    }
}

/// Whether it is a definition or a Composition.
fn is_of_crossplane(id: &ObjectId) -> bool {
    id.group == CROSSPLANE_GROUP
}

fn namespace(id: &ObjectId) -> ObjectId {
    ObjectId::new("", "Namespace", "", &id.namespace)
}

/// What differs in one object; `None` if nothing does.
fn tagged(id: &ObjectId, [old, new]: &[Side<'_>; 2], change: &Change<'_>) -> Option<TaggedObject> {
    let former = old.fleet.find(id).and_then(|stored| Subject::of(old, stored));
    let subject = match new.fleet.find(id) {
        Some(object) => Some(Subject::of(new, object)?),
        None => None,
    };
    let before = former.as_ref().map(|former| old.stamped(former, None));
    let is_stopped = subject.as_ref().is_some_and(|subject| subject.is_claim && new.is_paused(id));
    let read = if is_stopped { former.as_ref().or(subject.as_ref()) } else { subject.as_ref() };
    let after = read.map(|subject| new.stamped(subject, former.as_ref().zip(before.as_ref())));
    let happens = match (&before, &after) {
        (None, _) => Happens::Created,
        (_, None) => Happens::Deleted,
        _ => Happens::Changed,
    };
    let subject = subject.as_ref().or(former.as_ref().filter(|former| former.is_composite()))?;
    let [before, after] = [before, after].map(Option::unwrap_or_default);
    let mut found = TaggedObject {
        id: subject.shown.clone(),
        at: format!("spec.{}", subject.field),
        is_claim: subject.is_claim,
        happens,
        because: Vec::new(),
        changes: Vec::new(),
        resources: Vec::new(),
        unknown: Vec::new(),
    };
    match (&before.obstacle, &after.obstacle) {
        (was, Some(obstacle)) if was.as_ref() != Some(obstacle) || before.composite != after.composite => {
            found.unknown.push(obstacle.clone());
        }
        (_, Some(_)) => return None,
        (Some(_), None) if happens == Happens::Deleted => return None,
        (_, None) => found.changes = changes(&before, &after, new.prefix()),
    }
    let mut used = BTreeSet::new();
    let is_composed_anew = before.composite != after.composite || change.has_compositions || change.has_settings;
    if subject.is_composite() && found.unknown.is_empty() && is_composed_anew {
        add_resources(&mut found, [(old, &before), (new, &after)], subject, &mut used);
    }
    if happens == Happens::Deleted {
        found.changes.iter_mut().for_each(|tag| tag.reason = "it is deleted".to_owned());
        found.unknown.clear();
    }
    let definitions = [old, new].map(|side| side.definition_name(&subject.id));
    let definitions: Vec<&str> = definitions.iter().flatten().copied().collect();
    found.because = change.because(id, &definitions, &used);
    (!found.changes.is_empty() || !found.resources.is_empty() || !found.unknown.is_empty()).then_some(found)
}

/// Adds the resources whose tags differ, or that are created or deleted with tags.
fn add_resources(
    found: &mut TaggedObject,
    [(old, before), (new, after)]: [(&Side<'_>, &Stamped); 2],
    subject: &Subject<'_>,
    used: &mut BTreeSet<String>,
) {
    let of = |side, happens, stamped: &Stamped, former| match found.happens {
        happened if happened == happens => ComposedResources::default(),
        _ => ComposedResources::of(side, &subject.id, &stamped.composite, former),
    };
    let was = of(old, Happens::Created, before, None);
    let is = of(new, Happens::Deleted, after, Some((old, &was)));
    used.extend(was.compositions.iter().chain(&is.compositions).cloned());
    let has_other_tags = !found.changes.is_empty();
    found.resources = differing_resources(&was, &is, has_other_tags, new);
    let is_new = |unknown: &&String| has_other_tags || !was.unknown.contains(*unknown);
    found.unknown = is.unknown.iter().filter(is_new).cloned().collect();
    if is.unknown.is_empty() {
        found.unknown = was.unknown.iter().map(|sentence| format!("before the change, {sentence}")).collect();
    }
}
