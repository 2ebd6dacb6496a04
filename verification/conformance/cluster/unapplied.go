package main

import (
	"context"
	"errors"
	"fmt"
)

// unapplied is about objects to which no controller has applied anything, so that nobody owns yet what the policy adds.
var unapplied = []step{{name: "create", play: create}, {name: "dropped-unapplied", play: droppedUnapplied}}

// droppedUnapplied lets Alice make a MachineSet and two Machines with their parts while Cluster API's core manager may not
// write. The policy adds what propagates, and then the MachineSet's template loses a label and an annotation. The first
// Machine and its parts lose them when Alice writes them once more, as they do where no controller runs. Nobody writes the
// others: they lose them when the manager may write again, with its first apply.
func droppedUnapplied(ctx context.Context, r *run) error {
	alice := r.people["alice"]
	set, machines, err := r.unappliedObjects()
	if err != nil {
		return err
	}
	var made [2][]*object
	source := func(present bool) error {
		if present {
			set, err = alice.Create(ctx, set)
			return err
		}
		lost := `{"spec":{"template":{"metadata":{"labels":{"owner":null},"annotations":{"note":null}}}}}`
		if _, err := alice.Patch(ctx, set, lost); err != nil {
			return err
		}
		pause(ctx, cached)
		return r.writtenWithoutControllers(ctx, made[0], made[1][0])
	}
	write := func() error {
		for i, objects := range machines {
			for _, o := range objects {
				own(o, set)
				created, err := alice.Create(ctx, o)
				if err != nil {
					return err
				}
				r.expect("label owner of "+o.GetKind()+" "+o.GetName(), "", "team", created.GetLabels()["owner"])
				r.expect("annotation note of "+o.GetKind()+" "+o.GetName(), "", "standalone", created.GetAnnotations()["note"])
				made[i] = append(made[i], created)
			}
		}
		return nil
	}
	return r.dropped(ctx, providers[:1], source, write, func() error {
		if err := r.nudge(ctx, "MachineSet"); err != nil {
			return err
		}
		all := append(made[0], made[1]...)
		err := r.until(ctx, "the manager applies", func() error { return r.areApplied(all) })
		if err != nil {
			return err
		}
		if err := r.goes(ctx, func() error { return r.haveDropped(all) }); err != nil {
			return err
		}
		return r.machines(ctx, 6)
	})
}

// unappliedObjects are a MachineSet, and two Machines with their parts, as Alice creates them.
func (r *run) unappliedObjects() (*object, [2][]*object, error) {
	var machines [2][]*object
	sets, err := r.manifests("standalone.yaml")
	if err != nil {
		return nil, machines, err
	}
	set := sets[0]
	set.SetName("unapplied")
	put(set, "spec", "replicas", int64(len(machines)))
	put(set, "spec/selector/matchLabels", "set", "unapplied")
	put(set, "spec/template/metadata/labels", "set", "unapplied")
	for i := range machines {
		name := fmt.Sprintf("unapplied-%d", i)
		if machines[i], err = r.manifests("by-hand.yaml"); err != nil {
			return nil, machines, err
		}
		for _, o := range machines[i] {
			o.SetName(name)
			// Else the Machine controller sets it, before or after the MachineSet's first apply.
			put(o, "metadata/labels", "cluster.x-k8s.io/cluster-name", "c1")
		}
		machine := machines[i][0]
		put(machine, "metadata/labels", "set", "unapplied")
		put(machine, "spec/bootstrap/configRef", "name", name)
		put(machine, "spec/infrastructureRef", "name", name)
	}
	return set, machines, nil
}

// writtenWithoutControllers lets Alice write objects that hold what their MachineSet has dropped, and notes that it goes;
// what she does not write keeps it.
func (r *run) writtenWithoutControllers(ctx context.Context, objects []*object, unwritten *object) error {
	for _, o := range objects {
		written, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"annotations":{"look":"again"}}}`)
		if err != nil {
			return err
		}
		if _, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"annotations":{"look":null}}}`); err != nil {
			return err
		}
		r.expect("label owner of "+o.GetKind()+" "+o.GetName()+" when Alice writes it again", "", "", written.GetLabels()["owner"])
		r.expect("annotation note of "+o.GetKind()+" "+o.GetName()+" when Alice writes it again", "", "", written.GetAnnotations()["note"])
	}
	r.people["alice"].Warnings.Take()
	now := r.record.get(unwritten.GetKind(), unwritten.GetName())
	r.expect("label owner of "+unwritten.GetKind()+" "+unwritten.GetName()+", which nobody writes", "", "team", now.GetLabels()["owner"])
	return nil
}

// areApplied is whether objects have what their MachineSet still has.
func (r *run) areApplied(objects []*object) error {
	for _, o := range objects {
		if now := r.record.get(o.GetKind(), o.GetName()); now.GetLabels()["node.cluster.x-k8s.io/pool"] != "red" {
			return fmt.Errorf("%s %s has %v", o.GetKind(), o.GetName(), now.GetLabels())
		}
	}
	return nil
}

// haveDropped is whether objects have nothing of what their MachineSet has dropped.
func (r *run) haveDropped(objects []*object) error {
	for _, o := range objects {
		now := r.record.get(o.GetKind(), o.GetName())
		if now.GetLabels()["owner"] != "" || now.GetAnnotations()["note"] != "" {
			return errors.New(o.GetKind() + " " + o.GetName() + " has what its source has dropped")
		}
	}
	return nil
}
