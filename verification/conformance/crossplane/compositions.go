package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

//go:embed compositions/*.yaml
var compositionFiles embed.FS

// played is a Composition with its composite.
type played struct {
	given
	says answer
	// checked is what `propagate check` finds.
	checked []checkFinding
	// resources of the Composition by name.
	resources map[string]composedResource
	composite *harness.Object
}

// composedResource is a resource as the Composition starts it.
type composedResource struct {
	apiVersion, kind string
	base             map[string]any
}

// twoTags are those of every composite.
func twoTags() map[string]any { return tries()[0].tags }

// notPlayed are recorded Compositions in which the question was not what happens to two tags.
var notPlayed = map[string]string{
	"question/cluster-with-namespaced-resource": "of a composite of another scope",
	"question/default-empty":                    "of a composite without tags",
	"question/null-tags":                        "of a composite without tags",
	"question/optional-without-tags":            "of a composite without tags",
	"question/required-without-tags":            "of a composite without tags",
}

// playCompositions holds what the policy says of Compositions against what Crossplane composes.
func (s *stage) playCompositions(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "compositions")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	if err := r.startAsking(ctx); err != nil {
		return 0, err
	}
	if err := r.defineCases(ctx, s.root); err != nil {
		return 0, err
	}
	all, err := readGiven(s.root, compositionKind)
	if err != nil {
		return 0, err
	}
	compared := newComparison(r.Directory)
	var begun []*played
	for i, one := range all {
		if why := r.unplayable(one, composites); why != "" {
			compared.unplayed[why]++
			continue
		}
		p, err := s.begin(ctx, r, one, i)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", one.name, err)
		}
		if p == nil {
			compared.unplayed["refused by the API server itself"]++
			continue
		}
		begun = append(begun, p)
	}
	if err := r.awaitComposed(ctx, begun); err != nil {
		return 0, err
	}
	// What waits for a field that a provider reports comes now.
	if err := r.provide(ctx); err != nil {
		return 0, err
	}
	if err := r.touchUnsynced(ctx, begun); err != nil {
		return 0, err
	}
	if err := r.awaitComposed(ctx, begun); err != nil {
		return 0, err
	}
	for _, p := range begun {
		if err := r.judge(ctx, p, compared); err != nil {
			return 0, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	wrong, err := s.playClaims(ctx, r, to)
	if err != nil {
		return 0, err
	}
	compared.wrong = append(compared.wrong, wrong...)
	s.compared += compared.cases + len(copied)
	return compared.report(to, "compositions")
}

// unplayable is why a Composition for composites of some API groups cannot be run here; empty for those that can.
func (r *run) unplayable(one given, groups ...string) string {
	if why := notPlayed[one.name]; why != "" {
		return why
	}
	steps, is, err := unstructured.NestedSlice(one.object.Object, "spec", "pipeline")
	if !is || err != nil || len(steps) == 0 {
		return "without a pipeline"
	}
	if group, _, _ := strings.Cut(harness.Text(one.object, "spec", "compositeTypeRef", "apiVersion"), "/"); !slices.Contains(groups, group) {
		return "of a group that is nobody's here"
	}
	for _, step := range steps {
		step, is := step.(map[string]any)
		if !is {
			return "without a pipeline"
		}
		function, _, _ := unstructured.NestedString(step, "functionRef", "name")
		if r.programs.functions[function] == "" {
			return "with a function that does not run here: " + function
		}
	}
	scopes := map[string]bool{}
	for _, resource := range resourcesOf(one.object) {
		if resource.kind == "" {
			continue
		}
		k := r.kindOf(resource.apiVersion, resource.kind)
		if k == nil {
			return "with a kind that has no definition here: " + resource.kind + "." + resource.apiVersion
		}
		scopes[k.Scope] = true
	}
	if len(scopes) > 1 {
		// A namespaced composite may have no resource of the whole cluster, and one of the whole cluster none without a
		// namespace.
		return "with resources of two scopes"
	}
	if text, err := json.Marshal(one.object.Object); err != nil || strings.Contains(string(text), "Environment") {
		return "with an environment, which Crossplane 1 does not patch"
	}
	return ""
}

// resourcesOf are the resources of a Composition by name. Of several of one name the last base counts.
func resourcesOf(o *harness.Object) map[string]composedResource {
	found := map[string]composedResource{}
	steps, _, _ := unstructured.NestedSlice(o.Object, "spec", "pipeline")
	for _, step := range steps {
		step, _ := step.(map[string]any)
		resources, _, _ := unstructured.NestedSlice(step, "input", "resources")
		for _, entry := range resources {
			entry, _ := entry.(map[string]any)
			name, _ := entry["name"].(string)
			if base, is := entry["base"].(map[string]any); is {
				apiVersion, _ := base["apiVersion"].(string)
				kind, _ := base["kind"].(string)
				found[name] = composedResource{apiVersion, kind, base}
			} else if _, earlier := found[name]; !earlier {
				found[name] = composedResource{}
			}
		}
	}
	return found
}

// nested are the composites that Compositions compose.
var nested = []*kind{
	{Group: composites, Version: "v1alpha1", Kind: "XChild", Scope: "Namespaced", Carriers: []string{""}},
	{Group: composites, Version: "v1alpha1", Kind: "XBareChild", Scope: "Namespaced", Carriers: []string{""}},
	{Group: composites, Version: "v1alpha1", Kind: "XAWSEC2Instance", Scope: "Namespaced", Carriers: []string{""}},
	{Group: composites, Version: "v1alpha1", Kind: "XGenericVM", Scope: "Cluster", Carriers: []string{""}},
}

// kindOf is a kind that is composed here; nil for others.
func (r *run) kindOf(apiVersion, name string) *kind {
	for _, k := range append(slices.Clone(r.managed), nested...) {
		if k.apiVersion() == apiVersion && k.Kind == name {
			return k
		}
	}
	return nil
}

// begin asks the policy about a Composition, and makes it and its composite. It returns nil where the API server takes
// no such Composition.
func (s *stage) begin(ctx context.Context, r *run, one given, number int) (*played, error) {
	p := &played{given: one, resources: resourcesOf(one.object)}
	name := fmt.Sprintf("case-%d", number)
	composition := bare(one.object, name)
	composite := one.composite
	if composite == nil {
		kind := "XCase"
		for _, resource := range p.resources {
			if k := r.kindOf(resource.apiVersion, resource.kind); k != nil && k.Scope == "Cluster" {
				kind = "XClusterCase"
			}
		}
		composite = named(composites+"/v1alpha1", kind, namespace, name)
		composite.Object["spec"] = map[string]any{"parameters": parameters()}
		if kind == "XClusterCase" {
			composite.SetNamespace("")
		}
		composition.Object["spec"].(map[string]any)["compositeTypeRef"] = map[string]any{
			"apiVersion": composites + "/v1alpha1", "kind": kind,
		}
	}
	var err error
	if p.says, err = r.ask(ctx, composition); err != nil {
		return nil, err
	}
	composite = composite.DeepCopy()
	if one.composite != nil {
		// A blueprint with two Compositions has one composite.
		composite.SetName(name)
	}
	// The policy would make the same tags of it.
	composite.SetAnnotations(map[string]string{"labels.plexsphere.com/assignments": assigned})
	if err := unstructured.SetNestedMap(composite.Object, twoTags(), "spec", "cloudTags"); err != nil {
		return nil, err
	}
	reference := []string{"spec", "crossplane", "compositionRef"}
	if composite.GetKind() == "XGenericVM" {
		// One of Crossplane 1.
		reference = []string{"spec", "compositionRef"}
	}
	if err := unstructured.SetNestedMap(composite.Object, map[string]any{"name": name}, reference...); err != nil {
		return nil, err
	}
	if p.checked, err = s.check(ctx, r.Directory, append(slices.Clone(r.definitions), composition, composite)); err != nil {
		return nil, err
	}
	if _, err := r.alice.Create(ctx, composition); refusedByServer(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	p.composite, err = r.alice.Create(ctx, composite)
	return p, err
}
