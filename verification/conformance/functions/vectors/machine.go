package vectors

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinepool"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"

	"conformance/fleet"
)

func (d dice) machineSet(cluster *clusterv1.Cluster) *clusterv1.MachineSet {
	set := &clusterv1.MachineSet{}
	set.Name, set.Namespace, set.UID = d.ParentName("set"), namespace, types.UID("set")
	set.Labels, set.Annotations = d.Labels(), fleet.Without(d.Annotations(), fleet.Paused, fleet.ConversionData)
	if d.In(60) {
		if set.Labels == nil {
			set.Labels = map[string]string{}
		}
		set.Labels[clusterv1.MachineDeploymentNameLabel] = "workers"
	}
	set.Spec = clusterv1.MachineSetSpec{ClusterName: cluster.Name, Replicas: ptr.To(int32(3)), Template: d.machineTemplate(cluster)}
	if d.In(70) {
		set.Spec.Template.Labels[clusterv1.MachineDeploymentUniqueLabel] = "1234-x7k2p"
	}
	return set
}

// machineVectors: a Machine that exists, below its MachineSet.
func machineVectors(d dice) []fleet.Vector {
	cluster := d.cluster()
	e, set := d.editions(), d.machineSet(cluster)
	shownSet := in(e.above, set)
	if e.object == "v1beta2" && e.above == "v1beta1" {
		oddDurations(d, shownSet)
		set = hubOf(shownSet, coreconversion.ConvertMachineSetV1Beta1ToHub)
	}
	machine := machineOf(set)
	computed := in(e.object, machine)
	vector := e.vector("machineset.computeDesiredMachine", "Machine")
	vector.Cluster = []map[string]any{shownSet, in(e.above, cluster)}
	vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
	return []fleet.Vector{d.Question(vector, computed, fleet.Answer(in("v1beta2", machine), "metadata"))}
}

// machineOf is a Machine of a MachineSet, with the name that Cluster API gave it when it was new.
func machineOf(set *clusterv1.MachineSet) *clusterv1.Machine {
	created, err := computeDesiredMachine(&machineset.Reconciler{}, set, nil)
	fleet.Must(err)
	created.UID = "machine"
	created.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infra, Kind: "DevMachine", Name: created.Name}
	created.Spec.Bootstrap.ConfigRef = clusterv1.ContractVersionedObjectReference{APIGroup: bootstrap, Kind: "KubeadmConfig", Name: created.Name}
	machine, err := computeDesiredMachine(&machineset.Reconciler{}, set, created)
	fleet.Must(err)
	return machine
}

// poolMachineVectors: a Machine of a MachinePool.
func poolMachineVectors(d dice) []fleet.Vector {
	cluster, e := d.cluster(), d.editions()
	pool := &clusterv1.MachinePool{}
	pool.Name, pool.Namespace, pool.UID = d.ParentName("pool"), namespace, types.UID("pool")
	pool.Labels, pool.Annotations = d.Labels(), fleet.Without(d.Annotations(), fleet.Paused, fleet.ConversionData)
	pool.Spec = clusterv1.MachinePoolSpec{ClusterName: cluster.Name, Template: d.machineTemplate(cluster)}
	if d.In(40) {
		pool.Spec.Template.ObjectMeta = d.metadata()
	}
	infraMachine := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": infra + "/v1beta2", "kind": "DevMachine", "metadata": map[string]any{"name": "pool-machine", "namespace": namespace},
	}}
	existing := &clusterv1.Machine{}
	existing.Name, existing.UID = "pool-machine", "machine"
	machine := computeDesiredPoolMachine(&machinepool.Reconciler{}, pool, infraMachine, existing, nil)
	computed := in(e.object, machine)
	vector := e.vector("machinepool.computeDesiredMachine", "Machine")
	vector.Cluster = []map[string]any{in(e.above, pool), in(e.above, cluster)}
	vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
	return []fleet.Vector{d.Question(vector, computed, fleet.Answer(in("v1beta2", machine), "metadata"))}
}
