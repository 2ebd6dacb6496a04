package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"conformance/harness"
)

// replayAll replays traces on one API server, each in a namespace of its own, and returns how many of them differ.
func (r *run) replayAll(ctx context.Context, g group) (int, error) {
	if err := r.start(ctx, g.Settings); err != nil {
		return 0, err
	}
	events, writes, different := 0, 0, 0
	for number, t := range g.Traces {
		namespace := fmt.Sprintf("trace-%d", number)
		if err := r.LetPeople(ctx, namespace); err != nil {
			return 0, err
		}
		done, differences, err := r.replay(ctx, namespace, t)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", namespace, err)
		}
		events += len(t)
		writes += done
		if len(differences) > 0 {
			different++
			fmt.Printf("%s differs:\n%s\n", namespace, strings.Join(differences, "\n"))
		}
	}
	settings, err := json.Marshal(g.Settings)
	fmt.Printf("settings %s: %d traces, %d events, %d writes, %d traces differ\n", settings, len(g.Traces), events, writes, different)
	return different, err
}

// replay replays one trace up to the first event that differs, and returns how many writes it took and what differs.
func (r *run) replay(ctx context.Context, namespace string, t trace) (int, []string, error) {
	writes := 0
	var told []string
	for number, e := range t {
		told = append(told, fmt.Sprintf("%2d. %s", number, e.Description))
		if e.Expires {
			if err := r.expire(ctx); err != nil {
				return writes, nil, err
			}
		}
		var differences []string
		for _, w := range e.Writes {
			writes++
			more, err := r.write(ctx, namespace, w)
			if err != nil {
				return writes, nil, fmt.Errorf("%s: %w\n%s", e.Description, err, strings.Join(differences, "\n"))
			}
			differences = append(differences, more...)
		}
		for _, kind := range chain {
			live, err := r.live(ctx, namespace, kind)
			if err != nil {
				return writes, nil, err
			}
			differences = append(differences, compare("stored "+kind, e.After[kind], live)...)
		}
		if len(differences) > 0 {
			return writes, append(told, differences...), nil
		}
	}
	return writes, nil, nil
}

// write sends one request, and returns what of the answer differs.
func (r *run) write(ctx context.Context, namespace string, w write) ([]string, error) {
	c, err := r.as(w.User, w.UserAgent)
	if err != nil {
		return nil, err
	}
	o := &object{Object: runtime.DeepCopyJSON(w.Object)}
	o.SetNamespace(namespace)
	if err := r.own(ctx, o); err != nil {
		return nil, err
	}
	var dryRun []string
	if w.DryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	answer, err := send(ctx, c, o, w, dryRun)
	found := "stored"
	switch {
	case apierrors.IsConflict(err):
		found = "conflict"
	case apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err):
		found = "impossible"
	case apierrors.IsForbidden(err):
		found = "refused"
	case err != nil:
		return nil, err
	}
	if found != w.Answer {
		return []string{fmt.Sprintf("    %s of %s by %s: the model says %s, it is %s: %v", w.Verb, o.GetKind(), w.Manager, w.Answer, found, err)}, nil
	}
	if found != "stored" || w.Answered == nil {
		return nil, nil
	}
	return compare("answer to "+w.Manager, w.Answered, answer), nil
}

func send(ctx context.Context, c *harness.Client, o *object, w write, dryRun []string) (*object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	switch w.Verb {
	case "create":
		return resource.Create(ctx, o, metav1.CreateOptions{FieldManager: w.Manager, DryRun: dryRun})
	case "update":
		live, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		// A client that changes what it has read sends both.
		o.SetResourceVersion(live.GetResourceVersion())
		o.SetDeletionTimestamp(live.GetDeletionTimestamp())
		return resource.Update(ctx, o, metav1.UpdateOptions{FieldManager: w.Manager, DryRun: dryRun})
	case "delete":
		return nil, resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{DryRun: dryRun})
	case "apply":
		return resource.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: w.Manager, Force: w.Force, DryRun: dryRun})
	case "patch":
		name := o.GetName()
		for _, identity := range []string{"name", "namespace", "uid"} {
			unstructured.RemoveNestedField(o.Object, "metadata", identity)
		}
		text, err := json.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		return resource.Patch(ctx, name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: w.Manager, DryRun: dryRun})
	}
	return nil, fmt.Errorf("no verb %q", w.Verb)
}

// own gives references to owners the uids that the owners have here, and objects none: those the API server gives.
func (r *run) own(ctx context.Context, o *object) error {
	unstructured.RemoveNestedField(o.Object, "metadata", "uid")
	references := o.GetOwnerReferences()
	for i := range references {
		owner, err := r.live(ctx, o.GetNamespace(), references[i].Kind)
		if err != nil {
			return err
		}
		if owner == nil {
			return fmt.Errorf("no %s owns %s", references[i].Kind, o.GetName())
		}
		references[i].UID = owner.GetUID()
	}
	if len(references) > 0 {
		o.SetOwnerReferences(references)
	}
	return nil
}

// live is the only object of a kind, nil where there is none.
func (r *run) live(ctx context.Context, namespace, kind string) (*object, error) {
	resource, err := r.API.Resource(apiGroup+"/"+apiVersion, kind, namespace)
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	switch len(list.Items) {
	case 0:
		return nil, nil
	case 1:
		return &list.Items[0], nil
	}
	return nil, errors.New("more than one " + kind)
}

// compare returns what of an object is not as the model says.
func compare(what string, model []entry, o *object) []string {
	if (model == nil) != (o == nil) {
		return []string{fmt.Sprintf("    %s: in the model: %t, here: %t", what, model != nil, o != nil)}
	}
	var differences []string
	for _, e := range model {
		found, _, _ := unstructured.NestedString(o.Object, e.Path...)
		if owners := ownersOf(o, e.Path); found != e.Value || !slices.Equal(owners, e.Owners) {
			differences = append(differences, fmt.Sprintf("    %s: %s: the model says %q of %v, it is %q of %v",
				what, strings.Join(e.Path, "."), e.Value, e.Owners, found, owners))
		}
	}
	return differences
}

// ownersOf are the field managers that own a value, sorted.
func ownersOf(o *object, path []string) []string {
	owners := []string{}
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = "f:" + step
	}
	for _, managed := range o.GetManagedFields() {
		var fields map[string]any
		if managed.FieldsV1 == nil || json.Unmarshal(managed.FieldsV1.Raw, &fields) != nil {
			continue
		}
		if _, is, err := unstructured.NestedMap(fields, steps...); is && err == nil {
			owners = append(owners, managed.Manager)
		}
	}
	slices.Sort(owners)
	return owners
}
