package vectors

import "conformance/fleet"

// Topics are all files.
var Topics = []fleet.Topic{
	topic("topology-control-plane", func(d dice) []any { return fleet.Numbered(topologies(d, 220, controlPlaneVectors)) }),
	topic("topology-machine-deployment", func(d dice) []any { return fleet.Numbered(topologies(d, 150, machineDeploymentVectors)) }),
	topic("topology-machine-pool", func(d dice) []any { return fleet.Numbered(topologies(d, 180, machinePoolVectors)) }),
	topic("machine-set", func(d dice) []any { return fleet.Numbered(repeated(d, 320, machineSetVectors)) }),
	topic("machine", func(d dice) []any { return fleet.Numbered(repeated(d, 320, machineVectors)) }),
	topic("machine-parts", func(d dice) []any { return fleet.Numbered(repeated(d, 100, machinePartVectors)) }),
	topic("control-plane-machine", func(d dice) []any { return fleet.Numbered(repeated(d, 240, controlPlaneMachineVectors)) }),
	topic("control-plane-parts", func(d dice) []any { return fleet.Numbered(repeated(d, 80, controlPlanePartVectors)) }),
	topic("machine-pool-machine", func(d dice) []any { return fleet.Numbered(repeated(d, 160, poolMachineVectors)) }),
	topic("node", func(d dice) []any { return fleet.Numbered(repeated(d, 320, nodeVectors)) }),
	topic("names", func(d dice) []any { return names(d, 300) }),
	topic("rollout-machine-deployment", func(d dice) []any { return machineDeploymentRollouts(d, 240) }),
	topic("rollout-control-plane", func(d dice) []any { return controlPlaneRollouts(d, 240) }),
	topic("rollout-converted-control-plane", convertedControlPlanes),
	topic("rollout-converted-machine-deployment", convertedMachineDeployments),
}

// repeated makes vectors of that many fleets.
func repeated(d dice, fleets int, vectors func(dice) []fleet.Vector) []fleet.Vector {
	var all []fleet.Vector
	for range fleets {
		all = append(all, vectors(d)...)
	}
	return all
}
