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
use super::{EntryDifference, is_same};
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
    /// Whether it is new, with everything that is made from it.
    pub is_created: bool,
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
    /// Nothing: the provider sets them only when it creates the cloud's resource.
    Never,
    /// The provider, the API server or the cloud refuses them.
    Refused(String),
    /// It is not known.
    CannotTell(String),
}

impl TaggedObject {
    /// Whether a tag is lost or changes, of the object or of a resource.
    pub fn is_lost_or_changed(&self) -> bool {
        let of_resources = self.resources.iter().flat_map(|resource| &resource.changes);
        self.changes.iter().chain(of_resources).any(|change| change.from.is_some())
    }

    /// The number of resources whose tags differ.
    pub fn differing_resources(&self) -> u64 {
        let differing = self.resources.iter().filter(|resource| !resource.changes.is_empty());
        let names: BTreeSet<&str> = differing.map(|resource| &*resource.name).collect();
        names.into_iter().map(|_| 1).sum()
    }

    /// The number of objects, this one and resources, of which it is not known what becomes of their tags.
    pub fn unknown(&self) -> u64 {
        let is_unknown = |resource: &&ReachedResource| matches!(resource.fate, TagFate::CannotTell(_));
        let resources = self.resources.iter().filter(is_unknown).map(|_| 1);
        resources.chain(self.unknown.first().map(|_| 1)).sum()
    }

    /// The tags that differ as entries of an object; none of a claim, which has no tags itself, and of a new object.
    pub fn entries(&self) -> impl Iterator<Item = EntryDifference> {
        let is_shown = !self.is_claim && !self.is_created;
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
    let deleted = old.objects().map(|object| &object.id).filter(|id| new.find(id).is_none());
    let edited: BTreeSet<&ObjectId> = edited.chain(deleted).collect();
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
    let reached: Vec<&FleetObject> = objects.into_iter().filter(is_reached).collect();
    if reached.is_empty() {
        return Vec::new();
    }
    let sides = [Side::of(old, settings[0]), Side::of(new, settings[1])];
    each(&reached, |object| tagged(object, &sides, &change)).into_iter().flatten().collect()
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
fn tagged(object: &FleetObject, [old, new]: &[Side<'_>; 2], change: &Change<'_>) -> Option<TaggedObject> {
    let subject = Subject::of(new, object)?;
    let former = old.fleet.find(&object.id).and_then(|stored| Subject::of(old, stored));
    let before = former.as_ref().map(|former| old.stamped(former, None));
    let after = new.stamped(&subject, former.as_ref().zip(before.as_ref()));
    let is_created = before.is_none();
    let before = before.unwrap_or_default();
    let mut found = TaggedObject {
        id: subject.shown.clone(),
        at: format!("spec.{}", subject.field),
        is_claim: subject.is_claim,
        is_created,
        because: Vec::new(),
        changes: Vec::new(),
        resources: Vec::new(),
        unknown: Vec::new(),
    };
    match &after.obstacle {
        Some(obstacle) if before.obstacle.as_ref() != Some(obstacle) || before.composite != after.composite => {
            found.unknown.push(obstacle.clone());
        }
        Some(_) => return None,
        None => found.changes = changes(&before, &after, new.prefix()),
    }
    let mut used = BTreeSet::new();
    let is_composed_anew = before.composite != after.composite || change.has_compositions || change.has_settings;
    if subject.is_composite() && !is_created && found.unknown.is_empty() && is_composed_anew {
        add_resources(&mut found, [(old, &before), (new, &after)], &subject, &mut used);
    }
    let definitions = [old, new].map(|side| side.definition_name(&subject.id));
    let definitions: Vec<&str> = definitions.iter().flatten().copied().collect();
    found.because = change.because(&object.id, &definitions, &used);
    (!found.changes.is_empty() || !found.resources.is_empty() || !found.unknown.is_empty()).then_some(found)
}

/// Adds the resources whose tags differ.
fn add_resources(
    found: &mut TaggedObject,
    [(old, before), (new, after)]: [(&Side<'_>, &Stamped); 2],
    subject: &Subject<'_>,
    used: &mut BTreeSet<String>,
) {
    // A composite that stays at its revision has the Composition that it had.
    let of_after = if subject.is_manual(after) { old } else { new };
    let was = ComposedResources::of(old, &subject.id, before);
    let is = ComposedResources::of(of_after, &subject.id, after);
    used.extend(was.compositions.iter().chain(&is.compositions).cloned());
    let has_other_tags = !found.changes.is_empty();
    found.resources = differing_resources(&was, &is, has_other_tags, new);
    let is_new = |unknown: &&String| has_other_tags || !was.unknown.contains(*unknown);
    found.unknown = is.unknown.iter().filter(is_new).cloned().collect();
    if is.unknown.is_empty() {
        found.unknown = was.unknown.iter().map(|sentence| format!("before the change, {sentence}")).collect();
    }
}
