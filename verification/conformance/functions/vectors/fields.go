package vectors

import (
	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// In-place mutable fields of fleets, as a user may set them at any level.

func (d dice) seconds() *int32 {
	return some(d, 45, func() int32 { return pick(d, []int32{0, 1, 10, 60, 90, 3600, 5400}) })
}

func (d dice) readinessGates() []clusterv1.MachineReadinessGate {
	if !d.In(35) {
		return nil
	}
	names := []string{"example.com/Ready", "example.com/Warm", "APIServerPodHealthy", "NodeReady"}
	var gates []clusterv1.MachineReadinessGate
	for _, at := range d.Perm(len(names))[:d.Between(1, 3)] {
		polarity := pick(d, []clusterv1.ConditionPolarity{"", clusterv1.PositivePolarityCondition, clusterv1.NegativePolarityCondition})
		gates = append(gates, clusterv1.MachineReadinessGate{ConditionType: names[at], Polarity: polarity})
	}
	return gates
}

func (d dice) taints() []clusterv1.MachineTaint {
	if !d.In(35) {
		return nil
	}
	keys := []string{"example.com/gpu", "dedicated", "node.cluster.x-k8s.io/mine"}
	var taints []clusterv1.MachineTaint
	for _, at := range d.Perm(len(keys))[:d.Between(1, 2)] {
		taints = append(taints, clusterv1.MachineTaint{
			Key: keys[at], Value: pick(d, []string{"", "yes", "no"}),
			Effect:      pick(d, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}),
			Propagation: pick(d, []clusterv1.MachineTaintPropagation{clusterv1.MachineTaintPropagationAlways, clusterv1.MachineTaintPropagationOnInitialization}),
		})
	}
	return taints
}

func (d dice) deletionOrder() clusterv1.MachineSetDeletionOrder {
	return pick(d, []clusterv1.MachineSetDeletionOrder{
		"", "", clusterv1.RandomMachineSetDeletionOrder, clusterv1.NewestMachineSetDeletionOrder, clusterv1.OldestMachineSetDeletionOrder,
	})
}
