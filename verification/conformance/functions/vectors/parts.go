package vectors

import (
	"context"
	_ "unsafe" // for go:linkname

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"

	"conformance/fleet"
)

//go:linkname machineLabelsFromMachineSet sigs.k8s.io/cluster-api/core/reconcilers/machineset.machineLabelsFromMachineSet
func machineLabelsFromMachineSet(set *clusterv1.MachineSet) map[string]string

//go:linkname machineAnnotationsFromMachineSet sigs.k8s.io/cluster-api/core/reconcilers/machineset.machineAnnotationsFromMachineSet
func machineAnnotationsFromMachineSet(set *clusterv1.MachineSet) map[string]string

// machinePartVectors: a Machine's InfraMachine and BootstrapConfig, new below the MachineSet, and later below the
// Machine.
func machinePartVectors(d dice) []fleet.Vector {
	ctx, cluster, e := context.Background(), d.cluster(), d.editions()
	set := d.machineSet(cluster)
	machine := machineOf(set)
	reconciler := &machineset.Reconciler{Client: newStore(
		externalTemplate(infra, "DevMachineTemplate", "worker", asJSON(d.metadata())),
		externalTemplate(bootstrap, "KubeadmConfigTemplate", "worker", asJSON(d.metadata())),
	)}
	infraMachine, err := computeDesiredInfraMachine(reconciler, ctx, set, machine, nil)
	fleet.Must(err)
	bootstrapConfig, err := computeDesiredBootstrapConfig(reconciler, ctx, set, machine, nil)
	fleet.Must(err)
	continuous := map[string]map[string]string{
		"metadata.labels": machineLabelsFromMachineSet(set), "metadata.annotations": machineAnnotationsFromMachineSet(set),
	}
	objects := []map[string]any{in(e.above, set), in(e.above, cluster)}
	var vectors []fleet.Vector
	for _, made := range []struct {
		function string
		part     *unstructured.Unstructured
	}{{"machineset.computeDesiredInfraMachine", infraMachine}, {"machineset.computeDesiredBootstrapConfig", bootstrapConfig}} {
		vector := e.vector(made.function, made.part.GetKind())
		vector.Cluster = objects
		vectors = append(vectors, d.newPart(vector, made.part.Object, continuous))
		vector = e.vector("machineset.machineLabelsFromMachineSet", made.part.GetKind())
		vector.Cluster = append([]map[string]any{fleet.Unpaused(in(e.above, machine))}, objects...)
		vectors = append(vectors, d.Question(vector, ofMachine(made.part.Object, machine), continuous))
	}
	return vectors
}

// newPart is a question about an object that Cluster API would create like this. Only what it also keeps up
// continuously is disturbed: the rest comes from the template, and belongs to the object.
func (d dice) newPart(vector fleet.Vector, created map[string]any, continuous map[string]map[string]string) fleet.Vector {
	return d.Question(vector, created, continuous).Expect(fleet.Answer(created, "metadata"))
}

// ofMachine is the object after the Machine took it over.
func ofMachine(created map[string]any, machine *clusterv1.Machine) map[string]any {
	taken := &unstructured.Unstructured{Object: fleet.Copy(created)}
	taken.SetUID("part")
	taken.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID, Controller: ptr.To(true),
	}})
	return taken.Object
}

func asJSON(metadata clusterv1.ObjectMeta) map[string]any {
	return *read[map[string]any](shown("", metadata))
}
