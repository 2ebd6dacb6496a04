package vectors

// Topic is one file of vectors.
type Topic struct {
	// Name of the file, and part of its seed.
	Name string
	// Make returns a topic's vectors, each of which becomes a line of JSON.
	Make func(d dice) []any
}

// Topics are all files.
var Topics = []Topic{
	{"topology-control-plane", func(d dice) []any { return numbered(topologies(d, 220, controlPlaneVectors)) }},
	{"topology-machine-deployment", func(d dice) []any { return numbered(topologies(d, 150, machineDeploymentVectors)) }},
	{"topology-machine-pool", func(d dice) []any { return numbered(topologies(d, 180, machinePoolVectors)) }},
	{"machine-set", func(d dice) []any { return numbered(repeated(d, 320, machineSetVectors)) }},
	{"machine", func(d dice) []any { return numbered(repeated(d, 320, machineVectors)) }},
	{"machine-parts", func(d dice) []any { return numbered(repeated(d, 100, machinePartVectors)) }},
	{"control-plane-machine", func(d dice) []any { return numbered(repeated(d, 240, controlPlaneMachineVectors)) }},
	{"control-plane-parts", func(d dice) []any { return numbered(repeated(d, 80, controlPlanePartVectors)) }},
	{"machine-pool-machine", func(d dice) []any { return numbered(repeated(d, 160, poolMachineVectors)) }},
	{"node", func(d dice) []any { return numbered(repeated(d, 320, nodeVectors)) }},
	{"names", func(d dice) []any { return names(d, 300) }},
	{"rollout-machine-deployment", func(d dice) []any { return machineDeploymentRollouts(d, 240) }},
	{"rollout-control-plane", func(d dice) []any { return controlPlaneRollouts(d, 240) }},
}

// repeated makes vectors of that many fleets.
func repeated(d dice, fleets int, vectors func(dice) []Vector) []Vector {
	var all []Vector
	for range fleets {
		all = append(all, vectors(d)...)
	}
	return all
}
