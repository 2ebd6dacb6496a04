package main

import (
	"context"
	"path/filepath"

	"conformance/harness"
)

// checks are the scenarios that are run, by the checks of verification/testkit/src/results.rs whose parts they are.
func (s *stage) checks(comparisons []*comparison) map[string][]*comparison {
	found := map[string][]*comparison{}
	for _, c := range comparisons {
		name := s.programs.clusterAPI.check(c.scenario)
		found[name] = append(found[name], c)
	}
	return found
}

// writeResults writes a file for each check: how much was compared, and how much of it differs, for each scenario.
func (s *stage) writeResults(ctx context.Context, comparisons []*comparison) error {
	if s.results == "" || len(s.steps) > 0 {
		// Some steps of a scenario are no part of a check.
		return nil
	}
	kubernetes, err := harness.ModuleField(ctx, "", "k8s.io/kubernetes", "{{.Version}}")
	if err != nil {
		return err
	}
	for name, of := range s.checks(comparisons) {
		all := 0
		for i := range scenarios {
			if scenarios[i].older == s.programs.clusterAPI.older && s.programs.clusterAPI.check(&scenarios[i]) == name {
				all++
			}
		}
		parts := map[string]harness.Part{}
		for _, c := range of {
			parts[c.scenario.name] = harness.Part{Comparisons: comparisonsOf(c.without.played, c.with.played), Differences: c.differences}
		}
		result := harness.CheckResult{
			Versions: map[string]string{"kube-apiserver": kubernetes, "Cluster API": s.releases.managers}, Parts: parts, Partial: len(of) < all,
		}
		if err := result.Write(filepath.Join(s.results, name+".json")); err != nil {
			return err
		}
	}
	return nil
}

// check is the check whose part a scenario is.
func (c *clusterAPI) check(l *scenario) string {
	switch {
	case c.older:
		return "conformance-cluster-" + c.name
	case l.plans:
		return "conformance-plan"
	default:
		return "conformance-cluster"
	}
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
