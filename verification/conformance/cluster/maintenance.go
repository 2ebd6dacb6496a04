package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Programs that people run beside Cluster API.
const (
	autoscaler  = "system:serviceaccount:cluster-autoscaler:cluster-autoscaler"
	restoreTool = "system:serviceaccount:backup:restore"
	gitOps      = "system:serviceaccount:gitops:applier"
)

// maintenance is what operators and their programs do to a cluster. None of it may be refused, or done twice.
var maintenance = []step{
	{name: "create", play: create},
	{name: "re-parent", play: reparent},
	{name: "restore", play: restore},
	{name: "remove-restored", play: removeRecreated},
	{name: "autoscaler", play: autoscale},
	{name: "health-check", play: remediate},
	{name: "two-appliers", play: twoAppliers},
	{name: "idle", play: idle},
}

// whilePaused pauses the Cluster, does something, and resumes.
func (r *run) whilePaused(ctx context.Context, do func() error) error {
	if err := r.editCluster(ctx, func(o *object) { put(o, "spec", "paused", true) }); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	pause(ctx, cached)
	if err := do(); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	return r.editCluster(ctx, func(o *object) { put(o, "spec", "paused", false) })
}

// reparent moves a Machine of md0 to md1 by hand, while the Cluster is paused: its owner and the labels by which
// MachineSets select. The numbers of replicas follow, so that Cluster API has nothing to replace.
func reparent(ctx context.Context, r *run) error {
	machine, err := r.first("Machine", of("md0"))
	if err != nil {
		return err
	}
	set, err := r.first("MachineSet", of("md1"))
	if err != nil {
		return err
	}
	move := func(o *object) {
		own(o, set)
		given, _, _ := unstructured.NestedStringMap(set.Object, "spec", "template", "metadata", "labels")
		for key, value := range given {
			put(o, "metadata/labels", key, value)
		}
		put(o, "metadata/labels", "cluster.x-k8s.io/set-name", set.GetName())
	}
	tried, err := r.tryEdit(ctx, "alice", machine, move)
	if err != nil {
		return err
	}
	r.expect("the Machine may move while the Cluster is not paused", "true", "false", tried)
	err = r.whilePaused(ctx, func() error {
		for topology, replicas := range map[string]int64{"md0": 1, "md1": 2} {
			for _, kind := range []string{"MachineDeployment", "MachineSet"} {
				o, err := r.first(kind, of(topology))
				if err != nil {
					return err
				}
				if _, err := r.people["alice"].Patch(ctx, o, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)); err != nil {
					return err
				}
			}
		}
		err := r.editCluster(ctx, func(o *object) {
			put(o, topologyMD0, "replicas", int64(1))
			put(o, topologyMD1, "replicas", int64(2))
		})
		if err != nil {
			return err
		}
		_, err = r.edit(ctx, "alice", core, "Machine", machine.GetName(), move)
		return err
	})
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 4); err != nil {
		return err
	}
	moved := r.record.get("Machine", machine.GetName())
	r.expect("the Machine that moved is there still", "true", "true", moved != nil && moved.GetDeletionTimestamp() == nil)
	return r.until(ctx, "what belongs to the Machine has the labels of md1", func() error {
		return equal("DevMachines of md1", 2, len(r.record.list("DevMachine", of("md1"))))
	})
}

// restore loses a Machine with all that belongs to it, and has it restored by a tool that keeps labels and annotations
// but no owners, since their identities may be others, and takes kinds in the order of the alphabet. The Cluster is
// paused meanwhile.
func restore(ctx context.Context, r *run) error {
	machine, err := r.first("Machine", of("md1"))
	if err != nil {
		return err
	}
	tool, err := r.API.As(restoreTool)
	if err != nil {
		return err
	}
	err = r.whilePaused(ctx, func() error {
		saved, err := r.belongings(ctx, machine)
		if err != nil {
			return err
		}
		return r.recreate(ctx, tool, saved, false)
	})
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 4); err != nil {
		return err
	}
	return r.ownedAgain(ctx, machine)
}

// ownedAgain waits until a restored Machine has its owner.
func (r *run) ownedAgain(ctx context.Context, machine *object) error {
	return r.until(ctx, "the Machine has its owner again", func() error {
		restored := r.record.get("Machine", machine.GetName())
		if restored == nil {
			return errors.New("it is gone")
		}
		return equal("its owners", 1, len(restored.GetOwnerReferences()))
	})
}

// belongings are a Machine and what was made for it, by kind.
func (r *run) belongings(ctx context.Context, machine *object) ([]*object, error) {
	secrets, err := r.API.Resource("v1", "Secret", namespace)
	if err != nil {
		return nil, err
	}
	secret, err := secrets.Get(ctx, harness.Text(machine, "spec", "bootstrap", "dataSecretName"), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	found := []*object{
		r.record.get("DevMachine", harness.Text(machine, "spec", "infrastructureRef", "name")),
		r.record.get("KubeadmConfig", harness.Text(machine, "spec", "bootstrap", "configRef", "name")),
		machine, secret,
	}
	if slices.Contains(found, nil) {
		return nil, fmt.Errorf("something of Machine %s is missing", machine.GetName())
	}
	return found, nil
}

// autoscale hands md1 to an autoscaler: it scales by the subresource and by the object, marks a Machine, takes the mark
// back and marks another, which goes.
func autoscale(ctx context.Context, r *run) error {
	const group, mark = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-", "cluster.x-k8s.io/delete-machine"
	err := r.editCluster(ctx, func(o *object) {
		drop(o, topologyMD1, "replicas")
		put(o, topologyMD1+annotations, group+"min-size", "1")
		put(o, topologyMD1+annotations, group+"max-size", "5")
	})
	if err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	program, err := r.API.As(autoscaler)
	if err != nil {
		return err
	}
	deployment, err := r.first("MachineDeployment", of("md1"))
	if err != nil {
		return err
	}
	resource, err := program.Of(deployment)
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, deployment.GetName(), types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{}, "scale")
	if err != nil {
		return fmt.Errorf("scale MachineDeployment %s: %w", deployment.GetName(), err)
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	found := r.record.list("Machine", of("md1"))
	spared, marked := found[0], found[len(found)-1]
	for _, patch := range []struct {
		machine *object
		value   string
	}{{spared, `"2026-01-01 00:00:00"`}, {spared, "null"}, {marked, `"2026-01-01 00:00:00"`}} {
		if _, err := program.Patch(ctx, patch.machine, fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, mark, patch.value)); err != nil {
			return err
		}
	}
	if _, err := program.Patch(ctx, deployment, `{"spec":{"replicas":2}}`); err != nil {
		return err
	}
	if err := r.gone(ctx, "Machine", marked.GetName()); err != nil {
		return err
	}
	return r.machines(ctx, 4)
}

// remediate lets a MachineHealthCheck replace a Machine that Alice has marked.
func remediate(ctx context.Context, r *run) error {
	objects, err := r.manifests("health-check.yaml")
	if err != nil {
		return err
	}
	alice := r.people["alice"]
	if _, err := alice.Create(ctx, objects[0]); err != nil {
		return err
	}
	machine, err := r.first("Machine", of("md0"))
	if err != nil {
		return err
	}
	if _, err := alice.Patch(ctx, machine, `{"metadata":{"annotations":{"cluster.x-k8s.io/remediate-machine":""}}}`); err != nil {
		return err
	}
	if err := r.gone(ctx, "Machine", machine.GetName()); err != nil {
		return err
	}
	return r.machines(ctx, 4)
}

// twoAppliers lets two programs apply labels to one Machine. One of them says a key that comes from above, first what it
// is, then, when it is changed there, still what it was; the other says its own.
func twoAppliers(ctx context.Context, r *run) error {
	program, err := r.API.As(gitOps)
	if err != nil {
		return err
	}
	machine, err := r.first("Machine", of("md1"))
	if err != nil {
		return err
	}
	apply := func(manager string, labels map[string]string) (string, error) {
		said := &object{}
		said.SetAPIVersion(core)
		said.SetKind("Machine")
		said.SetName(machine.GetName())
		said.SetNamespace(namespace)
		said.SetLabels(labels)
		applied, err := program.Apply(ctx, said, manager)
		if err != nil {
			return "", err
		}
		return applied.GetLabels()["owner"], nil
	}
	if _, err := apply("applier-a", map[string]string{"owner": "class", "applied-by-a": "a"}); err != nil {
		return err
	}
	if _, err := apply("applier-b", map[string]string{"applied-by-b": "b"}); err != nil {
		return err
	}
	if err := r.editCluster(ctx, func(o *object) { put(o, topologyMD1+labels, "owner", "topology") }); err != nil {
		return err
	}
	if err := r.propagated(ctx, "Machine", of("md1"), "owner", "topology"); err != nil {
		return err
	}
	// Until then the old value is right for the policy, which has it in its cache.
	pause(ctx, cached)
	before := r.record.length()
	for range 3 {
		owner, err := apply("applier-a", map[string]string{"owner": "class", "applied-by-a": "a"})
		if err != nil {
			return err
		}
		r.expect("label owner of the Machine when applier a applies the old value", "class", "topology", owner)
		if _, err := apply("applier-b", map[string]string{"applied-by-b": "b"}); err != nil {
			return err
		}
		if err := r.restored(ctx, "Machine", machine.GetName(), "topology"); err != nil {
			return err
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	// Without the policy each of applier a's three writes is reverted by another.
	written := 0
	for _, c := range r.record.since(before) {
		if c.Kind == "Machine" && c.Name == machine.GetName() {
			written++
		}
	}
	r.expect("the appliers end", "true", "true", written <= 12)
	// It lets go of the key: nobody misses it.
	if _, err := apply("applier-a", map[string]string{"applied-by-a": "a"}); err != nil {
		return err
	}
	return r.propagated(ctx, "Machine", of("md1"), "owner", "topology")
}
