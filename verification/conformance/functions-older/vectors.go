package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/v1beta1"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/cluster-api/util/labels/format"

	"conformance/fleet"
)

// vector is a question about this edition.
func vector(function, kind string, cluster ...map[string]any) fleet.Vector {
	return fleet.Vector{
		Function: edition + " " + function, Kind: kind, Version: version, Cluster: cluster,
		Settings: map[string]any{"clusterApi": map[string]any{"version": edition}},
	}
}

func machineSetVectors(d dice) []fleet.Vector {
	cluster, deployment := d.cluster(), d.machineDeployment()
	existing := &clusterv1.MachineSet{ObjectMeta: metav1.ObjectMeta{
		Name: "workers-x7k2p", UID: "set", Labels: map[string]string{clusterv1.MachineDeploymentUniqueLabel: "1234-x7k2p"},
	}}
	existing.Spec.Template.Spec, existing.Spec.Replicas = deployment.Spec.Template.Spec, deployment.Spec.Replicas
	set, err := computeDesiredMachineSet(deployment, existing)
	fleet.Must(err)
	asked := vector("machinedeployment.computeDesiredMachineSet", "MachineSet",
		fleet.Shown(core, "MachineDeployment", deployment), fleet.Shown(core, "Cluster", cluster))
	return question(d, asked, fleet.Shown(core, "MachineSet", set), "metadata", "spec.template.metadata")
}

func machineVectors(d dice) []fleet.Vector {
	cluster, set := d.cluster(), d.machineSet()
	machine := linkedMachine(nothingSet(), set, nil)
	machine.UID = "machine"
	asked := vector("machineset.computeDesiredMachine", "Machine",
		fleet.Shown(core, "MachineSet", set), fleet.Shown(core, "Cluster", cluster))
	return question(d, asked, fleet.Shown(core, "Machine", machine), "metadata")
}

func controlPlaneMachineVectors(d dice) []fleet.Vector {
	cluster := d.cluster()
	kcp := d.controlPlane(cluster)
	created, err := computeDesiredControlPlaneMachine(kcp, cluster, nil)
	fleet.Must(err)
	created.UID = "machine"
	machine, err := computeDesiredControlPlaneMachine(kcp, cluster, created)
	fleet.Must(err)
	asked := vector("kubeadm.computeDesiredMachine", "Machine",
		fleet.Shown("controlplane."+core, "KubeadmControlPlane", kcp), fleet.Shown(core, "Cluster", cluster))
	return question(d, asked, fleet.Shown(core, "Machine", machine), "metadata")
}

func poolMachineVectors(d dice) []fleet.Vector {
	cluster, pool := d.cluster(), d.machinePool()
	infraMachine := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "pool-machine", "namespace": namespace}}}
	existing := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "pool-machine", UID: "machine"}}
	machine := computeDesiredPoolMachine(pool, infraMachine, existing)
	asked := vector("machinepool.computeDesiredMachine", "Machine",
		fleet.Shown(core, "MachinePool", pool), fleet.Shown(core, "Cluster", cluster))
	return question(d, asked, fleet.Shown(core, "Machine", machine), "metadata")
}

// partVectors: an InfraMachine made from its template, with what its MachineSet gives it.
func partVectors(d dice) []fleet.Vector {
	cluster, set := d.cluster(), d.machineSet()
	continuous := map[string]map[string]string{
		"metadata.labels": machineLabelsFromMachineSet(set), "metadata.annotations": machineAnnotationsFromMachineSet(set),
	}
	template := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "infrastructure." + core, "kind": "DevMachineTemplate", "metadata": map[string]any{"name": "worker"},
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{}, "spec": map[string]any{}}},
	}}
	fleet.PutMap(template.Object, "spec.template.metadata.labels", d.Labels())
	fleet.PutMap(template.Object, "spec.template.metadata.annotations", d.Annotations())
	part, err := external.GenerateTemplate(&external.GenerateTemplateInput{
		Template: template, TemplateRef: &corev1.ObjectReference{APIVersion: "infrastructure." + core, Kind: "DevMachineTemplate", Name: "worker"},
		Namespace: namespace, ClusterName: cluster.Name, Labels: continuous["metadata.labels"], Annotations: continuous["metadata.annotations"],
		OwnerRef: &metav1.OwnerReference{APIVersion: core, Kind: "MachineSet", Name: set.Name, UID: set.UID},
	})
	fleet.Must(err)
	asked := vector("external.GenerateTemplate", "DevMachine",
		fleet.Shown(core, "MachineSet", set), fleet.Shown(core, "Cluster", cluster))
	return []fleet.Vector{d.Question(asked, part.Object, continuous).Expect(fleet.Answer(part.Object, "metadata"))}
}

// nodeVectors: labels only, this edition carries no annotations but its own bookkeeping.
func nodeVectors(d dice) []fleet.Vector {
	cluster := d.cluster()
	machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{
		Name: "worker-1", Namespace: namespace, UID: "machine", Labels: d.NodeLabels(),
		Annotations: fleet.Without(d.NodeAnnotations(), fleet.Paused, fleet.ConversionData),
	}}
	machine.Spec.ClusterName = cluster.Name
	labels := managedLabels(machine.Labels)
	bookkeeping := map[string]string{
		clusterv1.MachineAnnotation: machine.Name, clusterv1.ClusterNamespaceAnnotation: namespace,
		clusterv1.ClusterNameAnnotation: cluster.Name,
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "node", Labels: labels, Annotations: bookkeeping}}
	above := fleet.Shown(core, "Machine", machine)
	above["status"] = map[string]any{"nodeRef": map[string]any{"name": node.Name}}
	asked := vector("machine.getManagedLabels", "Node", above, fleet.Shown(core, "Cluster", cluster))
	asked.Version, asked.Above = "v1", version
	maps := map[string]map[string]string{"metadata.labels": labels, "metadata.annotations": bookkeeping}
	return []fleet.Vector{d.Question(asked, fleet.Shown("v1", "Node", node), maps)}
}

func question(d dice, asked fleet.Vector, computed map[string]any, places ...string) []fleet.Vector {
	asked.Fields = fleet.FieldsOf(computed, asked.Kind, version)
	return []fleet.Vector{d.Question(asked, computed, fleet.Answer(computed, places...))}
}

func names(d dice, count int) []any {
	var lines []any
	for range count {
		name := d.ParentName("set")
		lines = append(lines, fleet.Formatted{Function: edition + " format.MustFormatValue", Name: name, Value: format.MustFormatValue(name)})
	}
	return lines
}
