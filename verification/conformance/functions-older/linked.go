package main

import (
	"unsafe"

	clusterv1 "sigs.k8s.io/cluster-api/api/v1beta1"
	_ "sigs.k8s.io/cluster-api/controllers"                      // linked
	_ "sigs.k8s.io/cluster-api/controlplane/kubeadm/controllers" // linked
	_ "sigs.k8s.io/cluster-api/exp/controllers"                  // linked
)

// These editions keep all their reconcilers internal. The linker reaches them all the same. What differs between the
// editions is in the files named after them.

//go:linkname linkedMachine sigs.k8s.io/cluster-api/internal/controllers/machineset.(*Reconciler).computeDesiredMachine
func linkedMachine(r unsafe.Pointer, set *clusterv1.MachineSet, existing *clusterv1.Machine) *clusterv1.Machine

//go:linkname machineLabelsFromMachineSet sigs.k8s.io/cluster-api/internal/controllers/machineset.machineLabelsFromMachineSet
func machineLabelsFromMachineSet(set *clusterv1.MachineSet) map[string]string

//go:linkname machineAnnotationsFromMachineSet sigs.k8s.io/cluster-api/internal/controllers/machineset.machineAnnotationsFromMachineSet
func machineAnnotationsFromMachineSet(set *clusterv1.MachineSet) map[string]string

// nothingSet stands for a reconciler whose fields are all zero: larger than any of them.
func nothingSet() unsafe.Pointer { return unsafe.Pointer(new([1 << 12]byte)) }
