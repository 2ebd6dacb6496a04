//! Objects in memory as a cluster that always answers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use metadata_propagation::{Cluster, GRANTS, Get, LookupCause, LookupError};

use crate::locate::Locator;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId, group_and_version};
use crate::problem::{Problem, Severity, messages};
use crate::read::{Reading, read_document};
use crate::scope::{DEFAULT_NAMESPACE, settle};
use crate::source::Source;

/// Texts, and the objects in them.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    sources: Arc<[Source]>,
    /// Parts of a fleet share them with it.
    objects: Vec<Arc<FleetObject>>,
    problems: Vec<Problem>,
    /// The problems without those about objects with the same name.
    of_documents: Vec<Problem>,
    /// Numbers of objects, ordered by group, kind, namespace and name.
    by_id: Vec<usize>,
    /// Alternative names of objects without a namespace, and their actual names.
    further: BTreeMap<ObjectId, ObjectId>,
    /// Numbers of objects with the same name: the first, and a later one.
    doubles: Vec<(usize, usize)>,
    /// The objects that are defined twice and differently: all definitions, in order.
    variants: BTreeMap<ObjectId, Vec<String>>,
    /// Group, kind and version of the objects.
    served: BTreeSet<(String, String, String)>,
}

impl Fleet {
    /// Reads all documents of the texts, one after the other. Objects without a namespace are in `default`.
    pub fn read(sources: Vec<Source>) -> Fleet {
        let readings = readings(&sources);
        Fleet::assemble(sources, readings, DEFAULT_NAMESPACE)
    }

    /// Like [`Fleet::read`], but objects without a namespace have none: as in a request.
    pub fn as_written(sources: Vec<Source>) -> Fleet {
        let readings = readings(&sources);
        Fleet::build(sources.into(), readings, None)
    }

    /// Combines the documents of the texts, in order. Of two objects with the same name the first counts. Objects
    /// without a namespace are in `namespace`, if their kind is namespaced.
    pub fn assemble(sources: impl Into<Arc<[Source]>>, readings: Vec<Reading>, namespace: &str) -> Fleet {
        Fleet::build(sources.into(), readings, Some(namespace))
    }

    fn build(sources: Arc<[Source]>, readings: Vec<Reading>, namespace: Option<&str>) -> Fleet {
        let (mut objects, mut problems) = (Vec::new(), Vec::new());
        for reading in readings {
            objects.extend(reading.objects);
            problems.extend(reading.problems);
        }
        let further = namespace.map(|namespace| settle(&mut objects, namespace)).unwrap_or_default();
        Fleet::of_objects(sources, objects.into_iter().map(Arc::new).collect(), problems, further)
    }

    fn of_objects(
        sources: Arc<[Source]>,
        objects: Vec<Arc<FleetObject>>,
        of_documents: Vec<Problem>,
        further: BTreeMap<ObjectId, ObjectId>,
    ) -> Fleet {
        let mut fleet = Fleet { sources, objects, of_documents, further, ..Fleet::default() };
        let ids = |number: &usize| fleet.objects.get(*number).map(|object| &object.id);
        let mut by_id: Vec<usize> = (0..fleet.objects.len()).collect();
        by_id.sort_by(|a, b| ids(a).cmp(&ids(b)).then(a.cmp(b)));
        let mut doubles = Vec::new();
        by_id.dedup_by(|later, first| {
            let is_double = ids(later) == ids(first);
            if is_double {
                doubles.push((*first, *later));
            }
            is_double
        });
        fleet.by_id = by_id;
        fleet.doubles = doubles;
        for FleetObject { id, version, .. } in fleet.objects.iter().map(Arc::as_ref) {
            let is_known = |(group, kind, known): &(String, String, String)| {
                (group, kind, known) == (&id.group, &id.kind, version)
            };
            if !fleet.served.iter().any(is_known) {
                fleet.served.insert((id.group.clone(), id.kind.clone(), version.clone()));
            }
        }
        let mut variants: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for (first, later) in fleet.doubles().filter(|(first, later)| first.json != later.json) {
            let all = variants.entry(first.id.clone()).or_insert_with(|| vec![first.json.to_string()]);
            all.push(later.json.to_string());
        }
        fleet.variants = variants;
        fleet.problems = fleet.of_documents.iter().cloned().chain(fleet.duplicates()).collect();
        fleet.problems.sort_by_key(|problem| (problem.source, problem.at));
        fleet
    }

    /// Some of the objects, and the problems with the documents of some of the texts, by their numbers.
    pub fn part(&self, keeps: impl Fn(&FleetObject) -> bool, is_of: impl Fn(usize) -> bool) -> Fleet {
        let objects: Vec<_> = self.objects.iter().filter(|object| keeps(object)).cloned().collect();
        let problems = self.of_documents.iter().filter(|problem| is_of(problem.source)).cloned().collect();
        let ids: BTreeSet<&ObjectId> = objects.iter().map(|object| &object.id).collect();
        let further = self.further.iter().filter(|(further, name)| ids.contains(name) && !ids.contains(further));
        let further = further.map(|(further, name)| (further.clone(), name.clone())).collect();
        Fleet::of_objects(self.shared_sources(), objects, problems, further)
    }

    /// These objects, and some of another fleet.
    pub fn and(&self, others: &Fleet, keeps: impl Fn(&FleetObject) -> bool) -> Fleet {
        let is_of_same = Arc::ptr_eq(&self.sources, &others.sources);
        let shift = if is_of_same { 0 } else { self.sources.len() };
        let sources = match is_of_same {
            true => self.shared_sources(),
            false => self.sources.iter().chain(others.sources.iter()).cloned().collect(),
        };
        let kept = others.objects.iter().filter(|object| keeps(object)).map(|object| {
            let mut object = FleetObject::clone(object);
            object.origin.source += shift;
            Arc::new(object)
        });
        let objects: Vec<_> = self.objects.iter().cloned().chain(kept).collect();
        let further = self.further.iter().chain(&others.further).map(|(further, id)| (further.clone(), id.clone()));
        Fleet::of_objects(sources, objects, self.of_documents.clone(), further.collect())
    }

    /// The same objects, where of those with one name the one counts that ranks highest.
    pub fn preferring<R: Ord>(&self, rank: impl Fn(&FleetObject) -> R) -> Fleet {
        let mut objects = self.objects.clone();
        for (first, later) in &self.doubles {
            let [counts, other] = [first, later].map(|at| objects.get(*at).map(|object| rank(object)));
            if other > counts {
                objects.swap(*first, *later);
            }
        }
        Fleet::of_objects(self.shared_sources(), objects, self.of_documents.clone(), self.further.clone())
    }

    /// Some of the objects without a duplicate, by their positions among these; without problems.
    pub(crate) fn only(&self, positions: &[usize]) -> Fleet {
        let kept: Vec<&Arc<FleetObject>> = self.kept().collect();
        let objects: Vec<_> = positions.iter().filter_map(|at| kept.get(*at).copied()).cloned().collect();
        let ids: BTreeSet<&ObjectId> = objects.iter().map(|object| &object.id).collect();
        let further = self.further.iter().filter(|(_, name)| ids.contains(name));
        let further = further.map(|(further, name)| (further.clone(), name.clone())).collect();
        let variants = self.variants.iter().filter(|(id, _)| ids.contains(id));
        let variants = variants.map(|(id, all)| (id.clone(), all.clone())).collect();
        Fleet { variants, ..Fleet::of_objects(self.shared_sources(), objects, Vec::new(), further) }
    }

    /// The objects that are skipped because an earlier one has their name, if a rule reads such objects: one problem
    /// for each pair of texts.
    fn duplicates(&self) -> Vec<Problem> {
        let composites = self.composite_groups().into_iter().map(|(_, group)| group).collect();
        let mut pairs: BTreeMap<(usize, usize), Vec<(&FleetObject, &FleetObject)>> = BTreeMap::new();
        for (first, later) in self.doubles().filter(|(first, _)| is_of_a_rule(&first.id, &composites)) {
            pairs.entry((first.origin.source, later.origin.source)).or_default().push((first, later));
        }
        let mut locator = Locator::new(&self.sources);
        let mut problem = |pair: Vec<(&FleetObject, &FleetObject)>| {
            let (first, later) =
                pair.iter().min_by_key(|(_, later)| (later.origin.document.start, later.origin.item))?;
            let before = locator.locate(&first.origin, "", &[]);
            let here = locator.locate(&later.origin, "", &[]);
            let name = self.sources.get(before.source).map_or("", |source| &source.name);
            let before = format!("{name}:{}", before.position.line);
            let message = messages::duplicate(&later.id.to_string(), &before, pair.len().saturating_sub(1));
            let (severity, skips, source, at) = (Severity::Warning, pair.len(), here.source, here.span.start);
            Some(Problem { severity, skips, is_rendered: false, message, source, at })
        };
        pairs.into_values().filter_map(&mut problem).collect()
    }

    /// Crossplane's definitions of composites.
    pub fn composite_definitions(&self) -> impl Iterator<Item = &FleetObject> {
        let is_definition = |id: &ObjectId| id.group == CROSSPLANE_GROUP && id.kind == "CompositeResourceDefinition";
        self.objects.iter().map(Arc::as_ref).filter(move |object| is_definition(&object.id))
    }

    /// The API groups of the composites and claims that are defined, each with its first definition, in their order.
    pub fn composite_groups(&self) -> Vec<(&FleetObject, String)> {
        let mut seen = BTreeSet::new();
        let group = |object: &FleetObject| {
            let definition = object.value();
            Some(definition.pointer("/spec/group")?.as_str()?.to_owned())
        };
        let groups = self.composite_definitions().filter_map(|definition| Some((definition, group(definition)?)));
        groups.filter(|(_, group)| seen.insert(group.clone())).collect()
    }

    /// The objects that have the same name as an earlier one and are skipped, each after the one that counts.
    pub fn doubles(&self) -> impl Iterator<Item = (&FleetObject, &FleetObject)> {
        let object = |number: &usize| self.objects.get(*number).map(Arc::as_ref);
        self.doubles.iter().filter_map(move |(first, later)| Some((object(first)?, object(later)?)))
    }

    /// The objects that are defined twice and differently, with all definitions: which of them is applied last is not
    /// known.
    pub(crate) fn variants(&self) -> &BTreeMap<ObjectId, Vec<String>> {
        &self.variants
    }

    /// The texts, for another fleet of some of them.
    pub fn shared_sources(&self) -> Arc<[Source]> {
        Arc::clone(&self.sources)
    }

    /// The texts, in their original order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The objects in the order of the texts, without duplicates.
    pub fn objects(&self) -> impl Iterator<Item = &FleetObject> {
        self.kept().map(Arc::as_ref)
    }

    /// The same, for a part of the fleet.
    fn kept(&self) -> impl Iterator<Item = &Arc<FleetObject>> {
        let skipped: BTreeSet<usize> = self.doubles.iter().map(|(_, later)| *later).collect();
        let objects = self.objects.iter().enumerate().filter(move |(number, _)| !skipped.contains(number));
        objects.map(|(_, object)| object)
    }

    /// What is wrong with documents, in the order of the texts.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The object of this name, in any version.
    pub fn find(&self, id: &ObjectId) -> Option<&FleetObject> {
        let id = self.further.get(id).unwrap_or(id);
        self.search(|known| known.cmp(id))
    }

    /// Alternative names of objects without a namespace, and their actual names.
    pub(crate) fn further(&self) -> &BTreeMap<ObjectId, ObjectId> {
        &self.further
    }

    fn search(&self, order: impl Fn(&ObjectId) -> Ordering) -> Option<&FleetObject> {
        let object = |number: &usize| self.objects.get(*number).map(Arc::as_ref);
        let found =
            self.by_id.binary_search_by(|number| object(number).map_or(Ordering::Less, |object| order(&object.id)));
        self.by_id.get(found.ok()?).and_then(object)
    }
}

/// Whether a rule reads objects of this kind: those of Cluster API and its providers, Nodes, label registries, and what
/// Crossplane defines and composes.
fn is_of_a_rule(id: &ObjectId, composites: &BTreeSet<String>) -> bool {
    let is_granted = || GRANTS.iter().any(|grant| (grant.group, grant.kind) == (&*id.group, &*id.kind));
    let is_node = id.group.is_empty() && id.kind == "Node";
    id.is_cluster_api() || is_node || id.group == CROSSPLANE_GROUP || composites.contains(&id.group) || is_granted()
}

/// The documents of texts, one after the other.
fn readings(sources: &[Source]) -> Vec<Reading> {
    let documents = |(number, source): (usize, &Source)| {
        let read = |document| read_document(source, number, document);
        source.documents().into_iter().map(read).collect::<Vec<_>>()
    };
    sources.iter().enumerate().flat_map(documents).collect()
}

impl Cluster for Fleet {
    /// An object is served in the version in which it is written, its kind in every version that an object has.
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let (group, version) = group_and_version(&get.api_version);
        let wanted = (group, &*get.kind, get.namespace.as_deref().unwrap_or_default(), &*get.name);
        let by_name = || self.search(|id| (&*id.group, &*id.kind, &*id.namespace, &*id.name).cmp(&wanted));
        let found = if self.further.is_empty() { by_name() } else { self.find(&ObjectId::of(get)) };
        let is_served = || {
            let mut versions = self.served.iter().filter(|(of, kind, _)| *of == group && *kind == get.kind).peekable();
            versions.peek().is_none() || versions.any(|(.., known)| known == version)
        };
        let cause = match found {
            Some(object) if object.version == version => return Ok(object.json.as_ref().to_owned()),
            None if is_served() => LookupCause::NotFound,
            _ => LookupCause::NotServed,
        };
        Err(LookupError { cause, detail: get.to_string() })
    }
}
