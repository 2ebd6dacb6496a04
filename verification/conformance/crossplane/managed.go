package main

import (
	"context"
	_ "embed"
	"strings"

	"sigs.k8s.io/yaml"

	"conformance/harness"
)

//go:embed managed.yaml
var managedKinds []byte

// kind is a kind of objects, and where it keeps tags.
type kind struct {
	Group, Version, Kind, Plural, Scope string
	// Carriers are below spec.forProvider, the resource's own first.
	Carriers []string
	Fields   map[string]string
}

func (k *kind) apiVersion() string { return k.Group + "/" + k.Version }

// carrier is the path of the resource's own tags; a kind without tags has none.
func (k *kind) carrier() []string {
	if len(k.Carriers) == 0 {
		return nil
	}
	if k.Group == composites {
		return []string{"spec", "cloudTags"}
	}
	return append([]string{"spec", "forProvider"}, strings.Split(k.Carriers[0], ".")...)
}

// schemas of the fields in managed.yaml.
var schemas = map[string]map[string]any{
	"text":   {"type": "string"},
	"flag":   {"type": "boolean"},
	"number": {"type": "integer"},
	"any":    {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	"texts":  {"type": "array", "items": map[string]any{"type": "string"}},
	"list":   {"type": "array", "items": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
	"map":    {"type": "object", "x-kubernetes-map-type": "granular", "additionalProperties": map[string]any{"type": "string"}},
}

// readManaged reads the table.
func readManaged() ([]*kind, error) {
	var kinds []*kind
	return kinds, yaml.UnmarshalStrict(managedKinds, &kinds)
}

// definition is the CustomResourceDefinition of a kind.
func (k *kind) definition() (*harness.Object, error) {
	forProvider := map[string]any{}
	for field, of := range k.Fields {
		declare(forProvider, strings.Split(field, "."), schemas[of])
	}
	for _, carrier := range k.Carriers {
		declare(forProvider, strings.Split(carrier, "."), schemas["map"])
	}
	closed := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	made, err := harness.Plain(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": k.Plural + "." + k.Group},
		"spec": map[string]any{
			"group": k.Group, "scope": k.Scope,
			"names": map[string]any{
				"kind": k.Kind, "listKind": k.Kind + "List", "plural": k.Plural, "singular": strings.ToLower(k.Kind),
			},
			"versions": []any{map[string]any{
				"name": k.Version, "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": closed(map[string]any{
					"spec": closed(map[string]any{
						"forProvider": closed(forProvider),
						// What only counts when the resource is made.
						"initProvider":       closed(forProvider),
						"managementPolicies": map[string]any{"type": "array", "items": schemas["text"]},
						"providerConfigRef":  schemas["any"],
					}),
					"status": schemas["any"],
				})},
			}},
		},
	})
	return &harness.Object{Object: made}, err
}

// declare writes the schema of a field, whose path may lead through others.
func declare(properties map[string]any, path []string, schema map[string]any) {
	if len(path) == 1 {
		properties[path[0]] = schema
		return
	}
	parent, is := properties[path[0]].(map[string]any)
	if !is {
		parent = map[string]any{"type": "object", "properties": map[string]any{}}
		properties[path[0]] = parent
	}
	if below, is := parent["properties"].(map[string]any); is {
		declare(below, path[1:], schema)
	}
}

// installManaged makes the definitions of all managed resources.
func (r *run) installManaged(ctx context.Context) error {
	var err error
	if r.managed, err = readManaged(); err != nil {
		return err
	}
	for _, k := range r.managed {
		definition, err := k.definition()
		if err != nil {
			return err
		}
		if err := r.API.Ensure(ctx, definition); err != nil {
			return err
		}
	}
	return r.AwaitDefinitions(ctx)
}
