package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// labelChange is a label or annotation that came, changed or went.
type labelChange struct {
	// object is kind and name, at the path of the map.
	object, at, key string
	// from and to are nil where there is no such entry.
	from, to *string
}

// changesOf are the labels and annotations that differ in objects that were there before and still are; what `plan` does
// not predict by design is left out.
func changesOf(before, then []*object) []labelChange {
	var changes []labelChange
	was := index(before)
	for _, o := range then {
		old := was[key(o.GetKind(), o.GetName())]
		if old == nil {
			continue
		}
		from, to := labelMaps(old), labelMaps(o)
		for _, at := range keysOf(from, to) {
			for _, name := range keysOf(from[at], to[at]) {
				had, has := labelAt(from, at, name), labelAt(to, at, name)
				if !sameText(had, has) && !isBookkeeping(name) {
					changes = append(changes, labelChange{key(o.GetKind(), o.GetName()), at, name, had, has})
				}
			}
		}
	}
	return changes
}

// compareEntries tells which labels and annotations did not become what was predicted, and which changed without being
// predicted. What was predicted of an object that was replaced is compared with those that took its place.
func compareEntries(said *plan, before, then []*object) []string {
	var differences []string
	was, is := index(before), index(then)
	type place struct{ object, at, key string }
	predicted := map[place]planEntry{}
	entries := slices.Clone(said.Further)
	for _, o := range said.Objects {
		if o.Happens == "changed" {
			entries = append(entries, o.Entries...)
		}
	}
	for _, e := range entries {
		object := key(e.Object.Kind, e.Object.Name)
		predicted[place{object, e.At, e.Key}] = e
		for _, o := range standFor(e, was, is) {
			if found := labelAt(labelMaps(o), e.At, e.Key); !sameText(found, e.To) {
				differences = append(differences, fmt.Sprintf("%s %s: %s %s is %s, predicted: %s", o.GetKind(), o.GetName(), e.At, e.Key,
					quoted(found), quoted(e.To)))
			}
		}
	}
	for _, c := range changesOf(before, then) {
		if _, known := predicted[place{c.object, c.at, c.key}]; !known {
			differences = append(differences, fmt.Sprintf("%s: %s %s is %s and was %s, which was not predicted",
				strings.Replace(c.object, "/", " ", 1), c.at, c.key, quoted(c.to), quoted(c.from)))
		}
	}
	for _, o := range then {
		// What is new because of an edit whose effect is not known, or because a user made it, is not predicted.
		if was[key(o.GetKind(), o.GetName())] != nil || !said.isTold() || said.creates(o) {
			continue
		}
		old := predecessor(o, was, is)
		if old == nil {
			continue
		}
		from, to := labelMaps(old), labelMaps(o)
		for _, at := range keysOf(from, to) {
			for _, name := range keysOf(from[at], to[at]) {
				_, known := predicted[place{key(old.GetKind(), old.GetName()), at, name}]
				had, has := labelAt(from, at, name), labelAt(to, at, name)
				if !known && !sameText(had, has) && !isBookkeeping(name) && !isIdentity(name) {
					differences = append(differences, fmt.Sprintf("%s %s: %s %s is %s, and was %s before it was replaced, which was not predicted",
						o.GetKind(), o.GetName(), at, name, quoted(has), quoted(had)))
				}
			}
		}
	}
	return differences
}

// standFor are the objects that show whether an entry became what was predicted: the object itself, those that took its
// place, or those that controllers made where the name was not known.
func standFor(e planEntry, was, is map[string]*object) []*object {
	if o := is[key(e.Object.Kind, e.Object.Name)]; o != nil {
		return []*object{o}
	}
	var found []*object
	beginning, isOpen := strings.CutSuffix(e.Object.Name, "*")
	old := was[key(e.Object.Kind, e.Object.Name)]
	for name, o := range is {
		if o.GetKind() != e.Object.Kind || was[name] != nil {
			continue
		}
		if isOpen && strings.HasPrefix(o.GetName(), beginning) || old != nil && group(o, is) == group(old, was) {
			found = append(found, o)
		}
	}
	return found
}

// predecessor is an object of the same kind that was made for the same, nil where there was none.
func predecessor(o *object, was, is map[string]*object) *object {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		old := was[name]
		if old.GetKind() == o.GetKind() && group(old, was) == group(o, is) && madeFrom(o) == madeFrom(old) {
			return old
		}
	}
	return nil
}

// madeFrom distinguishes the parts of several owners: rotated templates belong to the Cluster and to one of its entries.
func madeFrom(o *object) string {
	var kinds []string
	for _, owner := range o.GetOwnerReferences() {
		kinds = append(kinds, owner.Kind)
	}
	return strings.Join(sorted(kinds), ", ")
}

// bookkeeping are annotations and labels of controllers that no rule of propagation knows.
var bookkeeping = []string{
	"cluster.x-k8s.io/annotations-from-machine",
	"cluster.x-k8s.io/labels-from-machine",
	"machine.cluster.x-k8s.io/certificates-expiry",
	"machinedeployment.clusters.x-k8s.io/desired-replicas",
	"machinedeployment.clusters.x-k8s.io/max-replicas",
	"machinedeployment.clusters.x-k8s.io/revision",
	"machinedeployment.clusters.x-k8s.io/revision-history",
	"topology.internal.cluster.x-k8s.io/upgrade-step",
	policyRecord,
}

// identity are those that differ between an object and the one that takes its place.
var identity = []string{
	"cluster.x-k8s.io/cloned-from-name", "cluster.x-k8s.io/deployment-name", "cluster.x-k8s.io/machine",
	"cluster.x-k8s.io/owner-name", "cluster.x-k8s.io/set-name", "kubernetes.io/hostname", "machine-template-hash",
}

func isBookkeeping(name string) bool { return slices.Contains(bookkeeping, name) }
func isIdentity(name string) bool    { return slices.Contains(identity, name) }

// labelMaps are all maps of labels and annotations of an object, its templates included, by path.
func labelMaps(o *object) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, part := range []string{"metadata", "spec"} {
		collectMaps(o.Object[part], part, found)
	}
	return found
}

func collectMaps(value any, at string, found map[string]map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			entries, isMap := below.(map[string]any)
			if isMap && (name == "labels" || name == "annotations") && (at == "metadata" || strings.HasSuffix(at, ".metadata")) {
				found[at+"."+name] = entries
			} else if name != "managedFields" {
				collectMaps(below, at+"."+name, found)
			}
		}
	case []any:
		for i, below := range value {
			name := fmt.Sprint(i)
			if fields, is := below.(map[string]any); is {
				for _, field := range []string{"class", "name"} {
					if text, is := fields[field].(string); is && text != "" {
						name = text
					}
				}
			}
			collectMaps(below, at+"["+name+"]", found)
		}
	}
}

// labelAt is one entry of one of the maps; nil where there is none.
func labelAt(found map[string]map[string]any, at, name string) *string {
	text, is := found[at][name].(string)
	if !is {
		return nil
	}
	return &text
}

// keysOf are the keys of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func quoted(text *string) string {
	if text == nil {
		return "absent"
	}
	return fmt.Sprintf("%q", *text)
}
