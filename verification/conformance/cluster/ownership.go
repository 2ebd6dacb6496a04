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
	{name: "sources", play: addSources},
	{name: "edit-in-every-way", play: editInEveryWay},
	{name: "apply-again", play: func(ctx context.Context, r *run) error { return errors.Join(r.applyAgain(ctx), r.recovered(ctx)) }},
	{name: "remove-sources", play: removeSources},
	{name: "apply-still", play: func(ctx context.Context, r *run) error { return r.applyAgain(ctx) }},
	{name: "release", play: releaseApplied},
	{name: "hand-made", play: handMade},
	{name: "backfill", play: backfill},
	{name: "set-and-dropped", play: setAndDropped},
	{name: "owners-emptied", play: emptyOwners},
	{name: "owners-stale", play: staleOwners},
	{name: "older-entry", play: olderEntry},
	{name: "storage-migration", play: migrateStorage},
	{name: "restore-with-owners", play: restoreWithOwners},
	{name: "move-with-owners", play: moveWithOwners},
	{name: "owners-stripped", play: stripOwners},
}

// shortOwnership is what shows a policy that forgets who owns a field.
var shortOwnership = []string{"create", "sources", "edit-in-every-way", "apply-again", "remove-sources"}

// editInEveryWay lets each writer change and remove what propagates, on each derived object. Without the policy Cluster
// API reverts that; with it the answers have the right values already. The last ones come first: a user who sets a value that
// propagated from above a moment earlier does not become its owner, and nobody says how long that takes.
func editInEveryWay(ctx context.Context, r *run) error {
	pause(ctx, cached)
	err := r.eachDerived(func(o *object, place string) error {
		for i := range writers {
			w := &writers[i]
			if !w.edits(o.GetKind()) {
				continue
			}
			if err := r.editOnce(ctx, w, o.GetKind(), place, o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
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
// must not propagate before it is applied there too.
func (r *run) eachApplier(ctx context.Context, do func(context.Context, *writer, *client, *object, edits) error) error {
	err := r.eachDerived(func(o *object, _ string) error {
		for i := range writers {
			w := &writers[i]
			if w.apply == nil || !w.edits(o.GetKind()) {
				continue
			}
			c, err := r.as(w.user)
			if err != nil {
				return err
			}
			if err := do(ctx, w, c, o, w.editsOf(o.GetKind())); err != nil {
				return err
			}
		}
		return nil
	})
	r.people["alice"].Warnings.Take()
	return err
}

// eachDerived does something to each derived object, the last ones first, with its place.
func (r *run) eachDerived(do func(o *object, place string) error) error {
	for _, d := range slices.Backward(derived) {
		o, err := r.first(d.kind, d.labels)
		if err == nil {
			err = do(o, place(d.labels))
		}
		if err != nil {
			return err
		}
	}
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
