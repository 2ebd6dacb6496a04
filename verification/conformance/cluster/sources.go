package main

import (
	"context"
	"slices"
)

// untouched is a key that nobody edits: it shows when a change has reached everything.
const untouched = "untouched"

// sourceKeys are the labels and annotations of the sources: two for each writer, one that it changes and one that it
// removes.
func sourceKeys() []string {
	keys := []string{untouched}
	for _, w := range writers {
		keys = append(keys, w.name+"-changed", w.name+"-removed")
	}
	return keys
}

// The values of a key in the source, and as writers change it.
const (
	inSource = "source"
	edited   = "edited"
)

// sourceGates and sourceTaints are lists of the sources, whose items have owners of their own.
var (
	sourceGates  = []any{gate("BootstrapConfigReady"), gate("InfrastructureReady"), gate("NodeHealthy")}
	sourceTaints = []any{
		taint("edit-changed", inSource), taint("edit-removed", inSource), taint("argo-server-changed", inSource),
		taint("flux-changed", inSource), taint(untouched, inSource),
	}
)

func gate(condition string) map[string]any { return map[string]any{"conditionType": condition} }

func taint(name, value string) map[string]any {
	return map[string]any{"key": "example.com/" + name, "value": value, "effect": "PreferNoSchedule", "propagation": "Always"}
}

// editedFields are the fields of Machines that each writer edits.
var editedFields = map[string]edits{
	"edit": {
		original: configuration{"taints": sourceTaints},
		changed: configuration{"taints": []any{
			taint("edit-changed", edited), taint("argo-server-changed", inSource), taint("flux-changed", inSource), taint(untouched, inSource),
		}},
		removed: configuration{"deletion": configuration{"nodeVolumeDetachTimeoutSeconds": int64(40)}},
	},
	"replace": {
		original: configuration{"readinessGates": sourceGates},
		changed: configuration{"readinessGates": []any{
			gate("BootstrapConfigReady"), map[string]any{"conditionType": "NodeHealthy", "polarity": "Negative"},
		}},
	},
	"client-apply": scalar(20, "deletion", "nodeDeletionTimeoutSeconds"),
	"argo":         scalar(20, "deletion", "nodeDeletionTimeoutSeconds"),
	"force":        scalar(30, "deletion", "nodeDrainTimeoutSeconds"),
	"argo-server":  oneTaint("argo-server-changed"),
	"flux":         oneTaint("flux-changed"),
}

// scalar is the edit of one number.
func scalar(original int64, path ...string) edits {
	return edits{original: at(path, original), changed: at(path, int64(77))}
}

func oneTaint(name string) edits {
	return edits{
		original: configuration{"taints": []any{taint(name, inSource)}},
		changed:  configuration{"taints": []any{taint(name, edited)}},
	}
}

// at is a configuration with one value.
func at(path []string, value any) configuration {
	for _, name := range slices.Backward(path) {
		value = configuration{name: value}
	}
	return value.(configuration)
}

// described is where a kind describes the Machines below it.
var described = map[string][]string{
	"KubeadmControlPlane": {"spec", "machineTemplate"}, "MachineDeployment": {"spec", "template"},
	"MachineSet": {"spec", "template"}, "MachinePool": {"spec", "template"},
}

// editsOf are a writer's edits of a kind: labels and annotations, those of its template, and fields.
func (w *writer) editsOf(kind string) edits {
	places := [][]string{{"metadata"}}
	template, describes := described[kind]
	if describes {
		places = append(places, append(slices.Clone(template), "metadata"))
	}
	var all edits
	all.original, all.changed, all.removed = configuration{}, configuration{}, configuration{}
	for _, place := range places {
		for _, of := range []string{"labels", "annotations"} {
			key := func(name string) []string { return append(slices.Clone(place), of, w.name+name) }
			all.original = merged(all.original, at(key("-changed"), inSource))
			all.changed = merged(all.changed, at(key("-changed"), edited))
			all.removed = merged(all.removed, at(key("-removed"), inSource))
		}
	}
	if fields, has := editedFields[w.name]; has && (describes || kind == "Machine") {
		if kind == "MachinePool" {
			lists := configuration{"taints": nil, "readinessGates": nil}
			fields.original, fields.changed = without(fields.original, lists, false), without(fields.changed, lists, false)
		}
		spec := append(slices.Clone(template), "spec")
		with := func(all, fields configuration) configuration {
			if len(fields) == 0 {
				return all
			}
			return merged(all, at(spec, fields))
		}
		all.original, all.changed, all.removed = with(all.original, fields.original), with(all.changed, fields.changed), with(all.removed, fields.removed)
	}
	if w.mark != "" {
		all.changed = merged(all.changed, at([]string{"metadata", "labels", w.mark}, w.name))
	}
	return all
}

// addSources adds what is edited later: labels and fields to the topology, annotations to the class.
func addSources(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			for _, key := range sourceKeys() {
				put(o, place+annotations, key, inSource)
			}
		}
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0, topologyMP0} {
			for _, key := range sourceKeys() {
				put(o, place+labels, key, inSource)
			}
			put(o, place+"/deletion", "nodeDrainTimeoutSeconds", int64(30))
			put(o, place+"/deletion", "nodeVolumeDetachTimeoutSeconds", int64(40))
			put(o, place+"/deletion", "nodeDeletionTimeoutSeconds", int64(20))
			// A MachinePool has neither.
			if place != topologyMP0 {
				put(o, place, "taints", sourceTaints)
				put(o, place, "readinessGates", sourceGates)
			}
		}
	})
	if err != nil {
		return err
	}
	return r.recovered(ctx)
}

// removeSources removes it.
func removeSources(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			for _, key := range sourceKeys() {
				drop(o, place+annotations, key)
			}
		}
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0, topologyMP0} {
			for _, key := range sourceKeys() {
				drop(o, place+labels, key)
			}
			// Something of each list and struct stays: of an empty one the API server makes null, and refuses it. Of the
			// workers' timeouts that of the class stays.
			if place == topologyMD0 {
				drop(o, place, "deletion")
			} else {
				put(o, place, "deletion", map[string]any{"nodeVolumeDetachTimeoutSeconds": int64(40)})
			}
			if place != topologyMP0 {
				put(o, place, "taints", sourceTaints[len(sourceTaints)-1:])
				put(o, place, "readinessGates", sourceGates[:1])
			}
		}
	})
	if err != nil {
		return err
	}
	for _, d := range derived {
		if err := r.propagated(ctx, d.kind, d.labels, untouched, ""); err != nil {
			return err
		}
	}
	return nil
}
