//! Objects with everything that propagates to them, and the objects below them that controllers would create.

mod claims;
mod completion;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use metadata_propagation::cluster_api::CORE_GROUP;
use metadata_propagation::{Cluster, Get, Guards, LookupCause, LookupError, Mode, Settings};
use topology::WORKERS;

use self::completion::{Completing, Wants};
use crate::each::each;
use crate::fleet::Fleet;
use crate::member::Member;
use crate::object::{FleetObject, ObjectId, Origin, group_and_version};
use crate::predicted::{Maker, makes_others, predicted};
use crate::relations::{parent, references, related, topology_entries};
use crate::shared::Shared;
use crate::templates::TemplateEvaluation;
use crate::written::ObjectText;

/// The objects of a fleet from the top down, completed by the rules.
///
/// If controllers create objects from one and none of those is in the files, one is predicted: with what propagates to
/// it, and nothing else.
#[derive(Debug, Default)]
pub struct Hierarchy {
    members: Vec<Member>,
    /// Looked up, and never listed.
    by_id: HashMap<ObjectId, usize>,
}

/// This number of objects is evaluated before equal values are shared: answers take more memory than objects.
const AT_ONCE: usize = 2048;

impl Hierarchy {
    /// Completes the objects of a fleet from the top down.
    pub fn of(fleet: &Fleet, settings: &Settings) -> Hierarchy {
        Hierarchy::built(fleet, settings, Wants::Carried, None)
    }

    /// Like [`Hierarchy::of`], with the composites that Crossplane makes of claims: for callers that show objects.
    pub fn with_composites(fleet: &Fleet, settings: &Settings) -> Hierarchy {
        Hierarchy::built(fleet, settings, Wants::Composites, None)
    }

    /// Like [`Hierarchy::of`], for callers that need the changes in objects, and not everything they must carry.
    pub(crate) fn of_changes(fleet: &Fleet, settings: &Settings) -> Hierarchy {
        Hierarchy::built(fleet, settings, Wants::Changes, None)
    }

    /// Like [`Hierarchy::of`], without reports, for a comparison with another one. If the fleet replaces another one with
    /// the same settings, what propagated before to an object in the files, and no longer does, is removed by its controller.
    pub(crate) fn compared(fleet: &Fleet, settings: &Settings, before: Option<&Hierarchy>) -> Hierarchy {
        Hierarchy::built(fleet, settings, Wants::Differences, before)
    }

    fn built(fleet: &Fleet, settings: &Settings, wants: Wants, before: Option<&Hierarchy>) -> Hierarchy {
        // Guards are off here; only missing entries matter.
        let settings = &Settings { mode: Mode::Mutate, guards: Guards::ignored(), ..settings.clone() };
        let templates = TemplateEvaluation::of(fleet.objects(), settings);
        let completing = Completing { settings, wants, templates, before };
        let mut hierarchy = Hierarchy::of_written(fleet);
        // The sources of an object are complete before it is evaluated, and objects on one level do not read each
        // other.
        let mut level: Vec<usize> = hierarchy.roots().collect();
        while !level.is_empty() {
            let mut latest = BTreeMap::new();
            for some in level.chunks(AT_ONCE) {
                let completions = each(some, |number| hierarchy.completion(*number, &completing));
                for (number, completion) in some.iter().zip(completions) {
                    hierarchy.complete(*number, completion, &mut latest);
                    hierarchy.drop_former(*number, before);
                }
            }
            let made = each(&level, |number| hierarchy.predicted(*number));
            for (number, made) in level.iter().zip(made) {
                hierarchy.add_predicted(*number, made);
            }
            if let Wants::Composites = wants {
                hierarchy.add_composites(&level, &completing.templates);
            }
            let read = each(&level, |number| hierarchy.members.get(*number).and_then(Member::as_read));
            for (number, read) in level.iter().zip(read) {
                if let Some(member) = hierarchy.members.get_mut(*number) {
                    member.read = read;
                }
            }
            let below = |number: &usize| hierarchy.members.get(*number).map_or(&[][..], |member| &member.children);
            level = level.iter().flat_map(below).copied().collect();
        }
        hierarchy
    }

    /// The objects of a fleet and their relations, before anything is completed.
    fn of_written(fleet: &Fleet) -> Hierarchy {
        let mut hierarchy = Hierarchy::default();
        let objects: Vec<&FleetObject> = fleet.objects().collect();
        // Values are large: only the relations of all objects are kept.
        let relations = each(&objects, |object| {
            let written = related(&object.json);
            (parent(&object.id, &written), references(&object.id, &written), topology_entries(&written))
        });
        for (object, (.., entries)) in objects.into_iter().zip(&relations) {
            hierarchy.add(object, Some(object.origin.clone()), entries.clone());
        }
        for (further, name) in fleet.further() {
            if let Some(number) = hierarchy.number(name) {
                hierarchy.by_id.insert(further.clone(), number);
            }
        }
        let named: BTreeMap<&ObjectId, usize> = (relations.iter().enumerate())
            .flat_map(|(number, (_, references, _))| references.iter().map(move |id| (id, number)))
            .collect();
        for (number, (parent, ..)) in relations.iter().enumerate() {
            let parent = parent.as_ref().and_then(|parent| hierarchy.number(parent));
            let id = hierarchy.members.get(number).map(|member| &member.id);
            let parent = parent.or_else(|| named.get(id?).copied());
            hierarchy.relate(number, parent);
        }
        hierarchy
    }

    /// The objects, in the order of the files, predicted ones last.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// One object by its number.
    pub fn member(&self, number: usize) -> Option<&Member> {
        self.members.get(number)
    }

    /// The objects without anything above them.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().enumerate();
        members.filter(|(_, member)| member.parent.is_none()).map(|(number, _)| number)
    }

    /// The numbers of all objects, each before those below it.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut next: Vec<usize> = self.roots().collect();
        next.reverse();
        while let Some(number) = next.pop() {
            order.push(number);
            next.extend(self.members.get(number).into_iter().flat_map(|member| member.children.iter().rev()));
        }
        order
    }

    /// Adds an object, and returns its number.
    fn add(&mut self, object: &FleetObject, origin: Option<Origin>, entries: Vec<(&'static str, String)>) -> usize {
        let number = self.members.len();
        self.by_id.insert(object.id.clone(), number);
        self.members.push(Member {
            id: object.id.clone(),
            origin,
            parent: None,
            children: Vec::new(),
            written: ObjectText::new(Arc::clone(&object.json)),
            carried: Shared::default(),
            unknown: None,
            report: Shared::default(),
            topology_entries: entries,
            version: object.version.clone(),
            rejection: None,
            completed: None,
            reads: Vec::new(),
            read: None,
            node: None,
        });
        number
    }

    /// Puts an object below another, unless it already is.
    fn relate(&mut self, number: usize, parent: Option<usize>) {
        let mut above = parent;
        while let Some(ancestor) = above {
            if ancestor == number {
                return;
            }
            above = self.members.get(ancestor).and_then(|member| member.parent);
        }
        let Some(parent) = parent else { return };
        if let Some(member) = self.members.get_mut(number) {
            member.parent = Some(parent);
        }
        if let Some(above) = self.members.get_mut(parent) {
            above.children.push(number);
        }
    }

    /// The number of an object.
    pub(crate) fn number(&self, id: &ObjectId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The object of a name.
    pub(crate) fn find(&self, id: &ObjectId) -> Option<&Member> {
        self.member(self.number(id)?)
    }

    /// The text of an object as others read it.
    fn read(&self, get: &Get) -> Result<&str, LookupError> {
        let version = group_and_version(&get.api_version).1;
        let cause = match self.find(&ObjectId::of(get)) {
            Some(member) if member.version == version => return Ok(member.text_for_others()),
            Some(_) => LookupCause::NotServed,
            None => LookupCause::NotFound,
        };
        Err(LookupError { cause, detail: get.to_string() })
    }

    /// An object and everything that is created from it.
    pub(crate) fn downwards(&self, number: usize) -> impl Iterator<Item = &Member> {
        let mut next = vec![number];
        std::iter::from_fn(move || {
            let member = self.member(next.pop()?)?;
            next.extend(&member.children);
            Some(member)
        })
    }

    /// An object and those above it, from the nearest on.
    pub(crate) fn upwards<'h>(&'h self, member: &'h Member) -> impl Iterator<Item = &'h Member> {
        std::iter::successors(Some(member), |member| self.member(member.parent?))
    }

    /// How many objects one represents: a predicted Machine, and its dependents, represent all Machines of the owner.
    pub(crate) fn represented_by(&self, id: &ObjectId) -> u64 {
        let mut next = self.number(id);
        while let Some(member) = next.and_then(|number| self.members.get(number)).filter(|it| it.origin.is_none()) {
            let mut owner = member.parent.and_then(|parent| self.members.get(parent));
            if member.id.kind == "Machine" {
                // A predicted MachineSet has the replicas of its MachineDeployment.
                while let Some(set) = owner.filter(|it| it.origin.is_none() && it.id.kind == "MachineSet") {
                    owner = set.parent.and_then(|parent| self.members.get(parent));
                }
                return owner.and_then(Member::replicas).unwrap_or(1);
            }
            next = member.parent;
        }
        1
    }

    /// The name of the Cluster above an object; empty where there is none.
    fn cluster_of(&self, number: usize) -> &str {
        let is_cluster = |member: &&Member| member.id.group == CORE_GROUP && member.id.kind == "Cluster";
        let member = self.members.get(number);
        member.and_then(|member| self.upwards(member).find(is_cluster)).map_or("", |cluster| &cluster.id.name)
    }

    /// The objects that would be created from an object in addition to existing ones.
    fn predicted(&self, number: usize) -> Vec<FleetObject> {
        let Some(member) = self.members.get(number).filter(|member| makes_others(&member.id)) else {
            return Vec::new();
        };
        let completed = member.completed();
        let children: Vec<&Member> = member.children.iter().filter_map(|child| self.members.get(*child)).collect();
        let class = member.parent.and_then(|class| self.members.get(class)).map(|class| &*class.written);
        predicted(&Maker {
            id: &member.id,
            version: &member.version,
            object: &completed,
            class,
            cluster: self.cluster_of(number),
            children: &children,
            find: &|id| Some(&*self.find(id)?.written),
        })
    }

    fn add_predicted(&mut self, number: usize, made: Vec<FleetObject>) {
        for object in made {
            if self.number(&object.id).is_some() {
                continue;
            }
            let is_of_entry = WORKERS.iter().any(|kind| object.json.contains(kind.label));
            let entries = if is_of_entry { topology_entries(&related(&object.json)) } else { Vec::new() };
            let added = self.add(&object, None, entries);
            self.relate(added, Some(number));
            if let Some(member) = self.members.get_mut(number).filter(|_| object.id.kind == "Node") {
                member.node = Some(object.id.name);
            }
        }
    }
}

impl Cluster for Hierarchy {
    /// The hierarchy as a fleet, with objects as they are stored after the policy has completed them.
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        self.read(get).map(str::to_owned)
    }
}
