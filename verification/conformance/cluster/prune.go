package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"

	"conformance/harness"
)

// prune creates the objects of some files on an API server without controllers, and prints for each what was dropped of
// it: the truth about which fields a CustomResourceDefinition keeps. Definitions come before objects.
func prune(ctx context.Context, programs programs, directory string, files []string) error {
	r, err := newRun(options{}, programs, "", directory)
	if err != nil {
		return err
	}
	defer r.Stop()
	if err := r.StartControlPlane(ctx); err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		objects, err := harness.Decode(file, content)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if o.GetKind() == "CustomResourceDefinition" {
				if err := r.API.Ensure(ctx, o); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if err := r.AwaitDefinitions(ctx); err != nil {
					return err
				}
				continue
			}
			if o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			created, err := r.API.Create(ctx, o)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			told, err := json.Marshal(map[string]any{
				"kind": o.GetKind(), "name": o.GetName(), "dropped": dropped("", o.Object, created.Object),
			})
			if err != nil {
				return err
			}
			fmt.Println(string(told))
		}
	}
	return nil
}

// dropped are the paths of what was sent and is not stored as it was sent.
func dropped(path string, sent, stored any) []string {
	paths := []string{}
	switch sent := sent.(type) {
	case map[string]any:
		stored, _ := stored.(map[string]any)
		for name, value := range sent {
			below := path + "." + name
			if _, kept := stored[name]; !kept {
				paths = append(paths, below)
				continue
			}
			paths = append(paths, dropped(below, value, stored[name])...)
		}
	case []any:
		stored, _ := stored.([]any)
		for i, value := range sent {
			below := fmt.Sprintf("%s[%d]", path, i)
			if i >= len(stored) {
				paths = append(paths, below)
				continue
			}
			paths = append(paths, dropped(below, value, stored[i])...)
		}
	default:
		if !reflect.DeepEqual(sent, stored) {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	return paths
}
