package fleet

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// identity are the keys by which an object is found to belong to its parent: without them it would be somebody else's,
// and there would be nothing to ask. An UPDATE may edit them all the same, since the stored object still has them. Below
// a Machine's owner, ownerReferences say it.
func identity(kind string) []string {
	switch kind {
	case "KubeadmControlPlane", "MachineDeployment", "MachinePool":
		return []string{
			"topology.cluster.x-k8s.io/owned", "cluster.x-k8s.io/cluster-name",
			"topology.cluster.x-k8s.io/deployment-name", "topology.cluster.x-k8s.io/pool-name",
		}
	case "MachineSet":
		return []string{"machine-template-hash"}
	case "Node":
		return []string{"cluster.x-k8s.io/machine", "cluster.x-k8s.io/cluster-name", "cluster.x-k8s.io/cluster-namespace"}
	}
	return nil
}

// Unpaused takes away annotations that say of the object itself that it, or what is below it, is not to be touched.
func Unpaused(object map[string]any) map[string]any {
	PutMap(object, "metadata.annotations", Without(MapAt(object, "metadata.annotations"), Paused, record))
	return object
}

var ownKeys = []string{"own.example.com/a", "own.example.com/b", "own", "example.com/owner", "team", "node-role.kubernetes.io/own"}

// Question makes a vector of an object as Cluster API computed it: somebody writes it with keys and fields missing,
// changed and added.
//
// `maps` are the paths of label and annotation maps that are Cluster API's answer, with the answer.
func (d Dice) Question(vector Vector, computed map[string]any, maps map[string]map[string]string) Vector {
	stored := Unpaused(Copy(computed))
	if vector.hasTaints() {
		// The cluster's gate is on: else taints are not introduced.
		vector.Settings = map[string]any{"clusterApi": map[string]any{"taints": true}}
	}
	written := Copy(stored)
	vector.Review = Review{Operation: "CREATE", Username: "alice", Object: written}
	known := identity(vector.Kind)
	keep := known
	if d.In(50) {
		vector.Review.Operation, vector.Review.OldObject = "UPDATE", stored
		keep = nil
		if d.In(30) && vector.Kind != "KubeadmControlPlane" {
			// What is stored has drifted before.
			d.disturbMaps(stored, maps, known)
			d.disturbFields(stored, vector.Fields)
		}
	}
	d.disturbMaps(written, maps, keep)
	d.disturbFields(written, vector.Fields)
	return vector.Expect(maps)
}

func (vector Vector) hasTaints() bool {
	for path, value := range vector.Fields {
		if strings.HasSuffix(path, ".taints") && value != nil {
			return true
		}
	}
	return false
}

// Expect says what the object under review must carry.
func (vector Vector) Expect(maps map[string]map[string]string) Vector {
	vector.Expected, vector.Relation = maps, "equals"
	for path, entries := range maps {
		for key := range MapAt(vector.Review.Object, path) {
			if _, known := entries[key]; !known {
				vector.Relation = "overlays"
			}
		}
	}
	return vector
}

func (d Dice) disturbMaps(object map[string]any, maps map[string]map[string]string, keep []string) {
	lose := Pick(d, []int{10, 40, 90})
	for _, path := range Sorted(maps) {
		values := labelValues
		if strings.HasSuffix(path, ".annotations") {
			values = annotationValues
		}
		found := MapAt(object, path)
		for _, key := range Sorted(maps[path]) {
			top := path == "metadata.labels" || path == "metadata.annotations"
			if top && slices.Contains(keep, key) {
				continue
			}
			if _, carries := found[key]; !carries || !d.In(lose) {
				continue
			}
			if d.In(65) {
				delete(found, key)
			} else {
				found[key] = Pick(d, values)
			}
		}
		for range d.IntN(3) {
			key := Pick(d, ownKeys)
			_, known := maps[path][key]
			if _, carries := found[key]; !known && !carries {
				found[key] = Pick(d, values)
			}
		}
		PutMap(object, path, found)
	}
}

// PutMap writes a map of strings to a dotted path, nothing where it is empty.
func PutMap(object map[string]any, path string, entries map[string]string) {
	if len(entries) == 0 {
		Put(object, path, nil)
		return
	}
	value := map[string]any{}
	for key, text := range entries {
		value[key] = text
	}
	Put(object, path, value)
}

// Answer is what a computed object says of some blocks of metadata.
func Answer(computed map[string]any, places ...string) map[string]map[string]string {
	maps := map[string]map[string]string{}
	for _, place := range places {
		maps[place+".labels"], maps[place+".annotations"] = MapAt(computed, place+".labels"), MapAt(computed, place+".annotations")
	}
	return maps
}

// FieldsOf is what a computed object says of the in-place mutable fields of its kind.
func FieldsOf(computed map[string]any, kind, version string) map[string]any {
	fields := map[string]any{}
	for _, path := range fieldPaths(kind, version) {
		fields[path] = At(computed, path)
	}
	return fields
}

func (d Dice) disturbFields(object, fields map[string]any) {
	for _, path := range Sorted(fields) {
		value := At(object, path)
		switch {
		case !d.In(40):
		case value == nil:
			if own := d.ownField(path); own != nil && d.In(50) {
				Put(object, path, own)
			}
		case d.In(40):
			Put(object, path, nil)
		default:
			Put(object, path, d.otherField(path, value))
		}
	}
}

// ownField is a value for a field that Cluster API leaves alone.
func (d Dice) ownField(path string) any {
	switch {
	case strings.HasSuffix(path, "Seconds"):
		return float64(10)
	case strings.HasSuffix(path, "Timeout"):
		return "10s"
	}
	return nil
}

func (d Dice) otherField(path string, value any) any {
	switch value := value.(type) {
	case float64:
		return value + 7
	case []any:
		return value[:len(value)/2]
	case map[string]any:
		return map[string]any{"template": "other-{{ .random }}"}
	}
	if strings.HasSuffix(path, "Timeout") {
		return "7s"
	}
	return "Newest"
}

// Sorted are the keys of a map, in order.
func Sorted[V any](entries map[string]V) []string { return slices.Sorted(maps.Keys(entries)) }

// Copy is a deep copy of an object's JSON.
func Copy(object map[string]any) map[string]any {
	var copied map[string]any
	Must(json.Unmarshal(JSON(object), &copied))
	return copied
}
