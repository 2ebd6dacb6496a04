//! What a webhook refuses in the control plane that Cluster API makes for a Cluster with a topology, as findings of
//! `propagate check`.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::{DesiredPart, PartRole};

use crate::fleet::Fleet;
use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::object_finding::{FindingLevel, ObjectFinding, REFUSED};
use crate::refusal::of_object;
use crate::relations::text;

/// Where a Cluster sets the number of replicas of its control plane.
const REPLICAS: &str = "/spec/topology/controlPlane/replicas";

/// The findings about the number of replicas of a control plane; none if the object is not a Cluster with a topology, or
/// its control plane is not known: the class or a template is not among the files, or an extension patches it.
pub(crate) fn topology_findings(object: &FleetObject, fleet: &Fleet) -> Vec<ObjectFinding> {
    if object.id.group != CORE_GROUP || object.id.kind != "Cluster" {
        return Vec::new();
    }
    let cluster = object.value();
    // The webhook accepts every odd number.
    if cluster.pointer(REPLICAS).and_then(Value::as_i64).is_none_or(|replicas| replicas % 2 != 0) {
        return Vec::new();
    }
    let Some(Ok(made)) = fleet.made(&object.id) else { return Vec::new() };
    let control_planes =
        made.parts.into_iter().filter(|part| part.role == PartRole::ControlPlane && part.gap().is_none());
    control_planes.flat_map(|part| findings(object, &part)).collect()
}

/// The findings about the number of replicas of one control plane.
fn findings(cluster: &FleetObject, part: &DesiredPart) -> Vec<ObjectFinding> {
    let id = ObjectId {
        group: group_and_version(text(&part.object, "apiVersion")).0.to_owned(),
        kind: text(&part.object, "kind").to_owned(),
        ..cluster.id.clone()
    };
    let refusals = of_object(&id, &part.object).into_iter().filter(|refusal| refusal.at == "spec.replicas");
    let finding = |refusal: crate::refusal::Refusal| {
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
        let external =
            "{kubeadmConfigSpec: {clusterConfiguration: {etcd: {external: {endpoints: [\"https://etcd:2379\"]}}}}}";
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
