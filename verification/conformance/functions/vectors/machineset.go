package vectors

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"

	"conformance/fleet"
)

// machineTemplate is the template of a MachineDeployment, MachineSet or MachinePool as Cluster API's webhooks leave it:
// with the cluster's name.
func (d dice) machineTemplate(cluster *clusterv1.Cluster) clusterv1.MachineTemplateSpec {
	template := clusterv1.MachineTemplateSpec{ObjectMeta: d.metadata()}
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[clusterv1.ClusterNameLabel] = cluster.Name
	template.Spec = clusterv1.MachineSpec{
		ClusterName: cluster.Name, Version: "v1.36.0", MinReadySeconds: d.seconds(), ReadinessGates: d.readinessGates(), Taints: d.taints(),
		Bootstrap:         clusterv1.Bootstrap{ConfigRef: clusterv1.ContractVersionedObjectReference{APIGroup: bootstrap, Kind: "KubeadmConfigTemplate", Name: "worker"}},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: infra, Kind: "DevMachineTemplate", Name: "worker"},
		Deletion: clusterv1.MachineDeletionSpec{
			NodeDrainTimeoutSeconds: d.seconds(), NodeVolumeDetachTimeoutSeconds: d.seconds(), NodeDeletionTimeoutSeconds: d.seconds(),
		},
	}
	return template
}

func (d dice) machineDeployment(cluster *clusterv1.Cluster) *clusterv1.MachineDeployment {
	deployment := &clusterv1.MachineDeployment{}
	deployment.Name = pick(d, []string{"workers", "md.eu", strings.Repeat("m", 63)})
	deployment.Namespace, deployment.UID = namespace, types.UID("deployment")
	// What pauses the MachineDeployment itself, and the conversion's own copy, are no matter of what it hands on.
	deployment.Labels, deployment.Annotations = d.Labels(), fleet.Without(d.Annotations(), fleet.Paused, fleet.ConversionData)
	deployment.Spec = clusterv1.MachineDeploymentSpec{
		ClusterName: cluster.Name, Replicas: ptr.To(int32(3)), Template: d.machineTemplate(cluster),
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.ClusterNameLabel: cluster.Name}},
		Deletion: clusterv1.MachineDeploymentDeletionSpec{Order: d.deletionOrder()},
	}
	if d.In(30) {
		deployment.Spec.MachineNaming.Template = pick(d, []string{"{{ .cluster.name }}-{{ .random }}", "m-{{ .random }}"})
	}
	return deployment
}

// machineSetVectors: a MachineSet that exists, beside its MachineDeployment.
func machineSetVectors(d dice) []fleet.Vector {
	ctx, cluster := context.Background(), d.cluster()
	e, deployment := d.editions(), d.machineDeployment(cluster)
	shownDeployment := in(e.above, deployment)
	if e.object == "v1beta2" && e.above == "v1beta1" {
		oddDurations(d, shownDeployment)
		deployment = hubOf(shownDeployment, coreconversion.ConvertMachineDeploymentV1Beta1ToHub)
	}
	// A new one has its name, its hash and its spec from Cluster API; then it is checked again.
	created, err := computeDesiredMachineSet(ctx, deployment, nil)
	fleet.Must(err)
	created.UID = "set"
	set, err := computeDesiredMachineSet(ctx, deployment, created)
	fleet.Must(err)
	computed := in(e.object, set)
	vector := e.vector("machinedeployment.computeDesiredMS", "MachineSet")
	vector.Cluster = []map[string]any{shownDeployment, in(e.above, cluster)}
	vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
	if seconds := set.Spec.Template.Spec.MinReadySeconds; e.object == "v1beta1" && seconds != nil && *seconds == 0 {
		// That version cannot tell it from nothing.
		delete(vector.Fields, "spec.minReadySeconds")
	}
	return []fleet.Vector{d.Question(vector, computed, fleet.Answer(in("v1beta2", set), "metadata", "spec.template.metadata"))}
}

// hubOf reads a v1beta1 object and converts it.
func hubOf[Old, Hub any](shown map[string]any, convert func(context.Context, *Old, *Hub) error) *Hub {
	old, hub := read[Old](shown), new(Hub)
	fleet.Must(convert(context.Background(), old, hub))
	return hub
}

// oddDurations writes timeouts in other words than Go's own.
func oddDurations(d dice, object map[string]any) {
	for _, name := range []string{"nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"} {
		path := "spec.template.spec." + name
		if fleet.At(object, path) != nil {
			fleet.Put(object, path, pick(d, []string{"0s", "1h", "90500ms", "1m30.5s", "60s", "1m", "0h2m"}))
		}
	}
}
