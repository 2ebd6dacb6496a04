package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// prediction is a step in which users write, after `propagate plan` predicted what Cluster API does then.
type prediction struct {
	name string
	// about is what the users write, for the page.
	about string
	// writes are what the users do to the fleet as it is.
	writes func(*run) ([]userWrite, error)
	// done waits for the last effect that can be waited for; where it is nil, the fleet is steady then.
	done func(context.Context, *run) error
}

// userWrite is what one user does to one object: creates it, changes it or deletes it.
type userWrite struct {
	person string
	// create is an object that is new; else `object` is changed, or removed.
	create *object
	object *object
	change func(*object)
	remove bool
}

// stepsOf are the steps of predictions, in their order.
func stepsOf(predictions []prediction) []step {
	var steps []step
	for i := range predictions {
		p := &predictions[i]
		steps = append(steps, step{name: p.name, predicts: p, play: p.play})
	}
	return steps
}

// play asks `plan`, lets the users write, waits until nothing follows any more, and compares.
func (p *prediction) play(ctx context.Context, r *run) error {
	before, err := r.dump(ctx)
	if err != nil {
		return err
	}
	writes, err := p.writes(r)
	if err != nil {
		return err
	}
	folder := filepath.Join(r.Directory, "plans", p.name)
	for file, objects := range map[string][]*object{"before.json": before, "after.json": after(before, writes)} {
		if err := writeDump(filepath.Join(folder, file), objects); err != nil {
			return err
		}
	}
	said, err := r.programs.plan(ctx, r.root, folder)
	if err != nil {
		return err
	}
	for _, w := range writes {
		if err := w.send(ctx, r); err != nil {
			return err
		}
	}
	done := p.done
	if done == nil {
		done = func(ctx context.Context, r *run) error { return r.steady(ctx) }
	}
	if err := errors.Join(done(ctx, r), r.settle(ctx)); err != nil {
		return err
	}
	then, err := r.dump(ctx)
	if err != nil {
		return err
	}
	if err := writeDump(filepath.Join(folder, "then.json"), then); err != nil {
		return err
	}
	r.result.Steps[len(r.result.Steps)-1].Plan = comparePlan(p.name, said, before, then)
	return nil
}

// after are the objects as the users want them.
func after(before []*object, writes []userWrite) []*object {
	var objects []*object
	for _, o := range before {
		o = o.DeepCopy()
		isRemoved := false
		for _, w := range writes {
			if w.object == nil || w.object.GetKind() != o.GetKind() || w.object.GetName() != o.GetName() {
				continue
			}
			if isRemoved = w.remove; !isRemoved {
				w.change(o)
			}
		}
		if !isRemoved {
			objects = append(objects, o)
		}
	}
	for _, w := range writes {
		if w.create != nil {
			objects = append(objects, w.create)
		}
	}
	return objects
}

// send lets the user write.
func (w *userWrite) send(ctx context.Context, r *run) error {
	switch {
	case w.create != nil:
		_, err := r.people[w.person].Create(ctx, w.create)
		return err
	case w.remove:
		return r.people[w.person].Delete(ctx, w.object, metav1.DeletePropagationBackground)
	default:
		_, err := r.edit(ctx, w.person, w.object.GetAPIVersion(), w.object.GetKind(), w.object.GetName(), w.change)
		return err
	}
}

// steady waits until controllers have seen everything, as many Machines are up to date as there should be, and each of
// them has its Node. Then everything is touched, because some controllers look again only after minutes, and waited for
// again.
func (r *run) steady(ctx context.Context) error {
	if err := r.rolledOut(ctx); err != nil {
		return err
	}
	for _, kind := range []string{"Cluster", "KubeadmControlPlane", "MachineDeployment", "MachinePool", "MachineSet", "Machine"} {
		if err := r.nudge(ctx, kind); err != nil {
			return err
		}
	}
	return errors.Join(r.settle(ctx), r.rolledOut(ctx))
}

func (r *run) rolledOut(ctx context.Context) error {
	return r.until(ctx, "every rollout is over", func() error {
		for _, kind := range []string{"Cluster", "KubeadmControlPlane", "MachineDeployment", "MachineSet"} {
			for _, o := range r.record.list(kind, nil) {
				if err := isSteady(o); err != nil {
					return fmt.Errorf("%s %s: %w", kind, o.GetName(), err)
				}
			}
		}
		for _, machine := range r.record.list("Machine", nil) {
			if machine.GetDeletionTimestamp() != nil {
				return fmt.Errorf("%s is being deleted", machine.GetName())
			}
			if harness.Text(machine, "status", "nodeRef", "name") == "" {
				return fmt.Errorf("%s has no Node", machine.GetName())
			}
		}
		return nil
	})
}

// isSteady is whether an object's controller has nothing left to do for its Machines.
func isSteady(o *object) error {
	number := func(path ...string) int64 {
		value, _, _ := unstructured.NestedInt64(o.Object, path...)
		return value
	}
	if seen := number("status", "observedGeneration"); seen != o.GetGeneration() {
		return fmt.Errorf("generation %d of %d is seen", seen, o.GetGeneration())
	}
	if o.GetKind() == "Cluster" {
		return nil
	}
	replicas := number("spec", "replicas")
	counted := []int64{number("status", "replicas"), number("status", "availableReplicas"), number("status", "upToDateReplicas")}
	if slices.ContainsFunc(counted, func(count int64) bool { return count != replicas }) {
		return fmt.Errorf("of %d Machines there are %d, available %d, up to date %d", replicas, counted[0], counted[1], counted[2])
	}
	return nil
}
