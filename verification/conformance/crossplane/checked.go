package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

// checkFinding is a finding of `propagate check --output json`.
type checkFinding struct {
	Check, Level, Verdict, Resource, Reason string
	Object                                  struct{ Kind, Name string }
}

// assigned are the assignments that give a composite the tags of twoTags.
const assigned = `{"platform/env": "production", "checkout/owner": "team-checkout"}`

// check is what `propagate check` finds in objects, as they are applied.
func (s *stage) check(ctx context.Context, directory string, objects []*harness.Object) ([]checkFinding, error) {
	program := commandLine{s.propagate, directory}
	definitions := map[string]any{}
	for _, label := range append(slices.Clone(copied), "checkout/owner") {
		definitions[label] = map[string]any{"scope": "platform", "cloudTagPropagation": true}
	}
	settings := map[string]any{"cloudTags": map[string]any{
		"composites": []any{map[string]any{
			"apiGroups": []any{composites}, "provider": map[string]any{"path": "spec.parameters.provider"}, "claimKinds": []any{"Claimed"},
		}},
		"definitions": definitions, "compositions": "reject",
	}}
	var found struct{ Findings []checkFinding }
	if err := program.write("checked.json", listOf(objects)); err != nil {
		return nil, err
	}
	if err := program.write("check-settings.json", settings); err != nil {
		return nil, err
	}
	return found.Findings, program.run(ctx, &found, "check", "checked.json", "--settings", "check-settings.json")
}

// What check may say of one resource, from the worst to the best; and nothing at all.
const (
	saysFails      = "fails"
	saysCannotTell = "cannot-tell"
	saysLost       = "lost"
	saysNothing    = "nothing"
)

// saidOf is what check says of a resource of a Composition. What it says of the whole Composition is about each of them;
// the API server, or a function, refuses what check cannot read.
func saidOf(findings []checkFinding, resource string) string {
	for _, verdict := range []string{saysFails, saysCannotTell, saysLost} {
		if slices.ContainsFunc(findings, func(f checkFinding) bool {
			is := f.Verdict == verdict && (f.Resource == resource || f.Resource == "")
			isUnreadable := verdict == saysFails && f.Check == "unreadable" && f.Level == "error"
			return f.Object.Kind == compositionKind && (is || isUnreadable)
		}) {
			return verdict
		}
	}
	return saysNothing
}

// agree is whether what check says of a resource is what became of it.
func agree(says, became string) bool {
	switch says {
	case saysFails:
		return became == notCreated
	case saysLost:
		return became == lost || became == partly
	case saysNothing:
		return became == kept || became == noCarrier
	default:
		return true
	}
}

// opposites are what a wrong check would say.
var opposites = map[string]string{saysFails: saysNothing, saysLost: saysNothing, saysNothing: saysFails}

// compareChecked compares what check said of the resources of a Composition with what became of them.
func (c *comparison) compareChecked(p *played, became map[string]string) {
	var wrong []string
	for _, name := range sortedKeys(became) {
		says := saidOf(p.checked, name)
		c.checked[says]++
		if !agree(says, became[name]) {
			wrong = append(wrong, fmt.Sprintf("%s: %s, and check says %s", name, became[name], says))
		} else if opposite, is := opposites[says]; is && agree(opposite, became[name]) {
			c.wrong = append(c.wrong, fmt.Sprintf("%s: %s: that check says the opposite is not noticed", p.name, name))
		}
	}
	// Where the policy deviates, check does for the same reason.
	if len(wrong) > 0 && readDeviations("compositions")[p.name] == "" {
		c.deviations["check "+p.name] = strings.Join(wrong, "; ")
	}
}

// copied are labels of claims, and whether Crossplane copies them to the composite.
var copied = []string{
	"platform/env", "kubernetes.io.example.org/env", "kubernetes.io/env", "app.kubernetes.io/env", "notkubernetes.io/env", "topology.k8s.io/env",
}

// playClaims creates a claim with each label. Of those that check has a note about, the composite must not have the label.
func (s *stage) playClaims(ctx context.Context, r *run, to io.Writer) ([]string, error) {
	objects, err := embedded(compositionFiles, "compositions/claims.yaml")
	if err != nil {
		return nil, err
	}
	for i, label := range copied {
		claim := named(composites+"/v1alpha1", "Claimed", namespace, fmt.Sprintf("claim-%d", i))
		claim.SetLabels(map[string]string{label: "production"})
		claim.Object["spec"] = map[string]any{"parameters": parameters()}
		objects = append(objects, claim)
	}
	findings, err := s.check(ctx, r.Directory, objects)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		// Its kind is there some time after its definition.
		if err := r.Await(ctx, called(o), time.Minute, func() error { return r.alice.Ensure(ctx, o) }); err != nil {
			return nil, err
		}
	}
	var wrong []string
	for _, claim := range objects[len(objects)-len(copied):] {
		composite, err := r.awaitComposite(ctx, claim)
		if err != nil {
			return nil, err
		}
		noted := slices.ContainsFunc(findings, func(f checkFinding) bool {
			return f.Object.Name == claim.GetName() && f.Reason == "claim-label-not-copied"
		})
		for label := range claim.GetLabels() {
			_, is := composite.GetLabels()[label]
			fmt.Fprintf(to, "label %s of a claim: copied %t, check has a note %t\n", label, is, noted)
			if is == noted {
				wrong = append(wrong, fmt.Sprintf("label %s of a claim: copied %t, check has a note %t", label, is, noted))
			}
		}
	}
	return wrong, nil
}

// awaitComposite waits for the composite that Crossplane makes of a claim.
func (r *run) awaitComposite(ctx context.Context, claim *harness.Object) (*harness.Object, error) {
	var composite *harness.Object
	return composite, r.Await(ctx, "the composite of a claim", 2*time.Minute, func() error {
		claim, err := r.API.Get(ctx, claim)
		if err != nil {
			return err
		}
		reference, is, _ := unstructured.NestedStringMap(claim.Object, "spec", "resourceRef")
		if !is {
			return fmt.Errorf("%s has none", called(claim))
		}
		composite, err = r.API.Get(ctx, named(reference["apiVersion"], reference["kind"], "", reference["name"]))
		return err
	})
}
