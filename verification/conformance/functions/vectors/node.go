package vectors

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/cluster-api/util/labels"

	"conformance/fleet"
)

// What an administrator may give the manager.
var expressions = []string{
	".*", "foo", "team", `^example\.com/`, `(?i)TEAM`, `owner$`, `^(app|tier)`, `k{3,}`, `[A-Z]`, `\w+\.\w+/`, `^$`,
	`node-role\.kubernetes\.io\.example`, `[^a-z./-]`, `\bcost\b`, `x-k8s\.io/(other|c)$`, `^long\.`, `(^|\.)deep\.`, `\d`,
}

// nodeVectors: a Node, and the Machine that it belongs to.
func nodeVectors(d dice) []fleet.Vector {
	e := editions{"v1", pick(d, []string{"v1beta1", "v1beta2"})}
	machine, cluster := &clusterv1.Machine{}, d.cluster()
	machine.Name, machine.Namespace, machine.UID = "worker-1", namespace, "machine"
	machine.Labels = d.NodeLabels()
	machine.Annotations = fleet.Without(d.NodeAnnotations(), fleet.Paused, fleet.ConversionData)
	machine.Spec.ClusterName = cluster.Name
	if d.In(60) {
		machine.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: "set", UID: "set", Controller: ptr.To(true),
		}}
	}
	vector := e.vector("labels.GetManagedLabels, annotations.GetManagedAnnotations", "Node")
	node := map[string]any{}
	onLabels, onAnnotations := d.expressions(node, "additionalLabels"), d.expressions(node, "additionalAnnotations")
	if len(node) > 0 {
		vector.Settings = map[string]any{"clusterApi": map[string]any{"node": node}}
	}
	vector.Cluster = []map[string]any{withNode(in(e.above, machine), "node-1"), in(e.above, cluster)}
	maps := map[string]map[string]string{
		"metadata.labels":      labels.GetManagedLabels(machine.Labels, onLabels...),
		"metadata.annotations": annotations.GetManagedAnnotations(machine, onAnnotations...),
	}
	computed := &corev1.Node{}
	computed.Name, computed.UID = "node-1", "node"
	computed.Labels, computed.Annotations = maps["metadata.labels"], fleet.Without(maps["metadata.annotations"], "")
	object := shown("v1", computed)
	object["apiVersion"], object["kind"] = "v1", "Node"
	// A Machine's own annotation may not make the Node another Machine's.
	fleet.Put(object, "metadata.annotations", merged(fleet.MapAt(object, "metadata.annotations"), map[string]string{
		clusterv1.MachineAnnotation: machine.Name, clusterv1.ClusterNamespaceAnnotation: namespace,
		clusterv1.ClusterNameAnnotation: cluster.Name,
	}))
	return []fleet.Vector{d.Question(vector, object, maps)}
}

// withNode is a Machine whose status names its Node.
func withNode(machine map[string]any, node string) map[string]any {
	machine["status"] = map[string]any{"nodeRef": map[string]any{"name": node}}
	return machine
}

// merged is the first map with the second's entries over it, as JSON.
func merged(below, above map[string]string) map[string]any {
	entries := map[string]any{}
	for _, layer := range []map[string]string{below, above} {
		for key, value := range layer {
			entries[key] = value
		}
	}
	return entries
}

// expressions are up to two, as they are in the settings and as the manager compiles them.
func (d dice) expressions(settings map[string]any, name string) []*regexp.Regexp {
	var texts []string
	var compiled []*regexp.Regexp
	for range d.IntN(3) {
		text := pick(d, expressions)
		texts = append(texts, text)
		compiled = append(compiled, regexp.MustCompile(text))
	}
	if texts != nil {
		settings[name] = texts
	}
	return compiled
}
