//! ClusterClass and Cluster topology above a control plane, MachineDeployment or MachinePool.

use crate::catalog::keys::{self, CLUSTER_NAME, TOPOLOGY_OWNED};
use crate::catalog::{CLASS_MASKS, CONTROL_PLANE_TEMPLATE_MASKS, CORE_GROUP, Place, TOPOLOGY_MASKS, Version};
use crate::json::Json;
use crate::parents::{active, core, is_paused_cluster, owner_that_refers, owners, refers_to};
use crate::propagation::class_patches::{ClassPatches, control_plane_template};
use crate::propagation::layers::{Facts, Layer, Sources};
use crate::subject::Subject;
use kubernetes::{
    InvolvedObject, Lookups, MapKind, Masks, NotApplicableReason, ObjectName, ObjectQuery, Operation, OwnerReference,
    Parent, ReadFailure, Stop, group_and_version,
};

/// Where a Cluster refers to its control plane.
const CONTROL_PLANE_REF: &[&str] = &["controlPlaneRef"];

/// What the topology sets in an object that it owns, in a version of Cluster API.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeControlPlane`, `computeMachineDeployment` and
/// `computeMachinePool`.
///
/// # Errors
/// When no topology owns the object, or when it is not known what it sets.
pub(super) fn sources<'e>(subject: &Subject<'e>, version: Version, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let cluster = compared_cluster(subject, lookups)?;
    let (class_namespace, class_name) = class_reference(&cluster, subject)?;
    let worker = WorkerEntry::find(&cluster, subject)?;
    if worker.is_none() && refers_to(&cluster, CONTROL_PLANE_REF, subject)? == Some(false) {
        return Err(Stop::not_applicable(NotApplicableReason::AnotherControlPlane, cluster.name.to_string()));
    }
    let class = lookups.parent(&core("ClusterClass", class_namespace, class_name, CLASS_MASKS))?;
    let class_entry = worker.as_ref().map(|worker| worker.in_class(&class)).transpose()?;
    let (of_class, of_topology) = match subject.place {
        Some(Place::MachineDeployment) => (Place::MachineDeploymentClass, Place::MachineDeploymentTopology),
        Some(Place::MachinePool) => (Place::MachinePoolClass, Place::MachinePoolTopology),
        _ => (Place::ControlPlaneClass, Place::ControlPlaneTopology),
    };
    let mut layers = vec![
        Layer::read(&class, of_class, class_entry, subject.place)?,
        Layer::read(&cluster, of_topology, worker.as_ref().map(|worker| worker.entry), subject.place)?,
    ];
    let mut targets: Vec<Place> = subject.place.into_iter().collect();
    let (mut without_infrastructure, mut patches) = (None, ClassPatches::default());
    if subject.place != Some(Place::ControlPlane) {
        targets.extend(subject.template());
    } else {
        // Source: `computeControlPlane` writes the machine template if `HasControlPlaneInfrastructureMachine`.
        match class.spec(&["controlPlane", "machineInfrastructure"])?.is_null() {
            true => without_infrastructure = subject.template(),
            false => targets.extend(subject.template()),
        }
        patches = ClassPatches::of(&class, version)?;
        if template_decides(subject, &layers)? {
            layers.splice(0..0, template_layers(&class, class_namespace, lookups)?);
        }
    }
    let topology_name = worker.and_then(|worker| worker.name);
    let facts = Facts { cluster_name: Some(cluster.name.name), topology_name, ..Facts::default() };
    Ok(Sources { layers, targets, without_infrastructure, patches, facts, owner_kind: "Cluster", ..Sources::default() })
}

/// The Cluster whose topology owns the object.
fn compared_cluster<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Parent<'e>, Stop> {
    let cluster = match subject.stored_label(TOPOLOGY_OWNED)? {
        Some(_) => cluster(subject, TOPOLOGY_MASKS, lookups)?,
        None => None,
    };
    let Some(cluster) = cluster else {
        return Err(Stop::not_applicable(NotApplicableReason::NoOwner, ""));
    };
    let cluster = active(cluster)?;
    if is_paused_cluster(&cluster)? {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, cluster.name.to_string()));
    }
    Ok(cluster)
}

/// Namespace and name of the class of a Cluster.
fn class_reference<'e>(cluster: &Parent<'e>, subject: &Subject<'e>) -> Result<(&'e str, &'e str), Stop> {
    let either = |new: &[&str], old: &[&str]| match cluster.string(new)? {
        Some(text) => Ok(Some(text)),
        None => cluster.string(old),
    };
    let Some(name) = either(&["topology", "classRef", "name"], &["topology", "class"])? else {
        return Err(Stop::not_applicable(NotApplicableReason::NoTopology, cluster.name.to_string()));
    };
    let namespace = either(&["topology", "classRef", "namespace"], &["topology", "classNamespace"])?;
    Ok((namespace.unwrap_or(subject.namespace()), name))
}

/// The entry of a worker in the topology of its Cluster.
struct WorkerEntry<'e> {
    /// The list that it is in.
    list: &'static str,
    name: Option<&'e str>,
    entry: Json<'e>,
    /// The name of its class in the ClusterClass.
    class: &'e str,
}

impl<'e> WorkerEntry<'e> {
    /// The entry of the object; `None` for a control plane.
    fn find(cluster: &Parent<'e>, subject: &Subject<'e>) -> Result<Option<Self>, Stop> {
        let Some((list, label)) = subject.place.and_then(Place::worker_list) else { return Ok(None) };
        let name = subject.stored_label(label)?;
        let path = ["topology", "workers", list];
        let missing = NotApplicableReason::TopologyEntryMissing;
        let entry = entry_of(cluster, &path, "name", name.unwrap_or_default(), missing)?;
        let class = cluster.readable(entry.string(&["class"]))?.unwrap_or_default();
        Ok(Some(WorkerEntry { list, name, entry, class }))
    }

    fn in_class(&self, class: &Parent<'e>) -> Result<Json<'e>, Stop> {
        entry_of(class, &["workers", self.list], "class", self.class, NotApplicableReason::ClassEntryMissing)
    }
}

/// The element of a list with a name; if there is none, nothing is compared, for the reason `missing`.
fn entry_of<'e>(
    parent: &Parent<'e>,
    list: &[&str],
    key: &'static str,
    name: &str,
    missing: NotApplicableReason,
) -> Result<Json<'e>, Stop> {
    let entry = parent.readable(parent.spec(list)?.element(key, name))?;
    if entry.is_null() {
        let because = InvolvedObject { object: parent.name.to_string(), entry: Some(name.to_owned()), malformed: None };
        return Err(Stop::not_applicable(missing, because));
    }
    Ok(entry)
}

/// The Cluster of an object that its topology owns; `None` if the object names none.
///
/// `spec.clusterName` of a worker is immutable, and names its Cluster whatever ownerReferences it has. A control plane is
/// that of the Cluster that refers to it. Without ownerReferences, the label names the Cluster.
///
/// # Errors
/// When the Cluster cannot be read, or the object does not have the structure of a Kubernetes object.
pub(crate) fn cluster<'e>(
    subject: &Subject<'e>,
    masks: Masks,
    lookups: &Lookups<'e>,
) -> Result<Option<Parent<'e>>, Stop> {
    // Control planes of other providers may use this field for something else.
    let field = match subject.place {
        Some(Place::ControlPlane) => None,
        _ => subject.object.spec.string(&["clusterName"])?,
    };
    let is_named = |owner: &&OwnerReference<'e>| field.is_none_or(|name| owner.name == name);
    let owners = owners(&subject.object, CORE_GROUP, "Cluster").filter(is_named);
    let queries = owners.map(|owner| ObjectQuery::owner(owner, subject.namespace(), masks));
    let refers_to_it =
        |cluster: &Parent<'e>| Ok(field.is_some() || refers_to(cluster, CONTROL_PLANE_REF, subject)? == Some(true));
    if let Some(cluster) = owner_that_refers(queries, refers_to_it, lookups)? {
        return Ok(Some(cluster));
    }
    let name = match field {
        Some(name) => Some(name),
        None => subject.stored_label(CLUSTER_NAME)?.filter(|name| !name.is_empty()),
    };
    let query = name.map(|name| core("Cluster", subject.namespace(), name, masks));
    Ok(query.map(|query| lookups.parent(&query)).transpose()?)
}

/// Whether the control plane's template may matter: for CREATE, and when an UPDATE changes a key that is neither in
/// topology or class nor forced.
fn template_decides(subject: &Subject<'_>, layers: &[Layer<'_>]) -> Result<bool, Stop> {
    if subject.review.operation == Operation::Create {
        return Ok(true);
    }
    for place in [Place::ControlPlane, Place::ControlPlaneMachineTemplate] {
        for map in MapKind::BOTH {
            let new = place.map(&subject.object, map, None)?;
            let old = subject.old_map(place, map)?;
            let known = |key: &str| {
                layers.iter().any(|layer| layer.map(map).contains_key(key))
                    || [CLUSTER_NAME, TOPOLOGY_OWNED].contains(&key)
                    || (map == MapKind::Annotations && keys::is_never(key))
            };
            if new.keys().chain(old.keys()).any(|key| new.get(key) != old.get(key) && !known(key)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The first layers: what the class' template sets in the control plane. None if the template's kind may not be read,
/// which is reported with the lookups.
fn template_layers<'e>(class: &Parent<'e>, namespace: &'e str, lookups: &Lookups<'e>) -> Result<Vec<Layer<'e>>, Stop> {
    let reference = control_plane_template(class)?;
    let field = |key| class.readable(reference.string(&[key]));
    let (Some(api_version), Some(kind), Some(name)) = (field("apiVersion")?, field("kind")?, field("name")?) else {
        return Ok(Vec::new());
    };
    let (group, version) = group_and_version(api_version);
    let query = ObjectQuery {
        group,
        version: Some(version),
        object: ObjectName { kind, namespace, name },
        uid: "",
        masks: CONTROL_PLANE_TEMPLATE_MASKS,
    };
    let answer = match lookups.get(&query) {
        Ok(answer) => answer,
        Err(ReadFailure::UnknownKind(_)) => return Ok(Vec::new()),
        Err(failure) => return Err(failure.into()),
    };
    let template = Parent::read(answer, &query)?;
    [Place::ControlPlaneTemplate, Place::ControlPlaneTemplateMachineTemplate]
        .into_iter()
        .map(|place| Layer::read(&template, place, None, None))
        .collect()
}
