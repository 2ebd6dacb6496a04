package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

//go:embed stored/*.yaml
var storedFiles embed.FS

// loose is the kind of composites that keep whatever is written to them.
const loose = "XLoose"

// playStored checks the policy against what is stored already: it may block neither Crossplane nor users who pause and delete.
func (s *stage) playStored(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, "stored")
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	stored, err := r.store(ctx)
	if err != nil {
		return 0, err
	}
	err = r.startPolicy(ctx, policy{answers: compiled, cloudTags: map[string]any{
		"composites": []any{map[string]any{
			"apiGroups": []any{composites}, "provider": map[string]any{"path": "spec.parameters.provider"},
		}},
		"definitions": map[string]any{environment: map[string]any{"scope": "platform", "cloudTagPropagation": true}},
		"required":    []any{map[string]any{"key": environment, "onMissing": "reject"}},
	}})
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(to, "\n| composite | pause removed | Crossplane | deleted |\n|---|---|---|---|\n")
	differences := 0
	for _, o := range stored {
		row, wrong, err := r.playStoredOne(ctx, o)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", o.GetName(), err)
		}
		fmt.Fprintln(to, row)
		if wrong {
			differences++
		}
	}
	counted, err := readReviews(r.Journal(), 0)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(to, "\n%d reviews, %d of them Crossplane's\n", counted.Count, counted.Crossplane)
	for _, wrong := range counted.Wrong {
		fmt.Fprintln(to, wrong)
	}
	s.compared += len(stored) + counted.Count
	return differences + len(counted.Wrong), nil
}

// store makes the composites before there is a policy.
func (r *run) store(ctx context.Context) ([]*harness.Object, error) {
	objects, err := embedded(storedFiles, "stored/objects.yaml")
	if err != nil {
		return nil, err
	}
	var stored []*harness.Object
	for _, o := range objects {
		if o.GetKind() != loose {
			if _, err := r.alice.Create(ctx, o); err != nil {
				return nil, err
			}
			continue
		}
		if len(stored) == 0 {
			if err := r.awaitLoose(ctx); err != nil {
				return nil, err
			}
		}
		made, err := r.alice.Create(ctx, o)
		if err != nil {
			return nil, err
		}
		stored = append(stored, made)
	}
	return stored, nil
}

// awaitLoose waits until composites can be written.
func (r *run) awaitLoose(ctx context.Context) error {
	established, err := r.establish(ctx)
	if err == nil && len(established) != 1 {
		err = fmt.Errorf("%d definitions are established", len(established))
	}
	if err != nil {
		return err
	}
	return r.AwaitDefinitions(ctx)
}

// playStoredOne removes the pause of a composite, waits for what Crossplane makes of it, and deletes it. It returns its
// row, and whether something was stopped.
func (r *run) playStoredOne(ctx context.Context, o *harness.Object) (string, bool, error) {
	row := func(cells ...string) string {
		line := "| " + o.GetName()
		for _, cell := range cells {
			line += " | " + cell
		}
		return line + " |"
	}
	const unpause = `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`
	if _, err := r.alice.Patch(ctx, o, unpause); err != nil {
		return row("refused: "+err.Error(), "", ""), true, nil
	}
	resource, err := r.alice.Of(o)
	if err != nil {
		return "", false, err
	}
	last := "nothing"
	err = r.Await(ctx, o.GetName(), 40*time.Second, func() error {
		now, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		last = "Synced " + harness.ConditionField(now, "Synced", "status") + " " + harness.ConditionField(now, "Synced", "message")
		if len(now.GetFinalizers()) == 0 || harness.ConditionField(now, "Synced", "status") != "True" {
			return fmt.Errorf("%s", last)
		}
		return nil
	})
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if err != nil {
		return row("accepted", last, ""), true, nil
	}
	if err := r.alice.Delete(ctx, o, metav1.DeletePropagationBackground); err != nil {
		return row("accepted", "Synced", "refused: "+err.Error()), true, nil
	}
	err = r.Await(ctx, o.GetName(), 40*time.Second, func() error {
		list, err := resource.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + o.GetName()})
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("it is still there")
		}
		return err
	})
	if err != nil {
		return row("accepted", "Synced", err.Error()), true, ctx.Err()
	}
	return row("accepted", "Synced", "gone"), false, nil
}
