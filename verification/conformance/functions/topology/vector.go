package main

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// vector is a class with its templates and a Cluster, and edits of them.
type vector struct {
	Class     map[string]any   `json:"class"`
	Cluster   map[string]any   `json:"cluster"`
	Templates []map[string]any `json:"templates"`
	// Others are more ClusterClasses, for Clusters that change their class.
	Others []map[string]any `json:"others,omitempty"`
	// Gates are feature gates that are not as usual.
	Gates map[string]bool `json:"gates,omitempty"`
	// Setup is a JSON patch that is made before every edit, such as an upgrade that is deferred.
	Setup json.RawMessage `json:"setup,omitempty"`
	// Existing are MachineDeployments and MachinePools after it, as far as `plan` reads them.
	Existing []map[string]any `json:"existing,omitempty"`
	Edits    []edit           `json:"edits"`
}

// edit is a JSON patch of the vector.
type edit struct {
	Title string          `json:"title"`
	Patch json.RawMessage `json:"patch"`
}

// answer is what the reconciler does after an edit.
type answer struct {
	Title string `json:"title"`
	// Refused says why Cluster API accepts or reconciles nothing.
	Refused string `json:"refused,omitempty"`
	// Owners are the control plane, MachineDeployments and MachinePools that change.
	Owners []owner `json:"owners,omitempty"`
}

// patched is the vector after a JSON patch.
func (v vector) patched(operations json.RawMessage) (vector, error) {
	var patched vector
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return patched, err
	}
	document, err := json.Marshal(v)
	if err != nil {
		return patched, err
	}
	text, err := patch.Apply(document)
	if err != nil {
		return patched, err
	}
	return patched, json.Unmarshal(text, &patched)
}

func (v vector) answers() ([]answer, error) {
	// Refusals say generated names.
	utilrand.Seed(1)
	before, err := v.start()
	if err != nil {
		return nil, fmt.Errorf("before every edit: %w", err)
	}
	if v.Setup != nil {
		prepared, err := v.patched(v.Setup)
		if err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		if _, err := before.change(v, prepared); err != nil {
			return nil, fmt.Errorf("setup: %w", err)
		}
		v = prepared
	}
	if err := before.check(v.Existing); err != nil {
		return nil, err
	}
	var all []answer
	for _, edit := range v.Edits {
		edited, err := v.patched(edit.Patch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", edit.Title, err)
		}
		found := answer{Title: edit.Title}
		world := before.copy()
		if owners, err := world.change(v, edited); err != nil {
			found.Refused = err.Error()
		} else {
			found.Owners = owners
		}
		all = append(all, found)
	}
	return all, nil
}

// check says which of the objects that `plan` reads are not there, or have another version.
func (w *world) check(existing []map[string]any) error {
	versionOf := func(object map[string]any) string { return stringAt(object, "spec", "template", "spec", "version") }
	for _, object := range existing {
		labels, _ := at(object, "metadata", "labels").(map[string]any)
		isFound := false
		for key, stored := range w.store.objects {
			own, _ := at(stored.Object, "metadata", "labels").(map[string]any)
			isMeant := key.kind.Kind == object["kind"]
			for name, value := range labels {
				isMeant = isMeant && own[name] == value
			}
			isFound = isFound || isMeant && versionOf(stored.Object) == versionOf(object)
		}
		if !isFound {
			return fmt.Errorf("%s %s is not as in the file", object["kind"], stringAt(object, "metadata", "name"))
		}
	}
	// Without an object, `plan` takes the version of the Cluster for that of its workers.
	others := 0
	for key, stored := range w.store.objects {
		cluster := w.store.objects[storeKey{schema.GroupKind{Group: key.kind.Group, Kind: "Cluster"}, w.name.Namespace, w.name.Name}]
		if version := versionOf(stored.Object); version != "" && cluster != nil && version != stringAt(cluster.Object, "spec", "topology", "version") {
			others++
		}
	}
	if others > len(existing) {
		return fmt.Errorf("%d workers have another version, and %d are in the file", others, len(existing))
	}
	return nil
}
