package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ownedParts are the parts of an object whose owners are compared: metadata, in-place fields and templates.
var ownedParts = []string{"metadata/labels", "metadata/annotations", "spec"}

// ownersOf returns, for each path of an object that has an owner, its owners: manager and operation. Times are left out,
// and writes of subresources, which set the status.
func ownersOf(o *object) (map[string]string, error) {
	owners := map[string][]string{}
	for _, entry := range o.GetManagedFields() {
		if entry.Subresource == "status" || entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal(entry.FieldsV1.Raw, &fields); err != nil {
			return nil, fmt.Errorf("managedFields of %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		for _, path := range ownedPaths("", fields) {
			if compared(path) {
				owners[path] = append(owners[path], owner(entry))
			}
		}
	}
	joined := map[string]string{}
	for path, of := range owners {
		slices.Sort(of)
		joined["managers of "+path] = strings.Join(slices.Compact(of), ", ")
	}
	return joined, nil
}

func owner(entry metav1.ManagedFieldsEntry) string {
	text := fmt.Sprintf("%s (%s)", entry.Manager, entry.Operation)
	if entry.Subresource != "" {
		text += " of " + entry.Subresource
	}
	return text
}

func compared(path string) bool {
	below := func(part string) bool { return path == part || strings.HasPrefix(path, part+"/") }
	left := func(parts []string) bool { return below(strings.Join(parts, "/")) }
	return slices.ContainsFunc(ownedParts, below) && !slices.ContainsFunc(accidental, left)
}

// ownedPaths are the paths of a set of fields as managedFields store it. An item of a list has its keys, or its value,
// in brackets.
//
// Source: sigs.k8s.io/structured-merge-diff, fieldpath/serialize-pe.go.
func ownedPaths(path string, fields map[string]any) []string {
	if len(fields) == 0 {
		return []string{path}
	}
	var paths []string
	for name, value := range fields {
		below, _ := value.(map[string]any)
		kind, rest, _ := strings.Cut(name, ":")
		switch {
		case name == ".":
			paths = append(paths, path)
		case kind == "f":
			paths = append(paths, ownedPaths(strings.TrimPrefix(path+"/"+rest, "/"), below)...)
		default:
			paths = append(paths, ownedPaths(path+"["+rest+"]", below)...)
		}
	}
	return paths
}
