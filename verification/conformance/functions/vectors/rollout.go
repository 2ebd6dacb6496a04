package vectors

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcppkg "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/desiredstate"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment/mdutil"

	"conformance/fleet"
)

// classified is an UPDATE, and whether Machines made from the old object are still up to date with the new one.
type classified struct {
	Function string `json:"function"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Version  string `json:"version"`
	// Change names what was edited.
	Change   string         `json:"change"`
	Old      map[string]any `json:"old"`
	New      map[string]any `json:"new"`
	UpToDate bool           `json:"upToDate"`
}

func machineDeploymentRollouts(d dice, count int) []any {
	edits := machineDeploymentEdits()
	var lines []any
	for number := range count {
		old := d.machineDeployment(d.cluster())
		old.Spec.Template.Spec.FailureDomain = pick(d, []string{"", "a"})
		edited := old.DeepCopy()
		name := apply(d, edits, number, edited)
		upToDate, _ := mdutil.MachineTemplateUpToDate(&old.Spec.Template, &edited.Spec.Template)
		version := pick(d, []string{"v1beta1", "v1beta2"})
		lines = append(lines, classified{
			"mdutil.MachineTemplateUpToDate", numberedName("mdutil.MachineTemplateUpToDate", number), "MachineDeployment", version, name,
			in(version, old), in(version, edited), upToDate,
		})
	}
	return lines
}

func controlPlaneRollouts(d dice, count int) []any {
	edits := controlPlaneEdits()
	var lines []any
	for number := range count {
		cluster := d.cluster()
		old := d.controlPlane(cluster)
		old.Spec.KubeadmConfigSpec.ClusterConfiguration.Etcd = bootstrapv1.Etcd{}
		// A key that Cluster API would take for the template of every new InfraMachine: a rollout without end.
		fleet.Without(old.Spec.MachineTemplate.ObjectMeta.Annotations, clusterv1.TemplateClonedFromNameAnnotation, clusterv1.TemplateClonedFromGroupKindAnnotation)
		edited := old.DeepCopy()
		name := apply(d, edits, number, edited)
		version := pick(d, []string{"v1beta1", "v1beta2"})
		lines = append(lines, classified{
			"kubeadm.UpToDate", numberedName("kubeadm.UpToDate", number), "KubeadmControlPlane", version, name,
			in(version, old), in(version, edited), controlPlaneUpToDate(old, edited, cluster, false) && controlPlaneUpToDate(old, edited, cluster, true),
		})
	}
	return lines
}

// controlPlaneUpToDate makes the first Machine, or one that joined, with its parts from the old control plane, and asks about it under the new one.
func controlPlaneUpToDate(old, edited *controlplanev1.KubeadmControlPlane, cluster *clusterv1.Cluster, isJoin bool) bool {
	ctx := context.Background()
	machine := controlPlaneMachine(old, cluster)
	client := newStore(
		externalTemplate(infra, "DevMachineTemplate", "control-plane", nil), externalTemplate(infra, "DevMachineTemplate", "other", nil),
	)
	infraMachine, err := desiredstate.ComputeDesiredInfraMachine(ctx, client, old, cluster, machine.Name, nil)
	fleet.Must(err)
	config, err := desiredstate.ComputeDesiredKubeadmConfig(old, cluster, isJoin, machine.Name, nil)
	fleet.Must(err)
	now := metav1.Unix(0, 0)
	upToDate, _, err := kcppkg.UpToDate(ctx, client, cluster, machine, edited, &now,
		map[string]*unstructured.Unstructured{machine.Name: infraMachine}, map[string]*bootstrapv1.KubeadmConfig{machine.Name: config})
	fleet.Must(err)
	return upToDate
}

// apply makes one edit, each in turn, and sometimes a second.
func apply[T any](d dice, edits []edit[T], number int, object *T) string {
	first := edits[number%len(edits)]
	first.make(d, object)
	if !d.In(20) {
		return first.name
	}
	second := pick(d, edits)
	second.make(d, object)
	return first.name + ", " + second.name
}

func numberedName(function string, number int) string {
	return fmt.Sprintf("%s %d", function, number+1)
}
