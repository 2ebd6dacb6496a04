package main

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

// dice draws edits of a vector.
type dice struct {
	*rand.Rand
	vector vector
}

// operation is one operation of a JSON patch; a path that does not exist makes the whole edit a miss.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func pick[T any](d *dice, from []T) T { return from[d.IntN(len(from))] }

func (d *dice) operations() []operation {
	return pick(d, []func() []operation{
		d.variable, d.variable, d.variable, d.override, d.override, d.without, d.defaulted, d.enabled, d.enabled, d.patchAway, d.selector,
		d.value, d.value, d.newPatch, d.newPatch, d.newPatch, d.order, d.replicas, d.replicas, d.version, d.topologyMetadata, d.topologyMetadata, d.clusterMetadata,
		d.network, d.entryField, d.entryField, d.classMetadata, d.classField, d.leaf, d.leaf, d.templateMetadata, d.renamed, d.renamed, d.entry, d.controlPlaneField,
		d.insideVariable, d.insideVariable, d.insideTemplate, d.insideTemplate, d.insidePatch, d.insidePatch, d.insideEntry, d.schema, d.schema,
		d.newVariable, d.newVariable, d.upgrade, d.upgrade, d.naming, d.health, d.late, d.late, d.otherClass,
	})()
}

func at(object any, path ...string) any {
	for _, step := range path {
		fields, _ := object.(map[string]any)
		object = fields[step]
	}
	return object
}

func listAt(object any, path ...string) []any {
	list, _ := at(object, path...).([]any)
	return list
}

func stringAt(object any, path ...string) string {
	text, _ := at(object, path...).(string)
	return text
}

func one(op, path string, value any) []operation {
	return []operation{{Op: op, Path: path, Value: value}}
}

// within adds a field and the maps around it that do not exist.
func (d *dice) within(root string, object any, path []string, value any) []operation {
	for number := range path {
		if at(object, path[:number+1]...) == nil && number+1 < len(path) {
			for rest := len(path) - 1; rest > number; rest-- {
				value = map[string]any{path[rest]: value}
			}
			path = path[:number+1]
			break
		}
	}
	escaped := make([]string, len(path))
	for number, step := range path {
		escaped[number] = escape(step)
	}
	return one("add", root+"/"+strings.Join(escaped, "/"), value)
}

func escape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

// drawn is a value that a schema admits, more or less.
func (d *dice) drawn(schema any, depth int) any {
	if values := listAt(schema, "enum"); len(values) > 0 {
		return pick(d, values)
	}
	switch stringAt(schema, "type") {
	case "boolean":
		return d.IntN(2) == 0
	case "integer":
		return pick(d, []int{0, 1, 2, 3, 110, 443, 6443, 1000000, 12345678})
	case "number":
		return pick(d, []float64{0, 1.5, 2, 1e6})
	case "array":
		list := []any{}
		for range d.IntN(3) {
			list = append(list, d.drawn(at(schema, "items"), depth+1))
		}
		return list
	case "object":
		object := map[string]any{}
		properties, _ := at(schema, "properties").(map[string]any)
		for _, name := range names(properties) {
			if d.IntN(3) > 0 {
				object[name] = d.drawn(properties[name], depth+1)
			}
		}
		if of := at(schema, "additionalProperties"); of != nil {
			object[pick(d, []string{"team", "tier"})] = d.drawn(of, depth+1)
		}
		return object
	}
	return pick(d, []string{"", "a", "b", "large", "v1.2.3", "10.0.0.1", "true", "0", "1e6", "x: y", "registry.example.com"})
}

func names(object map[string]any) []string {
	var all []string
	for name := range object {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

func (d *dice) defined() (string, any) {
	variables := listAt(d.vector.Class, "spec", "variables")
	if len(variables) == 0 {
		return "", nil
	}
	variable := pick(d, variables)
	return stringAt(variable, "name"), at(variable, "schema", "openAPIV3Schema")
}

// set sets a variable in a list of values.
func (d *dice) set(root string, object any, path []string) []operation {
	name, schema := d.defined()
	if name == "" {
		return nil
	}
	value := map[string]any{"name": name, "value": d.drawn(schema, 0)}
	for number, set := range listAt(object, path...) {
		if stringAt(set, "name") == name {
			return one("replace", fmt.Sprintf("%s/%s/%d", root, strings.Join(path, "/"), number), value)
		}
	}
	if len(listAt(object, path...)) > 0 {
		return one("add", root+"/"+strings.Join(path, "/")+"/-", value)
	}
	return d.within(root, object, path, []any{value})
}

func (d *dice) variable() []operation {
	return d.set("/cluster", d.vector.Cluster, []string{"spec", "topology", "variables"})
}

// workers draws an entry of the topology, or of the class.
func (d *dice) workers(object any, path ...string) (string, any) {
	kind := pick(d, []string{"machineDeployments", "machineDeployments", "machinePools"})
	list := listAt(object, append(path, kind)...)
	if len(list) == 0 {
		return "", nil
	}
	number := d.IntN(len(list))
	return fmt.Sprintf("/%s/%s/%d", strings.Join(path, "/"), kind, number), list[number]
}

func (d *dice) override() []operation {
	if d.IntN(4) == 0 {
		return d.set("/cluster/spec/topology", at(d.vector.Cluster, "spec", "topology"), []string{"controlPlane", "variables", "overrides"})
	}
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return nil
	}
	return d.set("/cluster"+path, entry, []string{"variables", "overrides"})
}

func (d *dice) without() []operation {
	variables := listAt(d.vector.Cluster, "spec", "topology", "variables")
	if len(variables) == 0 {
		return nil
	}
	return one("remove", fmt.Sprintf("/cluster/spec/topology/variables/%d", d.IntN(len(variables))), nil)
}

func (d *dice) defaulted() []operation {
	variables := listAt(d.vector.Class, "spec", "variables")
	if len(variables) == 0 {
		return nil
	}
	number := d.IntN(len(variables))
	schema := at(variables[number], "schema", "openAPIV3Schema")
	return one("add", fmt.Sprintf("/class/spec/variables/%d/schema/openAPIV3Schema/default", number), d.drawn(schema, 0))
}

func (d *dice) patch() (string, any) {
	patches := listAt(d.vector.Class, "spec", "patches")
	if len(patches) == 0 {
		return "", nil
	}
	number := d.IntN(len(patches))
	return fmt.Sprintf("/class/spec/patches/%d", number), patches[number]
}

func (d *dice) enabled() []operation {
	path, patch := d.patch()
	if patch == nil {
		return nil
	}
	name, _ := d.defined()
	conditions := []string{"true", "false", "True", " true ", "yes", `"true"`, "{{ not true }}", "{{ .absent }}"}
	if name != "" {
		conditions = append(conditions, "{{ ."+name+" }}", "{{ if ."+name+" }}true{{ end }}", "{{ not (empty ."+name+") }}", `{{ ne (toString .`+name+`) "" }}`)
	}
	return one("add", path+"/enabledIf", pick(d, conditions))
}

func (d *dice) patchAway() []operation {
	path, patch := d.patch()
	if patch == nil {
		return nil
	}
	return one("remove", path, nil)
}

func (d *dice) order() []operation {
	patches := listAt(d.vector.Class, "spec", "patches")
	if len(patches) < 2 {
		return nil
	}
	number := d.IntN(len(patches) - 1)
	path := fmt.Sprintf("/class/spec/patches/%d", number)
	return []operation{{Op: "remove", Path: path}, {Op: "add", Path: fmt.Sprintf("/class/spec/patches/%d", number+1), Value: patches[number]}}
}

func (d *dice) definition() (string, any) {
	path, patch := d.patch()
	definitions := listAt(patch, "definitions")
	if len(definitions) == 0 {
		return "", nil
	}
	number := d.IntN(len(definitions))
	return fmt.Sprintf("%s/definitions/%d", path, number), definitions[number]
}

func (d *dice) selector() []operation {
	path, definition := d.definition()
	if at(definition, "selector", "matchResources", "machineDeploymentClass") == nil {
		return nil
	}
	_, class := d.workers(d.vector.Class, "spec", "workers")
	name := stringAt(class, "class")
	if name == "" {
		return nil
	}
	wildcards := []string{"*", name, name[:1] + "*", "*" + name[len(name)-1:]}
	return one("add", path+"/selector/matchResources/machineDeploymentClass/names", []any{pick(d, wildcards)})
}

// value is another value of a JSON patch.
func (d *dice) value() []operation {
	path, definition := d.definition()
	patches := listAt(definition, "jsonPatches")
	if len(patches) == 0 {
		return nil
	}
	number := d.IntN(len(patches))
	path = fmt.Sprintf("%s/jsonPatches/%d", path, number)
	if template := stringAt(patches[number], "valueFrom", "template"); template != "" {
		return one("replace", path+"/valueFrom/template", strings.Replace(template, "/etc/", "/opt/", 1)+pick(d, []string{"", "\n", "\n# comment\n"}))
	}
	if stringAt(patches[number], "op") == "remove" {
		return nil
	}
	return []operation{{Op: "remove", Path: path}, {Op: "add", Path: path, Value: map[string]any{
		"op": stringAt(patches[number], "op"), "path": stringAt(patches[number], "path"), "valueFrom": map[string]any{"template": d.template()},
	}}}
}

// template is a template that reads a builtin or a variable.
func (d *dice) template() string {
	name, _ := d.defined()
	if name == "" {
		name = "absent"
	}
	return pick(d, []string{
		"{{ ." + name + " }}", "{{ ." + name + " | quote }}", "{{ ." + name + " | toJson }}", `{{ printf "%v" .` + name + " | quote }}",
		"{{ .builtin.cluster.name }}", "{{ .builtin.cluster.topology.version | quote }}", "{{ .builtin.cluster.topology.class }}",
		"{{ .builtin.controlPlane.replicas }}", "{{ .builtin.controlPlane.version }}", "{{ .builtin.machineDeployment.replicas | quote }}",
		"{{ .builtin.machineDeployment.topologyName | quote }}", "{{ .builtin.machineDeployment.class | quote }}", "{{ .builtin.machineDeployment.version | quote }}",
		`{{ index .builtin.cluster.metadata.labels "team" | quote }}`, `{{ .builtin.machineDeployment.metadata.labels | toJson | quote }}`,
		`{{ default "none" (index (default dict .builtin.controlPlane.metadata.labels) "team") }}`, "{{ .builtin.cluster.network.pods | toJson }}",
		"{{ range $k, $v := .builtin.cluster.metadata.labels }}{{ $k }}={{ $v }} {{ end }}", "{{ .builtin.cluster.network.serviceDomain | quote }}",
		"{{ if semverCompare \">= 1.35-0\" .builtin.cluster.topology.version }}new{{ else }}old{{ end }}", "{{ .builtin.nothing }}",
		"{{ .builtin.controlPlane.machineTemplate.infrastructureRef.name }}", "{{ .builtin.machineDeployment.infrastructureRef.name | quote }}",
		`{{ .builtin.cluster.uid | empty | quote }}`, "{{ .builtin.cluster.metadata.annotations | toJson | quote }}",
		"{{- if ." + name + " }}\n- {{ ." + name + " | quote }}\n{{- end }}\n- last\n", `{{ printf "%s-%s" .builtin.cluster.name .builtin.cluster.namespace }}`,
		`{{ $v := .builtin.cluster.topology.version }}{{ trimPrefix "v" $v | splitList "." | first }}`, `{{ .builtin.controlPlane.version | replace "." "-" | trunc 6 }}`,
		`{{ with .builtin.machineDeployment }}{{ .class }}{{ else }}none{{ end }}`, `{{ dig "metadata" "labels" "team" "none" .builtin.cluster }}`,
		`{{ index .builtin.cluster.network.pods 0 }}`, `{{ if and .builtin.controlPlane (gt (int .builtin.controlPlane.replicas) 1) }}ha{{ else }}single{{ end }}`,
		`{{ mul (int .builtin.controlPlane.replicas) 1024 }}`, `{{ .builtin.cluster.name | sha256sum | trunc 8 }}`, `{{ semver .builtin.cluster.topology.version | toJson }}`,
		`{{ (semver .builtin.cluster.topology.version).Minor }}`, `{{ ternary "a" "b" (eq .builtin.cluster.name "shop") }}`, `{{ coalesce .absent .` + name + ` "none" | toString | quote }}`,
		`{{ range $i, $p := .builtin.cluster.network.pods }}{{ if $i }},{{ end }}{{ $p }}{{ end }}`, `{{ regexReplaceAll "[^a-z]" .builtin.cluster.name "" | upper | b64enc }}`,
		`{"name": {{ .builtin.cluster.name | quote }}, "labels": {{ .builtin.cluster.metadata.labels | toJson }}}`, "a: &x {b: 1}\nc: *x", "'{{ .builtin.cluster.name }}'", "---\na: 1", "0x10", "1_000", "yes", "~",
		`{{ .builtin.machineDeployment.metadata.annotations | toJson }}`, `{{ .builtin.machinePool.topologyName }}`, `{{ .builtin.cluster.topology.classRef | toJson }}`, `{{ .builtin.controlPlane.name | len }}`,
	})
}

// variablePath is a path for valueFrom.variable.
func (d *dice) variablePath() string {
	name, _ := d.defined()
	return pick(d, []string{name, "builtin.cluster.name", "builtin.cluster.topology.version", "builtin.controlPlane.replicas", "builtin.cluster.network.pods[0]",
		"builtin.machineDeployment.replicas", "builtin.machineDeployment.topologyName", "builtin.controlPlane.name", "builtin.cluster.namespace",
		"builtin.cluster", "builtin.controlPlane", "builtin.cluster.metadata.labels", "builtin.machineDeployment.metadata.labels", "builtin.cluster.topology.classRef.name", "builtin.cluster.network", name + ".a", name + "[0]", "builtin"})
}

// newPatch is a patch of a template.
func (d *dice) newPatch() []operation {
	template := pick(d, d.vector.Templates)
	kind := stringAt(template, "kind")
	var paths []string
	leaves("/spec/template/spec", at(template, "spec", "template", "spec"), &paths)
	path := ""
	switch {
	case len(paths) > 0 && d.IntN(3) > 0:
		path = pick(d, paths)
	case strings.HasPrefix(kind, "Kubeadm"):
		path = "/spec/template/metadata/labels"
	default:
		path = pick(d, []string{"/spec/template/spec/added", "/spec/template/metadata/labels", "/spec/template/spec/a/b"})
	}
	operation := map[string]any{"op": pick(d, []string{"add", "add", "replace"}), "path": path}
	switch {
	case strings.HasSuffix(path, "/metadata/labels"):
		operation["value"] = map[string]any{"patched.example.com": pick(d, []string{"a", "b"})}
	case d.IntN(3) == 0:
		operation["valueFrom"] = map[string]any{"variable": d.variablePath()}
	default:
		operation["valueFrom"] = map[string]any{"template": d.template()}
	}
	match := map[string]any{"controlPlane": true, "infrastructureCluster": true}
	switch {
	case strings.HasSuffix(kind, "ClusterTemplate"):
		match = map[string]any{"infrastructureCluster": true}
	case strings.HasSuffix(kind, "ControlPlaneTemplate"):
		match = map[string]any{"controlPlane": true}
	case strings.HasSuffix(kind, "PoolTemplate"):
		match = map[string]any{"machinePoolClass": map[string]any{"names": []any{"*"}}}
	default:
		match = map[string]any{"machineDeploymentClass": map[string]any{"names": []any{"*"}}}
		if strings.HasSuffix(kind, "MachineTemplate") && d.IntN(2) == 0 {
			match["controlPlane"] = true
		}
	}
	patch := map[string]any{"name": fmt.Sprintf("drawn-%d", d.IntN(1000000)), "definitions": []any{map[string]any{
		"selector": map[string]any{"apiVersion": template["apiVersion"], "kind": kind, "matchResources": match}, "jsonPatches": []any{operation},
	}}}
	if len(listAt(d.vector.Class, "spec", "patches")) == 0 {
		return one("add", "/class/spec/patches", []any{patch})
	}
	return one("add", "/class/spec/patches/-", patch)
}

// leaves are the paths of texts and numbers outside lists.
func leaves(path string, value any, found *[]string) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range names(value) {
			leaves(path+"/"+escape(name), value[name], found)
		}
	case []any:
	default:
		*found = append(*found, path)
	}
}
