package main

import (
	"context"

	"conformance/harness"
)

// writeResult writes how much was compared, and how much of it differs, for each scenario.
func (s *stage) writeResult(ctx context.Context, comparisons []*comparison) error {
	kubernetes, err := harness.ModuleField(ctx, "", "k8s.io/kubernetes", "{{.Version}}")
	if err != nil {
		return err
	}
	parts := map[string]harness.Part{}
	for _, c := range comparisons {
		parts[c.scenario.name] = harness.Part{Comparisons: comparisonsOf(c.without.played, c.with.played), Differences: c.differences}
	}
	return harness.CheckResult{
		Versions: map[string]string{"kube-apiserver": kubernetes, "Cluster API": s.releases.managers}, Parts: parts,
	}.Write(s.result)
}

// comparisonsOf counts the objects that are compared at the ends of steps, and the facts of both runs.
func comparisonsOf(without, with *result) int {
	count := 0
	for i, step := range with.Steps {
		count += len(step.Facts)
		if i >= len(without.Steps) || without.Steps[i].Name != step.Name {
			continue
		}
		other := without.Steps[i]
		count += len(other.Facts)
		for _, name := range union(other.State, step.State) {
			count += max(len(other.State[name]), len(step.State[name]))
		}
	}
	return count
}
