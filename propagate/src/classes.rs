//! The ClusterClasses that Clusters name, and which of them are not among the files.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, ObjectId, class_of, count};

/// Namespace and name.
pub(crate) type QualifiedName = (String, String);

/// A ClusterClass that is not among the objects.
pub(crate) struct MissingClass<'f> {
    name: QualifiedName,
    /// The first Cluster that names it.
    pub(crate) cluster: &'f FleetObject,
    /// The Clusters that name it.
    clusters: BTreeSet<QualifiedName>,
    /// How many objects belong to them, with themselves.
    objects: usize,
}

/// The classes that Clusters name and that are not among the objects.
pub(crate) fn missing(fleet: &Fleet) -> Vec<MissingClass<'_>> {
    let mut found: BTreeMap<QualifiedName, (&FleetObject, BTreeSet<QualifiedName>)> = BTreeMap::new();
    for cluster in fleet.objects().filter(|object| object.id.group == CORE && object.id.kind == "Cluster") {
        let json = cluster.value();
        let Some((name, namespace)) = class_of(&json) else { continue };
        let id = ObjectId::new(CORE, "ClusterClass", namespace.unwrap_or(&cluster.id.namespace), name);
        if fleet.find(&id).is_none() {
            let (_, clusters) = found.entry((id.namespace, id.name)).or_insert((cluster, BTreeSet::new()));
            clusters.extend(cluster_name(cluster));
        }
    }
    let missing = found.into_iter().map(|(name, (cluster, clusters))| {
        let is_of = |object: &&FleetObject| cluster_name(object).is_some_and(|name| clusters.contains(&name));
        let objects = fleet.objects().filter(is_of).count();
        MissingClass { name, cluster, clusters, objects }
    });
    missing.collect()
}

impl MissingClass<'_> {
    /// Whether an object is a Cluster that names it.
    pub(crate) fn is_named_by(&self, id: &ObjectId) -> bool {
        let name = (id.namespace.clone(), id.name.clone());
        id.group == CORE && id.kind == "Cluster" && self.clusters.contains(&name)
    }

    /// What is not done, such as `checked against it`.
    pub(crate) fn sentence(&self, what: &str) -> String {
        let Self { name: (namespace, name), objects, .. } = self;
        let are = if *objects == 1 { "is" } else { "are" };
        format!("ClusterClass {namespace}/{name} is not in these files: {} {are} not {what}", count(*objects, "object"))
    }
}

const CORE: &str = "cluster.x-k8s.io";

/// Whether others are made from objects of this kind.
pub(crate) fn is_definition(id: &ObjectId) -> bool {
    id.kind == "ClusterClass" || id.kind.ends_with("Template")
}

/// Whether controllers make Machines for objects of this kind.
pub(crate) fn is_instance(id: &ObjectId) -> bool {
    id.is_cluster_api() && !is_definition(id)
}

/// The Cluster that an object belongs to.
pub(crate) fn cluster_name(object: &FleetObject) -> Option<QualifiedName> {
    if !is_instance(&object.id) {
        return None;
    }
    let namespace = object.id.namespace.clone();
    if object.id.kind == "Cluster" {
        return Some((namespace, object.id.name.clone()));
    }
    let json = object.value();
    let label = || json.pointer("/metadata/labels/cluster.x-k8s.io~1cluster-name");
    let name = json.pointer("/spec/clusterName").or_else(label)?.as_str()?;
    Some((namespace, name.to_owned()))
}
