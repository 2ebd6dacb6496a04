package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"conformance/harness"
)

// later is the version to which the Cluster is upgraded.
const later = "v1.34.1"

// planning is the scenario in which `propagate plan` is asked before each step.
var planning = slices.Concat(
	stepsOf(predictions[:1]),
	[]step{{name: "backfill-stored", play: completeStored}},
	stepsOf(predictions[1:]),
)

// predictions are those steps.
var predictions = []prediction{
	{
		name: "plan-create", about: "a ClusterClass with templates and a Cluster are created",
		writes: func(r *run) ([]userWrite, error) {
			class, err := r.manifests("class.yaml")
			if err != nil {
				return nil, err
			}
			objects, err := r.manifests("cluster.yaml")
			return append(creations("bob", class), creations("alice", objects)...), err
		},
		done: func(ctx context.Context, r *run) error {
			if err := r.machines(ctx, 4); err != nil {
				return err
			}
			return r.steady(ctx)
		},
	},
	{
		name: "plan-add-keys", about: "topology: labels and annotations are added to control plane, md0 and pool; one of the labels reaches Nodes",
		writes: onCluster(func(o *object) {
			for _, place := range []string{topologyControlPlane, topologyMD0, topologyMP0} {
				put(o, place+labels, "added", "a")
				put(o, place+annotations, "added-note", "a")
			}
			put(o, topologyMD0+labels, "node.cluster.x-k8s.io/zone", "a")
		}),
		done: awaitLabel("md0", "added", "a"),
	},
	{
		name: "plan-class-keys", about: "class: a label of the workers changes, one is added and one is removed",
		writes: onClass(func(o *object) {
			put(o, classWorker+labels, "tier", "gold")
			put(o, classWorker+labels, "class-added", "a")
			drop(o, classWorker+labels, "class-only")
		}),
		done: awaitLabel("md0", "class-added", "a"),
	},
	{
		name: "plan-remove-keys", about: "topology: the labels and annotations go again, one label of md0 changes",
		writes: onCluster(func(o *object) {
			for _, place := range []string{topologyControlPlane, topologyMD0, topologyMP0} {
				drop(o, place+labels, "added")
				drop(o, place+annotations, "added-note")
			}
			put(o, topologyMD0+labels, "node.cluster.x-k8s.io/zone", "b")
		}),
		done: awaitLabel("md0", "added", ""),
	},
	{
		name: "plan-overrides", about: "topology: md0 gets a label that its class has with another value, and one that Cluster API sets itself",
		writes: onCluster(func(o *object) {
			put(o, topologyMD0+labels, "tier", "silver")
			put(o, topologyMD0+labels, topologyMDName, "evil")
		}),
		done: awaitLabel("md0", "tier", "silver"),
	},
	{
		name: "plan-own-keys", about: "MachineDeployment of md0: a label in its own metadata, a label and an annotation in its template",
		writes: func(r *run) ([]userWrite, error) {
			return r.onObject("alice", "MachineDeployment", of("md0"), func(o *object) {
				put(o, "metadata/labels", "own-top", "a")
				put(o, "spec/template/metadata/labels", "own", "a")
				put(o, "spec/template/metadata/annotations", "own-note", "a")
			})
		},
		done: awaitLabel("md0", "own", "a"),
	},
	{
		name: "plan-fields", about: "class and topology: timeouts, minReadySeconds and the deletion order",
		writes: func(r *run) ([]userWrite, error) {
			class, err := onClass(func(o *object) { put(o, classWorker+"/deletion", "nodeDrainTimeoutSeconds", int64(30)) })(r)
			if err != nil {
				return nil, err
			}
			topology, err := onCluster(func(o *object) {
				put(o, topologyControlPlane+"/deletion", "nodeDeletionTimeoutSeconds", int64(20))
				put(o, topologyMD0, "minReadySeconds", int64(1))
				put(o, topologyMD0+"/deletion", "order", "Oldest")
			})(r)
			return append(class, topology...), err
		},
	},
	{
		name: "plan-scale-up", about: "topology: md0 has 3 replicas instead of 2",
		writes: onCluster(func(o *object) { put(o, topologyMD0, "replicas", int64(3)) }),
		done:   awaitMachines(5),
	},
	{
		name: "plan-scale-down", about: "topology: md0 has 1 replica instead of 3, and a label changes",
		writes: onCluster(func(o *object) {
			put(o, topologyMD0, "replicas", int64(1))
			put(o, topologyMD0+labels, "node.cluster.x-k8s.io/zone", "c")
		}),
		done: awaitMachines(3),
	},
	{
		name: "plan-new-entry", about: "topology: a MachineDeployment md2 with 2 replicas and a label is added",
		writes: onCluster(func(o *object) {
			entries := mapAt(o, topologyWorkers)["machineDeployments"].([]any)
			mapAt(o, topologyWorkers)["machineDeployments"] = append(entries, map[string]any{
				"name": "md2", "class": "worker", "replicas": int64(2),
				"metadata": map[string]any{"labels": map[string]any{"team": "new"}},
			})
		}),
		done: awaitMachines(5),
	},
	{
		name: "plan-removed-entry", about: "topology: the MachineDeployment md1, which has 1 replica, is removed",
		writes: onCluster(func(o *object) {
			entries := mapAt(o, topologyWorkers)["machineDeployments"].([]any)
			mapAt(o, topologyWorkers)["machineDeployments"] = slices.DeleteFunc(slices.Clone(entries), func(entry any) bool {
				return entry.(map[string]any)["name"] == "md1"
			})
		}),
		done: awaitMachines(4),
	},
	{
		name: "plan-paused", about: "the Cluster is paused, and a label of md0 changes",
		writes: onCluster(func(o *object) {
			put(o, "spec", "paused", true)
			put(o, topologyMD0+labels, "node.cluster.x-k8s.io/zone", "d")
		}),
		done: func(ctx context.Context, r *run) error { return r.settle(ctx) },
	},
	{
		name: "plan-resumed", about: "the Cluster is resumed",
		writes: onCluster(func(o *object) { put(o, "spec", "paused", false) }),
		done:   awaitLabel("md0", "node.cluster.x-k8s.io/zone", "d"),
	},
	{
		name: "plan-upgrade", about: "topology: the version, while the upgrade of md0 is deferred by its annotation",
		writes: onCluster(func(o *object) { put(o, "spec/topology", "version", later) }),
		done:   awaitVersion("md2"),
	},
	{
		name: "plan-upgrade-released", about: "topology: the annotation that defers the upgrade of md0 is removed",
		writes: onCluster(func(o *object) { drop(o, topologyMD0+annotations, "topology.cluster.x-k8s.io/defer-upgrade") }),
		done:   awaitVersion("md0"),
	},
	{
		name: "plan-failure-domain", about: "topology: a failure domain, a second replica and a label of md0",
		writes: onCluster(func(o *object) {
			put(o, topologyMD0, "failureDomain", "a")
			put(o, topologyMD0, "replicas", int64(2))
			put(o, topologyMD0+labels, "node.cluster.x-k8s.io/zone", "e")
		}),
		done: awaitEach("md0", func(o *object) error { return equal("failure domain", "a", harness.Text(o, "spec", "failureDomain")) }),
	},
	{
		name: "plan-class-failure-domain", about: "class: a failure domain of the workers, which md0 overrides and md2 does not",
		writes: onClass(func(o *object) { put(o, classWorker, "failureDomain", "b") }),
		done: awaitEach("md2", func(o *object) error {
			return equal("failure domain", "b", harness.Text(o, "spec", "failureDomain"))
		}),
	},
	{
		name: "plan-rollout-after", about: "topology: a rollout of md2 after a time that has passed",
		writes: func(r *run) ([]userWrite, error) {
			now := time.Now().UTC().Format(time.RFC3339)
			return onCluster(func(o *object) { entryNamed(o, "md2")["rollout"] = map[string]any{"after": now} })(r)
		},
		done: func(ctx context.Context, r *run) error {
			cluster, err := r.first("Cluster", nil)
			if err != nil {
				return err
			}
			rollout, _ := entryNamed(cluster.DeepCopy(), "md2")["rollout"].(map[string]any)
			return awaitEach("md2", func(o *object) error {
				created := o.GetCreationTimestamp().UTC().Format(time.RFC3339)
				if after, _ := rollout["after"].(string); created < after {
					return fmt.Errorf("it was created at %s, before %s", created, after)
				}
				return nil
			})(ctx, r)
		},
	},
	{
		name: "plan-edit-derived", about: "a Machine of md0 and the template of its MachineDeployment: a label of the topology gets another value",
		writes: func(r *run) ([]userWrite, error) {
			machine, err := r.onObject("alice", "Machine", of("md0"), func(o *object) { put(o, "metadata/labels", "owner", "edited") })
			if err != nil {
				return nil, err
			}
			deployment, err := r.onObject("alice", "MachineDeployment", of("md0"), func(o *object) {
				put(o, "spec/template/metadata/labels", "owner", "edited")
			})
			return append(machine, deployment...), err
		},
		done: awaitLabel("md0", "owner", "team"),
	},
	{
		name: "plan-class-template", about: "the class's KubeadmConfigTemplate of the workers is edited in place; then the Cluster is touched",
		writes: func(r *run) ([]userWrite, error) {
			template := r.record.get("KubeadmConfigTemplate", "worker")
			if template == nil {
				return nil, fmt.Errorf("there is no KubeadmConfigTemplate worker")
			}
			change := func(o *object) { put(o, "spec/template/spec", "preKubeadmCommands", []any{"true"}) }
			return []userWrite{{person: "bob", object: template, change: change}}, nil
		},
		done: func(ctx context.Context, r *run) error {
			if err := r.nudge(ctx, "Cluster"); err != nil {
				return err
			}
			for _, name := range []string{"md0", "md2"} {
				err := r.until(ctx, "the new bootstrap configuration of "+name, func() error {
					for _, o := range r.record.list("KubeadmConfig", of(name)) {
						if mapAt(o.DeepCopy(), "spec")["preKubeadmCommands"] == nil {
							return fmt.Errorf("%s has the old one", o.GetName())
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
			return r.steady(ctx)
		},
	},
	{
		name: "plan-other-template", about: "the class names another DevMachineTemplate for the control plane",
		writes: func(r *run) ([]userWrite, error) {
			old := r.record.get("DevMachineTemplate", "machine")
			if old == nil {
				return nil, fmt.Errorf("there is no DevMachineTemplate machine")
			}
			other := anew(old, nil)
			other.SetName("other")
			other.SetOwnerReferences(nil)
			put(other, "spec/template/metadata/labels", "disk", "nvme")
			class, err := onClass(func(o *object) {
				put(o, classControlPlane+"/machineInfrastructure/templateRef", "name", "other")
			})(r)
			return append(creations("bob", []*object{other}), class...), err
		},
		done: func(ctx context.Context, r *run) error {
			if err := r.propagated(ctx, "DevMachine", ofControlPlane, "disk", "nvme"); err != nil {
				return err
			}
			return r.steady(ctx)
		},
	},
	{
		name: "plan-delete-machine", about: "a Machine of md2 is deleted",
		writes: func(r *run) ([]userWrite, error) { return r.onObject("alice", "Machine", of("md2"), nil) },
		done:   awaitMachines(5),
	},
	{
		name: "plan-delete-set", about: "the MachineSet of md2 is deleted",
		writes: func(r *run) ([]userWrite, error) { return r.onObject("alice", "MachineSet", of("md2"), nil) },
		done:   awaitMachines(5),
	},
	{
		name: "plan-delete-deployment", about: "the MachineDeployment of md2 is deleted, and its entry stays in the topology",
		writes: func(r *run) ([]userWrite, error) {
			return r.onObject("alice", "MachineDeployment", of("md2"), nil)
		},
		done: func(ctx context.Context, r *run) error {
			if err := r.nudge(ctx, "Cluster"); err != nil {
				return err
			}
			return awaitMachines(5)(ctx, r)
		},
	},
	{
		name: "plan-control-plane", about: "topology: the control plane has 3 replicas instead of 1",
		writes: onCluster(func(o *object) { put(o, topologyControlPlane, "replicas", int64(3)) }),
		done:   awaitMachines(7),
	},
	{
		name: "plan-delete-cluster", about: "the Cluster is deleted",
		writes: func(r *run) ([]userWrite, error) { return r.onObject("alice", "Cluster", nil, nil) },
		done:   clusterGone,
	},
}

const topologyWorkers = "spec/topology/workers"

// entryNamed is the entry of a Cluster's topology for a MachineDeployment; without any it is empty.
func entryNamed(o *object, name string) map[string]any {
	entries, _ := mapAt(o, topologyWorkers)["machineDeployments"].([]any)
	for _, entry := range entries {
		if fields, is := entry.(map[string]any); is && fields["name"] == name {
			return fields
		}
	}
	return map[string]any{}
}

// creations are objects that a user creates.
func creations(person string, objects []*object) []userWrite {
	var writes []userWrite
	for _, o := range objects {
		writes = append(writes, userWrite{person: person, create: o})
	}
	return writes
}

// onObject is the edit of the first object of a kind, or its deletion where there is no change.
func (r *run) onObject(person, kind string, labels map[string]string, change func(*object)) ([]userWrite, error) {
	o, err := r.first(kind, labels)
	return []userWrite{{person: person, object: o, change: change, remove: change == nil}}, err
}

// onCluster is Alice's edit of her Cluster, and onClass Bob's of his ClusterClass.
func onCluster(change func(*object)) func(*run) ([]userWrite, error) {
	return func(r *run) ([]userWrite, error) { return r.onObject("alice", "Cluster", nil, change) }
}

func onClass(change func(*object)) func(*run) ([]userWrite, error) {
	return func(r *run) ([]userWrite, error) { return r.onObject("bob", "ClusterClass", nil, change) }
}

// awaitMachines waits for a number of Machines, and that nothing follows any more.
func awaitMachines(count int) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		if err := r.machines(ctx, count); err != nil {
			return err
		}
		return r.steady(ctx)
	}
}

// awaitLabel waits for a label on the Machines of a MachineDeployment, and what belongs to them.
func awaitLabel(name, key, value string) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		for _, kind := range []string{"MachineSet", "Machine", "DevMachine", "KubeadmConfig"} {
			if err := r.propagated(ctx, kind, of(name), key, value); err != nil {
				return err
			}
		}
		return r.steady(ctx)
	}
}

// awaitEach waits until every Machine of a MachineDeployment is as it should be.
func awaitEach(name string, is func(*object) error) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		err := r.until(ctx, "every Machine of "+name, func() error {
			for _, machine := range r.record.list("Machine", of(name)) {
				if err := is(machine); err != nil {
					return fmt.Errorf("%s: %w", machine.GetName(), err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return r.steady(ctx)
	}
}

func awaitVersion(name string) func(context.Context, *run) error {
	return awaitEach(name, func(o *object) error { return equal("version", later, harness.Text(o, "spec", "version")) })
}
