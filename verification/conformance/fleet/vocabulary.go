package fleet

import "strings"

// Keys and values that fleets are made of. Few of each, so that layers collide.

var userLabels = []string{
	"team", "tier", "zone",
	"example.com/owner", "example.com/cost-center", "app.kubernetes.io/name",
	"Mixed.Case_key", "a-b.example.com/c_d.e",
	"long.example.com/" + strings.Repeat("k", 63),
	strings.Repeat("deep.", 40) + "example.com/k",
	"cluster.x-k8s.io/watch-filter",
}

// What looks as if it were meant for Nodes: some of it is.
var nodeKeys = []string{
	"node-role.kubernetes.io", "node-role.kubernetes.io/worker", "x.node-role.kubernetes.io/worker",
	"node-role.kubernetes.io.example.com/x",
	"node-restriction.kubernetes.io/pool", "a.b.node-restriction.kubernetes.io/pool", "node-restriction.kubernetes.io",
	"my-node-restriction.kubernetes.io/pool",
	"node.cluster.x-k8s.io/a", "my.node.cluster.x-k8s.io/b", "my.node.cluster.x-k8s.io", "gpu-node.cluster.x-k8s.io/c",
	"company.xyz/node.cluster.x-k8s.io", "topology.cluster.x-k8s.io/other",
}

// Labels that controllers write, supplied by a user.
var controllerLabels = []string{
	"cluster.x-k8s.io/cluster-name", "topology.cluster.x-k8s.io/owned",
	"topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name",
	"cluster.x-k8s.io/deployment-name", "cluster.x-k8s.io/set-name", "cluster.x-k8s.io/pool-name",
	"cluster.x-k8s.io/control-plane", "cluster.x-k8s.io/control-plane-name",
	"machine-template-hash", "cluster.x-k8s.io/interruptible",
}

var labelValues = []string{"", "red", "blue", "green", "v1.2_3", "evil", strings.Repeat("v", 63)}

var userAnnotations = []string{
	"team", "note", "example.com/contact", "example.com/a~b", "Mixed.Case_key",
	"long.example.com/" + strings.Repeat("k", 63),
	"cluster.x-k8s.io/delete-machine", "cluster.x-k8s.io/remediate-machine",
	"machine.cluster.x-k8s.io/exclude-node-draining", "machineset.cluster.x-k8s.io/skip-preflight-checks",
	"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size", "pre-drain.delete.hook.machine.cluster.x-k8s.io/mine",
	"machinedeployment.clusters.x-k8s.io/other", "unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check",
}

// Annotations by which a user holds an upgrade back.
var upgradeHolds = []string{"topology.cluster.x-k8s.io/hold-upgrade-sequence", "topology.cluster.x-k8s.io/defer-upgrade"}

// Annotations that controllers, clients and this policy write, supplied by a user.
var controllerAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration", ConversionData,
	"machinedeployment.clusters.x-k8s.io/revision", "machinedeployment.clusters.x-k8s.io/revision-history",
	"machinedeployment.clusters.x-k8s.io/desired-replicas", "machinedeployment.clusters.x-k8s.io/max-replicas",
	"cluster.x-k8s.io/cloned-from-name", "cluster.x-k8s.io/cloned-from-groupkind",
	"cluster.x-k8s.io/disable-machine-create", Paused,
	"topology.cluster.x-k8s.io/dry-run", "runtime.cluster.x-k8s.io/pending-hooks",
	"topology.internal.cluster.x-k8s.io/upgrade-step", "in-place-updates.internal.cluster.x-k8s.io/update-in-progress",
	"pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup",
	"controlplane.cluster.x-k8s.io/remediation-for", "controlplane.cluster.x-k8s.io/remediation-in-progress",
	"controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration", "machine.cluster.x-k8s.io/certificates-expiry",
	"cluster.x-k8s.io/labels-from-machine", "cluster.x-k8s.io/annotations-from-machine",
	"cluster.x-k8s.io/taints-from-machine", "cluster.x-k8s.io/machine", "cluster.x-k8s.io/cluster-name",
	"cluster.x-k8s.io/cluster-namespace", "cluster.x-k8s.io/owner-kind", "cluster.x-k8s.io/owner-name",
	record,
}

var annotationValues = []string{
	"", "red", "blue", "false", "two words", "line\nbreak", `{"json": "\"quoted\""}`, "Grüße, 世界 \u2028", strings.Repeat("long ", 30),
}

// ParentName is the name of a parent that becomes a label value: legal, at the limit, beyond it, or illegal as a label value.
func (d Dice) ParentName(kind string) string {
	switch d.IntN(9) {
	case 0:
		return kind + "." + Pick(d, []string{"eu", "us"}) + ".example"
	case 1:
		return strings.Repeat("a", 63)
	case 2:
		return strings.Repeat("a", 64)
	case 3:
		return kind + "-" + strings.Repeat("b", d.Between(50, 110))
	case 4:
		return kind + strings.Repeat(".c", d.Between(20, 80))
	}
	return kind + "-" + Pick(d, []string{"0", "workers", "blue", "x7k2p"})
}

const (
	// ConversionData is what a conversion remembers.
	ConversionData = "cluster.x-k8s.io/conversion-data"
	// Paused stops the controllers of an object.
	Paused = "cluster.x-k8s.io/paused"
	record = "metadata-propagation.plexsphere.com/managed"
)
