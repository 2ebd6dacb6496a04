package main

import (
	"context"
	"fmt"
	"io"

	"conformance/harness"
)

// sourceSteps say when a label of the Namespace reaches composites, and that their authors do not set it.
var sourceSteps = []tagStep{
	{"create", ofNamespace("cc-1"), inOrder(labelNamespace("cc-1"), createAsAuthor), touchedPatience, true},
	{"the author's label and tag", ofNamespace("cc-1"), setAsAuthor, touchedPatience, true},
	{"relabel, and wait", ofNamespace("cc-2"), labelNamespace("cc-2"), patience, true},
	{"relabel, and touch", ofNamespace("cc-3"), inOrder(labelNamespace("cc-3"), awaitCache, touchAll), touchedPatience, true},
	{"touch again", ofNamespace("cc-3"), touchAll, touchedPatience, false},
	{"remove, and touch", map[string]string{environment: "production"}, inOrder(labelNamespace(nil), awaitCache, touchAll), touchedPatience, true},
}

// The composites below a Namespace, and how many objects they and everything below them are.
var (
	namespaced        = []string{"plain", "nested", "deep", "labeled"}
	namespacedObjects = 14
)

// ofNamespace are the labels that make tags: one of the composites, and the Namespace's cost center.
func ofNamespace(value string) map[string]string {
	return map[string]string{environment: "production", costCenter: value}
}

// playSources takes the cost center from the Namespace, while every author sets another one.
func (s *stage) playSources(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "sources")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	f := &fleet{run: r, answers: compiled, chosen: namespaced}
	err = f.startPolicy(ctx, policy{answers: compiled, cloudTags: map[string]any{
		"composites": []any{map[string]any{
			"apiGroups": []any{composites}, "provider": map[string]any{"path": "spec.parameters.provider"},
		}},
		"definitions": map[string]any{
			environment: map[string]any{"scope": "platform", "cloudTagPropagation": true},
			costCenter:  map[string]any{"scope": "platform", "cloudTagPropagation": true, "from": "namespace"},
		},
		"sources": map[string]any{"precedence": []any{"composite", "namespace"}},
	}})
	if err != nil {
		return 0, err
	}
	if err := f.define(ctx); err != nil {
		return 0, err
	}
	return s.playTagSteps(ctx, to, f, sourceSteps, f.alice)
}

// labelNamespace gives the Namespace a cost center; nil takes it away.
func labelNamespace(value any) tagChange {
	return func(ctx context.Context, f *fleet, _ *harness.Client) error {
		labels := map[string]any{costCenter: value}
		return f.patch(ctx, named("v1", "Namespace", "", namespace), map[string]any{"metadata": map[string]any{"labels": labels}})
	}
}

// createAsAuthor makes the roots with a cost center of their own, and waits for everything below them.
func createAsAuthor(ctx context.Context, f *fleet, _ *harness.Client) error {
	f.labels = ofNamespace("author")
	if err := create(ctx, f); err != nil {
		return err
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	all, err := f.objects(ctx)
	if err == nil && len(all) != namespacedObjects {
		err = fmt.Errorf("there are %d objects, not %d", len(all), namespacedObjects)
	}
	return err
}

// setAsAuthor changes the label and the tag of every root.
func setAsAuthor(ctx context.Context, f *fleet, _ *harness.Client) error {
	for _, root := range f.roots {
		err := f.patch(ctx, root, map[string]any{
			"metadata": map[string]any{"labels": map[string]any{costCenter: "author-2"}},
			"spec":     map[string]any{"cloudTags": map[string]any{"plexsphere:" + costCenter: "author-2"}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
