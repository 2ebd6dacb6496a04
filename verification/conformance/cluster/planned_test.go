package main

import (
	"encoding/json"
	"slices"
	"testing"
)

// made is an object of a fleet in a test.
func made(t *testing.T, kind, name, labels string, owners ...string) *object {
	t.Helper()
	o := &object{Object: map[string]any{"kind": kind, "metadata": map[string]any{"name": name}}}
	var read map[string]string
	if err := json.Unmarshal([]byte(labels), &read); err != nil {
		t.Fatal(err)
	}
	o.SetLabels(read)
	if len(owners) == 2 {
		o.Object["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"kind": owners[0], "name": owners[1]}}
	}
	return o
}

// predicted is what `plan` prints.
func predicted(t *testing.T, text string) *plan {
	t.Helper()
	said := &plan{}
	if err := json.Unmarshal([]byte(text), said); err != nil {
		t.Fatal(err)
	}
	return said
}

const (
	replacesA = `{"objects":[{"object":{"kind":"Cluster","name":"c1"},"happens":"changed","edits":[{"at":"spec.topology.version",
		"effect":"rollout","machines":{"count":1,"named":[{"kind":"Machine","name":"a"}]}}]}],
		"further":[{"object":{"kind":"Machine","name":"a"},"at":"metadata.labels","key":"zone","from":null,"to":"x"}],
		"verdict":{"replaces":1,"text":"replaces 1 Machine"}}`
	cannotTell = `{"objects":[{"object":{"kind":"ClusterClass","name":"class"},"happens":"changed","edits":[{"at":"spec.variables",
		"effect":"cannot tell","reason":"patches are not evaluated"}]}],"verdict":{"text":"cannot tell for 1 edit"}}`
)

func TestPlanIsComparedWithWhatHappened(t *testing.T) {
	md := `{"topology.cluster.x-k8s.io/deployment-name":"md0"}`
	zone := `{"topology.cluster.x-k8s.io/deployment-name":"md0","zone":"x"}`
	team := `{"topology.cluster.x-k8s.io/deployment-name":"md0","zone":"x","team":"blue"}`
	a := made(t, "Machine", "a", md)
	for name, test := range map[string]struct {
		said         string
		before, then []*object
		happened     string
		differences  []string
	}{
		"what was predicted happened": {
			said: replacesA, before: []*object{a}, then: []*object{made(t, "Machine", "b", zone)},
			happened: "replaces 1 Machine, deletes 0, relabels 0 objects",
		},
		"a predicted rollout did not happen": {
			said: replacesA, before: []*object{a}, then: []*object{made(t, "Machine", "a", zone)},
			happened: "replaces 0 Machines, deletes 0, relabels 1 object",
			differences: []string{
				"Machine a is still there, and was predicted to be deleted",
				"replaced Machines: 0, predicted: 1",
			},
		},
		"a predicted label is missing on the Machine that took the place of another": {
			said: replacesA, before: []*object{a}, then: []*object{made(t, "Machine", "b", md)},
			happened:    "replaces 1 Machine, deletes 0, relabels 0 objects",
			differences: []string{`Machine b: metadata.labels zone is absent, predicted: "x"`},
		},
		"another label came": {
			said: replacesA, before: []*object{a}, then: []*object{made(t, "Machine", "b", team)},
			happened:    "replaces 1 Machine, deletes 0, relabels 0 objects",
			differences: []string{`Machine b: metadata.labels team is "blue", and was absent before it was replaced, which was not predicted`},
		},
		"nothing was predicted": {
			said:   `{"verdict":{"text":"nothing"}}`,
			before: []*object{a, made(t, "Machine", "o", `{}`, "MachineSet", "other")},
			then:   []*object{made(t, "Machine", "a", zone), made(t, "Machine", "n", `{}`, "MachineSet", "new")},
			// The two have other owners: one Machine is deleted, and another created.
			happened: "replaces 0 Machines, deletes 1, creates 1, relabels 1 object",
			differences: []string{
				"deleted Machines: 1, predicted: 0",
				"created Machines: 1, predicted: 0",
				`Machine a: metadata.labels zone is "x" and was absent, which was not predicted`,
			},
		},
		"of an edit whose effect is not known, more may happen": {
			said: cannotTell, before: []*object{a}, then: []*object{made(t, "Machine", "b", zone)},
			happened: "replaces 1 Machine, deletes 0, relabels 0 objects",
		},
		"what the controllers keep is not compared": {
			said:   `{"verdict":{"text":"nothing"}}`,
			before: []*object{made(t, "MachineSet", "s", `{}`)},
			then:   []*object{made(t, "MachineSet", "s", `{"machinedeployment.clusters.x-k8s.io/revision":"2"}`)},

			happened: "replaces 0 Machines, deletes 0, relabels 0 objects",
		},
	} {
		found := comparePlan("none", predicted(t, test.said), test.before, test.then)
		if found.Happened != test.happened || !slices.Equal(found.Differences, test.differences) {
			t.Errorf("%s: %q %q", name, found.Happened, found.Differences)
		}
	}
}

func TestADeviationIsTakenAwayAndHasToBeMet(t *testing.T) {
	line := deviations[0].Line
	for name, test := range map[string]struct {
		found, differences []string
		met                int
	}{
		"met":            {found: []string{line, "another"}, differences: []string{"another"}, met: 1},
		"not met":        {differences: []string{"a documented deviation was not met: " + line}},
		"in two objects": {found: []string{"a: " + line, "b: " + line}, met: 1},
	} {
		differences, met := documented(deviations[0].Step, test.found)
		if !slices.Equal(differences, test.differences) || len(met) != test.met {
			t.Errorf("%s: %q %v", name, differences, met)
		}
	}
}

func TestMapsOfLabelsAreNamedAsPlanNamesThem(t *testing.T) {
	o := &object{}
	err := json.Unmarshal([]byte(`{"metadata":{"labels":{"a":"b"},"managedFields":[{"metadata":{"labels":{}}}]},"spec":{
		"template":{"metadata":{"annotations":{"c":"d"}}},
		"workers":[{"class":"x","name":"md0","metadata":{"labels":{"e":"f"}}},{"class":"x","metadata":{"labels":{}}}]}}`), &o.Object)
	if err != nil {
		t.Fatal(err)
	}
	expected := []string{
		"metadata.labels", "spec.template.metadata.annotations", "spec.workers[md0].metadata.labels", "spec.workers[x].metadata.labels",
	}
	if found := keysOf(labelMaps(o), nil); !slices.Equal(found, expected) {
		t.Errorf("%q", found)
	}
}
