//! The Machines that an edit or a deletion affects.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::{CONTROL_PLANE_GROUP, CORE_GROUP};
use topology::{DEPLOYMENTS, POOLS, TopologyOwner};

use super::path::{EditPath, EditPlace, EditedPart};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::workers::{Worker, workers};

/// Machines: those in the files, and for each owner without any the number of its replicas, if it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machines {
    /// Those in the files.
    pub named: BTreeSet<ObjectId>,
    /// By owner, if none of its Machines is in the files.
    pub predicted: BTreeMap<ObjectId, u64>,
    /// The owners without any in the files, and with a number of replicas that is not in the files.
    pub uncounted: BTreeSet<ObjectId>,
}

/// The part of a Cluster, or of the Clusters of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    ControlPlane,
    /// The entry of a topology: its list and its name.
    Entry(&'static str, String),
    /// What is created from parts of a class: the control plane, and workers of these classes. Each has its list,
    /// because names are unique only within it.
    Class {
        control_plane: bool,
        workers: BTreeSet<(&'static str, String)>,
        /// A field of these classes: an entry of a topology that has it overrides the class.
        field: Option<EditPath>,
    },
}

impl Machines {
    pub(super) const NONE: Machines =
        Machines { named: BTreeSet::new(), predicted: BTreeMap::new(), uncounted: BTreeSet::new() };

    /// The number of Machines, without those of owners that do not say how many they have.
    pub fn count(&self) -> u64 {
        let named = u64::try_from(self.named.len()).unwrap_or(u64::MAX);
        self.predicted.values().fold(named, |sum, number| sum.saturating_add(*number))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0 && self.uncounted.is_empty()
    }

    /// Adds others; those that are in both count once.
    pub(super) fn add(&mut self, others: &Machines) {
        self.named.extend(others.named.iter().cloned());
        self.predicted.extend(others.predicted.iter().map(|(owner, number)| (owner.clone(), *number)));
        self.uncounted.extend(others.uncounted.iter().cloned());
    }

    /// Whether it includes all of the others.
    pub(super) fn have(&self, others: &Machines) -> bool {
        others.count() > 0
            && self.named.is_superset(&others.named)
            && others.predicted.keys().all(|owner| self.predicted.contains_key(owner))
    }

    /// Removes others.
    pub(super) fn remove(&mut self, others: &Machines) {
        self.named.retain(|machine| !others.named.contains(machine));
        self.predicted.retain(|owner, _| !others.predicted.contains_key(owner));
        self.uncounted.retain(|owner| !others.uncounted.contains(owner));
    }
}

impl Part {
    /// What a path in a Cluster or ClusterClass affects.
    pub(super) fn of(id: &ObjectId, at: &EditPath) -> Part {
        match (&*id.kind, &at.part) {
            ("Cluster", EditedPart::Workers(list, name)) => Part::Entry(list, name.clone()),
            ("Cluster", EditedPart::ControlPlane) => Part::ControlPlane,
            ("ClusterClass", EditedPart::Workers(list, class)) => Part::Class {
                control_plane: false,
                workers: BTreeSet::from([(*list, class.clone())]),
                field: (at.place != EditPlace::Entry).then(|| at.inside_entry()),
            },
            ("ClusterClass", EditedPart::ControlPlane) => {
                Part::Class { control_plane: true, workers: BTreeSet::new(), field: None }
            }
            _ => Part::Whole,
        }
    }

    /// What belongs to an owner of a topology; `None` for the infrastructure, which has no Machines.
    pub(super) fn of_owner(owner: &TopologyOwner) -> Option<Part> {
        match owner.entry() {
            Some((list, name)) => Some(Part::Entry(list, name.to_owned())),
            None => (*owner == TopologyOwner::ControlPlane).then_some(Part::ControlPlane),
        }
    }

    /// The first child of a Cluster that is part of this.
    pub(super) fn child(&self, hierarchy: &Hierarchy, cluster: &ObjectId) -> Option<ObjectId> {
        let cluster = hierarchy.find(cluster)?;
        let mut children = cluster.children.iter().filter_map(|number| hierarchy.member(*number));
        children.find(|child| self.has(cluster, child)).map(|child| child.id.clone())
    }

    fn has_control_plane(&self) -> bool {
        matches!(self, Part::Whole | Part::ControlPlane | Part::Class { control_plane: true, .. })
    }

    fn has(&self, cluster: &Member, child: &Member) -> bool {
        let is_control_plane = child.id.group == CONTROL_PLANE_GROUP;
        let labels = child.written.pointer("/metadata/labels");
        let kind = if child.id.kind == POOLS.kind { POOLS } else { DEPLOYMENTS };
        let (list, name) = (kind.list, labels.and_then(|labels| labels.get(kind.label)?.as_str()));
        match self {
            Part::Whole => true,
            Part::ControlPlane => is_control_plane,
            Part::Entry(of, entry) => *of == list && name == Some(entry),
            Part::Class { control_plane, .. } if is_control_plane => *control_plane,
            Part::Class { workers: classes, field, .. } => {
                let entry = workers(&cluster.written, list).find(|entry| Some(entry.name) == name);
                let is_overridden = |entry: &Worker<'_>| {
                    field.as_ref().is_some_and(|field| field.value(entry.value).is_some_and(|it| !it.is_null()))
                };
                let is_of = |entry: &Worker<'_>| classes.contains(&(list, entry.class().to_owned()));
                entry.is_some_and(|entry| is_of(&entry) && !is_overridden(&entry))
            }
        }
    }
}

/// The Machines below an object that a part of it affects.
pub(super) fn machines(hierarchy: &Hierarchy, id: &ObjectId, part: &Part) -> Machines {
    let mut found = Machines::default();
    let Some(top) = hierarchy.number(id) else { return found };
    let children = |number: usize| hierarchy.member(number).map_or(&[][..], |member| &member.children);
    let clusters: Vec<usize> = match (&*id.group, &*id.kind) {
        (CORE_GROUP, "Cluster") => vec![top],
        (CORE_GROUP, "ClusterClass") => children(top).to_vec(),
        _ => {
            below(hierarchy, machine_of(hierarchy, top).unwrap_or(top), &mut found);
            return found;
        }
    };
    for cluster in clusters.into_iter().filter_map(|number| hierarchy.member(number)) {
        for number in &cluster.children {
            if hierarchy.member(*number).is_some_and(|child| part.has(cluster, child)) {
                below(hierarchy, *number, &mut found);
            }
        }
        found.uncounted.extend(unknown_control_plane(hierarchy, cluster).filter(|_| part.has_control_plane()));
    }
    found
}

/// The Machine that an object is a part of.
fn machine_of(hierarchy: &Hierarchy, number: usize) -> Option<usize> {
    let parent = hierarchy.member(number)?.parent?;
    hierarchy.member(parent).filter(|it| it.id.group == CORE_GROUP && it.id.kind == "Machine").map(|_| parent)
}

/// The control plane of a topology whose class is not in the files: it may be hosted, and have no Machines.
fn unknown_control_plane(hierarchy: &Hierarchy, cluster: &Member) -> Option<ObjectId> {
    let has_class = cluster.parent.is_some();
    let children = || cluster.children.iter().filter_map(|number| hierarchy.member(*number));
    let is_known = has_class || children().any(|child| child.id.group == CONTROL_PLANE_GROUP);
    cluster.written.pointer("/spec/topology").filter(|_| !is_known)?;
    let ObjectId { namespace, name, .. } = &cluster.id;
    Some(ObjectId::new(CONTROL_PLANE_GROUP, "ControlPlane", namespace, &format!("{name}-*")))
}

/// The Machines of an object and of all below it.
fn below(hierarchy: &Hierarchy, top: usize, found: &mut Machines) {
    let is_machine =
        |member: &&Member| member.id.kind == "Machine" && member.id.group == CORE_GROUP && member.origin.is_some();
    let mut named: BTreeSet<ObjectId> =
        hierarchy.downwards(top).filter(is_machine).map(|member| member.id.clone()).collect();
    let Some(member) = hierarchy.member(top) else { return };
    if !named.is_empty() {
        found.named.append(&mut named);
    } else if member.has_unknown_replicas() {
        found.uncounted.insert(member.id.clone());
    } else if let Some(replicas) = member.replicas() {
        found.predicted.insert(member.id.clone(), replicas);
    }
}
