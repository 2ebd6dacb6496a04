//! ClusterClass and Cluster topology above a control plane, MachineDeployment or MachinePool.

use crate::catalog::groups::CORE_GROUP;
use crate::catalog::keys::{self, CLUSTER_NAME, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED, TOPOLOGY_POOL_NAME};
use crate::catalog::masks::{CLASS_MASKS, CONTROL_PLANE_TEMPLATE_MASKS, TOPOLOGY_MASKS};
use crate::catalog::place::Place;
use crate::catalog::version::Version;
use crate::json::Malformed;
use crate::parents::active_parent;
use crate::parents::core;
use crate::parents::is_paused_cluster;
use crate::propagation::class_patches::{ClassPatches, control_plane_template};
use crate::propagation::layers::{Facts, Layer, Sources};
use crate::subject::Subject;
use facts::not_applicable::{InvolvedObject, NotApplicableReason};
use facts::stop::Stop;
use kubernetes::lookup::Lookups;
use kubernetes::map_kind::MapKind;
use kubernetes::object::{OwnerReference, group_and_version};
use kubernetes::parent::Parent;
use kubernetes::query::{ObjectName, ObjectQuery};
use kubernetes::read_failure::ReadFailure;
use kubernetes::request::Operation;

/// What the topology sets in an object that it owns, in a version of Cluster API.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeControlPlane`, `computeMachineDeployment` and
/// `computeMachinePool`.
///
/// # Errors
/// When no topology owns the object, or when it is not known what it sets.
pub(super) fn sources<'e>(subject: &Subject<'e>, version: Version, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let cluster_name = match subject.stored_label(TOPOLOGY_OWNED)? {
        Some(_) => cluster_name(subject)?,
        None => None,
    };
    let Some(cluster_name) = cluster_name else {
        return Err(Stop::not_applicable(NotApplicableReason::NoOwner, ""));
    };

    let cluster = active_parent(
        lookups,
        &match cluster_owner(subject) {
            Some(owner) => ObjectQuery::owner(owner, subject.namespace(), TOPOLOGY_MASKS),
            None => core("Cluster", subject.namespace(), cluster_name, TOPOLOGY_MASKS),
        },
    )?;
    if is_paused_cluster(&cluster)? {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, cluster.name.to_string()));
    }

    let class_name = match cluster.string(&["topology", "classRef", "name"])? {
        Some(name) => Some(name),
        None => cluster.string(&["topology", "class"])?,
    };
    let Some(class_name) = class_name else {
        return Err(Stop::not_applicable(NotApplicableReason::NoTopology, cluster.name.to_string()));
    };
    let class_namespace = match cluster.string(&["topology", "classRef", "namespace"])? {
        Some(namespace) => Some(namespace),
        None => cluster.string(&["topology", "classNamespace"])?,
    };
    let class_namespace = class_namespace.unwrap_or(subject.namespace());

    // A worker's entry is found by name in the topology, and its class by name in the ClusterClass.
    let worker = match subject.place {
        Some(Place::MachineDeployment) => Some(("machineDeployments", TOPOLOGY_DEPLOYMENT_NAME)),
        Some(Place::MachinePool) => Some(("machinePools", TOPOLOGY_POOL_NAME)),
        _ => None,
    };
    let (mut topology_name, mut class_name_of_worker) = (None, None);
    let (mut topology_entry, mut class_entry) = (None, None);
    if let Some((list, label)) = worker {
        topology_name = subject.stored_label(label)?;
        let name = topology_name.unwrap_or_default();
        let entry = cluster.readable(cluster.spec(&["topology", "workers", list])?.element("name", name))?;
        if entry.is_null() {
            let missing =
                InvolvedObject { object: cluster.name.to_string(), entry: Some(name.to_owned()), malformed: None };
            return Err(Stop::not_applicable(NotApplicableReason::TopologyEntryMissing, missing));
        }
        class_name_of_worker = cluster.readable(entry.string(&["class"]))?;
        topology_entry = Some(entry);
    } else if let Some(name) = cluster.string(&["controlPlaneRef", "name"])? {
        let kind = cluster.string(&["controlPlaneRef", "kind"])?;
        if name != subject.name() || kind.is_some_and(|kind| kind != subject.review.kind.kind) {
            return Err(Stop::not_applicable(NotApplicableReason::AnotherControlPlane, cluster.name.to_string()));
        }
    }

    let class = lookups.parent(&core("ClusterClass", class_namespace, class_name, CLASS_MASKS))?;
    if let Some((list, _)) = worker {
        let name = class_name_of_worker.unwrap_or_default();
        let entry = class.readable(class.spec(&["workers", list])?.element("class", name))?;
        if entry.is_null() {
            let missing =
                InvolvedObject { object: class.name.to_string(), entry: Some(name.to_owned()), malformed: None };
            return Err(Stop::not_applicable(NotApplicableReason::ClassEntryMissing, missing));
        }
        class_entry = Some(entry);
    }

    let (of_class, of_topology) = match subject.place {
        Some(Place::MachineDeployment) => (Place::MachineDeploymentClass, Place::MachineDeploymentTopology),
        Some(Place::MachinePool) => (Place::MachinePoolClass, Place::MachinePoolTopology),
        _ => (Place::ControlPlaneClass, Place::ControlPlaneTopology),
    };
    let mut layers = vec![
        Layer::read(&class, of_class, class_entry, subject.place)?,
        Layer::read(&cluster, of_topology, topology_entry, subject.place)?,
    ];
    let mut targets: Vec<Place> = subject.place.into_iter().collect();
    let mut patches = ClassPatches::default();
    if subject.place != Some(Place::ControlPlane) {
        targets.extend(subject.template());
    } else {
        // A control plane without infrastructure has no machine template.
        if !class.spec(&["controlPlane", "machineInfrastructure"])?.is_null() {
            targets.extend(subject.template());
        }
        patches = ClassPatches::of(&class, version)?;
        if template_decides(subject, &layers)? {
            layers.splice(0..0, template_layers(&class, class_namespace, lookups)?);
        }
    }
    let facts = Facts { cluster_name: Some(cluster_name), topology_name, ..Facts::default() };
    Ok(Sources {
        layers,
        targets,
        patches,
        facts,
        tracked: false,
        selector: None,
        owner_kind: "Cluster",
        of_provider: Default::default(),
        unread_cluster: None,
        stored_for_kubelet: None,
    })
}

/// The name of the Cluster of an object that its topology owns: from the ownerReference, from `spec.clusterName` if the
/// kind has it, else from the label.
///
/// # Errors
/// When the object does not have the structure of a Kubernetes object.
pub(crate) fn cluster_name<'e>(subject: &Subject<'e>) -> Result<Option<&'e str>, Malformed> {
    if let Some(owner) = cluster_owner(subject) {
        return Ok(Some(owner.name));
    }
    // Control planes of other providers may use this field for something else.
    let field = match subject.place {
        Some(Place::ControlPlane) => None,
        _ => subject.object.spec.string(&["clusterName"])?,
    };
    match field {
        Some(name) => Ok(Some(name)),
        None => Ok(subject.stored_label(CLUSTER_NAME)?.filter(|name| !name.is_empty())),
    }
}

fn cluster_owner<'s, 'e>(subject: &'s Subject<'e>) -> Option<&'s OwnerReference<'e>> {
    subject.object.owner(CORE_GROUP, "Cluster")
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
