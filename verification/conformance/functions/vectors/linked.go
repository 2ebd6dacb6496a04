package vectors

import (
	"context"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment" // linked below
	"sigs.k8s.io/cluster-api/core/reconcilers/machinepool"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"
)

// Cluster API's reconcilers keep these to themselves. The linker reaches them all the same, so that no copy can go stale.

//go:linkname computeDesiredMachineSet sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment.computeDesiredMS
func computeDesiredMachineSet(ctx context.Context, deployment *clusterv1.MachineDeployment, current *clusterv1.MachineSet) (*clusterv1.MachineSet, error)

//go:linkname computeDesiredMachine sigs.k8s.io/cluster-api/core/reconcilers/machineset.(*Reconciler).computeDesiredMachine
func computeDesiredMachine(r *machineset.Reconciler, set *clusterv1.MachineSet, existing *clusterv1.Machine) (*clusterv1.Machine, error)

//go:linkname computeDesiredInfraMachine sigs.k8s.io/cluster-api/core/reconcilers/machineset.(*Reconciler).computeDesiredInfraMachine
func computeDesiredInfraMachine(r *machineset.Reconciler, ctx context.Context, set *clusterv1.MachineSet, machine *clusterv1.Machine, existing *unstructured.Unstructured) (*unstructured.Unstructured, error)

//go:linkname computeDesiredBootstrapConfig sigs.k8s.io/cluster-api/core/reconcilers/machineset.(*Reconciler).computeDesiredBootstrapConfig
func computeDesiredBootstrapConfig(r *machineset.Reconciler, ctx context.Context, set *clusterv1.MachineSet, machine *clusterv1.Machine, existing *unstructured.Unstructured) (*unstructured.Unstructured, error)

//go:linkname computeDesiredPoolMachine sigs.k8s.io/cluster-api/core/reconcilers/machinepool.(*Reconciler).computeDesiredMachine
func computeDesiredPoolMachine(r *machinepool.Reconciler, pool *clusterv1.MachinePool, infraMachine *unstructured.Unstructured, existing *clusterv1.Machine, node *corev1.Node) *clusterv1.Machine
