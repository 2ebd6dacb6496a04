package main

import (
	"fmt"
	"strings"
)

// places are the paths of all values inside a value, itself left out.
func places(path string, value any, found map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range names(value) {
			found[path+"/"+escape(name)] = value[name]
			places(path+"/"+escape(name), value[name], found)
		}
	case []any:
		for number, inner := range value {
			found[fmt.Sprintf("%s/%d", path, number)] = inner
			places(fmt.Sprintf("%s/%d", path, number), inner, found)
		}
	}
}

// anywhere is an edit of any value inside another one: it is removed, replaced, or an element is added to it.
func (d *dice) anywhere(root string, value any) []operation {
	found := map[string]any{}
	places(root, value, found)
	if len(found) == 0 {
		return nil
	}
	path := pick(d, names(found))
	switch value := found[path].(type) {
	case []any:
		if len(value) == 0 || d.IntN(2) == 0 {
			return one("remove", path, nil)
		}
		return one("add", path+pick(d, []string{"/-", "/0"}), copyOf(pick(d, value)))
	case map[string]any:
		if d.IntN(2) == 0 {
			return one("remove", path, nil)
		}
		return one("add", path+"/drawn", pick(d, []any{"a", 1, true, nil}))
	case bool:
		return one("replace", path, !value)
	case string:
		return one("replace", path, pick(d, []any{value + "x", "", "a: b", "1.5", 7, nil}))
	}
	return one("replace", path, pick(d, []any{0, 2, 1000000, 1.5, "3", false}))
}

func (d *dice) insideVariable() []operation {
	variables := listAt(d.vector.Cluster, "spec", "topology", "variables")
	if len(variables) == 0 {
		return nil
	}
	number := d.IntN(len(variables))
	value := at(variables[number], "value")
	return d.anywhere(fmt.Sprintf("/cluster/spec/topology/variables/%d/value", number), value)
}

func (d *dice) insideTemplate() []operation {
	number := d.IntN(len(d.vector.Templates))
	return d.anywhere(fmt.Sprintf("/templates/%d/spec/template", number), at(d.vector.Templates[number], "spec", "template"))
}

func (d *dice) insidePatch() []operation {
	path, patch := d.patch()
	if patch == nil {
		return nil
	}
	return d.anywhere(path, patch)
}

func (d *dice) insideEntry() []operation {
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil || d.IntN(3) == 0 {
		path, entry = "/spec/topology/controlPlane", at(d.vector.Cluster, "spec", "topology", "controlPlane")
	}
	return d.anywhere("/cluster"+path, entry)
}

// schema is an edit of a variable's definition.
func (d *dice) schema() []operation {
	variables := listAt(d.vector.Class, "spec", "variables")
	if len(variables) == 0 {
		return nil
	}
	number := d.IntN(len(variables))
	path := fmt.Sprintf("/class/spec/variables/%d", number)
	root := path + "/schema/openAPIV3Schema"
	switch d.IntN(8) {
	case 0:
		return one("add", path+"/required", d.IntN(2) == 0)
	case 1:
		return one("remove", path, nil)
	case 2:
		return one("add", root+"/enum", []any{"a", "b", "large"})
	case 3:
		return one("add", root+pick(d, []string{"/minimum", "/maximum", "/maxLength", "/minLength", "/maxItems", "/minProperties"}), d.IntN(4))
	case 4:
		return one("add", root+pick(d, []string{"/nullable", "/uniqueItems", "/x-kubernetes-preserve-unknown-fields", "/x-kubernetes-int-or-string"}), true)
	case 5:
		return one("add", root+"/"+pick(d, []string{"pattern", "format", "description"}), pick(d, []string{"^[a-z]+$", "ipv4", "("}))
	case 6:
		if properties := at(variables[number], "schema", "openAPIV3Schema", "properties"); properties != nil {
			return one("add", root+"/properties/drawn", map[string]any{"type": "string", "default": pick(d, []any{"a", 1})})
		}
		return one("replace", root+"/type", pick(d, []string{"string", "integer", "object", "boolean", "text"}))
	}
	return d.anywhere(root, at(variables[number], "schema", "openAPIV3Schema"))
}

// newVariable is a variable with a default and a patch that reads it.
func (d *dice) newVariable() []operation {
	schema := pick(d, []map[string]any{
		{"type": "string", "default": "a"}, {"type": "integer", "default": 3}, {"type": "boolean"}, {"type": "string"},
		{"type": "array", "items": map[string]any{"type": "string"}, "default": []any{"a", "b"}},
		{"type": "object", "properties": map[string]any{"inner": map[string]any{"type": "string", "default": "x"}}, "default": map[string]any{}},
		{"type": "object", "properties": map[string]any{"inner": map[string]any{"type": "number"}}},
		{"type": "object", "additionalProperties": map[string]any{"type": "string"}, "default": map[string]any{"team": "a"}},
	})
	variable := map[string]any{"name": "drawnVariable", "required": false, "schema": map[string]any{"openAPIV3Schema": schema}}
	operations := one("add", "/class/spec/variables/-", variable)
	if len(listAt(d.vector.Class, "spec", "variables")) == 0 {
		operations = one("add", "/class/spec/variables", []any{variable})
	}
	patch := d.newPatch()
	for number := range patch {
		written, _ := patch[number].Value.(map[string]any)
		if list, ok := patch[number].Value.([]any); ok {
			written, _ = list[0].(map[string]any)
		}
		definition := listAt(written, "definitions")[0].(map[string]any)
		changed := definition["jsonPatches"].([]any)[0].(map[string]any)
		delete(changed, "value")
		changed["valueFrom"] = pick(d, []map[string]any{
			{"variable": "drawnVariable"}, {"variable": "drawnVariable.inner"}, {"variable": "drawnVariable[1]"}, {"template": "{{ .drawnVariable }}"},
			{"template": "{{ .drawnVariable.inner | quote }}"}, {"template": "{{ range .drawnVariable }}{{ . }},{{ end }}"}, {"template": "{{ .drawnVariable | toJson }}"},
		})
		if d.IntN(3) == 0 {
			written["enabledIf"] = "{{ if .drawnVariable }}true{{ end }}"
		}
	}
	return append(operations, patch...)
}

// upgrade is another version, and annotations that defer it for some workers.
func (d *dice) upgrade() []operation {
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return d.version()
	}
	key := pick(d, []string{"topology.cluster.x-k8s.io/defer-upgrade", "topology.cluster.x-k8s.io/hold-upgrade-sequence"})
	annotated := d.within("/cluster"+path, entry, []string{"metadata", "annotations", key}, "")
	if d.IntN(4) == 0 {
		return annotated
	}
	return append(annotated, d.version()...)
}

func (d *dice) naming() []operation {
	field, written := "naming", []string{"{{ .cluster.name }}-{{ .random }}", "own-{{ .cluster.name }}", "{{ .cluster.name }}-x-{{ .random }}", "{{ .nothing }}"}
	if d.isOld() {
		field = "namingStrategy"
	}
	switch d.IntN(3) {
	case 0:
		return d.within("/class/spec/controlPlane", at(d.vector.Class, "spec", "controlPlane"), []string{field, "template"}, pick(d, written))
	case 1:
		if d.isOld() {
			return d.within("/class/spec", at(d.vector.Class, "spec"), []string{"infrastructureNamingStrategy", "template"}, pick(d, written))
		}
		return d.within("/class/spec/infrastructure", at(d.vector.Class, "spec", "infrastructure"), []string{field, "template"}, pick(d, written))
	}
	path, class := d.workers(d.vector.Class, "spec", "workers")
	if class == nil {
		return nil
	}
	return d.within("/class"+path, class, []string{field, "template"}, pick(d, append(written, "{{ .cluster.name }}-{{ .machineDeployment.topologyName }}")))
}

func (d *dice) health() []operation {
	if d.isOld() {
		return nil
	}
	check := map[string]any{"checks": map[string]any{"nodeStartupTimeoutSeconds": 300 + d.IntN(3)}}
	root, object := "/class/spec/controlPlane", at(d.vector.Class, "spec", "controlPlane")
	if d.IntN(2) == 0 {
		path, class := d.workers(d.vector.Class, "spec", "workers")
		if class == nil || strings.Contains(path, "Pools") {
			return nil
		}
		root, object = "/class"+path, class
	}
	return d.within(root, object, []string{"healthCheck"}, check)
}

// late are fields of entries and classes that few classes have.
func (d *dice) late() []operation {
	root, object := "/cluster", d.vector.Cluster
	list := []string{"spec", "topology", "workers"}
	if d.IntN(2) == 0 {
		root, object, list = "/class", d.vector.Class, []string{"spec", "workers"}
	}
	path, entry := d.workers(object, list...)
	if entry == nil {
		return nil
	}
	if d.isOld() {
		timeout := pick(d, []string{"nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"})
		return d.within(root+path, entry, []string{timeout}, pick(d, []string{"1m", "2m", "1.5h", "90s", "0", "", "1d", "-1m"}))
	}
	isPool := strings.Contains(path, "Pools")
	switch d.IntN(6) {
	case 0:
		return d.within(root+path, entry, []string{"deletion", "order"}, pick(d, []string{"Random", "Oldest"}))
	case 1:
		return d.within(root+path, entry, []string{"readinessGates"}, []any{map[string]any{"conditionType": pick(d, []string{"A", "B"})}})
	case 2:
		return d.within(root+path, entry, []string{"deletion", pick(d, []string{"nodeVolumeDetachTimeoutSeconds", "nodeDeletionTimeoutSeconds"})}, d.IntN(3)*60)
	case 3:
		if root == "/class" || isPool {
			return nil
		}
		return d.within(root+path, entry, []string{"rollout", "after"}, "2100-01-01T00:00:00Z")
	case 4:
		return d.within(root+path, entry, []string{"rollout", "strategy"}, map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": d.IntN(3)}})
	}
	return d.within(root+path, entry, []string{"healthCheck", "remediation", "maxInFlight"}, 1+d.IntN(2))
}

// otherClass moves the Cluster to a copy of its class with an edit.
func (d *dice) otherClass() []operation {
	copied := &dice{Rand: d.Rand, vector: d.vector}
	edited, ok := copied.with(pick(d, []func() []operation{
		copied.value, copied.newPatch, copied.patchAway, copied.defaulted, copied.classField, copied.classMetadata, copied.renamed, copied.schema,
	})())
	if !ok {
		edited = d.vector
	}
	other := copyOf(edited.Class).(map[string]any)
	name := stringAt(other, "metadata", "name") + "-other"
	other["metadata"].(map[string]any)["name"] = name
	operations := one("add", "/others", []any{other})
	for _, template := range edited.Templates[len(d.vector.Templates):] {
		operations = append(operations, operation{Op: "add", Path: "/templates/-", Value: template})
	}
	if d.isOld() || at(d.vector.Cluster, "spec", "topology", "class") != nil {
		return append(operations, operation{Op: "replace", Path: "/cluster/spec/topology/class", Value: name})
	}
	return append(operations, operation{Op: "replace", Path: "/cluster/spec/topology/classRef/name", Value: name})
}
