//! The propagation path of one label or annotation through sources and children.

use std::borrow::Cow;
use std::collections::BTreeSet;

use metadata_propagation::cluster_api::{CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};
use metadata_propagation::tags::INFRA_CLUSTERS;
use metadata_propagation::{Carried, NotApplicable, NotApplicableReason, Propagated, Skipped};
use serde::Serialize;
use serde_json::Value;
use topology::{MetadataUse, ObjectPath, ObjectStep, TopologyOwner, VisitedPath, WORKERS, metadata_uses};

use crate::claim::NOT_COPIED;
use crate::help::{help_of_own, help_of_skip};
use crate::hierarchy::Hierarchy;
use crate::member::{Member, printed};
use crate::object::ObjectId;
use crate::relations::text;
use crate::templates::is_copied;
use crate::workers::workers;

/// What one object does with a key.
#[derive(Debug, PartialEq, Eq)]
pub struct PathStep {
    /// The number of the object.
    pub member: usize,
    /// Every place of the object that has the key, should have it, or does not get it.
    pub placements: Vec<Placement>,
    /// What patches of a ClusterClass do with the key.
    pub patches: Vec<MetadataUse>,
}

/// A key at one place of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The map, such as `spec.template.metadata.labels`, or the place of the source whose key is not propagated.
    pub at: String,
    /// The value, if there is one.
    pub value: Option<String>,
    /// Its state.
    pub state: State,
    /// The rule by which it propagates, or the reason why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do if it does not propagate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// The state of a key at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A user set it here.
    Set,
    /// It propagates, and is set.
    Present,
    /// It propagates, and is not set.
    Missing,
    /// It propagates to an object that is not in the files.
    Predicted,
    /// It propagates, and another value is set.
    Differs(String),
    /// It does not propagate to this place.
    NotPropagated,
    /// It becomes this cloud tag.
    Tag,
    /// It does not become a cloud tag.
    NoTag,
}

impl Hierarchy {
    /// The propagation path of a key: through everything above an object, the object itself and everything below it.
    /// Objects without the key are omitted, except the object itself.
    pub fn propagation_path(&self, number: usize, key: &str) -> Vec<PathStep> {
        let above = self.line(number);
        let entries = self.entries(&above);
        let mut steps: Vec<PathStep> = above
            .into_iter()
            .map(|member| PathStep {
                member,
                placements: self.placements(member, key, &entries),
                patches: self.patches(member, key, &entries),
            })
            .collect();
        self.below(number, key, &mut steps);
        steps.retain(|step| step.member == number || !step.placements.is_empty() || !step.patches.is_empty());
        steps
    }

    /// What an object itself does with a key: its step of [`Hierarchy::propagation_path`].
    pub fn own_placements(&self, number: usize, key: &str) -> Vec<Placement> {
        self.placements(number, key, &self.entries(&self.line(number)))
    }

    /// Where to set a label or annotation so that it propagates to an object: in the entry of the topology that it is created
    /// for, or in the template of the topmost owner of its Machines. `None` if nothing above it has such a place.
    pub fn place_above(&self, number: usize) -> Option<String> {
        let line: Vec<&Member> = self.line(number).iter().filter_map(|number| self.member(*number)).collect();
        let has_topology = |member: &&&Member| {
            member.id.group == CORE_GROUP
                && member.id.kind == "Cluster"
                && member.written.pointer("/spec/topology").is_some()
        };
        let (_, above) = line.split_last()?;
        if let Some(cluster) = above.iter().find(has_topology) {
            let entry = line.iter().find_map(|member| member.topology_entries.first());
            let entry = entry.map(|(list, name)| format!("workers.{list}[{name}]"));
            let of_control_plane = || line.iter().any(|member| member.id.is_control_plane());
            let entry = entry.or_else(|| of_control_plane().then(|| "controlPlane".to_owned()))?;
            return Some(format!("`spec.topology.{entry}.metadata` of {}", cluster.id));
        }
        above.iter().find_map(|member| {
            let template = match &*member.id.kind {
                "MachineDeployment" | "MachineSet" | "MachinePool" if member.id.group == CORE_GROUP => "spec.template",
                _ if member.id.has_machines() => "spec.machineTemplate",
                _ => return None,
            };
            Some(format!("`{template}.metadata` of {}", member.id))
        })
    }

    /// An object, preceded by everything above it.
    fn line(&self, number: usize) -> Vec<usize> {
        let mut above = vec![number];
        while let Some(parent) = above.last().and_then(|last| self.member(*last)).and_then(|member| member.parent) {
            above.push(parent);
        }
        above.reverse();
        above
    }

    /// Why it is not known what propagates to an object: the reason at the object itself, or at the nearest one above
    /// that has one.
    pub fn unknown(&self, number: usize) -> Option<(&Member, &NotApplicable)> {
        let mut next = Some(number);
        while let Some(member) = next.and_then(|number| self.member(number)) {
            let reason = member.unknown.as_ref().filter(|reason| reason.reason != NotApplicableReason::NoOwner);
            if let Some(reason) = reason {
                return Some((member, reason));
            }
            next = member.parent;
        }
        None
    }

    fn below(&self, number: usize, key: &str, steps: &mut Vec<PathStep>) {
        for child in self.member(number).into_iter().flat_map(|member| &member.children) {
            let placements = self.placements(*child, key, &BTreeSet::new());
            steps.push(PathStep { member: *child, placements, patches: Vec::new() });
            self.below(*child, key, steps);
        }
    }

    /// The entries of topology and class that lead to the last of these objects; empty if all count.
    fn entries(&self, line: &[usize]) -> BTreeSet<TopologyOwner> {
        let mut entries = BTreeSet::new();
        for member in line.iter().filter_map(|number| self.member(*number)) {
            if member.id.group == CONTROL_PLANE_GROUP {
                entries.insert(TopologyOwner::ControlPlane);
            }
            for (list, name) in &member.topology_entries {
                entries.extend(workers_of(list, name));
                let is_cluster = |above: &&Member| above.id.kind == "Cluster";
                let clusters = line.iter().filter_map(|number| self.member(*number)).filter(is_cluster);
                for cluster in clusters {
                    let named = workers(&cluster.written, list).filter(|worker| worker.name == name);
                    entries.extend(named.filter_map(|worker| workers_of(list, worker.class())));
                }
            }
        }
        entries
    }

    /// What patches of a class do with the key. If entries lead to an object, only those for its templates count.
    fn patches(&self, number: usize, key: &str, entries: &BTreeSet<TopologyOwner>) -> Vec<MetadataUse> {
        let Some(class) = self.member(number).filter(|member| member.id.kind == "ClusterClass") else {
            return Vec::new();
        };
        let mut uses = metadata_uses(&class.written.once(), key);
        uses.retain(|it| entries.is_empty() || it.parts.iter().any(|part| entries.contains(part)));
        uses
    }

    /// Every place of an object that has the key, should have it, or does not get it. Of topologies and classes only
    /// these entries count.
    pub(crate) fn placements(&self, number: usize, key: &str, entries: &BTreeSet<TopologyOwner>) -> Vec<Placement> {
        let Some(member) = self.member(number) else { return Vec::new() };
        let carried = member.carried.iter().filter(|entry| entry.key == key);
        let mut placements: Vec<Placement> = carried.map(|entry| Placement::of(entry, member)).collect();
        for skip in &member.report.skipped {
            let is_entry = skip.carried != Carried::Field && skip.instead.is_none();
            if skip.key == key && is_entry {
                placements.push(Placement {
                    at: skip.from.to_string(),
                    value: skip.value.clone(),
                    state: State::NotPropagated,
                    why: Some(skip.reason.to_string()),
                    help: Some(help_of_skip(skip)),
                });
            }
        }
        let mut own = Vec::new();
        let written = member.written.once();
        blocks(&written, VisitedPath::Value(&[]), &mut own);
        for (path, map) in own {
            let at = path.to_string();
            let is_known = placements.iter().any(|placement| placement.at == at);
            let leads_here = entries.is_empty() || part_at(&path).is_none_or(|part| entries.contains(&part));
            let is_own = path.fields().next() == Some("metadata");
            if let Some(value) = map.get(key).and_then(Value::as_str).filter(|_| !is_known && leads_here) {
                let advice = member.report.skipped.iter().find(|skip| skip.key == key && is_own);
                let is_claim =
                    || member.report.inert.as_ref().is_some_and(|it| it.reason == NotApplicableReason::Claim);
                let is_left = || at == "metadata.labels" && !is_copied(key) && is_claim();
                let why = advice.and_then(Skipped::misplaced).map(|fact| fact.to_string());
                let why = why.or_else(|| is_left().then(|| NOT_COPIED.to_owned()));
                let has_topology = written.pointer("/spec/topology").is_some();
                let help = help_of_own(&member.id, &at, has_topology).filter(|_| why.is_none());
                let (state, why) = match is_own && member.is_of_claim() {
                    true => (State::Predicted, why.or_else(|| Some(COPIED.to_owned()))),
                    false => (State::Set, why),
                };
                placements.push(Placement { at, value: Some(value.to_owned()), state, why, help });
            }
        }
        placements.extend(tags(member, key));
        placements
    }
}

/// The sentence about a label that a composite has from its claim.
const COPIED: &str = "Crossplane copies the labels of a claim to its composite";

/// The field of an object that has its cloud tags.
pub fn tag_field(id: &ObjectId) -> String {
    let infrastructure = INFRA_CLUSTERS.iter().find(|row| id.group == INFRASTRUCTURE_GROUP && row.kind == id.kind);
    infrastructure.map_or_else(|| "spec.cloudTags".to_owned(), |row| format!("spec.{}", row.field))
}

/// What a label of a composite becomes.
fn tags(member: &Member, key: &str) -> Option<Placement> {
    let report = member.report.cloud_tags.as_ref()?;
    let at = tag_field(&member.id);
    if let Some((tag, value)) = report.tags.iter().find(|(tag, _)| tag.split_once(':').is_some_and(|(_, of)| of == key))
    {
        let why = Some(format!("{tag} (profile `{}`)", report.profile));
        return Some(Placement { at, value: Some(value.clone()), state: State::Tag, why, help: None });
    }
    let skipped = report.skipped.iter().find(|label| label.qualified_key == key).map(|label| label.fact().to_string());
    let why = skipped.or_else(|| report.not_propagating.get(key).map(ToString::to_string))?;
    let help =
        "change the label to one that the profile allows (`propagate profiles`), or define it in a label registry";
    Some(Placement { at, value: None, state: State::NoTag, why: Some(why), help: Some(help.to_owned()) })
}

/// The workers of a list by their name or class.
fn workers_of(list: &str, name: &str) -> Option<TopologyOwner> {
    WORKERS.iter().find(|kind| kind.list == list).map(|kind| (kind.owner)(name.to_owned()))
}

/// The part of a topology or of a class that a path leads into.
fn part_at(path: &ObjectPath) -> Option<TopologyOwner> {
    let pairs = path.steps.iter().zip(path.steps.iter().skip(1));
    let mut entries = pairs.filter_map(|pair| match pair {
        (ObjectStep::Field(list), ObjectStep::Entry(name)) => workers_of(list, name),
        _ => None,
    });
    let of_control_plane = path.fields().any(|field| field == "controlPlane");
    entries.next().or_else(|| of_control_plane.then_some(TopologyOwner::ControlPlane))
}

/// A map of labels or annotations, with its path.
pub(crate) type MetadataBlock<'v> = (ObjectPath, &'v serde_json::Map<String, Value>);

/// Every map of labels and annotations in a value, whose path is `at`; entries of lists by their names.
pub(crate) fn blocks<'v>(value: &'v Value, at: VisitedPath<'_>, found: &mut Vec<MetadataBlock<'v>>) {
    match value {
        Value::Object(fields) => {
            let is_metadata = at.field() == Some("metadata");
            for (name, value) in fields {
                let inner = VisitedPath::Field(&at, name);
                match value {
                    Value::Object(map) if is_metadata && matches!(&**name, "labels" | "annotations") => {
                        found.push((inner.path(), map));
                    }
                    _ => blocks(value, inner, found),
                }
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let name = [text(element, "name"), text(element, "class")].into_iter().find(|name| !name.is_empty());
                let name = name.map_or_else(|| Cow::Owned(index.to_string()), Cow::Borrowed);
                blocks(element, VisitedPath::Entry(&at, &name), found);
            }
        }
        _ => {}
    }
}

impl State {
    /// The state in words, printed after the value.
    pub fn in_words(&self) -> String {
        match self {
            State::Set => "(set here)".to_owned(),
            State::Present => "(present)".to_owned(),
            State::Predicted => String::new(),
            State::Missing => "(missing)".to_owned(),
            State::Differs(found) => format!("(found `{found}`)"),
            State::NotPropagated => "not propagated".to_owned(),
            State::NoTag => "not added as a cloud tag".to_owned(),
            State::Tag => "(tag)".to_owned(),
        }
    }
}

impl Placement {
    /// An entry that propagates to an object.
    pub fn of(entry: &Propagated, member: &Member) -> Placement {
        let state = match &entry.found {
            _ if member.origin.is_none() => State::Predicted,
            Some(found) if *found == entry.value => State::Present,
            Some(found) => State::Differs(found.plain().to_owned()),
            None => State::Missing,
        };
        let value = Some(printed(entry));
        Placement { at: entry.at.clone(), value, state, why: Some(entry.rule.clone()), help: None }
    }
}
