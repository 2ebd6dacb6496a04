package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

// try is a set of tags that a composite is written with.
type try struct {
	what string
	tags map[string]any
}

// tries are sets that some profile lets pass. The first one is ordinary; the others are at its limits.
func tries() []try {
	fifty := map[string]any{}
	for n := range 50 {
		fifty[fmt.Sprintf("plexsphere:platform/key-%02d", n)] = "value"
	}
	return []try{
		{"two tags", map[string]any{"plexsphere:platform/env": "production", "plexsphere:checkout/owner": "team-checkout"}},
		{"fifty tags", fifty},
		{"a value of 256 characters", map[string]any{"plexsphere:platform/env": strings.Repeat("v", 256)}},
		{"no tags", nil},
		{"an empty value", map[string]any{"plexsphere:platform/env": ""}},
	}
}

// What happens to a definition.
const (
	noDefinition = "no CustomResourceDefinition"
	lostTags     = "pruned or refused"
	someLost     = "some refused"
	allKept      = "kept"
)

// playDefinitions holds what the policy says of definitions against what the API server does to composites of theirs.
func (s *stage) playDefinitions(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "definitions")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	if err := r.startAsking(ctx); err != nil {
		return 0, err
	}
	all, err := readGiven(s.root, definitionKind)
	if err != nil {
		return 0, err
	}
	compared := newComparison(r.Directory)
	says := map[string]answer{}
	var played []given
	for i, one := range all {
		one = prepareDefinition(one, i)
		if group := harness.Text(one.object, "spec", "group"); group != composites {
			compared.unplayed["of a group that is nobody's here"]++
			continue
		}
		if says[one.name], err = r.ask(ctx, one.object); err != nil {
			return 0, fmt.Errorf("%s: %w", one.name, err)
		}
		_, err := r.alice.Create(ctx, one.object)
		switch {
		case err == nil:
			played = append(played, one)
		case apierrors.IsInvalid(unwrapped(err)) || apierrors.IsBadRequest(unwrapped(err)):
			compared.unplayed["refused by the API server itself"]++
		default:
			return 0, err
		}
	}
	established, err := r.establish(ctx)
	if err != nil {
		return 0, err
	}
	for _, one := range played {
		happened, why := noDefinition, ""
		if established[one.object.GetName()] {
			if happened, why, err = r.tryAll(ctx, one); err != nil {
				return 0, fmt.Errorf("%s: %w", one.name, err)
			}
		}
		answer := says[one.name]
		lost := happened == noDefinition || happened == lostTags
		// What only some composites lose may be refused, or warned about.
		agrees := lost == answer.refused
		if happened == someLost {
			agrees = answer.said != ""
		}
		compared.add(one.name, happened, why, answer, agrees)
	}
	s.compared += compared.cases
	return compared.report(to, "definitions")
}

// prepareDefinition gives a definition a name of its own. Blueprints have one.
func prepareDefinition(one given, number int) given {
	if one.composite != nil {
		return one
	}
	plural := fmt.Sprintf("xcase%ds", number)
	one.object = bare(one.object, plural+"."+composites)
	if spec, is := one.object.Object["spec"].(map[string]any); is {
		spec["names"] = map[string]any{"kind": fmt.Sprintf("XCase%d", number), "plural": plural}
		delete(spec, "claimNames")
		if spec["group"] != composites {
			one.object.SetName(plural + "." + fmt.Sprint(spec["group"]))
		}
	}
	return one
}

// establish waits until no more definitions become established, and says which are.
func (r *run) establish(ctx context.Context) (map[string]bool, error) {
	definitions, err := r.API.Resource("apiextensions.crossplane.io/v1", definitionKind, "")
	if err != nil {
		return nil, err
	}
	established, since := map[string]bool{}, time.Now()
	const patience = 10 * time.Second
	err = r.Await(ctx, "definitions", 3*time.Minute, func() error {
		list, err := definitions.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		now := map[string]bool{}
		for _, o := range list.Items {
			if harness.ConditionField(&o, "Established", "status") == "True" {
				now[o.GetName()] = true
			}
		}
		if !maps.Equal(now, established) {
			established, since = now, time.Now()
		}
		if len(now) < len(list.Items) && time.Since(since) < patience {
			return fmt.Errorf("%d of %d are established", len(now), len(list.Items))
		}
		return nil
	})
	return established, err
}

// tryAll writes composites with each set of tags in each served version, and says what happens to the tags.
func (r *run) tryAll(ctx context.Context, one given) (string, string, error) {
	versions, _, err := unstructured.NestedSlice(one.object.Object, "spec", "versions")
	if err != nil {
		return "", "", err
	}
	happened, reason := allKept, ""
	for _, version := range versions {
		version, is := version.(map[string]any)
		if !is || version["served"] != true {
			continue
		}
		for i, try := range tries() {
			why, err := r.tryOne(ctx, one, fmt.Sprint(version["name"]), i, try)
			if err != nil {
				return "", "", err
			}
			if why == "" {
				continue
			}
			reason = try.what + ": " + why
			if i == 0 {
				return lostTags, reason, nil
			}
			happened = someLost
		}
	}
	return happened, reason, nil
}

// tryOne writes one composite, and says what happens to its tags; nothing is kept.
func (r *run) tryOne(ctx context.Context, one given, version string, number int, try try) (string, error) {
	composite := one.composite
	if composite == nil {
		composite = &harness.Object{Object: map[string]any{
			"kind": harness.Text(one.object, "spec", "names", "kind"), "spec": map[string]any{"parameters": parameters()},
		}}
		composite.SetNamespace(namespace)
	}
	composite = composite.DeepCopy()
	composite.SetAPIVersion(composites + "/" + version)
	composite.SetName(fmt.Sprintf("try-%s-%d", version, number))
	if try.tags != nil {
		if err := unstructured.SetNestedMap(composite.Object, try.tags, "spec", "cloudTags"); err != nil {
			return "", err
		}
	}
	created, err := r.alice.Create(ctx, composite)
	if apierrors.IsInvalid(unwrapped(err)) || apierrors.IsBadRequest(unwrapped(err)) {
		return "refused: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	kept, _, _ := unstructured.NestedMap(created.Object, "spec", "cloudTags")
	for key, value := range try.tags {
		if kept[key] != value {
			return fmt.Sprintf("%d of %d tags are stored", len(kept), len(try.tags)), nil
		}
	}
	return "", nil
}

// parameters are what the composites of cases are about.
func parameters() map[string]any {
	return map[string]any{
		"provider": "aws", "region": "eu-central-1", "size": "small",
		"instanceType": "t3.medium", "imageId": "ami-0123456789abcdef0",
		"forProvider": map[string]any{"region": "eu-west-1"}, "tags": map[string]any{"Role": "machine"},
		"count": int64(3), "public": "true",
	}
}
