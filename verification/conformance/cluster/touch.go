package main

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// lookAgain touches everything derived, so that Cluster API checks it again, and the policy too. Then all is as it
// should be.
func (r *run) lookAgain(ctx context.Context) error {
	if err := r.touch(ctx, cached); err != nil {
		return err
	}
	for _, d := range derived {
		if err := r.propagated(ctx, d.kind, d.labels, "owner", "team"); err != nil {
			return err
		}
	}
	return nil
}

// touch lets Alice write everything derived twice, each time after a pause: the host reads what is above it.
func (r *run) touch(ctx context.Context, before time.Duration) error {
	for _, patch := range []string{`{"metadata":{"annotations":{"look":"again"}}}`, `{"metadata":{"annotations":{"look":null}}}`} {
		pause(ctx, before)
		for _, d := range derived {
			for _, o := range r.record.list(d.kind, d.labels) {
				if _, err := r.people["alice"].Patch(ctx, o, patch); err != nil {
					return err
				}
			}
		}
	}
	r.people["alice"].Warnings.Take()
	return nil
}

// nudge changes the objects of a kind and takes that back: their controllers check them.
func (r *run) nudge(ctx context.Context, kind string) error {
	for _, o := range r.record.list(kind, nil) {
		for _, patch := range []string{`{"metadata":{"annotations":{"look":"again"}}}`, `{"metadata":{"annotations":{"look":null}}}`} {
			_, err := r.API.Patch(ctx, o, patch)
			if apierrors.IsNotFound(errors.Unwrap(err)) {
				// Its controller has deleted it meanwhile.
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
