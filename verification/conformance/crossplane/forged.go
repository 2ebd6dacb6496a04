package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

//go:embed forged/*.yaml
var forgedFiles embed.FS

// The warnings that Bob gets.
const (
	environmentRemoved  = "cloud tag `plexsphere:platform/env` removed: no label propagates to this tag"
	costCenterRemoved   = "cloud tag `plexsphere:platform/cost-center` removed: no label propagates to this tag"
	environmentRestored = "cloud tag `plexsphere:platform/env` restored: the parent composite forwards it; change it there"
)

// forgedWarnings are the warnings of Bob's writes.
var forgedWarnings = map[string][]string{
	"create ConfigMap mine":          nil,
	"create XServer of-a-composite":  {costCenterRemoved, environmentRemoved},
	"create XServer of-a-config-map": {environmentRemoved},
	"create XServer without-owner":   {environmentRemoved},
	// A claim is not changed; its composite is.
	"create Machine claimed":      nil,
	"patch XServer without-owner": {environmentRemoved},
	"patch XServer nested-~":      {environmentRestored, costCenterRemoved},
}

// The tags of the labels, and those that Bob may set.
var (
	production = map[string]string{"plexsphere:" + environment: "production"}
	bobs       = map[string]string{"own": "bob"}
	both       = map[string]string{"plexsphere:" + environment: "production", "own": "bob"}
)

// forgedTags are the tags of every object at the end.
var forgedTags = map[string]map[string]string{
	// The server has no label: its parent forwards the tag.
	"XStack nested":              production,
	"XServer nested-~":           production,
	"Bucket nested-~":            production,
	"Instance nested-~":          production,
	"XServer of-a-composite":     bobs,
	"Instance of-a-composite-~":  bobs,
	"XServer of-a-config-map":    bobs,
	"Instance of-a-config-map-~": bobs,
	"XServer without-owner":      bobs,
	"Instance without-owner-~":   bobs,
	"Machine claimed": {
		"plexsphere:" + environment: "forged", "plexsphere:" + costCenter: "forged", "own": "bob",
	},
	"XMachine claimed-~":   both,
	"Instance claimed-~-~": both,
}

// playForged lets Bob write tags as if a parent forwarded them, beside a composite whose parent does.
func (s *stage) playForged(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "forged")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	f := &fleet{run: r, answers: compiled, chosen: []string{"nested"}, labels: oneLabel}
	err = f.startPolicy(ctx, policy{answers: compiled, cloudTags: map[string]any{
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
		return 0, err
	}
	if err := f.define(ctx); err != nil {
		return 0, err
	}
	if err := create(ctx, f); err != nil {
		return 0, err
	}
	if err := f.settle(ctx); err != nil {
		return 0, err
	}
	warnings, err := f.forge(ctx)
	if err != nil {
		return 0, err
	}
	// Crossplane writes all of them as well.
	if err := touch(ctx, f); err != nil {
		return 0, err
	}
	if err := f.settle(ctx); err != nil {
		return 0, err
	}
	tags, err := f.tags(ctx)
	if err != nil {
		return 0, err
	}
	counted, err := readReviews(f.Journal(), 0)
	if err != nil {
		return 0, err
	}
	differences := slices.Concat(
		compareByName("warnings", forgedWarnings, warnings, slices.Equal), compareByName("tags", forgedTags, tags, maps.Equal),
		counted.Wrong,
	)
	s.compared += len(forgedWarnings) + len(forgedTags) + counted.Count
	fmt.Fprintf(to, "\n%d writes of Bob, %d objects; %d reviews, %d of them Crossplane's\n", len(warnings), len(tags), counted.Count, counted.Crossplane)
	for _, difference := range differences {
		fmt.Fprintln(to, difference)
	}
	return len(differences), nil
}

// forge writes as Bob, and returns the warnings of each write.
func (f *fleet) forge(ctx context.Context) (map[string][]string, error) {
	server, err := f.nestedServer(ctx)
	if err != nil {
		return nil, err
	}
	bob, err := f.API.As("bob")
	if err != nil {
		return nil, err
	}
	objects, err := embedded(forgedFiles, "forged/objects.yaml")
	if err != nil {
		return nil, err
	}
	warnings := map[string][]string{}
	for _, o := range objects {
		o.SetNamespace(namespace)
		if err := f.fillOwner(ctx, o); err != nil {
			return nil, err
		}
		if _, err := bob.Create(ctx, o); err != nil {
			return nil, err
		}
		warnings["create "+called(o)] = bob.Warnings.Take()
	}
	for _, patched := range []struct {
		object *harness.Object
		patch  map[string]any
	}{
		{named(composites+"/v1alpha1", "XServer", namespace, "without-owner"), map[string]any{
			"metadata": map[string]any{"ownerReferences": server.GetOwnerReferences()},
			"spec":     map[string]any{"cloudTags": map[string]any{"plexsphere:" + environment: "forged"}},
		}},
		{server, map[string]any{"spec": map[string]any{"cloudTags": map[string]any{
			"plexsphere:" + environment: "forged", "plexsphere:" + costCenter: "forged",
		}}}},
	} {
		text, err := json.Marshal(patched.patch)
		if err != nil {
			return nil, err
		}
		if _, err := bob.Patch(ctx, patched.object, string(text)); err != nil {
			return nil, err
		}
		warnings["patch "+alike(called(patched.object))] = bob.Warnings.Take()
	}
	return warnings, nil
}

// fillOwner gives the ownerReferences of an object the uids of their objects.
func (f *fleet) fillOwner(ctx context.Context, o *harness.Object) error {
	owners := o.GetOwnerReferences()
	for i := range owners {
		resource, err := f.API.Resource(owners[i].APIVersion, owners[i].Kind, namespace)
		if err != nil {
			return err
		}
		owner, err := resource.Get(ctx, owners[i].Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		owners[i].UID = owner.GetUID()
	}
	o.SetOwnerReferences(owners)
	return nil
}

// tags are those of every object, by its kind and name.
func (f *fleet) tags(ctx context.Context) (map[string]map[string]string, error) {
	all, err := f.objects(ctx)
	tags := map[string]map[string]string{}
	for _, o := range all {
		tags[alike(called(o))], _, _ = unstructured.NestedStringMap(o.Object, f.tagsPath(o)...)
	}
	return tags, err
}

// compareByName says for which names two values are not equal.
func compareByName[V any](what string, wanted, found map[string]V, equal func(V, V) bool) []string {
	var differences []string
	names := maps.Clone(wanted)
	maps.Copy(names, found)
	for _, name := range sortedKeys(names) {
		_, is := found[name]
		if _, expected := wanted[name]; is != expected || !equal(found[name], wanted[name]) {
			differences = append(differences, fmt.Sprintf("%s: the %s are %v and should be %v", name, what, found[name], wanted[name]))
		}
	}
	return differences
}
