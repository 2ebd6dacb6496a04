package vectors

import (
	"maps"
	"slices"
	"strings"
)

// Keys by which an object is found to belong to its parent: without them it would be somebody else's, and there would
// be nothing to ask. An UPDATE may edit them all the same, since the stored object still has them.
var identity = []string{
	"topology.cluster.x-k8s.io/owned", "cluster.x-k8s.io/cluster-name", "topology.cluster.x-k8s.io/deployment-name",
	"topology.cluster.x-k8s.io/pool-name", "machine-template-hash",
	"cluster.x-k8s.io/machine", "cluster.x-k8s.io/cluster-namespace",
}

// unpaused takes away annotations that say of the object itself that it, or what is below it, is not to be touched.
func unpaused(object map[string]any) map[string]any {
	putMap(object, "metadata.annotations", without(mapAt(object, "metadata.annotations"), paused, record))
	return object
}

var ownKeys = []string{"own.example.com/a", "own.example.com/b", "own", "example.com/owner", "team", "node-role.kubernetes.io/own"}

// question makes a vector of an object as Cluster API computed it: somebody writes it with keys and fields missing,
// changed and added.
//
// `maps` are the paths of label and annotation maps that are Cluster API's answer, with the answer.
func (d dice) question(vector Vector, computed map[string]any, maps map[string]map[string]string) Vector {
	stored := copyOf(computed)
	unpaused(stored)
	written := copyOf(stored)
	vector.Review = Review{Operation: "CREATE", Username: "alice", Object: written}
	keep := identity
	if d.in(50) {
		vector.Review.Operation, vector.Review.OldObject = "UPDATE", stored
		keep = nil
		if d.in(30) && vector.Kind != "KubeadmControlPlane" {
			// What is stored has drifted before.
			d.disturbMaps(stored, maps, identity)
			d.disturbFields(stored, vector.Fields)
		}
	}
	d.disturbMaps(written, maps, keep)
	d.disturbFields(written, vector.Fields)
	return vector.expect(maps)
}

// expect says what the object under review must carry.
func (vector Vector) expect(maps map[string]map[string]string) Vector {
	vector.Expected, vector.Relation = maps, "equals"
	for path, entries := range maps {
		for key := range mapAt(vector.Review.Object, path) {
			if _, known := entries[key]; !known {
				vector.Relation = "overlays"
			}
		}
	}
	return vector
}

func (d dice) disturbMaps(object map[string]any, maps map[string]map[string]string, keep []string) {
	lose := pick(d, []int{10, 40, 90})
	for _, path := range sorted(maps) {
		values := labelValues
		if strings.HasSuffix(path, ".annotations") {
			values = annotationValues
		}
		found := mapAt(object, path)
		for _, key := range sorted(maps[path]) {
			top := path == "metadata.labels" || path == "metadata.annotations"
			if top && slices.Contains(keep, key) {
				continue
			}
			if _, carries := found[key]; !carries || !d.in(lose) {
				continue
			}
			if d.in(65) {
				delete(found, key)
			} else {
				found[key] = pick(d, values)
			}
		}
		for range d.IntN(3) {
			key := pick(d, ownKeys)
			_, known := maps[path][key]
			if _, carries := found[key]; !known && !carries {
				found[key] = pick(d, values)
			}
		}
		putMap(object, path, found)
	}
}

func putMap(object map[string]any, path string, entries map[string]string) {
	if len(entries) == 0 {
		put(object, path, nil)
		return
	}
	value := map[string]any{}
	for key, text := range entries {
		value[key] = text
	}
	put(object, path, value)
}

// answer is what a computed object says of some blocks of metadata.
func answer(computed map[string]any, places ...string) map[string]map[string]string {
	maps := map[string]map[string]string{}
	for _, place := range places {
		maps[place+".labels"], maps[place+".annotations"] = mapAt(computed, place+".labels"), mapAt(computed, place+".annotations")
	}
	return maps
}

// fieldsOf is what a computed object says of the in-place mutable fields of its kind.
func fieldsOf(computed map[string]any, kind, version string) map[string]any {
	fields := map[string]any{}
	for _, path := range fieldPaths(kind, version) {
		fields[path] = at(computed, path)
	}
	return fields
}

func (d dice) disturbFields(object, fields map[string]any) {
	for _, path := range sorted(fields) {
		value := at(object, path)
		switch {
		case !d.in(40):
		case value == nil:
			if own := d.ownField(path); own != nil && d.in(50) {
				put(object, path, own)
			}
		case d.in(40):
			put(object, path, nil)
		default:
			put(object, path, d.otherField(path, value))
		}
	}
}

// ownField is a value for a field that Cluster API leaves alone.
func (d dice) ownField(path string) any {
	switch {
	case strings.HasSuffix(path, "Seconds"):
		return float64(10)
	case strings.HasSuffix(path, "Timeout"):
		return "10s"
	}
	return nil
}

func (d dice) otherField(path string, value any) any {
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

func sorted[V any](entries map[string]V) []string { return slices.Sorted(maps.Keys(entries)) }
