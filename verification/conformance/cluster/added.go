package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// handMade lets Alice make a Machine with its parts by hand, below a MachineSet: the policy adds what propagates. Then
// the MachineSet's template loses it.
func handMade(ctx context.Context, r *run) error {
	objects, err := r.manifests("standalone.yaml")
	if err != nil {
		return err
	}
	alice := r.people["alice"]
	set, err := alice.Create(ctx, objects[0])
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	// The MachineSet wants one Machine, and deletes the one that is marked.
	marked, err := r.first("Machine", map[string]string{"set": "standalone"})
	if err != nil {
		return err
	}
	if _, err := alice.Patch(ctx, marked, `{"metadata":{"annotations":{"cluster.x-k8s.io/delete-machine":""}}}`); err != nil {
		return err
	}
	if objects, err = r.manifests("by-hand.yaml"); err != nil {
		return err
	}
	for _, o := range objects {
		own(o, set)
		made, err := alice.Create(ctx, o)
		if err != nil {
			return err
		}
		r.expect("label owner of a "+o.GetKind()+" that Alice makes by hand", "", "team", made.GetLabels()["owner"])
		r.expect("annotation note of a "+o.GetKind()+" that Alice makes by hand", "", "standalone", made.GetAnnotations()["note"])
	}
	if err := r.gone(ctx, "Machine", marked.GetName()); err != nil {
		return err
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	for _, o := range objects {
		if err := r.restored(ctx, o.GetKind(), o.GetName(), "team"); err != nil {
			return err
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	patch := `{"spec":{"template":{"metadata":{"labels":{"owner":null,"node.cluster.x-k8s.io/pool":null},"annotations":{"note":null}}}}}`
	if _, err := alice.Patch(ctx, set, patch); err != nil {
		return err
	}
	return r.goes(ctx, func() error {
		for _, o := range objects {
			now := r.record.get(o.GetKind(), o.GetName())
			for _, has := range []map[string]string{now.GetLabels(), now.GetAnnotations()} {
				for _, key := range []string{"owner", "node.cluster.x-k8s.io/pool", "note"} {
					if value, is := has[key]; is {
						return fmt.Errorf("%s %s has %s: %s", o.GetKind(), o.GetName(), key, value)
					}
				}
			}
		}
		return nil
	})
}

// backfillManager is the field manager of `propagate backfill`.
const backfillManager = "metadata-propagation-backfill"

// backfilled are the keys that parts of Machines lack, and what they come from: first with empty patches, then by
// server-side apply.
var backfilled = []struct{ label, value, annotation, note string }{
	{"tier", "std", "note", "topology"}, {"class-only", "yes", "example.com/class", "yes"},
}

// backfill lets parts of Machines lose keys while the policy is not there, and completes them in two ways: by empty
// patches, which the policy completes, and by server-side apply with a manager that lets go of them when Cluster API owns
// them too. Then the sources lose the keys.
func backfill(ctx context.Context, r *run) error {
	var parts []*object
	for _, d := range derived {
		if d.kind == "DevMachine" || d.kind == "KubeadmConfig" {
			parts = append(parts, r.record.list(d.kind, d.labels)...)
		}
	}
	if err := r.absent(ctx, true); err != nil {
		return err
	}
	alice := r.people["alice"]
	for _, o := range parts {
		for _, key := range backfilled {
			lost := fmt.Sprintf(`{"metadata":{"labels":{%q:null},"annotations":{%q:null}}}`, key.label, key.annotation)
			if _, err := alice.Patch(ctx, o, lost); err != nil {
				return err
			}
		}
	}
	for _, o := range parts {
		complete := part(o, configuration{"metadata": configuration{
			"labels": configuration{backfilled[1].label: backfilled[1].value}, "annotations": configuration{backfilled[1].annotation: backfilled[1].note},
		}})
		if _, err := alice.Apply(ctx, complete, backfillManager); err != nil {
			return err
		}
	}
	if err := r.absent(ctx, false); err != nil {
		return err
	}
	for _, d := range derived {
		for _, o := range r.record.list(d.kind, d.labels) {
			completed, err := alice.Patch(ctx, o, `{}`)
			if err != nil {
				return err
			}
			if r.withPolicy() {
				what := fmt.Sprintf("label %s of a %s of %s after an empty patch", backfilled[0].label, d.kind, place(d.labels))
				r.expect(what, "", backfilled[0].value, completed.GetLabels()[backfilled[0].label])
			}
		}
	}
	// Cluster API checks everything, and owns it again.
	if err := errors.Join(r.touch(ctx, 0), r.settle(ctx)); err != nil {
		return err
	}
	for _, o := range parts {
		if _, err := alice.Apply(ctx, part(o, configuration{}), backfillManager); err != nil {
			return err
		}
	}
	for _, key := range backfilled {
		if err := r.propagated(ctx, "DevMachine", of("md0"), key.label, key.value); err != nil {
			return err
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	err := r.editClass(ctx, func(o *object) { dropBackfilled(o, classControlPlane, classWorker, classPool) })
	if err == nil {
		err = r.editCluster(ctx, func(o *object) { dropBackfilled(o, topologyControlPlane, topologyMD0, topologyMP0) })
	}
	if err != nil {
		return err
	}
	return r.goes(ctx, func() error {
		for _, o := range parts {
			for _, key := range backfilled {
				if value, is := r.record.get(o.GetKind(), o.GetName()).GetLabels()[key.label]; is {
					return fmt.Errorf("%s %s has %s: %s", o.GetKind(), o.GetName(), key.label, value)
				}
			}
		}
		return nil
	})
}

func dropBackfilled(o *object, places ...string) {
	for _, place := range places {
		for _, key := range backfilled {
			drop(o, place+labels, key.label)
			drop(o, place+annotations, key.annotation)
		}
	}
}

// goes waits until something is gone. With the policy it waits for a while only: what stays then is a difference of the
// states, which says more.
func (r *run) goes(ctx context.Context, is func() error) error {
	if !r.withPolicy() {
		return r.until(ctx, "what the sources have lost goes", is)
	}
	for deadline := time.Now().Add(10 * time.Second); is() != nil && time.Now().Before(deadline); {
		pause(ctx, time.Second)
	}
	return nil
}

// absent takes the policy away for the API server, or restores it.
func (r *run) absent(ctx context.Context, away bool) error {
	if !r.withPolicy() {
		return nil
	}
	down := time.Duration(0)
	if away {
		down = 10 * time.Minute
	}
	return r.order(ctx, map[string]any{"downMilliseconds": down.Milliseconds()})
}
