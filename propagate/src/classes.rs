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
    /// The only class of the namespace whose name the Clusters' one begins or ends: kustomize adds a prefix or a suffix to
    /// names, and not to this reference.
    renamed: Option<String>,
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
        let renamed = renamed(fleet, &name);
        MissingClass { name, cluster, clusters, objects, renamed }
    });
    missing.collect()
}

/// The name of the only ClusterClass that has the name with a prefix or a suffix.
fn renamed(fleet: &Fleet, (namespace, name): &QualifiedName) -> Option<String> {
    let is_class = |id: &&ObjectId| id.group == CORE && id.kind == "ClusterClass" && id.namespace == *namespace;
    let ids = fleet.objects().map(|object| &object.id).filter(is_class);
    let mut alike = ids.filter(|id| id.name.ends_with(&**name) || id.name.starts_with(&**name));
    alike.next().filter(|_| alike.next().is_none()).map(|id| id.name.clone())
}

impl MissingClass<'_> {
    /// Whether an object is a Cluster that names it.
    pub(crate) fn is_named_by(&self, id: &ObjectId) -> bool {
        let name = (id.namespace.clone(), id.name.clone());
        id.group == CORE && id.kind == "Cluster" && self.clusters.contains(&name)
    }

    /// What is not done, such as `checked against it`.
    pub(crate) fn sentence(&self, what: &str) -> String {
        let Self { name: (namespace, name), objects, renamed, .. } = self;
        let are = if *objects == 1 { "is" } else { "are" };
        let guess = renamed.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let objects = count(*objects, "object");
        format!("ClusterClass {namespace}/{name} is not in these files: {objects} {are} not {what}{guess}")
    }
}

const CORE: &str = "cluster.x-k8s.io";

/// Whether others are made from objects of this kind.
pub(crate) fn is_definition(id: &ObjectId) -> bool {
    id.kind == "ClusterClass" || id.is_template()
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

#[cfg(test)]
mod tests {
    use fleet::Source;

    use super::*;

    #[test]
    fn a_class_whose_name_kustomize_prefixed_is_suggested() {
        let object = |kind: &str, name: &str, spec: &str| {
            format!(
                "---\n{{apiVersion: cluster.x-k8s.io/v1beta2, kind: {kind}, metadata: {{name: {name}}}, spec: {spec}}}\n"
            )
        };
        let cluster = object("Cluster", "prod-shop", "{topology: {classRef: {name: standard}}}");
        let without = "ClusterClass default/standard is not in these files: 1 object is not checked against it";
        let with = format!("{without}; did you mean `prod-standard`?");
        for (classes, expected) in [
            (vec!["prod-standard"], &*with),
            (vec!["prod-standard", "prod-other"], &*with),
            (vec!["prod-other"], without),
            (vec!["prod-standard", "test-standard"], without),
        ] {
            let classes: String = classes.iter().map(|name| object("ClusterClass", name, "{}")).collect();
            let text = format!("{cluster}{classes}");
            let fleet = Fleet::read(vec![Source { name: "all.yaml".to_owned(), text }]);
            let sentences: Vec<String> =
                missing(&fleet).iter().map(|class| class.sentence("checked against it")).collect();
            assert_eq!(sentences, [expected], "{classes}");
        }
    }
}
