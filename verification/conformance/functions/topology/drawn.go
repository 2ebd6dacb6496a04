package main

import (
	"fmt"
	"strings"
)

func (d *dice) replicas() []operation {
	if d.IntN(3) == 0 {
		return one("add", "/cluster/spec/topology/controlPlane/replicas", pick(d, []int{1, 3, 5}))
	}
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return nil
	}
	return one("add", "/cluster"+path+"/replicas", d.IntN(6))
}

func (d *dice) version() []operation {
	return one("replace", "/cluster/spec/topology/version", pick(d, []string{"v1.34.0", "v1.35.0", "v1.35.1", "v1.36.0", "v1.36.1", "1.36.0"}))
}

func (d *dice) key() string {
	return pick(d, []string{"team", "tier", "node.cluster.x-k8s.io/team", "example.com/owner"})
}

func (d *dice) topologyMetadata() []operation {
	metadata := []string{"metadata", pick(d, []string{"labels", "labels", "annotations"}), d.key()}
	if d.IntN(3) == 0 {
		return d.within("/cluster/spec/topology", at(d.vector.Cluster, "spec", "topology"), append([]string{"controlPlane"}, metadata...), pick(d, []string{"a", "b", "core"}))
	}
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return nil
	}
	return d.within("/cluster"+path, entry, metadata, pick(d, []string{"a", "b", "web"}))
}

func (d *dice) clusterMetadata() []operation {
	return d.within("/cluster", d.vector.Cluster, []string{"metadata", pick(d, []string{"labels", "annotations"}), d.key()}, pick(d, []string{"a", "b", "core"}))
}

func (d *dice) network() []operation {
	if d.IntN(2) == 0 {
		return d.within("/cluster", d.vector.Cluster, []string{"spec", "clusterNetwork", "serviceDomain"}, pick(d, []string{"cluster.local", "example.local"}))
	}
	return d.within("/cluster", d.vector.Cluster, []string{"spec", "clusterNetwork", pick(d, []string{"pods", "services"}), "cidrBlocks"}, []any{fmt.Sprintf("10.%d.0.0/16", d.IntN(200))})
}

func (d *dice) isOld() bool {
	return strings.HasSuffix(stringAt(d.vector.Class, "apiVersion"), "/v1beta1")
}

// field is a field that entries of topologies and classes of workers have, and a value.
func (d *dice) field(isPool bool) ([]string, any) {
	drain, nodes := []string{"deletion", "nodeDrainTimeoutSeconds"}, any(60+d.IntN(3))
	if d.isOld() {
		drain, nodes = []string{"nodeDrainTimeout"}, fmt.Sprintf("%ds", 60+d.IntN(3))
	}
	strategy := []string{"rollout", "strategy"}
	if d.isOld() {
		strategy = []string{"strategy"}
	}
	switch d.IntN(5) {
	case 0:
		if isPool {
			return []string{"failureDomains"}, []any{pick(d, []string{"a", "b"})}
		}
		return []string{"failureDomain"}, pick(d, []string{"a", "b"})
	case 1:
		return []string{"minReadySeconds"}, d.IntN(30)
	case 2:
		return drain, nodes
	case 3:
		if isPool {
			return drain, nodes
		}
		return strategy, map[string]any{"type": pick(d, []string{"RollingUpdate", "OnDelete"})}
	}
	if d.isOld() || isPool {
		return drain, nodes
	}
	return []string{"taints"}, []any{map[string]any{"key": "drawn", "value": pick(d, []string{"a", "b"}), "effect": "NoSchedule", "propagation": "Always"}}
}

func (d *dice) entryField() []operation {
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return nil
	}
	field, value := d.field(strings.Contains(path, "Pools"))
	return d.within("/cluster"+path, entry, field, value)
}

func (d *dice) classField() []operation {
	path, class := d.workers(d.vector.Class, "spec", "workers")
	if class == nil {
		return nil
	}
	field, value := d.field(strings.Contains(path, "Pools"))
	return d.within("/class"+path, class, field, value)
}

func (d *dice) controlPlaneField() []operation {
	root, object := "/cluster/spec/topology/controlPlane", at(d.vector.Cluster, "spec", "topology", "controlPlane")
	if d.IntN(2) == 0 {
		root, object = "/class/spec/controlPlane", at(d.vector.Class, "spec", "controlPlane")
	}
	if object == nil {
		return nil
	}
	field, value := d.field(false)
	if field[0] == "failureDomain" || field[0] == "minReadySeconds" || len(field) == 2 && field[1] == "strategy" || field[0] == "strategy" {
		return nil
	}
	return d.within(root, object, field, value)
}

func (d *dice) classMetadata() []operation {
	value := pick(d, []string{"a", "b"})
	field := []string{"metadata", pick(d, []string{"labels", "annotations"}), d.key()}
	if d.IntN(2) == 0 {
		return d.within("/class", d.vector.Class, append([]string{"spec", "controlPlane"}, field...), value)
	}
	path, class := d.workers(d.vector.Class, "spec", "workers")
	if class == nil {
		return nil
	}
	if d.isOld() {
		field = append([]string{"template"}, field...)
	}
	return d.within("/class"+path, class, field, value)
}

// leaf is another value of a field of a template.
func (d *dice) leaf() []operation {
	number := d.IntN(len(d.vector.Templates))
	template := d.vector.Templates[number]
	var paths []string
	leaves(fmt.Sprintf("/templates/%d/spec/template/spec", number), at(template, "spec", "template", "spec"), &paths)
	if len(paths) == 0 || d.IntN(6) == 0 {
		return d.within(fmt.Sprintf("/templates/%d", number), template, []string{"spec", "template", "spec", "verbosity"}, d.IntN(9))
	}
	return one("replace", pick(d, paths), pick(d, []string{"a", "b", "c"}))
}

func (d *dice) templateMetadata() []operation {
	number := d.IntN(len(d.vector.Templates))
	path := pick(d, [][]string{{"metadata", "labels", "team"}, {"spec", "template", "metadata", "labels", "team"}, {"spec", "template", "metadata", "annotations", "team"}})
	return d.within(fmt.Sprintf("/templates/%d", number), d.vector.Templates[number], path, pick(d, []string{"a", "b"}))
}

// renamed is a copy of a template with another name, which the class refers to; mostly with another value.
func (d *dice) renamed() []operation {
	number := d.IntN(len(d.vector.Templates))
	template := d.vector.Templates[number]
	copied := copyOf(template).(map[string]any)
	name := stringAt(template, "metadata", "name") + "-new"
	copied["metadata"].(map[string]any)["name"] = name
	for _, other := range d.vector.Templates {
		if other["kind"] == copied["kind"] && stringAt(other, "metadata", "name") == name {
			return nil
		}
	}
	operations := one("add", "/templates/-", copied)
	var references []string
	referencesTo(template, "/class/spec", d.vector.Class["spec"], &references)
	for _, path := range references {
		operations = append(operations, operation{Op: "replace", Path: path + "/name", Value: name})
	}
	var paths []string
	leaves(fmt.Sprintf("/templates/%d/spec/template/spec", len(d.vector.Templates)), at(template, "spec", "template", "spec"), &paths)
	if len(paths) > 0 && d.IntN(3) > 0 {
		operations = append(operations, operation{Op: "replace", Path: pick(d, paths), Value: pick(d, []string{"a", "b", "c"})})
	}
	return operations
}

func copyOf(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := map[string]any{}
		for name, inner := range value {
			copied[name] = copyOf(inner)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for number, inner := range value {
			copied[number] = copyOf(inner)
		}
		return copied
	}
	return value
}

func referencesTo(template map[string]any, path string, value any, found *[]string) {
	switch value := value.(type) {
	case map[string]any:
		if stringAt(value, "kind") == stringAt(template, "kind") && stringAt(value, "name") == stringAt(template, "metadata", "name") {
			*found = append(*found, path)
		}
		for _, name := range names(value) {
			referencesTo(template, path+"/"+escape(name), value[name], found)
		}
	case []any:
		for number, inner := range value {
			referencesTo(template, fmt.Sprintf("%s/%d", path, number), inner, found)
		}
	}
}

// entry adds, removes or moves an entry of the topology to another class.
func (d *dice) entry() []operation {
	path, entry := d.workers(d.vector.Cluster, "spec", "topology", "workers")
	if entry == nil {
		return nil
	}
	switch d.IntN(3) {
	case 0:
		return one("remove", "/cluster"+path, nil)
	case 1:
		copied := copyOf(entry).(map[string]any)
		copied["name"] = "drawn"
		return one("add", "/cluster"+path[:strings.LastIndex(path, "/")]+"/-", copied)
	}
	list := "machineDeployments"
	if strings.Contains(path, "Pools") {
		list = "machinePools"
	}
	classes := listAt(d.vector.Class, "spec", "workers", list)
	if len(classes) == 0 {
		return nil
	}
	return one("replace", "/cluster"+path+"/class", stringAt(pick(d, classes), "class"))
}
