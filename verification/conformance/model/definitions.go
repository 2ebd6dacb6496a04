package main

import (
	"context"
	"strings"
)

const (
	apiGroup   = "cluster.x-k8s.io"
	apiVersion = "v1beta2"
)

// kinds are those of the model, as resources. Cluster API's own definitions have a conversion webhook and defaults; what
// counts here is that maps are maps.
var kinds = map[string]string{
	"Cluster": "clusters", "ClusterClass": "clusterclasses", "MachineDeployment": "machinedeployments",
	"MachineSet": "machinesets", "Machine": "machines",
}

// chain are the kinds that the model follows, from the source down.
var chain = []string{"MachineDeployment", "MachineSet", "Machine"}

// define installs the kinds.
func (r *run) define(ctx context.Context) error {
	labels := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	metadata := map[string]any{"type": "object", "properties": map[string]any{"labels": labels, "annotations": labels}}
	template := map[string]any{"type": "object", "properties": map[string]any{
		"metadata": metadata,
		"spec":     map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}}
	spec := map[string]any{
		"type": "object", "x-kubernetes-preserve-unknown-fields": true,
		"properties": map[string]any{"template": template},
	}
	for kind, plural := range kinds {
		definition := &object{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{
				"name":        plural + "." + apiGroup,
				"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, only for a test"},
			},
			"spec": map[string]any{
				"group": apiGroup, "scope": "Namespaced",
				"names": map[string]any{"kind": kind, "plural": plural, "singular": strings.ToLower(kind)},
				"versions": []any{map[string]any{
					"name": apiVersion, "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{
						"type": "object", "properties": map[string]any{"spec": spec},
					}},
				}},
			},
		}}
		if _, err := r.API.Create(ctx, definition); err != nil {
			return err
		}
	}
	return r.AwaitDefinitions(ctx)
}
