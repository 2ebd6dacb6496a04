//! Objects with all that the rules bring them, and the objects below them that controllers would make.

use std::collections::BTreeMap;

use metadata_propagation::{
    Cluster, Get, Guards, LookupCause, LookupError, Mode, NotApplicable, Propagated, Report, Review, Settings, Users,
    evaluate, propagated,
};
use serde_json::{Value, json};

use crate::each::each;
use crate::fleet::Fleet;
use crate::foretold::{Foretold, SUFFIX, foretold, makes_others};
use crate::object::{Object, ObjectId, Origin, group_and_version};
use crate::plan::replicas;
use crate::relations::{parent, references};

/// The objects of a fleet from the top down, completed by the rules.
///
/// Where an object stands that controllers make others from, and none of those is among the files, there is one that is
/// foretold: with what the rules bring it, and nothing else.
#[derive(Debug, Default)]
pub struct World {
    members: Vec<Member>,
    by_id: BTreeMap<ObjectId, usize>,
}

/// One object of a [`World`].
#[derive(Debug)]
pub struct Member {
    /// What it is called.
    pub id: ObjectId,
    /// Where it was found; `None` where it is foretold.
    pub origin: Option<Origin>,
    /// What it is made from, by number.
    pub parent: Option<usize>,
    /// What is made from it, by number.
    pub children: Vec<usize>,
    /// The object as it is written.
    pub written: Value,
    /// What it has to carry, as far as it is known.
    pub carried: Vec<Propagated>,
    /// Why that is not known.
    pub unknown: Option<NotApplicable>,
    /// What the policy says of it besides.
    pub report: Report,
    version: String,
    /// The object as it is stored once the policy has completed it.
    json: String,
    /// Of a Machine: the name of its predicted Node.
    node: Option<String>,
}

impl World {
    /// Completes the objects of a fleet, the highest first.
    #[must_use]
    pub fn of(fleet: &Fleet, settings: &Settings) -> World {
        World::built(fleet, settings, Wants::Carried, None)
    }

    /// As [`World::of`], for those who ask what changes in objects, and not what they have to carry.
    #[must_use]
    pub(crate) fn of_changes(fleet: &Fleet, settings: &Settings) -> World {
        World::built(fleet, settings, Wants::Changes, None)
    }

    /// As [`World::of`], when the fleet takes the place of another one: what propagated before to an object that is among the
    /// files, and does not propagate any more, its controller removes.
    #[must_use]
    pub fn after(before: &World, fleet: &Fleet, settings: &Settings) -> World {
        World::built(fleet, settings, Wants::Carried, Some(before))
    }

    fn built(fleet: &Fleet, settings: &Settings, wants: Wants, before: Option<&World>) -> World {
        // What guards refuse is checked elsewhere: here every object is told what it lacks.
        let settings = Settings { mode: Mode::Mutate, guards: silent(), ..settings.clone() };
        let mut world = World::default();
        let objects: Vec<&Object> = fleet.objects().collect();
        let read = each(&objects, |object| serde_json::from_str(&object.json).unwrap_or_default());
        for (object, written) in objects.into_iter().zip(read) {
            world.add(object, written, Some(object.origin.clone()), None);
        }
        for (further, name) in fleet.further() {
            if let Some(number) = world.find(name) {
                world.by_id.insert(further.clone(), number);
            }
        }
        let named: BTreeMap<ObjectId, usize> = (world.members.iter().enumerate())
            .flat_map(|(number, member)| {
                references(&member.id, &member.written).into_iter().map(move |id| (id, number))
            })
            .collect();
        let relations: Vec<Option<usize>> = (world.members.iter())
            .map(|member| {
                let parent = parent(&member.id, &member.written).and_then(|parent| world.find(&parent));
                parent.or_else(|| named.get(&member.id).copied())
            })
            .collect();
        for (number, parent) in relations.iter().enumerate() {
            world.relate(number, *parent);
        }
        // What an object is made from is complete before the object is evaluated, and those of one level do not read each other.
        let mut level: Vec<usize> = world.roots().collect();
        while !level.is_empty() {
            let completions = each(&level, |number| world.completion(*number, (&settings, wants)));
            for (number, completion) in level.iter().zip(completions) {
                world.complete(*number, completion);
                if let Some(before) = before {
                    world.drop_former(*number, before);
                }
            }
            let made = each(&level, |number| world.foretold(*number));
            for (number, made) in level.iter().zip(made) {
                world.foretell(*number, made);
            }
            let below = |number: &usize| world.members.get(*number).map_or(&[][..], |member| &member.children);
            level = level.iter().flat_map(below).copied().collect();
        }
        world
    }

    /// The objects, in the order of the files, foretold ones last.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// One object by its number.
    #[must_use]
    pub fn member(&self, number: usize) -> Option<&Member> {
        self.members.get(number)
    }

    /// The objects that nothing is above.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().enumerate();
        members.filter(|(_, member)| member.parent.is_none()).map(|(number, _)| number)
    }

    /// The numbers of all objects, each before what is below it.
    #[must_use]
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

    fn find(&self, id: &ObjectId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    fn add(&mut self, object: &Object, written: Value, origin: Option<Origin>, parent: Option<usize>) -> usize {
        let number = self.members.len();
        self.by_id.insert(object.id.clone(), number);
        self.members.push(Member {
            id: object.id.clone(),
            origin,
            parent: None,
            children: Vec::new(),
            written,
            carried: Vec::new(),
            unknown: None,
            report: Report::default(),
            version: object.version.clone(),
            json: object.json.clone(),
            node: None,
        });
        self.relate(number, parent);
        number
    }

    /// Puts an object below another, unless that stands below it already.
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

    /// What the policy makes of an object.
    fn completion(&self, number: usize, (settings, wants): (&Settings, Wants)) -> Option<Completion> {
        let member = self.members.get(number)?;
        let object = Object {
            id: member.id.clone(),
            version: member.version.clone(),
            json: member.json.clone(),
            origin: Origin { source: 0, document: 0..0, item: None },
        };
        let review: Review<'_> = object.review();
        let outcome = evaluate(&review, settings, self);
        let carried = match wants {
            Wants::Carried => propagated(&review, settings, self),
            Wants::Changes => Ok(Vec::new()),
        };
        Some(Completion { json: outcome.object, report: outcome.report.unwrap_or_default(), carried })
    }

    fn complete(&mut self, number: usize, completion: Option<Completion>) {
        let (Some(member), Some(completion)) = (self.members.get_mut(number), completion) else { return };
        if let Some(json) = completion.json {
            member.json = json;
        }
        member.report = completion.report;
        match completion.carried {
            Ok(carried) => member.carried = carried,
            Err(reason) => member.unknown = Some(reason),
        }
    }

    /// Removes labels and annotations that the rules brought in another world and do not bring in this one. Below a control
    /// plane of others no controller removes them.
    fn drop_former(&mut self, number: usize, before: &World) {
        let Some(member) = self.members.get(number) else { return };
        let Some(former) = before.number(&member.id).and_then(|number| before.member(number)) else { return };
        let owner = member.parent.and_then(|parent| self.members.get(parent)).map(|parent| &parent.id);
        let is_of_others =
            owner.is_some_and(|id| id.group == "controlplane.cluster.x-k8s.io" && id.kind != "KubeadmControlPlane");
        if is_of_others || member.origin.is_none() || member.unknown.is_some() {
            return;
        }
        let is_gone = |entry: &&Propagated| {
            let is_kept = |kept: &Propagated| (&kept.at, &kept.key) == (&entry.at, &entry.key);
            ["label", "annotation"].contains(&entry.entry) && !member.carried.iter().any(is_kept)
        };
        let pointer = |at: &str| format!("/{}", at.replace('.', "/"));
        let mut object = member.completed();
        let mut is_changed = false;
        for entry in former.carried.iter().filter(is_gone) {
            let value = entry.value.plain();
            let map = object.pointer_mut(&pointer(&entry.at)).and_then(Value::as_object_mut);
            if let Some(map) = map.filter(|map| map.get(&entry.key).and_then(Value::as_str) == Some(&*value)) {
                map.remove(&entry.key);
                is_changed = true;
            }
        }
        if is_changed && let Some(member) = self.members.get_mut(number) {
            member.json = object.to_string();
        }
    }

    /// The number of an object.
    pub(crate) fn number(&self, id: &ObjectId) -> Option<usize> {
        self.find(id)
    }

    /// How many objects one stands for: a predicted Machine, and what is made for it, for all of its owner.
    pub(crate) fn stands_for(&self, id: &ObjectId) -> u64 {
        let mut next = self.find(id);
        while let Some(member) = next.and_then(|number| self.members.get(number)).filter(|it| it.origin.is_none()) {
            let mut owner = member.parent.and_then(|parent| self.members.get(parent));
            if member.id.kind == "Machine" {
                // A predicted MachineSet has the replicas of its MachineDeployment.
                while let Some(set) = owner.filter(|it| it.origin.is_none() && it.id.kind == "MachineSet") {
                    owner = set.parent.and_then(|parent| self.members.get(parent));
                }
                return owner.and_then(replicas).unwrap_or(1);
            }
            next = member.parent;
        }
        1
    }

    /// The name of the Cluster above an object; empty where there is none.
    fn cluster_of(&self, number: usize) -> &str {
        let mut next = self.members.get(number);
        while let Some(member) = next {
            if member.id.group == "cluster.x-k8s.io" && member.id.kind == "Cluster" {
                return &member.id.name;
            }
            next = member.parent.and_then(|parent| self.members.get(parent));
        }
        ""
    }

    /// What would be made from an object besides what is there.
    fn foretold(&self, number: usize) -> Vec<Object> {
        let Some(member) = self.members.get(number).filter(|member| makes_others(&member.id)) else {
            return Vec::new();
        };
        let completed = member.completed();
        let children: Vec<&Member> = member.children.iter().filter_map(|child| self.members.get(*child)).collect();
        let class = member.parent.and_then(|class| self.members.get(class)).map(|class| &class.written);
        foretold(&Foretold {
            id: &member.id,
            version: &member.version,
            object: &completed,
            class,
            cluster: self.cluster_of(number),
            children: &children,
        })
    }

    fn foretell(&mut self, number: usize, made: Vec<Object>) {
        for object in made {
            if self.find(&object.id).is_some() {
                continue;
            }
            let written = serde_json::from_str(&object.json).unwrap_or_default();
            self.add(&object, written, None, Some(number));
            if let Some(member) = self.members.get_mut(number).filter(|_| object.id.kind == "Node") {
                member.node = Some(object.id.name);
            }
        }
    }
}

/// What a world is asked for.
#[derive(Debug, Clone, Copy)]
enum Wants {
    /// Everything that objects have to carry.
    Carried,
    /// What changes in them.
    Changes,
}

/// What the policy makes of an object.
struct Completion {
    /// The object, where it changes.
    json: Option<String>,
    report: Report,
    carried: Result<Vec<Propagated>, NotApplicable>,
}

impl Member {
    /// The version of its kind, such as `v1beta2`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The text of the object as it is stored once the policy has completed it.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// The object as it is stored once the policy has completed it.
    #[must_use]
    pub fn completed(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// The object as others read it. A Machine names the Node that is predicted for it. A predicted name is one that
    /// labels can have: what a controller appends to it, they can.
    fn read(&self) -> String {
        let name = self.id.name.strip_suffix(SUFFIX).filter(|_| self.origin.is_none());
        if name.is_none() && self.node.is_none() {
            return self.json.clone();
        }
        let mut object = self.completed();
        if let (Some(name), Some(metadata)) = (name, object.get_mut("metadata").and_then(Value::as_object_mut)) {
            metadata.insert("name".to_owned(), json!(format!("{name}x")));
        }
        if let (Some(node), Some(fields)) = (&self.node, object.as_object_mut()) {
            let status = fields.entry("status").or_insert_with(|| json!({}));
            if let Some(status) = status.as_object_mut() {
                status.insert("nodeRef".to_owned(), json!({ "name": node }));
            }
        }
        object.to_string()
    }
}

impl Cluster for World {
    /// As a fleet, with objects as they are stored once the policy has completed them.
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let version = group_and_version(&get.api_version).1;
        let cause = match self.find(&ObjectId::of(get)).and_then(|number| self.members.get(number)) {
            Some(member) if member.version == version => return Ok(member.read()),
            Some(_) => LookupCause::NotServed,
            None => LookupCause::NotFound,
        };
        Err(LookupError { cause, detail: get.to_string() })
    }
}

/// No guard rails.
pub(crate) fn silent() -> Guards {
    use metadata_propagation::Stance::Ignore;
    Guards {
        selector_labels: Ignore,
        selector_change: Ignore,
        adoption: Ignore,
        reserved_keys: Ignore,
        template_keys: Ignore,
        node_unreachable: Ignore,
        exempt_by: Users::default(),
    }
}
