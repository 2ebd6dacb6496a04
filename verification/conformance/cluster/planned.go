package main

import (
	"fmt"
	"slices"
	"strings"
)

// planned is what `propagate plan` predicted of a step, and what happened.
type planned struct {
	// Verdict is the last line of `plan`, and Happened the same of what happened.
	Verdict, Happened string
	// CannotTell are the reasons why `plan` does not predict an effect.
	CannotTell []string
	// Differences are what was predicted and did not happen, and what happened and was not predicted.
	Differences []string
	// Deviations are the differences that are documented, and their reasons.
	Deviations []deviation
}

// comparePlan compares what was predicted of a step with the objects before and after it.
func comparePlan(step string, said *plan, before, then []*object) *planned {
	machines, labels := machinesOf(before, then), changesOf(before, then)
	p := &planned{Verdict: said.Verdict.Text, Happened: machines.text(labels)}
	for _, o := range said.Objects {
		for _, edit := range o.Edits {
			if edit.Effect == "cannot tell" && edit.Reason != nil {
				p.CannotTell = append(p.CannotTell, fmt.Sprintf("%s: %s", edit.At, *edit.Reason))
			}
		}
	}
	found := append(compareMachines(said, machines), compareEntries(said, before, then)...)
	p.Differences, p.Deviations = documented(step, found)
	return p
}

// machineChanges are the Machines that went and came.
type machineChanges struct {
	// gone and made are names.
	gone, made []string
	// replaced, created and deleted are counted by owner: a Machine that went and one that came are a replaced one.
	replaced, created, deleted int
}

// machinesOf are the Machines that went and came.
func machinesOf(before, then []*object) machineChanges {
	var changes machineChanges
	gone, made := map[string]int{}, map[string]int{}
	was, is := index(before), index(then)
	for _, o := range before {
		if o.GetKind() == "Machine" && is[key("Machine", o.GetName())] == nil {
			changes.gone = append(changes.gone, o.GetName())
			gone[group(o, was)]++
		}
	}
	for _, o := range then {
		if o.GetKind() == "Machine" && was[key("Machine", o.GetName())] == nil {
			changes.made = append(changes.made, o.GetName())
			made[group(o, is)]++
		}
	}
	for of, count := range gone {
		replaced := min(count, made[of])
		changes.replaced += replaced
		changes.deleted += count - replaced
	}
	changes.created = len(changes.made) - changes.replaced
	return changes
}

// text is what happened, in the words of the verdict of `plan`.
func (m machineChanges) text(changes []labelChange) string {
	objects := map[string]bool{}
	for _, c := range changes {
		if c.at == "metadata.labels" || c.at == "metadata.annotations" {
			objects[c.object] = true
		}
	}
	created := ""
	if m.created > 0 {
		created = fmt.Sprintf(", creates %d", m.created)
	}
	plural := func(count int, noun string) string {
		if count == 1 {
			return "1 " + noun
		}
		return fmt.Sprintf("%d %ss", count, noun)
	}
	return fmt.Sprintf("replaces %s, deletes %d%s, relabels %s", plural(m.replaced, "Machine"), m.deleted, created, plural(len(objects), "object"))
}

// compareMachines reports Machines that are deleted or created and were not predicted. Where the effect of an edit is not
// known, more of them may be.
func compareMachines(said *plan, found machineChanges) []string {
	var differences []string
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	for _, o := range said.Objects {
		var named []planName
		if o.Happens == "deleted" {
			named = slices.Clone(o.Machines.Named)
		}
		for _, edit := range o.Edits {
			if edit.Effect == "rollout" || edit.Effect == "scheduled rollout" || edit.DeletesMachines {
				named = append(named, edit.Machines.Named...)
			}
		}
		for _, machine := range named {
			if !slices.Contains(found.gone, machine.Name) {
				differ("Machine %s is still there, and was predicted to be deleted", machine.Name)
			}
		}
	}
	if said.Verdict.Orphans > 0 {
		differ("orphaned Machines are not compared, predicted: %d", said.Verdict.Orphans)
	}
	for _, count := range []struct {
		verb             string
		predicted, found int
	}{
		{"replaced", said.Verdict.Replaces, found.replaced},
		{"deleted", said.Verdict.Deletes, found.deleted},
		{"created", said.Verdict.Creates, found.created},
	} {
		if count.found != count.predicted && (said.isTold() || count.found < count.predicted) {
			differ("%s Machines: %d, predicted: %d", count.verb, count.found, count.predicted)
		}
	}
	return differences
}

// index is objects by kind and name.
func index(objects []*object) map[string]*object {
	by := map[string]*object{}
	for _, o := range objects {
		by[key(o.GetKind(), o.GetName())] = o
	}
	return by
}

// group is what an object was made for: the MachineDeployment, standalone MachineSet or control plane of a Machine, and
// of what belongs to the Machine.
func group(o *object, all map[string]*object) string {
	if machine := o.GetAnnotations()["cluster.x-k8s.io/machine"]; o.GetKind() == "Node" && all[key("Machine", machine)] != nil {
		return group(all[key("Machine", machine)], all)
	}
	for _, owner := range o.GetOwnerReferences() {
		if above := all[key(owner.Kind, owner.Name)]; above != nil && owner.Kind == "Machine" {
			return group(above, all)
		}
	}
	labels := o.GetLabels()
	if _, is := labels[controlPlaneOf]; is {
		return "control plane"
	}
	for _, label := range []string{topologyMDName, "cluster.x-k8s.io/deployment-name", "cluster.x-k8s.io/set-name"} {
		if name := labels[label]; name != "" {
			return name
		}
	}
	return strings.Join(owners(o), ", ")
}
