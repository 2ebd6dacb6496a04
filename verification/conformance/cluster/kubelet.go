package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// nodesFile is the policy's manifest for Nodes, in deploy/.
const nodesFile = "nodes.yaml"

// kubelets register Nodes of a management cluster that manages itself, and write them again. The API server refuses
// labels that a kubelet may not give itself, no matter who added them to its write.
var kubelets = []step{{name: "register", play: registerNodes}, {name: "recorded-first", play: recordedFirst}}

// nodeLabels are labels of the Machines, and whether a kubelet may give itself such a label.
//
// Source: Kubernetes, plugin/pkg/admission/noderestriction/admission.go, getModifiedLabels and isKubernetesLabel.
var nodeLabels = []struct {
	key, value string
	allowed    bool
}{
	{"node.cluster.x-k8s.io/pool", "blue", true},
	{"node-restriction.kubernetes.io/zone", "a", false},
	{"node-role.kubernetes.io/worker", "", false},
}

// registerNodes lets kubelets register as the Nodes of Machines: one that is, one that claims to be the Node of another's
// Machine, and one whose Machine has no Node yet.
func registerNodes(ctx context.Context, r *run) error {
	objects, err := r.manifests("kubelet.yaml")
	if err != nil {
		return err
	}
	for _, o := range objects {
		if _, err := r.people["alice"].Create(ctx, o); err != nil {
			return err
		}
	}
	joined := objects[1]
	machines, err := r.API.Of(joined)
	if err != nil {
		return err
	}
	joins := []byte(`{"status":{"nodeRef":{"name":"node-0"}}}`)
	if _, err := machines.Patch(ctx, joined.GetName(), types.MergePatchType, joins, metav1.PatchOptions{}, "status"); err != nil {
		return fmt.Errorf("set nodeRef: %w", err)
	}
	pause(ctx, cached)
	for _, registers := range []struct{ node, machine string }{
		{"node-0", "joined"}, {"node-1", "joined"}, {"node-2", "expected"},
	} {
		if err := r.register(ctx, registers.node, registers.machine); err != nil {
			return err
		}
	}
	return nil
}

// register lets a kubelet create its Node, which names its Machine, and update it; then an administrator updates it.
func (r *run) register(ctx context.Context, name, machine string) error {
	kubelet, err := r.API.AsKubelet(name)
	if err != nil {
		return err
	}
	node := &object{}
	node.SetAPIVersion("v1")
	node.SetKind("Node")
	node.SetName(name)
	node.SetAnnotations(map[string]string{
		"cluster.x-k8s.io/cluster-name": "c3", "cluster.x-k8s.io/cluster-namespace": namespace, "cluster.x-k8s.io/machine": machine,
	})
	what := fmt.Sprintf("the kubelet of %s as Machine %s", name, machine)
	written, err := kubelet.Create(ctx, node)
	if r.allowed(what+" creates", err) {
		r.expectNode(what+" creates", written, name == "node-0", false)
	} else if written, err = r.API.Create(ctx, node); err != nil {
		return err
	}
	labels := written.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["example.com/rack"] = "1"
	written.SetLabels(labels)
	updated, err := kubelet.Update(ctx, written)
	if r.allowed(what+" updates", err) {
		r.expectNode(what+" updates", updated, name == "node-0", false)
	}
	touched, err := r.API.Patch(ctx, node, `{"metadata":{"annotations":{"touched":"now"}}}`)
	if err != nil {
		return err
	}
	r.expectNode("an administrator updates "+name, touched, name == "node-0", true)
	updated, err = kubelet.Patch(ctx, node, `{"metadata":{"labels":{"example.com/rack":"2"}}}`)
	if r.allowed(what+" updates again", err) {
		r.expectNode(what+" updates again", updated, name == "node-0", true)
	}
	return nil
}

// allowed notes whether a kubelet's write passed.
func (r *run) allowed(what string, err error) bool {
	answer := "allowed"
	if err != nil {
		answer = err.Error()
	}
	r.expect(what, "allowed", "allowed", answer)
	return err == nil
}

// expectNode notes the labels of a Node: those of its Machine with the policy, where it is the Machine's Node. A kubelet
// gets only those that it may give itself.
func (r *run) expectNode(what string, node *object, belongs, everything bool) {
	for _, label := range nodeLabels {
		found, is := node.GetLabels()[label.key]
		wanted := "none"
		if belongs && (everything || label.allowed) {
			wanted = fmt.Sprintf("%q", label.value)
		}
		has := "none"
		if is {
			has = fmt.Sprintf("%q", found)
		}
		r.expect(what+": label "+label.key, "none", wanted, has)
	}
}
