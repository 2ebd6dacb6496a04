//! The namespaces of objects without one.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::{CORE_GROUP, INFRASTRUCTURE_GROUP};
use serde_json::Value;

use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::relations::{class_of, is_placeholder, text};

/// kubectl's default if neither the manifest nor a flag has a namespace.
pub const DEFAULT_NAMESPACE: &str = "default";

/// Groups whose kinds are namespaced, in addition to those of Cluster API.
const GROUPS: &[&str] = &["", "apps", "batch"];

/// Kinds in these groups that are not namespaced.
///
/// Sources: `kubectl api-resources --namespaced=false`; the CustomResourceDefinitions of Cluster API and of its providers for
/// AWS, vSphere and OpenStack, and of the IPAM provider in-cluster.
const CLUSTER_SCOPED: &[(&str, &str)] = &[
    ("", "Namespace"),
    ("", "Node"),
    ("", "PersistentVolume"),
    (INFRASTRUCTURE_GROUP, "AWSClusterControllerIdentity"),
    (INFRASTRUCTURE_GROUP, "AWSClusterRoleIdentity"),
    (INFRASTRUCTURE_GROUP, "AWSClusterStaticIdentity"),
    (INFRASTRUCTURE_GROUP, "OpenStackClusterIdentity"),
    (INFRASTRUCTURE_GROUP, "VSphereClusterIdentity"),
    (INFRASTRUCTURE_GROUP, "VSphereDeploymentZone"),
    (INFRASTRUCTURE_GROUP, "VSphereFailureDomain"),
    ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool"),
    ("runtime.cluster.x-k8s.io", "ExtensionConfig"),
];

/// Whether objects of a kind are namespaced. For kinds of other groups it is not known: they are not changed.
fn is_namespaced(id: &ObjectId) -> bool {
    (id.is_cluster_api() || GROUPS.contains(&&*id.group)) && !CLUSTER_SCOPED.contains(&(&*id.group, &*id.kind))
}

/// Sets the namespace of every object whose kind is namespaced. Returns alternative names for some objects: a
/// ClusterClass without a namespace, and the templates that it names, are in the namespaces of the Clusters that use
/// it.
pub(crate) fn settle(objects: &mut [FleetObject], namespace: &str) -> BTreeMap<ObjectId, ObjectId> {
    let mut unplaced = BTreeSet::new();
    for (number, object) in objects.iter_mut().enumerate() {
        if (object.id.namespace.is_empty() || is_placeholder(&object.id.namespace)) && is_namespaced(&object.id) {
            namespace.clone_into(&mut object.id.namespace);
            unplaced.insert(number);
        }
    }
    let is_class = |object: &FleetObject| object.id.group == CORE_GROUP && object.id.kind == "ClusterClass";
    let classes: Vec<usize> =
        unplaced.iter().copied().filter(|number| objects.get(*number).is_some_and(is_class)).collect();
    let mut further = BTreeMap::new();
    if classes.is_empty() {
        return further;
    }
    let users = users(objects);
    for class in classes {
        let Some(class) = objects.get(class) else { continue };
        let Some(namespaces) = users.get(&*class.id.name) else { continue };
        let json = class.value();
        let mut names = BTreeSet::from([(CORE_GROUP.to_owned(), "ClusterClass".to_owned(), class.id.name.clone())]);
        class_templates(&json, &mut names);
        for number in &unplaced {
            let Some(object) = objects.get_mut(*number) else { continue };
            let id = &object.id;
            if names.contains(&(id.group.clone(), id.kind.clone(), id.name.clone())) {
                place(&mut object.id, namespaces, &mut further);
            }
        }
    }
    // An object with this actual name takes precedence.
    for object in objects.iter() {
        further.remove(&object.id);
    }
    further
}

/// Puts an object into the first of the namespaces, unless it is already in one of them, and records the others.
fn place(id: &mut ObjectId, namespaces: &BTreeSet<String>, further: &mut BTreeMap<ObjectId, ObjectId>) {
    if let Some(first) = namespaces.first().filter(|_| !namespaces.contains(&id.namespace)) {
        id.namespace.clone_from(first);
    }
    for namespace in namespaces.iter().filter(|namespace| **namespace != id.namespace) {
        further.insert(ObjectId { namespace: namespace.clone(), ..id.clone() }, id.clone());
    }
}

/// The namespaces of the Clusters that use a class of their own namespace, by its name.
fn users(objects: &[FleetObject]) -> BTreeMap<String, BTreeSet<String>> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for cluster in objects.iter().filter(|object| object.id.group == CORE_GROUP && object.id.kind == "Cluster") {
        let json = cluster.value();
        if let Some((class, None)) = class_of(&json) {
            users.entry(class.to_owned()).or_default().insert(cluster.id.namespace.clone());
        }
    }
    users
}

/// Group, kind and name of every template that a class names.
///
/// ```
/// use std::collections::BTreeSet;
///
/// let api_version = "infrastructure.cluster.x-k8s.io/v1beta2";
/// let template = serde_json::json!({"apiVersion": api_version, "kind": "AWSClusterTemplate", "name": "t"});
/// let mut found = BTreeSet::new();
/// fleet::class_templates(&serde_json::json!({"spec": {"infrastructure": {"templateRef": template}}}), &mut found);
/// let expected = ["infrastructure.cluster.x-k8s.io", "AWSClusterTemplate", "t"].map(String::from);
/// assert_eq!(found, BTreeSet::from([expected.into()]));
/// ```
pub fn class_templates(class: &Value, found: &mut BTreeSet<(String, String, String)>) {
    match class {
        Value::Object(fields) => {
            for (name, value) in fields {
                if matches!(&**name, "ref" | "templateRef") && !text(value, "name").is_empty() {
                    let group = group_and_version(text(value, "apiVersion")).0;
                    let owned = str::to_owned;
                    found.insert((owned(group), owned(text(value, "kind")), owned(text(value, "name"))));
                } else {
                    class_templates(value, found);
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| class_templates(element, found)),
        _ => {}
    }
}
