//! What a change does to cloud tags: to those of composites, of claims and of infrastructure clusters, and to those of
//! the managed resources that Compositions make.
//!
//! Only objects that the change may reach are evaluated: on both sides as the policy evaluates them.

mod composed;
mod definitions;
mod side;
mod stamped;

use std::collections::BTreeSet;

use composed_tags::NoEffect;
use metadata_propagation::Settings;
use metadata_propagation::cluster_api::CORE_GROUP;
use topology::ObjectPath;

use self::composed::{Comparison, ComposedResources, ENVIRONMENT, PAUSE_ENDS};
use self::side::Side;
use self::stamped::{Stamped, Subject, changes};
use super::same::is_same;
use super::{EntryDifference, Happens, WaitsFor};
use crate::each::each;
use crate::environment::CONFIG;
use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId};
use crate::selection::revision;

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
    /// What the tags of the object wait for.
    pub later: Option<WaitsFor>,
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
    /// The Composition, or the CompositionRevision.
    pub composition: ObjectId,
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
    /// Nothing.
    Never(NoEffect),
    /// It happens later.
    Waits(WaitsFor),
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

    /// The number of resources whose tags differ: of those that change now, or of those that wait.
    pub fn differing_resources(&self, waits: bool) -> u64 {
        let is_it = |resource: &&ReachedResource| {
            !resource.changes.is_empty() && matches!(resource.fate, TagFate::Waits(_)) == waits
        };
        let names: BTreeSet<&str> = self.kept_resources().filter(is_it).map(|resource| &*resource.name).collect();
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
        let is_shown = !self.is_claim && self.later.is_none() && self.happens == Happens::Changed;
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
    let is_edited =
        |object: &FleetObject| old.find(&object.id).is_none_or(|stored| !is_same([&stored.json, &object.json]));
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
    fn because(&self, object: &ObjectId, of_composite: &[&str], used: &BTreeSet<ObjectId>) -> Vec<String> {
        let namespace = namespace(object);
        let is_cause = |id: &&&ObjectId| match (&*id.group, &*id.kind) {
            _ if **id == object || ***id == namespace || self.is_tenant(id) => true,
            ("labels.plexsphere.com", _) => true,
            (CROSSPLANE_GROUP, "CompositeResourceDefinition") => of_composite.contains(&&*id.name),
            (CROSSPLANE_GROUP, _) => used.contains(id),
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

/// What differs in one object: now, and after the end of the pause of a claim.
fn tagged(id: &ObjectId, [old, new]: &[Side<'_>; 2], change: &Change<'_>) -> Vec<TaggedObject> {
    let [former, subject] = [old, new].map(|side| side.fleet.find(id).map(|object| Subject::of(side, object)));
    if matches!(subject, Some(None)) {
        return Vec::new();
    }
    let [former, subject] = [former.flatten(), subject.flatten()];
    let before = former.as_ref().map(|former| old.stamped(former, None));
    let stored = former.as_ref().zip(before.as_ref());
    let after = subject.as_ref().map(|subject| new.stamped(subject, stored));
    let Some(shown) = subject.as_ref().or(former.as_ref().filter(|former| former.is_composite())) else {
        return Vec::new();
    };
    let compared = |sides, later| Difference { id, subject: shown, sides, change, later }.tagged();
    let is_edited = change.edited.contains(id);
    if shown.is_claim && shown.is_paused && is_edited {
        // What is edited in the claim is not copied to its composite.
        let kept = stored.map(|(former, _)| new.stamped(former, stored));
        let now = compared([(old, before.as_ref()), (new, kept.as_ref())], None);
        let later = compared([(new, kept.as_ref()), (new, after.as_ref())], Some(WaitsFor::Pause));
        let mut found: Vec<TaggedObject> = now.into_iter().chain(later).collect();
        let own = id.to_string();
        found.iter_mut().for_each(|it| it.because.retain(|cause| (*cause == own) == it.later.is_some()));
        return found;
    }
    // Crossplane does not write a composite that is paused, so that what others have does not reach its tags.
    let later = (shown.is_paused && !shown.is_claim && !is_edited).then_some(WaitsFor::Pause);
    let mut found = compared([(old, before.as_ref()), (new, after.as_ref())], later);
    if former.is_some_and(|former| former.is_paused) && subject.is_some_and(|subject| !subject.is_paused) {
        found.iter_mut().for_each(|found| found.unknown.push(PAUSE_ENDS.to_owned()));
    }
    found.into_iter().collect()
}

/// One object on two sides.
struct Difference<'d> {
    id: &'d ObjectId,
    subject: &'d Subject<'d>,
    sides: [(&'d Side<'d>, Option<&'d Stamped>); 2],
    change: &'d Change<'d>,
    later: Option<WaitsFor>,
}

impl Difference<'_> {
    /// `None` if nothing differs.
    fn tagged(&self) -> Option<TaggedObject> {
        let Difference { subject, sides: [(old, before), (new, after)], change, .. } = self;
        let happens = match (before, after) {
            (None, None) => return None,
            (None, _) => Happens::Created,
            (_, None) => Happens::Deleted,
            _ => Happens::Changed,
        };
        let none = Stamped::default();
        let [before, after] = [before, after].map(|stamped| stamped.unwrap_or(&none));
        let mut found = TaggedObject {
            id: subject.shown.clone(),
            at: format!("spec.{}", subject.field),
            is_claim: subject.is_claim,
            happens,
            later: self.later,
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
            (_, None) => found.changes = changes(before, after, new.prefix()),
        }
        let definitions = [old, new].map(|side| side.definition_name(&subject.id));
        if let ([Some(name), None], Happens::Changed) = (definitions, happens) {
            let sentence = "is deleted, and Crossplane deletes this object with its resources";
            found.unknown.push(format!("CompositeResourceDefinition `{name}` {sentence}"));
        }
        let is_composed_anew = before.composite != after.composite || change.has_compositions || change.has_settings;
        let is_composed = subject.is_composite() && found.unknown.is_empty() && is_composed_anew;
        let composed = is_composed.then(|| self.composed([before, after], happens));
        let definitions: Vec<&str> = definitions.iter().flatten().copied().collect();
        let used = composed.iter().flatten().flat_map(|side| side.used.iter().cloned()).collect();
        found.because = change.because(self.id, &definitions, &used);
        if let Some([was, is]) = &composed {
            self.add_resources(&mut found, [was, is]);
        }
        if happens == Happens::Deleted {
            found.changes.iter_mut().for_each(|tag| tag.reason = "it is deleted".to_owned());
            found.unknown.clear();
        }
        (!found.changes.is_empty() || !found.resources.is_empty() || !found.unknown.is_empty()).then_some(found)
    }

    /// The resources on both sides.
    fn composed(&self, [before, after]: [&Stamped; 2], happens: Happens) -> [ComposedResources; 2] {
        let [(old, _), (new, _)] = self.sides;
        let of = |side, no, stamped, former| match happens {
            happens if happens == no => ComposedResources::default(),
            _ => ComposedResources::of(side, &self.subject.id, stamped, former),
        };
        let was = of(old, Happens::Created, before, None);
        let is = of(new, Happens::Deleted, after, Some((old, &was)));
        [was, is]
    }

    /// Whether a composite stayed at a revision before the change, and nothing says at which.
    fn is_at_unknown_revision(&self, happens: Happens) -> bool {
        let [(old, before), (_, after)] = self.sides;
        let is_manual = |stamped: &&Stamped| old.is_manual(&stamped.composite, &self.subject.id);
        let has_none = |stamped: &&Stamped| revision(&stamped.composite).is_none();
        happens == Happens::Changed && [before, after].iter().all(|it| it.filter(is_manual).filter(has_none).is_some())
    }

    /// Adds the resources whose tags differ, or that are created or deleted with tags.
    fn add_resources(&self, found: &mut TaggedObject, [was, is]: [&ComposedResources; 2]) {
        let [_, (new, _)] = self.sides;
        let has_other_tags = !found.changes.is_empty();
        let is_later = self.later.is_some();
        let has_order = found.because.len() > 1 && !is_later;
        // The one that is read, or any if it is not known which one is.
        let read: BTreeSet<&ObjectId> = was.used.iter().chain(&is.used).filter(|id| id.kind == CONFIG).collect();
        let is_config = |id: &&&ObjectId| is_of_crossplane(id) && id.kind == CONFIG;
        let mut configs = self.change.edited.iter().filter(is_config);
        let environment = configs.find(|id| read.is_empty() || read.contains(*id));
        let has_environment = environment.is_some();
        let comparison =
            Comparison { before: was, after: is, has_other_tags, has_order, is_later, has_environment, side: new };
        found.resources = comparison.differing();
        let is_of_environment = |resource: &ReachedResource| resource.fate == TagFate::CannotTell(ENVIRONMENT.into());
        if found.resources.iter().any(is_of_environment) {
            let title = environment.map(ToString::to_string).filter(|title| !found.because.contains(title));
            found.because.extend(title);
        }
        if self.is_at_unknown_revision(found.happens) {
            for resource in &mut found.resources {
                let name = &resource.composition.name;
                let reason = format!("which revision of Composition `{name}` the composite has is not in these files");
                resource.fate = TagFate::CannotTell(reason);
            }
        }
        let is_new = |unknown: &&String| has_other_tags || !was.unknown.contains(*unknown);
        found.unknown = is.unknown.iter().filter(is_new).cloned().collect();
        if is.unknown.is_empty() {
            found.unknown = was.unknown.iter().map(|sentence| format!("before the change, {sentence}")).collect();
        }
    }
}
