//! What is refused in a Cluster with a topology because of its class, or in what Cluster API makes for it, as findings of
//! `propagate check`.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::{DesiredPart, Gap, Obstacle, PartRole, TopologyRefusal, class_refusals};

use crate::fleet::Fleet;
use crate::kustomize::patched_by;
use crate::made::{class, refusal_of_part};
use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::object_finding::{FindingLevel, ObjectFinding, REFUSED};
use crate::plan::topology::{of_new_cluster, resolved};
use crate::refusal::{Refusal, of_object};
use crate::relations::text;

/// Where a Cluster sets the number of replicas of its control plane.
const REPLICAS: &str = "/spec/topology/controlPlane/replicas";

/// The findings about a Cluster; none if it has no topology or its class is not among the files. A part is not known if an
/// extension patches it or its template is not among the files.
pub(crate) fn topology_findings(object: &FleetObject, fleet: &Fleet) -> Vec<ObjectFinding> {
    if object.id.group != CORE_GROUP || object.id.kind != "Cluster" {
        return Vec::new();
    }
    let cluster = object.value();
    let Some(class) = class(&cluster, &object.id).and_then(|id| fleet.find(&id)) else { return Vec::new() };
    // What a kustomization may add to a file is not missing.
    let is_patched = |of: &FleetObject| patched_by(fleet.sources(), of.origin.source).is_some();
    let is_open = [object, class].into_iter().any(is_patched);
    let mut found = of_new_cluster(&cluster, &class.value());
    found.retain(|refusal| !is_open || !matches!(refusal, TopologyRefusal::RequiredVariable(_)));
    let mut of_parts = Vec::new();
    match fleet.made(&object.id).filter(|_| !is_open) {
        Some(Ok(made)) => {
            let parts = made.parts.iter().filter(|part| part.gap().is_none());
            let parts = parts.filter(|part| part_template(&class.id, part, fleet).is_none_or(|it| !is_patched(it)));
            of_parts.extend(parts.flat_map(|part| of_part(object, (&class.id, part, fleet))));
        }
        Some(Err(Obstacle::Unknown(gap @ Gap::Newer(_)))) => {
            let message = format!("what Cluster API makes is not checked: {gap}");
            of_parts.push(ObjectFinding::new(FindingLevel::Note, REFUSED, "spec.topology", message));
        }
        // What the values are refused for is said already, and a class that is refused is not stored.
        Some(Err(obstacle)) if found.is_empty() && class_refusals(&class.value()).is_empty() => {
            of_parts.extend(resolved(&cluster, obstacle).map(of_controller));
        }
        _ => {}
    }
    let refused = found.into_iter().map(|it| ObjectFinding::refused(Refusal::of_topology(it, "Cluster")));
    refused.chain(of_parts).collect()
}

/// What is refused in one object that is made for a Cluster.
fn of_part(cluster: &FleetObject, (class, part, fleet): (&ObjectId, &DesiredPart, &Fleet)) -> Vec<ObjectFinding> {
    let written = cluster.value();
    let is_even = written.pointer(REPLICAS).and_then(Value::as_i64).is_some_and(|replicas| replicas % 2 == 0);
    let even = if part.role == PartRole::ControlPlane && is_even { replicas(cluster, part) } else { Vec::new() };
    let refusal = refusal_of_part(part);
    // A template that is refused itself is not stored.
    let is_refused = |template: &FleetObject| !of_object(&template.id, &template.value()).is_empty();
    let refusal = refusal.filter(|_| !part_template(class, part, fleet).is_some_and(is_refused));
    let refusal = refusal.and_then(|refusal| resolved(&written, refusal.into()));
    even.into_iter().chain(refusal.map(of_controller)).collect()
}

/// The finding that Cluster API cannot write what a Cluster asks for.
fn of_controller(refusal: TopologyRefusal) -> ObjectFinding {
    let help =
        "correct the variable, the patch or the template; until then Cluster API writes nothing for this Cluster";
    let found = ObjectFinding::refused(Refusal::of_topology(refusal, "Cluster"));
    ObjectFinding { help: Some(help.to_owned()), ..found }
}

/// The template that a part is made from.
fn part_template<'f>(class: &ObjectId, part: &DesiredPart, fleet: &'f Fleet) -> Option<&'f FleetObject> {
    let annotation = |name: &str| {
        let key = format!("/metadata/annotations/cluster.x-k8s.io~1{name}");
        part.object.pointer(&key).and_then(Value::as_str).unwrap_or_default()
    };
    let (kind, group) = annotation("cloned-from-groupkind").split_once('.').unwrap_or_default();
    fleet.find(&ObjectId::new(group, kind, &class.namespace, annotation("cloned-from-name")))
}

/// The findings about the number of replicas of one control plane.
fn replicas(cluster: &FleetObject, part: &DesiredPart) -> Vec<ObjectFinding> {
    let id = ObjectId {
        group: group_and_version(text(&part.object, "apiVersion")).0.to_owned(),
        kind: text(&part.object, "kind").to_owned(),
        ..cluster.id.clone()
    };
    let refusals =
        of_object(&id, &part.object).into_iter().filter(|refusal| refusal.at.fields().eq(["spec", "replicas"]));
    let finding = |refusal: Refusal| {
        let message = format!("the webhook of {} refuses the control plane: {}", id.kind, refusal.message);
        ObjectFinding::new(FindingLevel::Error, REFUSED, "spec.topology.controlPlane.replicas", message)
    };
    refusals.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    /// The messages about a Cluster with a number of replicas and a template of control planes.
    fn messages(replicas: &str, template: &str) -> Vec<String> {
        let text = format!(
            "{{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {{name: c}}, spec: {{topology: \
             {{classRef: {{name: small}}, version: v1.34.2, controlPlane: {{replicas: {replicas}}}}}}}}}\n---\n\
             {{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {{name: small}}, spec: \
             {{infrastructure: {{templateRef: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, \
             kind: DockerClusterTemplate, name: small}}}}, controlPlane: {{templateRef: {{apiVersion: \
             controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: small}}}}}}}}\n---\n\
             {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerClusterTemplate, \
             metadata: {{name: small}}, spec: {{template: {{spec: {{}}}}}}}}\n---\n\
             {{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, \
             metadata: {{name: small}}, spec: {{template: {{spec: {template}}}}}}}"
        );
        let fleet = Fleet::read(vec![Source { name: "fleet.yaml".to_owned(), text }]);
        assert_eq!(fleet.problems(), []);
        fleet.objects().flat_map(|object| topology_findings(object, &fleet)).map(|finding| finding.message).collect()
    }

    #[test]
    fn the_number_of_replicas_of_a_topology_is_checked_like_that_of_its_control_plane() {
        let refused = "the webhook of KubeadmControlPlane refuses the control plane: ";
        let even = format!("{refused}the number of replicas is even, which stacked etcd does not allow");
        let none = format!("{refused}a control plane has at least one replica");
        let stacked = "{kubeadmConfigSpec: {clusterConfiguration: {certificatesDir: /etc}}}";
        let external = "{kubeadmConfigSpec: {clusterConfiguration: {etcd: {external: {endpoints: [\"https://etcd:2379\"], caFile: /a, certFile: /b, keyFile: /c}}}}}";
        for (replicas, template, expected) in [
            ("2", stacked, vec![even.clone()]),
            ("0", stacked, vec![none]),
            ("3", stacked, vec![]),
            ("2", external, vec![]),
            ("2", "{}", vec![even]),
        ] {
            assert_eq!(messages(replicas, template), expected, "{replicas} {template}");
        }
    }
}
