package main

import (
	"slices"
	"testing"
)

func TestADifferenceHasItsPathAndBothValues(t *testing.T) {
	without := `{"labels": {"a": "1", "example.com/b": "2"}, "spec": {"taints": [{"key": "x"}]}, "managers": {"managers of metadata/labels/a": "m (Apply)"}}`
	with := `{"labels": {"a": "3"}, "spec": {"taints": [{"key": "y"}], "paused": true}, "managers": {}}`
	found := compareObjects(without, with)
	wanted := []string{
		`labels.a: without the policy "1", with it "3"`,
		`labels[example.com/b]: without the policy "2", with it nothing`,
		`managers: without the policy nothing, with it {}`,
		`managers of metadata/labels/a: without the policy "m (Apply)", with it nothing`,
		`spec.paused: without the policy nothing, with it true`,
		`spec.taints[0].key: without the policy "x", with it "y"`,
	}
	if !slices.Equal(found, wanted) {
		t.Errorf("found %q", found)
	}
	if !ownedByProvider("Machine a: "+found[3]) || ownedByProvider("Machine a: "+found[0]) {
		t.Error("only the key that nobody owns with the policy is the provider's")
	}
	if same := compareObjects(without, without); same != nil {
		t.Errorf("an object differs from itself: %q", same)
	}
}
