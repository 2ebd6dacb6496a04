package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// kept are the keywords of schemas that values are checked by.
var kept = map[string]bool{
	"type": true, "required": true, "enum": true, "pattern": true, "format": true, "nullable": true,
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "minProperties": true, "maxProperties": true,
	"minimum": true, "maximum": true, "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true,
	// By these, paths name elements.
	"x-kubernetes-list-map-keys": true,
}

// written are the kinds whose schemas are written, by the names of the files.
var written = map[string]string{
	"kubeadm":      "controlplane/kubeadm/config/crd/bases/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml",
	"cluster":      "core/config/crd/bases/cluster.x-k8s.io_clusters.yaml",
	"clusterclass": "core/config/crd/bases/cluster.x-k8s.io_clusterclasses.yaml",
}

// writeSchemas writes the schema of each kind's spec for each version, without descriptions.
func writeSchemas(out string) error {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api").Output()
	if err != nil {
		return fmt.Errorf("the folder of Cluster API's module: %w", err)
	}
	for kind, name := range written {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), name))
		if err != nil {
			return err
		}
		var definition map[string]any
		if err := yaml.Unmarshal(text, &definition); err != nil {
			return err
		}
		for _, version := range listAt(definition, "spec", "versions") {
			short := trimmed(at(version, "schema", "openAPIV3Schema", "properties", "spec"))
			text, err := json.Marshal(short)
			if err != nil {
				return err
			}
			file := filepath.Join(out, kind+"-"+stringAt(version, "name")+".json")
			if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func trimmed(schema any) map[string]any {
	short := map[string]any{}
	fields, _ := schema.(map[string]any)
	for keyword, value := range fields {
		switch {
		case kept[keyword]:
			short[keyword] = value
		case keyword == "properties":
			properties := map[string]any{}
			for name, inner := range value.(map[string]any) {
				properties[name] = trimmed(inner)
			}
			short[keyword] = properties
		case keyword == "items" || keyword == "additionalProperties":
			if _, ok := value.(map[string]any); ok {
				short[keyword] = trimmed(value)
			}
		}
	}
	return short
}
