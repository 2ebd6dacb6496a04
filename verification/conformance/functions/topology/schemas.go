package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	// Those of Cluster API's own definitions are few.
	"x-kubernetes-validations": true,
}

// bases are the folders with the definitions of all kinds of Cluster API's own groups.
var bases = []string{
	"core/config/crd/bases", "bootstrap/kubeadm/config/crd/bases", "controlplane/kubeadm/config/crd/bases",
}

// shortest is the length of the shortest schema that is written once if several fields have it.
const shortest = 40

// writeSchemas writes the schema of each kind's spec for each version, without descriptions. What several fields have is
// written once, and referred to by its number.
func writeSchemas(out string) error {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api").Output()
	if err != nil {
		return fmt.Errorf("the folder of Cluster API's module: %w", err)
	}
	kinds := map[string]map[string]any{}
	for _, base := range bases {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), base, "*.yaml"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := readDefinition(file, kinds); err != nil {
				return err
			}
		}
	}
	uses := map[string]int{}
	for _, schema := range kinds {
		count(schema, uses)
	}
	var shared []string
	for text, number := range uses {
		if number > 1 && len(text) > shortest {
			shared = append(shared, text)
		}
	}
	slices.Sort(shared)
	numbers := map[string]int{}
	for number, text := range shared {
		numbers[text] = number
	}
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		lines = append(lines, fmt.Sprintf("%q:%s", kind, encoded(inner(kinds[kind], numbers))))
	}
	for number, text := range shared {
		var schema map[string]any
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			return err
		}
		shared[number] = encoded(inner(schema, numbers))
	}
	text := fmt.Sprintf("{\"kinds\":{\n%s\n},\"shared\":[\n%s\n]}\n", strings.Join(lines, ",\n"), strings.Join(shared, ",\n"))
	return os.WriteFile(filepath.Join(out, "cluster-api.json"), []byte(text), 0o644)
}

// readDefinition adds the schemas of a CustomResourceDefinition, by kind, group and version.
func readDefinition(file string, kinds map[string]map[string]any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var definition map[string]any
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return err
	}
	name := stringAt(definition, "spec", "names", "kind") + "." + stringAt(definition, "spec", "group")
	for _, version := range listAt(definition, "spec", "versions") {
		kinds[name+"/"+stringAt(version, "name")] = trimmed(at(version, "schema", "openAPIV3Schema", "properties", "spec"))
	}
	return nil
}

// each returns a copy of a schema in which the schemas of its fields are replaced.
func each(schema map[string]any, replaced func(map[string]any) map[string]any) map[string]any {
	copied := maps.Clone(schema)
	for _, keyword := range []string{"items", "additionalProperties"} {
		if of, ok := schema[keyword].(map[string]any); ok {
			copied[keyword] = replaced(of)
		}
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		fields := map[string]any{}
		for name, field := range properties {
			fields[name] = replaced(field.(map[string]any))
		}
		copied["properties"] = fields
	}
	return copied
}

// count counts how often each schema is used.
func count(schema map[string]any, uses map[string]int) {
	text := encoded(schema)
	uses[text]++
	if uses[text] == 1 {
		each(schema, func(field map[string]any) map[string]any { count(field, uses); return field })
	}
}

// inner replaces what is shared below a schema by its number.
func inner(schema map[string]any, numbers map[string]int) map[string]any {
	return each(schema, func(field map[string]any) map[string]any {
		if number, ok := numbers[encoded(field)]; ok {
			return map[string]any{"$ref": number}
		}
		return inner(field, numbers)
	})
}

func encoded(schema map[string]any) string {
	text, err := json.Marshal(schema)
	must(err)
	return string(text)
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
