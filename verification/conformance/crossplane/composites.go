package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

//go:embed composites/*.yaml
var compositeFiles embed.FS

// roots are the composites and the claim that Alice makes.
const roots = "composites/composites.yaml"

// step is one thing that Alice does, and the labels that every root has afterwards.
type step struct {
	name   string
	labels map[string]string
	play   func(context.Context, *fleet) error
}

// The labels of which the policy makes tags, besides one that is nobody's.
const (
	environment = "platform/env"
	costCenter  = "platform/cost-center"
)

// steps are the scenario of composites.
var steps = []step{
	{"create", map[string]string{environment: "production", "team": "a"}, create},
	{"add-label", map[string]string{environment: "production", costCenter: "cc-1", "team": "a"}, relabel},
	{"change-label", map[string]string{environment: "staging", costCenter: "cc-1", "team": "b"}, relabel},
	{"touch", map[string]string{environment: "staging", costCenter: "cc-1", "team": "b"}, touch},
	{"idle", map[string]string{environment: "staging", costCenter: "cc-1", "team": "b"}, idle},
	{"own-label", map[string]string{environment: "staging", costCenter: "cc-1", "team": "b"}, labelChild},
	// What the parent forwards and what the child's label says differ now, for ever.
	{"idle-again", map[string]string{environment: "staging", costCenter: "cc-1", "team": "b"}, idle},
	{"remove-label", map[string]string{environment: "staging", "team": "b"}, relabel},
	{"delete", nil, remove},
}

// fleet is a run with composites.
type fleet struct {
	*run
	// chosen are the names of the composites that are made; empty are all of them.
	chosen  []string
	answers string
	// roots are what Alice made.
	roots []*harness.Object
	// labels are those of the roots in this step.
	labels map[string]string
	// own is the value that the nested server's own label has, once it has one.
	own    string
	result lifeResult
}

// compareComposites runs the scenario without the policy, with it, and with one that is wrong on purpose.
func (s *stage) compareComposites(ctx context.Context, to io.Writer) (int, error) {
	without, err := s.playComposites(ctx, observe)
	if err != nil {
		return 0, err
	}
	with, err := s.playComposites(ctx, compiled)
	if err != nil {
		return 0, err
	}
	reportLives(to, without, with)
	differences := compareLives(without, with)
	for _, step := range with.Steps {
		for _, texts := range step.State {
			s.compared += len(texts)
		}
	}
	for _, difference := range differences {
		fmt.Fprintln(to, difference)
	}
	wrong, err := s.playComposites(ctx, stampTime)
	if err != nil {
		return 0, err
	}
	noticed := compareLives(without, wrong)
	fmt.Fprintf(to, "the wrong policy %s: %d differences\n", stampTime, len(noticed))
	for _, line := range some("  ", noticed) {
		fmt.Fprintln(to, line)
	}
	if len(noticed) == 0 {
		return len(differences) + 1, nil
	}
	return len(differences), nil
}

// playComposites is one run.
func (s *stage) playComposites(ctx context.Context, answers string) (*lifeResult, error) {
	r, err := s.start(ctx, "composites-"+answers)
	defer r.Stop()
	if err != nil {
		return nil, err
	}
	f := &fleet{run: r, chosen: s.roots, answers: answers, result: lifeResult{Run: r.name}}
	err = f.startPolicy(ctx, policy{answers: answers, cloudTags: map[string]any{
		"composites": []any{map[string]any{
			"apiGroups": []any{composites}, "claimKinds": []any{"Machine"},
			"provider": map[string]any{"path": "spec.parameters.provider"},
		}},
		"definitions": map[string]any{
			environment: map[string]any{"scope": "platform", "cloudTagPropagation": true},
			costCenter:  map[string]any{"scope": "platform", "cloudTagPropagation": true},
		},
	}})
	if err != nil {
		return nil, err
	}
	if err := f.define(ctx); err != nil {
		return nil, err
	}
	for _, step := range steps {
		if len(s.steps) > 0 && !slices.Contains(s.steps, step.name) {
			continue
		}
		begin := time.Now()
		before, err := f.reviews()
		if err != nil {
			return nil, err
		}
		f.labels = step.labels
		stuck := step.play(ctx, f)
		if stuck == nil {
			stuck = f.settle(ctx)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done := stepResult{Name: step.name, Seconds: time.Since(begin).Seconds()}
		if err := f.finish(ctx, &done, before); err != nil {
			return nil, err
		}
		if stuck != nil {
			done.Wrong = append(done.Wrong, stuck.Error())
		}
		f.result.Steps = append(f.result.Steps, done)
		harness.Say("%s: %-14s %5.1f s, %4d reviews", r.name, step.name, done.Seconds, done.Reviews.Count)
		if stuck != nil {
			// What goes on after this says nothing.
			harness.Say("%v", stuck)
			break
		}
	}
	return &f.result, nil
}

// define makes the definitions and Compositions, and waits until composites can be written.
func (f *fleet) define(ctx context.Context) error {
	for _, file := range []string{"composites/definitions.yaml", "composites/compositions.yaml"} {
		objects, err := embedded(compositeFiles, file)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if _, err := f.alice.Create(ctx, o); err != nil {
				return err
			}
		}
	}
	definitions, err := f.API.Resource("apiextensions.crossplane.io/v1", "CompositeResourceDefinition", "")
	if err != nil {
		return err
	}
	err = f.Await(ctx, "definitions", time.Minute, func() error {
		list, err := definitions.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, o := range list.Items {
			if harness.ConditionField(&o, "Established", "status") != "True" {
				return fmt.Errorf("%s is not established", o.GetName())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.AwaitDefinitions(ctx)
}

// create makes the roots.
func create(ctx context.Context, f *fleet) error {
	objects, err := embedded(compositeFiles, roots)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if len(f.chosen) > 0 && !slices.Contains(f.chosen, o.GetName()) {
			continue
		}
		o.SetNamespace(namespace)
		o.SetLabels(maps.Clone(f.labels))
		made, err := f.alice.Create(ctx, o)
		if err != nil {
			return err
		}
		f.roots = append(f.roots, made)
	}
	return nil
}

// relabel gives every root the labels of the step, and takes those away that it does not have.
func relabel(ctx context.Context, f *fleet) error {
	for _, root := range f.roots {
		patch := map[string]any{environment: nil, costCenter: nil, "team": nil}
		for key, value := range f.labels {
			patch[key] = value
		}
		if err := f.patch(ctx, root, map[string]any{"metadata": map[string]any{"labels": patch}}); err != nil {
			return err
		}
	}
	return nil
}

// touch writes every composite and claim four times, without changing what the policy checks.
func touch(ctx context.Context, f *fleet) error {
	for n := range 4 {
		all, err := f.objects(ctx)
		if err != nil {
			return err
		}
		for _, o := range all {
			if o.GroupVersionKind().Group != composites {
				continue
			}
			patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"touched": fmt.Sprint(n)}}}
			if err := f.patch(ctx, o, patch); err != nil {
				return err
			}
		}
	}
	return nil
}

// idleSeconds is how long nothing may be written.
const idleSeconds = 6

// idle looks on: nothing may be written.
func idle(ctx context.Context, f *fleet) error {
	before, err := f.versions(ctx)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(idleSeconds * time.Second):
	}
	after, err := f.versions(ctx)
	if err != nil {
		return err
	}
	for name, version := range after {
		if before[name] != version {
			return fmt.Errorf("%s was written while nobody did anything", name)
		}
	}
	return nil
}

// labelChild gives the nested server a label of its own.
func labelChild(ctx context.Context, f *fleet) error {
	server, err := f.nestedServer(ctx)
	if err != nil {
		return err
	}
	f.own = "own"
	return f.patch(ctx, server, map[string]any{"metadata": map[string]any{"labels": map[string]any{environment: f.own}}})
}

// nestedServer is the composite that Crossplane makes for the one named nested.
func (f *fleet) nestedServer(ctx context.Context) (*harness.Object, error) {
	all, err := f.objects(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		if o.GetKind() == "XServer" && o.GetLabels()[compositeLabel] == "nested" {
			return o, nil
		}
	}
	return nil, fmt.Errorf("there is no nested server")
}

// remove deletes the roots, and waits until nothing is left.
func remove(ctx context.Context, f *fleet) error {
	for _, root := range f.roots {
		if err := f.alice.Delete(ctx, root, metav1.DeletePropagationBackground); err != nil {
			return err
		}
	}
	return f.Await(ctx, "deletion", time.Minute, func() error {
		left, err := f.objects(ctx)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%s is still there", called(left[0]))
		}
		return err
	})
}
