package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	xpv1 "github.com/crossplane/crossplane-runtime/apis/common/v1"
	v1 "github.com/crossplane/crossplane/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

// resources is the input of function-patch-and-transform, as far as Crossplane 1 knew it.
type resources struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	PatchSets  []v1.PatchSet         `json:"patchSets"`
	Resources  []v1.ComposedTemplate `json:"resources"`
}

// mergePolicies are what the function calls in a word, and Crossplane 1 in options.
var mergePolicies = map[string]*xpv1.MergeOptions{
	"":                              nil,
	"Replace":                       nil,
	"MergeObject":                   {KeepMapValues: ptr.To(true)},
	"MergeObjects":                  {KeepMapValues: ptr.To(true)},
	"MergeObjectsAppendArrays":      {KeepMapValues: ptr.To(true), AppendSlice: ptr.To(true)},
	"ForceMergeObjects":             {},
	"ForceMergeObjectsAppendArrays": {AppendSlice: ptr.To(true)},
	"AppendArray":                   {AppendSlice: ptr.To(true)},
}

// read reads an input. Like the function it takes no field that it does not know.
func read(input map[string]any) (*resources, error) {
	for _, list := range []string{"patchSets", "resources"} {
		for _, entry := range entries(input[list]) {
			for _, patch := range entries(entry["patches"]) {
				if err := translate(patch); err != nil {
					return nil, err
				}
			}
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	read := &resources{}
	if err := decoder.Decode(read); err != nil {
		return nil, err
	}
	read.Resources, err = composedTemplates(read.PatchSets, read.Resources)
	return read, err
}

// translate turns the function's policy of a patch into the one of Crossplane 1, and writes down the default type.
func translate(patch map[string]any) error {
	if patch["type"] == nil {
		patch["type"] = string(v1.PatchTypeFromCompositeFieldPath)
	}
	policy, is := patch["policy"].(map[string]any)
	if !is {
		return nil
	}
	if policy["mergeOptions"] != nil {
		return fmt.Errorf(`unknown field "mergeOptions"`)
	}
	word, _ := policy["toFieldPath"].(string)
	options, known := mergePolicies[word]
	if !known {
		return fmt.Errorf("unknown policy.toFieldPath %q", word)
	}
	delete(policy, "toFieldPath")
	if options != nil {
		policy["mergeOptions"] = options
	}
	return nil
}

// entries are the objects of a list.
func entries(list any) []map[string]any {
	var found []map[string]any
	all, _ := list.([]any)
	for _, entry := range all {
		if entry, is := entry.(map[string]any); is {
			found = append(found, entry)
		}
	}
	return found
}
