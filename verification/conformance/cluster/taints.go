package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

var getOptions = metav1.GetOptions{}

// tainted is the scenario of taints, from class and topology down to Nodes. MachinePools have none: Cluster API refuses
// them in a topology.
var tainted = []step{
	{name: "create", play: create},
	{name: "taint", play: taintAll},
	{name: "edit-taints", play: editTaints},
	{name: "change-taints", play: changeTaints},
	{name: "untaint", play: untaint},
}

func withPropagation(key, value, propagation string) map[string]any {
	return map[string]any{"key": "example.com/" + key, "value": value, "effect": "PreferNoSchedule", "propagation": propagation}
}

// taintAll sets taints of both kinds of propagation, of the class and of the topology.
func taintAll(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		put(o, classWorker, "taints", []any{withPropagation("class", "a", "Always")})
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0} {
			put(o, place, "taints", []any{withPropagation("always", "a", "Always"), withPropagation("first", "a", "OnInitialization")})
		}
	})
	if err != nil {
		return err
	}
	// Nodes that exist get no taints of their initialization. That of md1 has the class' taint.
	return r.expectTaints(ctx, map[string]string{"md0": "always=a", "md1": "class=a", "": "always=a"})
}

// editTaints lets Alice change and remove what propagates to a Machine. A new Machine has the taints of its initialization.
func editTaints(ctx context.Context, r *run) error {
	pause(ctx, cached)
	for _, labels := range []map[string]string{of("md0"), ofControlPlane} {
		machine, err := r.first("Machine", labels)
		if err != nil {
			return err
		}
		edited, err := r.edit(ctx, "alice", core, "Machine", machine.GetName(), func(o *object) {
			put(o, "spec", "taints", []any{withPropagation("always", "edited", "Always")})
		})
		if err != nil {
			return err
		}
		r.expect("taints of a Machine of "+place(labels)+" when they are changed", "always=edited", "always=a first=a",
			taintsOf(mapAt(edited, "spec")["taints"]))
	}
	r.people["alice"].Warnings.Take()
	if err := r.editCluster(ctx, func(o *object) { put(o, topologyMD0, "replicas", int64(3)) }); err != nil {
		return err
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	return r.until(ctx, "one Node of md0 has the taints of its initialization", func() error {
		nodes, err := r.taintsOfNodes(ctx, "md0")
		if err == nil && strings.Join(nodes, ", ") != "always=a, always=a, always=a first=a" {
			err = fmt.Errorf("they are %v", nodes)
		}
		return err
	})
}

// changeTaints changes a value. Nodes keep the taints of their initialization.
func changeTaints(ctx context.Context, r *run) error {
	err := r.editCluster(ctx, func(o *object) {
		put(o, topologyMD0, "taints", []any{withPropagation("always", "b", "Always")})
		put(o, topologyControlPlane, "taints", []any{withPropagation("always", "b", "Always")})
	})
	if err != nil {
		return err
	}
	return r.until(ctx, "the Nodes of md0 have the new value", func() error {
		nodes, err := r.taintsOfNodes(ctx, "md0")
		if err == nil && strings.Join(nodes, ", ") != "always=b, always=b, always=b first=a" {
			err = fmt.Errorf("they are %v", nodes)
		}
		return err
	})
}

// untaint removes what the topology sets for the workers: the class' taint comes. The control plane keeps its own: of a list
// that loses its last item the API server makes null, and refuses it.
func untaint(ctx context.Context, r *run) error {
	err := r.editCluster(ctx, func(o *object) {
		drop(o, topologyMD0, "taints")
	})
	if err != nil {
		return err
	}
	return r.until(ctx, "the Nodes have the taint of the class", func() error {
		for topology, wanted := range map[string]string{"md0": "class=a, class=a, class=a first=a", "": "always=b"} {
			nodes, err := r.taintsOfNodes(ctx, topology)
			if err != nil {
				return err
			}
			if found := strings.Join(nodes, ", "); found != wanted {
				return fmt.Errorf("those of %q are %q", topology, found)
			}
		}
		return nil
	})
}

// expectTaints waits until every Node of each MachineDeployment has these taints; empty is the control plane.
func (r *run) expectTaints(ctx context.Context, wanted map[string]string) error {
	for topology, taints := range wanted {
		err := r.until(ctx, "taints of Nodes", func() error {
			nodes, err := r.taintsOfNodes(ctx, topology)
			if err != nil {
				return err
			}
			for _, node := range nodes {
				if node != taints {
					return fmt.Errorf("a Node of %q has %q", topology, node)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// taintsOfNodes are those of example.com, one text for each Node of a MachineDeployment, or of the control plane.
func (r *run) taintsOfNodes(ctx context.Context, topology string) ([]string, error) {
	labels := of(topology)
	if topology == "" {
		labels = ofControlPlane
	}
	nodes := map[string]bool{}
	for _, machine := range r.record.list("Machine", labels) {
		nodes[harness.Text(machine, "status", "nodeRef", "name")] = true
	}
	workload, err := r.workload(ctx)
	if err != nil {
		return nil, err
	}
	list, err := workload.Typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, node := range list.Items {
		if !nodes[node.Name] {
			continue
		}
		var taints []any
		for _, taint := range node.Spec.Taints {
			taints = append(taints, map[string]any{"key": taint.Key, "value": taint.Value})
		}
		found = append(found, taintsOf(taints))
	}
	sort.Strings(found)
	return found, nil
}

// taintsOf are the taints of a list below example.com, by key.
func taintsOf(list any) string {
	items, _ := list.([]any)
	var texts []string
	for _, item := range items {
		fields, _ := item.(map[string]any)
		if key, is := strings.CutPrefix(fmt.Sprint(fields["key"]), "example.com/"); is {
			texts = append(texts, fmt.Sprintf("%s=%v", key, fields["value"]))
		}
	}
	sort.Strings(texts)
	return strings.Join(texts, " ")
}

// workload is a client of the simulated cluster.
func (r *run) workload(ctx context.Context) (*client, error) {
	secret, err := r.API.Typed.CoreV1().Secrets(namespace).Get(ctx, cluster+"-kubeconfig", getOptions)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["value"])
	if err != nil {
		return nil, err
	}
	return harness.NewClient(config)
}
