package main

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// vector is a class with its templates and a Cluster, and edits of them.
type vector struct {
	Class     map[string]any   `json:"class"`
	Cluster   map[string]any   `json:"cluster"`
	Templates []map[string]any `json:"templates"`
	// Others are more ClusterClasses, for Clusters that change their class.
	Others []map[string]any `json:"others,omitempty"`
	Edits  []edit           `json:"edits"`
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

func (v vector) answers() ([]answer, error) {
	document, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	// Refusals say generated names.
	utilrand.Seed(1)
	before, err := v.start()
	if err != nil {
		return nil, fmt.Errorf("before every edit: %w", err)
	}
	var all []answer
	for _, edit := range v.Edits {
		patch, err := jsonpatch.DecodePatch(edit.Patch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", edit.Title, err)
		}
		patched, err := patch.Apply(document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", edit.Title, err)
		}
		var edited vector
		if err := json.Unmarshal(patched, &edited); err != nil {
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
