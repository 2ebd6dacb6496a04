//! Objects in memory as a cluster that always answers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use metadata_propagation::{Cluster, Get, LookupCause, LookupError};

use crate::locate::Locator;
use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::problem::{Problem, Severity, messages};
use crate::read::{Reading, read_document};
use crate::scope::{DEFAULT_NAMESPACE, settle};
use crate::source::Source;

/// Texts, and the objects in them.
#[derive(Debug, Default)]
pub struct Fleet {
    sources: Arc<[Source]>,
    objects: Vec<FleetObject>,
    problems: Vec<Problem>,
    /// Numbers of objects, ordered by group, kind, namespace and name.
    by_id: Vec<usize>,
    /// Alternative names of objects without a namespace, and their actual names.
    further: BTreeMap<ObjectId, ObjectId>,
    /// Numbers of objects with the same name: the first, and a later one.
    doubles: Vec<(usize, usize)>,
    /// Group, kind and version of the objects.
    served: BTreeSet<(String, String, String)>,
}

impl Fleet {
    /// Reads all documents of the texts, one after the other. Objects without a namespace are in `default`.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let names: Vec<String> = fleet.objects().map(|object| object.id.to_string()).collect();
    /// assert_eq!(names, ["Machine default/m"]);
    /// ```
    #[must_use]
    pub fn read(sources: Vec<Source>) -> Fleet {
        let readings = readings(&sources);
        Fleet::assemble(sources, readings, DEFAULT_NAMESPACE)
    }

    /// Like [`Fleet::read`], but objects without a namespace have none: as in a request.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let fleet = Fleet::as_written(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let names: Vec<String> = fleet.objects().map(|object| object.id.to_string()).collect();
    /// assert_eq!(names, ["Machine m"]);
    /// ```
    #[must_use]
    pub fn as_written(sources: Vec<Source>) -> Fleet {
        let readings = readings(&sources);
        Fleet::build(sources.into(), readings, None)
    }

    /// Combines the documents of the texts, in order. Of two objects with the same name the first counts. Objects
    /// without a namespace are in `namespace`, if their kind is namespaced.
    ///
    /// ```
    /// use fleet::{Fleet, Source, read_document};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let source = Source { name: "cluster.yaml".into(), text: text.into() };
    /// let reading = read_document(&source, 0, 0..text.len());
    /// let fleet = Fleet::assemble(vec![source], vec![reading], "prod");
    /// let names: Vec<String> = fleet.objects().map(|object| object.id.to_string()).collect();
    /// assert_eq!(names, ["Machine prod/m"]);
    /// ```
    #[must_use]
    pub fn assemble(sources: impl Into<Arc<[Source]>>, readings: Vec<Reading>, namespace: &str) -> Fleet {
        Fleet::build(sources.into(), readings, Some(namespace))
    }

    fn build(sources: Arc<[Source]>, readings: Vec<Reading>, namespace: Option<&str>) -> Fleet {
        let mut fleet = Fleet { sources, ..Fleet::default() };
        for reading in readings {
            fleet.objects.extend(reading.objects);
            fleet.problems.extend(reading.problems);
        }
        fleet.further = namespace.map(|namespace| settle(&mut fleet.objects, namespace)).unwrap_or_default();
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
        for FleetObject { id, version, .. } in &fleet.objects {
            let is_known = |(group, kind, known): &(String, String, String)| {
                (group, kind, known) == (&id.group, &id.kind, version)
            };
            if !fleet.served.iter().any(is_known) {
                fleet.served.insert((id.group.clone(), id.kind.clone(), version.clone()));
            }
        }
        fleet.tell_of_doubles();
        fleet.problems.sort_by_key(|problem| (problem.source, problem.at));
        fleet
    }

    fn tell_of_doubles(&mut self) {
        let mut locator = Locator::new(&self.sources);
        let mut skipped = Vec::new();
        for (first, later) in &self.doubles {
            let (Some(first), Some(later)) = (self.objects.get(*first), self.objects.get(*later)) else { continue };
            let before = locator.locate(&first.origin, "", &[]);
            let here = locator.locate(&later.origin, "", &[]);
            let name = self.sources.get(before.source).map_or("", |source| &source.name);
            let before = format!("{name}:{}", before.position.line);
            let message = messages::duplicate(&later.id.to_string(), &before);
            let (severity, source, at) = (Severity::Warning, here.source, here.span.start);
            skipped.push(Problem { severity, is_skipped: true, message, source, at });
        }
        self.problems.extend(skipped);
    }

    /// The objects that have the same name as an earlier one and are skipped, each after the one that counts.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let source = |name: &str| Source { name: name.into(), text: text.into() };
    /// let fleet = Fleet::read(vec![source("a.yaml"), source("b.yaml")]);
    /// let doubles: Vec<_> = fleet.doubles().map(|(first, later)| (first.origin.source, later.origin.source)).collect();
    /// assert_eq!(doubles, [(0, 1)]);
    /// ```
    pub fn doubles(&self) -> impl Iterator<Item = (&FleetObject, &FleetObject)> {
        self.doubles.iter().filter_map(|(first, later)| Some((self.objects.get(*first)?, self.objects.get(*later)?)))
    }

    /// The texts, for another fleet of some of them.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let again = Fleet::assemble(fleet.shared_sources(), Vec::new(), "default");
    /// assert_eq!((again.sources()[0].text.as_str(), again.objects().count()), (text, 0));
    /// ```
    #[must_use]
    pub fn shared_sources(&self) -> Arc<[Source]> {
        Arc::clone(&self.sources)
    }

    /// The texts, in their original order.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let names: Vec<&str> = fleet.sources().iter().map(|source| source.name.as_str()).collect();
    /// assert_eq!(names, ["cluster.yaml"]);
    /// ```
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The objects in the order of the texts, without duplicates.
    ///
    /// ```
    /// use fleet::{Fleet, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}\n---\n\
    ///     {apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m2}}";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let names: Vec<&str> = fleet.objects().map(|object| object.id.name.as_str()).collect();
    /// assert_eq!(names, ["m", "m2"]);
    /// ```
    pub fn objects(&self) -> impl Iterator<Item = &FleetObject> {
        let mut kept = self.by_id.clone();
        kept.sort_unstable();
        kept.into_iter().filter_map(|number| self.objects.get(number))
    }

    /// What is wrong with documents, in the order of the texts.
    ///
    /// ```
    /// use fleet::{Fleet, Severity, Source};
    ///
    /// let text = "kind: [";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let problems: Vec<_> = fleet.problems().iter().map(|problem| (problem.severity, problem.source)).collect();
    /// assert_eq!(problems, [(Severity::Error, 0)]);
    /// ```
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The object of this name, in any version.
    ///
    /// ```
    /// use fleet::{Fleet, ObjectId, Source};
    ///
    /// let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m}}";
    /// let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
    /// let [group, kind, namespace, name] = ["cluster.x-k8s.io", "Machine", "default", "m"].map(String::from);
    /// let found = fleet.find(&ObjectId { group, kind, namespace, name });
    /// assert_eq!(found.map(|object| &*object.version), Some("v1beta2"));
    /// ```
    #[must_use]
    pub fn find(&self, id: &ObjectId) -> Option<&FleetObject> {
        let id = self.further.get(id).unwrap_or(id);
        self.search(|known| known.cmp(id))
    }

    /// Alternative names of objects without a namespace, and their actual names.
    pub(crate) fn further(&self) -> &BTreeMap<ObjectId, ObjectId> {
        &self.further
    }

    fn search(&self, order: impl Fn(&ObjectId) -> Ordering) -> Option<&FleetObject> {
        let object = |number: &usize| self.objects.get(*number);
        let found =
            self.by_id.binary_search_by(|number| object(number).map_or(Ordering::Less, |object| order(&object.id)));
        self.by_id.get(found.ok()?).and_then(object)
    }
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
