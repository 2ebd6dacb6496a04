package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// What deploy/ has for a registry in the cluster, and for changes of it.
const (
	registryDefinition = "label-registry-crd.yaml"
	touchFile          = "cloud-tags-touch.yaml"
)

// patience is how long a change of the registry may take until every composite and managed resource has the right tags: by
// itself Crossplane composes again when the answers of its functions expire, which is after a minute.
const (
	patience        = 3 * time.Minute
	touchedPatience = 30 * time.Second
)

// tagStep is one change of what tags are made from, or of composites because of it.
type tagStep struct {
	name string
	// labels are those that make tags afterwards.
	labels map[string]string
	do     tagChange
	// within is how long the tags may take.
	within time.Duration
	// writes is whether objects are written.
	writes bool
}

// tagChange is what a step does; the client is of whoever touches composites.
type tagChange func(context.Context, *fleet, *harness.Client) error

// The labels of every root, and those that make tags.
var (
	bothLabels = map[string]string{environment: "production", costCenter: "cc-1"}
	oneLabel   = map[string]string{environment: "production"}
)

// registrySteps say when a changed registry reaches composites.
var registrySteps = []tagStep{
	{"opt in, and wait", bothLabels, optIn(true), patience, true},
	{"opt out, and touch", oneLabel, inOrder(optIn(false), awaitCache, touchAll), touchedPatience, true},
	{"touch again", oneLabel, touchAll, touchedPatience, false},
}

// playRegistry changes a LabelRegistry of composites that nobody writes, and touches them as the job of deploy/ does.
func (s *stage) playRegistry(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "registry")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	f := &fleet{run: r, answers: compiled, labels: bothLabels}
	job, err := f.startRegistry(ctx)
	if err != nil {
		return 0, err
	}
	if err := create(ctx, f); err != nil {
		return 0, err
	}
	if err := f.settle(ctx); err != nil {
		return 0, err
	}
	f.labels = oneLabel
	all, err := f.objects(ctx)
	if err != nil {
		return 0, err
	}
	if wrong := f.wrongTags(all); len(wrong) > 0 {
		return 0, fmt.Errorf("before the first change: %s", wrong[0])
	}
	return s.playTagSteps(ctx, to, f, registrySteps, job)
}

// playTagSteps runs steps, and compares the tags of every object after each of them.
func (s *stage) playTagSteps(ctx context.Context, to io.Writer, f *fleet, steps []tagStep, toucher *harness.Client) (int, error) {
	fmt.Fprintf(to, "\n| step | reviews | objects written | tags per composite | seconds |\n|---|---:|---:|---:|---:|\n")
	var differences []string
	for _, step := range steps {
		wrong, err := f.playTagStep(ctx, to, step, toucher)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", step.name, err)
		}
		differences = append(differences, some(step.name+": ", wrong)...)
		all, err := f.objects(ctx)
		if err != nil {
			return 0, err
		}
		s.compared += len(all)
	}
	fmt.Fprintln(to)
	for _, difference := range differences {
		fmt.Fprintln(to, difference)
	}
	return len(differences), nil
}

// playTagStep runs one step, prints its row, and returns what should not be.
func (f *fleet) playTagStep(ctx context.Context, to io.Writer, step tagStep, toucher *harness.Client) ([]string, error) {
	reviewsBefore, err := f.reviews()
	if err != nil {
		return nil, err
	}
	versions, err := f.versions(ctx)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := step.do(ctx, f, toucher); err != nil {
		return nil, err
	}
	f.labels = step.labels
	var wrong []string
	late := f.Await(ctx, "tags", step.within, func() error {
		all, err := f.objects(ctx)
		if err != nil {
			return err
		}
		wrong = f.wrongTags(all)
		if len(wrong) > 0 {
			return fmt.Errorf("%s", wrong[0])
		}
		return nil
	})
	seconds := time.Since(begin).Seconds()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case late == nil:
		if err := f.settle(ctx); err != nil {
			return nil, err
		}
		all, err := f.objects(ctx)
		if err != nil {
			return nil, err
		}
		wrong = f.wrongTags(all)
	case len(wrong) == 0:
		return nil, late
	}
	now, err := f.versions(ctx)
	if err != nil {
		return nil, err
	}
	written := 0
	for name, version := range now {
		if versions[name] != version {
			written++
		}
	}
	if step.writes != (written > 0) {
		wrong = append(wrong, fmt.Sprintf("%d objects were written", written))
	}
	counted, err := readReviews(f.Journal(), reviewsBefore)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(to, "| %s | %d | %d | %d | %.0f |\n", step.name, counted.Count, written, len(step.labels), seconds)
	return append(wrong, counted.Wrong...), nil
}

// startRegistry starts the policy with a registry in the cluster, and returns the login of the job that touches composites.
func (f *fleet) startRegistry(ctx context.Context) (*harness.Client, error) {
	if err := f.deploy(ctx, registryDefinition); err != nil {
		return nil, err
	}
	if err := f.AwaitDefinitions(ctx); err != nil {
		return nil, err
	}
	if _, err := f.alice.Create(ctx, registry(false)); err != nil {
		return nil, err
	}
	err := f.startPolicy(ctx, policy{answers: compiled, cloudTags: map[string]any{
		"composites": []any{map[string]any{
			"apiGroups": []any{composites}, "claimKinds": []any{"Machine"},
			"provider": map[string]any{"path": "spec.parameters.provider"},
		}},
		"registry": map[string]any{"name": "default"},
	}})
	if err != nil {
		return nil, err
	}
	if err := f.define(ctx); err != nil {
		return nil, err
	}
	if err := f.deploy(ctx, touchFile); err != nil {
		return nil, err
	}
	_, login, err := f.Account(ctx, "kubewarden", "cloud-tags-touch")
	if err != nil {
		return nil, err
	}
	return harness.NewClient(login)
}

// deploy makes the objects of a file of deploy/. Its composites are of other kinds than those here.
func (f *fleet) deploy(ctx context.Context, file string) error {
	content, err := os.ReadFile(filepath.Join(f.root, "deploy", file))
	if err != nil {
		return err
	}
	objects, err := harness.Decode("deploy/"+file, content)
	if err != nil {
		return err
	}
	for _, o := range objects {
		rules, _ := o.Object["rules"].([]any)
		for _, rule := range rules {
			if rule, is := rule.(map[string]any); is {
				rule["resources"] = []any{"*"}
			}
		}
		if err := f.API.Ensure(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// registry is the LabelRegistry: one label is always a tag, the other one if it is opted in.
func registry(optedIn bool) *harness.Object {
	return &harness.Object{Object: map[string]any{
		"apiVersion": "labels.plexsphere.com/v1alpha1", "kind": "LabelRegistry", "metadata": map[string]any{"name": "default"},
		"spec": map[string]any{"definitions": map[string]any{
			environment: map[string]any{"scope": "platform", "cloudTagPropagation": true},
			costCenter:  map[string]any{"scope": "platform", "cloudTagPropagation": optedIn},
		}},
	}}
}

// optIn changes the registry.
func optIn(optedIn bool) tagChange {
	return func(ctx context.Context, f *fleet, _ *harness.Client) error {
		changed := registry(optedIn)
		return f.patch(ctx, changed, map[string]any{"spec": changed.Object["spec"]})
	}
}

// inOrder does one thing after the other.
func inOrder(changes ...tagChange) tagChange {
	return func(ctx context.Context, f *fleet, toucher *harness.Client) error {
		for _, change := range changes {
			if err := change(ctx, f, toucher); err != nil {
				return err
			}
		}
		return nil
	}
}

// awaitCache waits until the host reads objects again, which it keeps for five seconds: a touch before that is decided by
// the registry, or the Namespace, as it was.
func awaitCache(ctx context.Context, _ *fleet, _ *harness.Client) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(6 * time.Second):
		return nil
	}
}

// touchAll does what `kubectl annotate --all --all-namespaces` does to take an annotation away that no composite has: it
// lists, gets, and patches nothing.
func touchAll(ctx context.Context, _ *fleet, toucher *harness.Client) error {
	for _, kind := range compositeKinds {
		if kind == "Machine" {
			continue
		}
		resource, err := toucher.Resource(composites+"/v1alpha1", kind, "")
		if err != nil {
			return err
		}
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			one, err := toucher.Of(&list.Items[i])
			if err != nil {
				return err
			}
			o, err := one.Get(ctx, list.Items[i].GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			patch := "{}"
			if o.GetAnnotations() == nil {
				patch = `{"metadata":{"annotations":{}}}`
			}
			if _, err := toucher.Patch(ctx, o, patch); err != nil {
				return err
			}
		}
	}
	return nil
}
