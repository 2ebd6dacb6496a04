package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"conformance/harness"
)

// What happens to a resource, in the terms of testdata/crossplane.
const (
	kept       = "kept"
	lost       = "lost"
	partly     = "partly"
	notCreated = "not created"
	noCarrier  = "no carrier"
)

// worst are they from the worst to the best.
var worst = []string{notCreated, lost, partly, kept, noCarrier}

// resourceName is the annotation that names a composed object's resource in the Composition.
const resourceName = "crossplane.io/composition-resource-name"

// defineCases makes the definitions of composites: those of the blueprints, and those of cases.
func (r *run) defineCases(ctx context.Context, root string) error {
	objects, err := embedded(compositionFiles, "compositions/definitions.yaml")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "examples", "blueprints", "*", blueprintFiles[definitionKind]))
	if err != nil {
		return err
	}
	for _, file := range files {
		o, err := readObject(file)
		if err != nil {
			return err
		}
		objects = append(objects, o)
	}
	for _, o := range objects {
		if _, err := r.alice.Create(ctx, o); err != nil {
			return err
		}
	}
	r.definitions = objects
	established, err := r.establish(ctx)
	if err == nil && len(established) != len(objects) {
		err = fmt.Errorf("%d of %d definitions are established", len(established), len(objects))
	}
	return err
}

// refusedByServer is whether the API server takes no such object.
func refusedByServer(err error) bool {
	return err != nil && (apierrors.IsInvalid(unwrapped(err)) || apierrors.IsBadRequest(unwrapped(err)))
}

// composed are all composed objects by their owner and their resource's name.
func (r *run) composed(ctx context.Context) (map[types.UID]map[string]*harness.Object, error) {
	found := map[types.UID]map[string]*harness.Object{}
	for _, k := range append(slices.Clone(r.managed), nested...) {
		resource, err := r.API.Resource(k.apiVersion(), k.Kind, "")
		if err != nil {
			return nil, err
		}
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			o := &list.Items[i]
			owner := metav1.GetControllerOf(o)
			if owner == nil {
				continue
			}
			if found[owner.UID] == nil {
				found[owner.UID] = map[string]*harness.Object{}
			}
			name := o.GetAnnotations()[resourceName]
			if found[owner.UID][name] != nil {
				// Of a resource that got another kind, Crossplane leaves the former one alone.
				name += " " + o.GetKind()
			}
			found[owner.UID][name] = o
		}
	}
	return found, nil
}

// unchanging is how long nothing may change before what is there counts. Crossplane tries again what has failed, at ever
// longer intervals.
const unchanging = 20 * time.Second

// awaitComposed waits until Crossplane has done what it can with every composite.
func (r *run) awaitComposed(ctx context.Context, begun []*played) error {
	var last map[string]string
	since := time.Now()
	return r.Await(ctx, "composites", 8*time.Minute, func() error {
		now := map[string]string{}
		for _, p := range begun {
			resource, err := r.API.Of(p.composite)
			if err != nil {
				return err
			}
			o, err := resource.Get(ctx, p.composite.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			synced := harness.ConditionField(o, "Synced", "status")
			if synced == "" {
				return fmt.Errorf("%s: Crossplane has said nothing yet", p.name)
			}
			now[string(o.GetUID())] = synced
			p.composite = o
		}
		composed, err := r.composed(ctx)
		if err != nil {
			return err
		}
		for _, objects := range composed {
			for _, o := range objects {
				now[string(o.GetUID())] = fmt.Sprint(o.GetGeneration())
			}
		}
		if !maps.Equal(now, last) {
			last, since = now, time.Now()
		}
		if time.Since(since) < unchanging {
			return fmt.Errorf("something changed %v ago", time.Since(since).Round(time.Second))
		}
		return nil
	})
}

// touches is how often a composite is touched that could not be composed as a whole. Crossplane writes its resources in an
// order that it draws anew each time, and ends at the first one that is refused.
const touches = 10

// touchUnsynced lets Crossplane try again at once.
func (r *run) touchUnsynced(ctx context.Context, begun []*played) error {
	for n := range touches {
		for _, p := range begun {
			if harness.ConditionField(p.composite, "Synced", "status") == "True" {
				continue
			}
			touch := fmt.Sprintf(`{"metadata":{"annotations":{"touched":"%d"}}}`, n)
			if _, err := r.alice.Patch(ctx, p.composite, touch); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// provide reports of every EC2 instance what a provider would, as far as a blueprint waits for it.
func (r *run) provide(ctx context.Context) error {
	composed, err := r.composed(ctx)
	if err != nil {
		return err
	}
	for _, objects := range composed {
		for _, o := range objects {
			if o.GetKind() != "Instance" || o.GroupVersionKind().Group != "ec2.aws.m.upbound.io" {
				continue
			}
			resource, err := r.API.Of(o)
			if err != nil {
				return err
			}
			o.Object["status"] = map[string]any{"atProvider": map[string]any{"availabilityZone": "eu-central-1a"}}
			if _, err := resource.UpdateStatus(ctx, o, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge says what became of a Composition's resources, and compares.
func (r *run) judge(ctx context.Context, p *played, compared *comparison) error {
	composed, err := r.composed(ctx)
	if err != nil {
		return err
	}
	happened, became := kept, map[string]string{}
	var details []string
	for _, name := range sortedKeys(p.resources) {
		verdict := r.verdict(p.resources[name], composed[p.composite.GetUID()][name])
		became[name] = verdict
		details = append(details, name+" "+verdict)
		if slices.Index(worst, verdict) < slices.Index(worst, happened) {
			happened = verdict
		}
		wanted, is := p.recorded[name]
		if is {
			compared.recorded++
		}
		saysNotCreated := strings.Contains(p.says.said, fmt.Sprintf("resource `%s` is not created", name))
		if saysNotCreated && verdict != notCreated && readDeviations("compositions")[p.name] == "" {
			compared.wrong = append(compared.wrong, fmt.Sprintf("%s: %s: %s, and the policy says that it is not created", p.name, name, verdict))
		}
		if is && wanted != verdict {
			compared.wrong = append(compared.wrong, fmt.Sprintf("%s: %s: %s, recorded %s", p.name, name, verdict, wanted))
		}
	}
	compared.compareChecked(p, became)
	details = append(details, "Synced "+harness.ConditionField(p.composite, "Synced", "status")+" "+harness.ConditionField(p.composite, "Synced", "message"))
	compared.add(p.name, happened, strings.Join(details, ", "), p.says, (happened != kept) == p.says.refused)
	return nil
}

// verdict is what became of one resource.
func (r *run) verdict(resource composedResource, object *harness.Object) string {
	if object == nil {
		return notCreated
	}
	k := r.kindOf(object.GetAPIVersion(), object.GetKind())
	if k == nil || len(k.Carriers) == 0 {
		return noCarrier
	}
	tags, _, _ := unstructured.NestedStringMap(object.Object, k.carrier()...)
	own, _, _ := unstructured.NestedStringMap(resource.base, k.carrier()...)
	ours, complete := 0, true
	for key, value := range twoTags() {
		if tags[key] == value {
			ours++
		} else {
			complete = false
		}
	}
	for key := range own {
		if _, is := tags[key]; !is {
			complete = false
		}
	}
	switch {
	case complete:
		return kept
	case ours > 0:
		return partly
	default:
		return lost
	}
}
