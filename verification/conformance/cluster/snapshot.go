package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// snapshot is a fleet at one moment, without what no two runs have in common: by kind and name the objects of that
// name, several where only the random part of their names differs.
type snapshot map[string][]string

// random are the parts of names that Kubernetes and Cluster API draw: five of these letters, and before the last of a
// template's hash a number.
var (
	random = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
	hashed = regexp.MustCompile(`\b[0-9]{6,10}-~`)
	moment = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z`)
)

// policyRecord is the annotation in which the policy remembers what it added where nobody else does.
const policyRecord = "metadata-propagation.plexsphere.com/managed"

// accidental are fields that differ between any two runs, and the policy's own.
var accidental = [][]string{
	{"metadata", "annotations", policyRecord},
	{"metadata", "annotations", "machine.cluster.x-k8s.io/certificates-expiry"},
	{"spec", "joinConfiguration", "discovery"},
	{"spec", "controlPlaneEndpoint"},
	// The bootstrap provider sets it, and in v1.11 sometimes owns it afterwards: no rule of the policy knows the field.
	{"spec", "clusterConfiguration", "controlPlaneEndpoint"},
}

// snapshot is the fleet as it is now, with the owners of its fields.
func (r *run) snapshot() (snapshot, error) {
	taken := snapshot{}
	for _, o := range r.record.all() {
		o = o.DeepCopy()
		for _, path := range accidental {
			unstructured.RemoveNestedField(o.Object, path...)
		}
		if len(o.GetAnnotations()) == 0 {
			o.SetAnnotations(nil)
		}
		owned, err := ownersOf(o)
		if err != nil {
			return nil, err
		}
		fields := map[string]any{
			"labels": o.GetLabels(), "annotations": o.GetAnnotations(), "spec": o.Object["spec"],
			"finalizers": sorted(o.GetFinalizers()), "owners": sorted(owners(o)),
			"managers": owned,
		}
		text, err := json.MarshalIndent(fields, "", "  ")
		if err != nil {
			return nil, err
		}
		name := o.GetKind() + " " + alike(o.GetName())
		taken[name] = append(taken[name], alike(string(text)))
	}
	for _, texts := range taken {
		sort.Strings(texts)
	}
	return taken, nil
}

// alike replaces what is random in names, and times.
func alike(text string) string {
	return moment.ReplaceAllString(hashed.ReplaceAllString(random.ReplaceAllString(text, "-~"), "0-~"), "~")
}

// sorted are names whose order means nothing.
func sorted(names []string) []string {
	copied := slices.Clone(names)
	slices.Sort(copied)
	return copied
}

func owners(o *object) []string {
	var names []string
	for _, owner := range o.GetOwnerReferences() {
		names = append(names, owner.Kind+" "+owner.Name)
	}
	return names
}
