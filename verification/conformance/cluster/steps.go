package main

import (
	"context"
	"errors"
	"time"

	"conformance/harness"
)

// step is one step of a scenario.
type step struct {
	name string
	play func(context.Context, *run) error
	// predicts is what `propagate plan` is asked about the step; nil in a step in which it is not.
	predicts *prediction
	// troubled is whether the scenario's trouble lasts as long as the step.
	troubled bool
}

// wholeSteps are those of the first scenario. Each step ends when nothing changes any more; what is there then must be the same
// with the policy and without it.
var wholeSteps = []step{
	{name: "create", play: create},
	{name: "add-keys", play: addKeys},
	{name: "change-values", play: changeValues},
	{name: "remove-keys", play: removeKeys},
	{name: "fields", play: fields},
	{name: "idle", play: idle},
	{name: "scale", play: scale},
	{name: "edit-derived", play: editDerived},
	{name: "own-keys", play: ownKeys},
	{name: "pause", play: pauseCluster},
	{name: "deleting-machine", play: deletingMachine},
	{name: "standalone", play: standalone},
	{name: "other-control-plane", play: otherControlPlane},
	{name: "v1beta1-client", play: olderClient},
	{name: "move", play: move},
	{name: "remove-moved", play: removeRecreated},
	{name: "delete", play: deleteCluster},
}

// short is what shows a wrong policy soonest.
var short = []string{"create", "add-keys", "idle"}

// idleFor is how long the fleet is watched while nobody does anything.
const idleFor = 15 * time.Second

func create(ctx context.Context, r *run) error {
	for _, made := range []struct{ person, file string }{{"bob", "class.yaml"}, {"alice", "cluster.yaml"}} {
		objects, err := r.manifests(made.file)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if _, err := r.people[made.person].Create(ctx, o); err != nil {
				return err
			}
		}
	}
	if err := r.machines(ctx, 4); err != nil {
		return err
	}
	// Cluster API checks it again in half a minute, or when it changes.
	if err := r.nudge(ctx, "MachinePool"); err != nil {
		return err
	}
	return r.until(ctx, "the MachinePool", func() error {
		pool, err := r.first("MachinePool", nil)
		if err == nil && harness.Text(pool, "spec", "template", "spec", "bootstrap", "dataSecretName") == "" {
			err = errors.New("it has no bootstrap data")
		}
		return err
	})
}

// addKeys adds keys to class and topology. A Node has its own criteria, so one key meets them.
func addKeys(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			put(o, place+labels, "class-added", "a")
			put(o, place+annotations, "class-added-note", "a")
		}
		put(o, classWorker+labels, "node-restriction.kubernetes.io/added", "a")
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0, topologyMD1, topologyMP0} {
			put(o, place+labels, "added", "a")
			put(o, place+annotations, "added-note", "a")
		}
		// Stronger than the class from now on.
		put(o, topologyMD0+labels, "class-only", "topology")
	})
	if err != nil {
		return err
	}
	if err := r.everywhere(ctx, "added", "a"); err != nil {
		return err
	}
	return r.everywhere(ctx, "class-added", "a")
}

// changeValues changes what was added, right after everything was touched: caches have the old values.
func changeValues(ctx context.Context, r *run) error {
	if err := r.touch(ctx, 0); err != nil {
		return err
	}
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			put(o, place+labels, "class-added", "b")
			put(o, place+annotations, "class-added-note", "b")
		}
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0, topologyMD1, topologyMP0} {
			put(o, place+labels, "added", "b")
			put(o, place+annotations, "added-note", "b")
		}
	})
	if err != nil {
		return err
	}
	if err := r.everywhere(ctx, "added", "b"); err != nil {
		return err
	}
	return r.everywhere(ctx, "class-added", "b")
}

// removeKeys removes what was added: to the last object, with the policy as without it, although caches have it.
func removeKeys(ctx context.Context, r *run) error {
	if err := r.touch(ctx, 0); err != nil {
		return err
	}
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			drop(o, place+labels, "class-added")
			drop(o, place+annotations, "class-added-note")
		}
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0, topologyMD1, topologyMP0} {
			drop(o, place+labels, "added")
			drop(o, place+annotations, "added-note")
		}
		// The class' value comes back.
		drop(o, topologyMD0+labels, "class-only")
	})
	if err != nil {
		return err
	}
	if err := r.everywhere(ctx, "added", ""); err != nil {
		return err
	}
	return r.everywhere(ctx, "class-added", "")
}

// fields changes what Cluster API changes in place, without another Machine.
func fields(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		put(o, classWorker+"/deletion", "nodeDrainTimeoutSeconds", int64(30))
		put(o, classWorker+"/deletion", "nodeVolumeDetachTimeoutSeconds", int64(40))
	})
	if err != nil {
		return err
	}
	gates := []any{map[string]any{"conditionType": "BootstrapConfigReady"}}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0} {
			put(o, place+"/deletion", "nodeDeletionTimeoutSeconds", int64(20))
			put(o, place, "readinessGates", gates)
			put(o, place, "taints", []any{map[string]any{
				"key": "example.com/reserved", "value": "yes", "effect": "PreferNoSchedule", "propagation": "Always",
			}})
		}
		put(o, topologyMD0, "minReadySeconds", int64(1))
		put(o, topologyMD0+"/deletion", "order", "Oldest")
	})
	if err != nil {
		return err
	}
	// Its provider takes up to ten seconds to check a control plane again.
	err = r.until(ctx, "the fields on the Machine of the control plane", func() error {
		machine, err := r.first("Machine", ofControlPlane)
		if err != nil {
			return err
		}
		return has(machine, "spec/deletion", "nodeDeletionTimeoutSeconds", int64(20))
	})
	if err != nil {
		return err
	}
	return r.until(ctx, "the fields on every Machine of md0", func() error {
		for _, machine := range r.record.list("Machine", of("md0")) {
			if err := has(machine, "spec/deletion", "nodeDrainTimeoutSeconds", int64(30)); err != nil {
				return err
			}
			if err := has(machine, "spec/deletion", "nodeDeletionTimeoutSeconds", int64(20)); err != nil {
				return err
			}
		}
		return nil
	})
}

// idle does nothing. Whatever changes now, changes for ever.
func idle(ctx context.Context, r *run) error {
	before := r.record.length()
	pause(ctx, idleFor)
	r.expect("versions of objects while nobody does anything", "0", "0", len(r.record.since(before)))
	return nil
}

// scale adds a Machine and takes one away.
func scale(ctx context.Context, r *run) error {
	for _, replicas := range []int64{3, 2} {
		err := r.editCluster(ctx, func(o *object) { put(o, topologyMD0, "replicas", replicas) })
		if err != nil {
			return err
		}
		if err := r.machines(ctx, int(replicas)+2); err != nil {
			return err
		}
	}
	return nil
}
