//! The workers that a topology or a class describes.

use serde_json::Value;
use topology::{DEPLOYMENTS, POOLS};

use crate::member::is_autoscaled;
use crate::relations::text;

/// The lists of workers, in topologies and in classes.
pub(crate) const LISTS: [&str; 2] = [DEPLOYMENTS.list, POOLS.list];

/// One entry of a list of workers.
pub(crate) struct Worker<'v> {
    section: &'static str,
    list: &'static str,
    /// The name in a topology, or the class.
    pub(crate) name: &'v str,
    pub(crate) value: &'v Value,
}

impl<'v> Worker<'v> {
    /// Its path, such as `spec.topology.workers.machineDeployments[md-0]`.
    pub(crate) fn at(&self) -> String {
        format!("spec.{}.{}[{}]", self.section, self.list, self.name)
    }

    /// The class of an entry, also in a topology.
    pub(crate) fn class(&self) -> &'v str {
        text(self.value, "class")
    }

    pub(crate) fn has_replicas(&self) -> bool {
        self.value.get("replicas").is_some_and(|replicas| !replicas.is_null())
    }

    /// Whether its annotations leave the number of replicas to cluster-autoscaler.
    pub(crate) fn is_autoscaled(&self) -> bool {
        let annotations = ["/metadata/annotations", "/template/metadata/annotations"];
        annotations.iter().filter_map(|at| self.value.pointer(at)).any(is_autoscaled)
    }
}

/// The workers of a Cluster or of a ClusterClass in one of the [`LISTS`].
pub(crate) fn workers<'v>(object: &'v Value, list: &'static str) -> impl Iterator<Item = Worker<'v>> {
    let spec = object.get("spec");
    let of_topology = spec.and_then(|spec| spec.pointer("/topology/workers"));
    let of_class = spec.and_then(|spec| spec.get("workers"));
    let sections = [("topology.workers", of_topology, "name"), ("workers", of_class, "class")];
    sections.into_iter().flat_map(move |(section, lists, key)| {
        let entries = lists.and_then(|lists| lists.get(list)).and_then(Value::as_array).into_iter().flatten();
        entries.map(move |value| Worker { section, list, name: text(value, key), value })
    })
}

/// The workers in all lists.
pub(crate) fn all_workers(object: &Value) -> impl Iterator<Item = Worker<'_>> {
    LISTS.into_iter().flat_map(|list| workers(object, list))
}
