package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

// compositeLabel is on everything below a composite, and has the name of the topmost one.
const compositeLabel = "crossplane.io/composite"

// compositeKinds are the kinds of composites/definitions.yaml, and the kind of claims.
var compositeKinds = []string{"XServer", "XStack", "XSite", "XTeam", "XMachine", "Machine"}

// objects are all composites, claims and managed resources.
func (f *fleet) objects(ctx context.Context) ([]*harness.Object, error) {
	var found []*harness.Object
	list := func(apiVersion, kind string) error {
		resource, err := f.API.Resource(apiVersion, kind, "")
		if err != nil {
			return err
		}
		all, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range all.Items {
			found = append(found, &all.Items[i])
		}
		return nil
	}
	for _, kind := range compositeKinds {
		if err := list(composites+"/v1alpha1", kind); err != nil {
			return nil, err
		}
	}
	for _, k := range f.managed {
		if err := list(k.apiVersion(), k.Kind); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// versions are the resource versions of all objects.
func (f *fleet) versions(ctx context.Context) (map[string]string, error) {
	all, err := f.objects(ctx)
	versions := map[string]string{}
	for _, o := range all {
		versions[called(o)] = o.GetResourceVersion()
	}
	return versions, err
}

// settled is how long nothing may be written before a fleet counts as settled.
const settled = 3 * time.Second

// settle waits until nothing has been written for a while.
func (f *fleet) settle(ctx context.Context) error {
	var last map[string]string
	since := time.Now()
	return f.Await(ctx, "the composites do not settle", 40*time.Second, func() error {
		versions, err := f.versions(ctx)
		if err != nil {
			return err
		}
		if !maps.Equal(versions, last) {
			last, since = versions, time.Now()
		}
		if quiet := time.Since(since); quiet < settled {
			return fmt.Errorf("an object was written %v ago", quiet.Round(time.Millisecond))
		}
		return nil
	})
}

// patch changes an object as Alice.
func (f *fleet) patch(ctx context.Context, o *harness.Object, patch map[string]any) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = f.alice.Patch(ctx, o, string(text))
	return err
}

// wantedTags are the tags that an object has to have, as the labels of the roots say; nil is none.
func (f *fleet) wantedTags(o *harness.Object) map[string]string {
	if o.GetKind() == "Machine" {
		// Claims have none of their own; their composites have the claims' labels.
		return nil
	}
	wanted := map[string]string{}
	for _, key := range []string{environment, costCenter} {
		if value, is := f.labels[key]; is {
			wanted["plexsphere:"+key] = value
		}
	}
	below := o.GetKind() == "XServer" || o.GetKind() == "Instance"
	if f.own != "" && below && o.GetLabels()[compositeLabel] == "nested" {
		wanted["plexsphere:"+environment] = f.own
	}
	return wanted
}

// wrongTags says of which objects the tags are not as they should be.
func (f *fleet) wrongTags(all []*harness.Object) []string {
	var wrong []string
	for _, o := range all {
		path := f.tagsPath(o)
		if path == nil {
			continue
		}
		found, _, _ := unstructured.NestedStringMap(o.Object, path...)
		if wanted := f.wantedTags(o); !maps.Equal(found, wanted) {
			wrong = append(wrong, fmt.Sprintf("%s of %s: the tags are %v and should be %v", alike(called(o)), o.GetLabels()[compositeLabel], found, wanted))
		}
	}
	return wrong
}

// tagsPath is where an object keeps its tags; nil where it has none.
func (f *fleet) tagsPath(o *harness.Object) []string {
	if o.GroupVersionKind().Group == composites {
		return []string{"spec", "cloudTags"}
	}
	for _, k := range f.managed {
		if k.Kind == o.GetKind() && k.apiVersion() == o.GetAPIVersion() {
			return k.carrier()
		}
	}
	return nil
}

// embedded reads the objects of an embedded file.
func embedded(files embed.FS, file string) ([]*harness.Object, error) {
	content, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return harness.Decode(file, content)
}
