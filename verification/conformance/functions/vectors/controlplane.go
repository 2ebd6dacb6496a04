package vectors

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/desiredstate"

	"conformance/fleet"
)

func (d dice) controlPlane(cluster *clusterv1.Cluster) *controlplanev1.KubeadmControlPlane {
	kcp := &controlplanev1.KubeadmControlPlane{}
	kcp.Name, kcp.Namespace, kcp.UID = d.ParentName("control-plane"), namespace, types.UID("control-plane")
	kcp.Labels, kcp.Annotations = d.Labels(), fleet.Without(d.Annotations(), fleet.Paused, fleet.ConversionData)
	kcp.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID}}
	kcp.Spec.Version = "v1.36.0"
	template := &kcp.Spec.MachineTemplate
	template.ObjectMeta = d.metadata()
	template.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infra, Kind: "DevMachineTemplate", Name: "control-plane"}
	template.Spec.ReadinessGates, template.Spec.Taints = d.readinessGates(), d.taints()
	template.Spec.Deletion.NodeDrainTimeoutSeconds = d.seconds()
	template.Spec.Deletion.NodeVolumeDetachTimeoutSeconds = d.seconds()
	template.Spec.Deletion.NodeDeletionTimeoutSeconds = d.seconds()
	if d.In(30) {
		kcp.Spec.KubeadmConfigSpec.ClusterConfiguration.Etcd.External.Endpoints = []string{"https://etcd.example.com:2379"}
	}
	return kcp
}

// controlPlaneMachineVectors: a Machine that exists, below its KubeadmControlPlane.
func controlPlaneMachineVectors(d dice) []fleet.Vector {
	cluster, e := d.cluster(), d.editions()
	kcp := d.controlPlane(cluster)
	machine := controlPlaneMachine(kcp, cluster)
	computed := in(e.object, machine)
	vector := e.vector("desiredstate.ComputeDesiredMachine", "Machine")
	vector.Cluster = []map[string]any{in(e.above, kcp), in(e.above, cluster)}
	vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
	return []fleet.Vector{d.Question(vector, computed, fleet.Answer(in("v1beta2", machine), "metadata"))}
}

func controlPlaneMachine(kcp *controlplanev1.KubeadmControlPlane, cluster *clusterv1.Cluster) *clusterv1.Machine {
	created, err := desiredstate.ComputeDesiredMachine(kcp, cluster, "", nil)
	fleet.Must(err)
	created.UID = "machine"
	created.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infra, Kind: "DevMachine", Name: created.Name}
	created.Spec.Bootstrap.ConfigRef = clusterv1.ContractVersionedObjectReference{APIGroup: bootstrap, Kind: "KubeadmConfig", Name: created.Name}
	machine, err := desiredstate.ComputeDesiredMachine(kcp, cluster, "", created)
	fleet.Must(err)
	return machine
}

// controlPlanePartVectors: InfraMachine and KubeadmConfig of a control plane's Machine, new and later.
func controlPlanePartVectors(d dice) []fleet.Vector {
	ctx, cluster, e := context.Background(), d.cluster(), d.editions()
	kcp := d.controlPlane(cluster)
	machine := controlPlaneMachine(kcp, cluster)
	client := newStore(externalTemplate(infra, "DevMachineTemplate", "control-plane", asJSON(d.metadata())))
	infraMachine, err := desiredstate.ComputeDesiredInfraMachine(ctx, client, kcp, cluster, machine.Name, nil)
	fleet.Must(err)
	config, err := desiredstate.ComputeDesiredKubeadmConfig(kcp, cluster, true, machine.Name, nil)
	fleet.Must(err)
	continuous := map[string]map[string]string{
		"metadata.labels":      desiredstate.ControlPlaneMachineLabels(kcp, cluster.Name),
		"metadata.annotations": desiredstate.ControlPlaneMachineAnnotations(kcp),
	}
	objects := []map[string]any{in(e.above, kcp), in(e.above, cluster)}
	var vectors []fleet.Vector
	for _, made := range []struct {
		function string
		part     map[string]any
	}{{"desiredstate.ComputeDesiredInfraMachine", infraMachine.Object}, {"desiredstate.ComputeDesiredKubeadmConfig", kubeadmConfig(e, config)}} {
		vector := e.vector(made.function, made.part["kind"].(string))
		vector.Cluster = objects
		vectors = append(vectors, d.newPart(vector, made.part, continuous))
		vector = e.vector("desiredstate.ControlPlaneMachineLabels", vector.Kind)
		vector.Cluster = append([]map[string]any{fleet.Unpaused(in(e.above, machine))}, objects...)
		vectors = append(vectors, d.Question(vector, ofMachine(made.part, machine), continuous))
	}
	return vectors
}

// kubeadmConfig is the configuration without what its template says: it is never read.
func kubeadmConfig(e editions, config *bootstrapv1.KubeadmConfig) map[string]any {
	shown := &unstructured.Unstructured{Object: in(e.object, config)}
	unstructured.RemoveNestedField(shown.Object, "spec")
	return shown.Object
}
