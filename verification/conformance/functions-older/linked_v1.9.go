//go:build v1.9

package main

import (
	"context"
	"unsafe"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/controlplane/kubeadm/api/v1beta1"
	expv1 "sigs.k8s.io/cluster-api/exp/api/v1beta1"
)

const edition = "v1.9"

//go:linkname linkedMachineSet sigs.k8s.io/cluster-api/internal/controllers/machinedeployment.(*Reconciler).computeDesiredMachineSet
func linkedMachineSet(r unsafe.Pointer, ctx context.Context, deployment *clusterv1.MachineDeployment, existing *clusterv1.MachineSet, old []*clusterv1.MachineSet) (*clusterv1.MachineSet, error)

//go:linkname linkedControlPlaneMachine sigs.k8s.io/cluster-api/controlplane/kubeadm/internal/controllers.(*KubeadmControlPlaneReconciler).computeDesiredMachine
func linkedControlPlaneMachine(r unsafe.Pointer, kcp *controlplanev1.KubeadmControlPlane, cluster *clusterv1.Cluster, failureDomain *string, existing *clusterv1.Machine) (*clusterv1.Machine, error)

//go:linkname linkedPoolMachine sigs.k8s.io/cluster-api/exp/internal/controllers.(*MachinePoolReconciler).computeDesiredMachine
func linkedPoolMachine(r unsafe.Pointer, pool *expv1.MachinePool, infraMachine *unstructured.Unstructured, existing *clusterv1.Machine, node *corev1.Node) *clusterv1.Machine

//go:linkname linkedManagedLabels sigs.k8s.io/cluster-api/internal/controllers/machine.(*Reconciler).getManagedLabels
func linkedManagedLabels(r unsafe.Pointer, labels map[string]string) map[string]string

func computeDesiredMachineSet(deployment *clusterv1.MachineDeployment, existing *clusterv1.MachineSet) (*clusterv1.MachineSet, error) {
	return linkedMachineSet(nothingSet(), context.Background(), deployment, existing, nil)
}

func computeDesiredControlPlaneMachine(kcp *controlplanev1.KubeadmControlPlane, cluster *clusterv1.Cluster, existing *clusterv1.Machine) (*clusterv1.Machine, error) {
	return linkedControlPlaneMachine(nothingSet(), kcp, cluster, nil, existing)
}

func computeDesiredPoolMachine(pool *expv1.MachinePool, infraMachine *unstructured.Unstructured, existing *clusterv1.Machine) *clusterv1.Machine {
	return linkedPoolMachine(nothingSet(), pool, infraMachine, existing, nil)
}

func managedLabels(labels map[string]string) map[string]string {
	return linkedManagedLabels(nothingSet(), labels)
}
