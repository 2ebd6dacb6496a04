package main

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// asking is the label of the objects that the policy checks where it is only asked: what is run is not labeled,
// so that the API server and Crossplane decide about all of it.
var asking = map[string]string{"conformance": "asked"}

// answer is what the policy says of an object.
type answer struct {
	refused bool
	// said is the refusal, or the warnings.
	said string
}

// word is the answer in a table.
func (a answer) word() string {
	switch {
	case a.refused:
		return "refused"
	case a.said != "":
		return "warned about"
	default:
		return "accepted"
	}
}

// startAsking starts a policy that refuses every loss.
func (r *run) startAsking(ctx context.Context) error {
	return r.startPolicy(ctx, policy{
		answers: compiled, labels: asking, cloudTags: map[string]any{"xrds": "reject", "compositions": "reject"},
	})
}

// ask creates an object as a dry run, and returns what the policy says of it.
func (r *run) ask(ctx context.Context, o *harness.Object) (answer, error) {
	o = o.DeepCopy()
	o.SetLabels(asking)
	resource, err := r.alice.Of(o)
	if err != nil {
		return answer{}, err
	}
	r.alice.Warnings.Take()
	_, err = resource.Create(ctx, o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	warnings := slices.DeleteFunc(r.alice.Warnings.Take(), func(text string) bool {
		// The API server's own, of a version of Crossplane's.
		return strings.Contains(text, "is deprecated and will be removed")
	})
	said := strings.Join(warnings, "; ")
	if err == nil {
		return answer{said: said}, nil
	}
	if _, why, is := strings.Cut(err.Error(), "denied the request: "); is {
		return answer{refused: true, said: why}, nil
	}
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		// The API server refuses it when the policy has let it pass.
		return answer{said: said}, nil
	}
	return answer{}, err
}
