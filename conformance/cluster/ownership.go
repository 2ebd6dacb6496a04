package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ownership edits in every way what propagates, and then removes it at the source. Who owns a field decides whether it
// goes: what the policy brought back or added must go as it goes without the policy.
var ownership = []step{
	{name: "create", play: create},
	{name: "sources", about: "labels and fields are added to the topology, annotations to the class: two keys for each writer", play: addSources},
	{name: "edit-in-every-way", about: "eight writers change and remove them on ten kinds of derived objects, in metadata, templates and fields: `kubectl edit`, a program's update, client-side apply, server-side apply without force and with it, Argo CD client-side and server-side, Flux", play: editInEveryWay},
	{name: "apply-again", about: "those that apply apply once more", play: func(ctx context.Context, r *run) error { return errors.Join(r.applyAgain(ctx), r.recovered(ctx)) }},
	{name: "remove-sources", about: "class and topology lose all of it", play: removeSources},
	{name: "apply-still", about: "those that apply still apply their own values, which stay now", play: func(ctx context.Context, r *run) error { return r.applyAgain(ctx) }},
	{name: "release", about: "they apply nothing any more: everything goes", play: releaseApplied},
	{name: "hand-made", about: "Alice makes a Machine with its parts by hand below a MachineSet; then the MachineSet's template loses what the policy added", play: handMade},
	{name: "backfill", about: "while the policy is absent, parts of Machines lose keys; empty patches bring some back and server-side apply others; that manager releases them; then class and topology lose them", play: backfill},
}

// shortOwnership is what shows a policy that forgets who owns a field.
var shortOwnership = []string{"create", "sources", "edit-in-every-way", "apply-again", "remove-sources"}

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
		if err := r.arrives(ctx, d.kind, d.labels, untouched, ""); err != nil {
			return err
		}
	}
	return nil
}

// editInEveryWay lets each writer change and remove what propagates, on each derived object. Without the policy Cluster
// API reverts that; with it the answers have the right values already.
func editInEveryWay(ctx context.Context, r *run) error {
	pause(ctx, cached)
	for _, d := range derived {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		for i := range writers {
			w := &writers[i]
			if !w.edits(d.kind) {
				continue
			}
			if err := r.editOnce(ctx, w, d.kind, place(d.labels), o); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.touch(ctx, 0), r.recovered(ctx))
}

// editOnce lets one writer change and remove on one object.
func (r *run) editOnce(ctx context.Context, w *writer, kind, place string, o *object) error {
	c, err := r.as(w.user)
	if err != nil {
		return err
	}
	e := w.editsOf(kind)
	var answered *object
	what := fmt.Sprintf("label %s-changed of a %s of %s", w.name, kind, place)
	switch {
	case w.edit != nil:
		answered, err = w.edit(ctx, c, o, e)
	case w.yields:
		// What it applies as it is it owns too, and keeps when the source lets go of it.
		if answered, err = w.apply(ctx, c, o, merged(e.original, e.removed)); err != nil {
			break
		}
		_, refused := w.apply(ctx, c, o, merged(e.changed, e.removed))
		r.expect(what+": a conflict", "true", "true", apierrors.IsConflict(errors.Unwrap(refused)))
		r.expect(what, inSource, inSource, answered.GetLabels()[w.name+"-changed"])
		return nil
	default:
		taken := each(e.removed, func(any) any { return edited })
		if answered, err = w.apply(ctx, c, o, merged(e.changed, taken)); err == nil {
			_, err = w.apply(ctx, c, o, e.changed)
		}
	}
	if err != nil {
		return err
	}
	r.expect(what, edited, inSource, answered.GetLabels()[w.name+"-changed"])
	return nil
}

// applyAgain lets the appliers apply what they want once more, as they do for ever.
func (r *run) applyAgain(ctx context.Context) error {
	return r.eachApplier(ctx, func(ctx context.Context, w *writer, c *client, o *object, e edits) error {
		wanted := e.changed
		if w.yields {
			wanted = merged(e.original, e.removed)
		}
		_, err := w.apply(ctx, c, o, wanted)
		return err
	})
}

// releaseApplied lets the appliers apply nothing any more: what nobody else wants goes.
func releaseApplied(ctx context.Context, r *run) error {
	return r.eachApplier(ctx, func(ctx context.Context, w *writer, c *client, o *object, _ edits) error {
		release := w.apply
		if w.release != nil {
			release = w.release
		}
		_, err := release(ctx, c, o, configuration{})
		return err
	})
}

// eachApplier lets each applier do something to each derived object, the last ones first: what is applied to a template
// must not arrive below before it is applied there too.
func (r *run) eachApplier(ctx context.Context, do func(context.Context, *writer, *client, *object, edits) error) error {
	for _, d := range slices.Backward(derived) {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		for i := range writers {
			w := &writers[i]
			if w.apply == nil || !w.edits(d.kind) {
				continue
			}
			c, err := r.as(w.user)
			if err != nil {
				return err
			}
			if err := do(ctx, w, c, o, w.editsOf(d.kind)); err != nil {
				return err
			}
		}
	}
	r.people["alice"].Warnings.Take()
	return nil
}

// recovered waits until everything derived has the labels and annotations of the sources.
func (r *run) recovered(ctx context.Context) error {
	for _, d := range derived {
		err := r.until(ctx, "every "+d.kind+" is as the sources say", func() error {
			for _, o := range r.record.list(d.kind, d.labels) {
				for _, has := range []map[string]string{o.GetLabels(), o.GetAnnotations()} {
					for _, key := range sourceKeys() {
						if err := equal(o.GetName()+": "+key, inSource, has[key]); err != nil {
							return err
						}
					}
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

// as is the client of a user.
func (r *run) as(user string) (*client, error) {
	if known, is := r.people[user]; is {
		return known, nil
	}
	made, err := r.API.As(user)
	if err != nil {
		return nil, err
	}
	r.people[user] = made
	return made, nil
}
