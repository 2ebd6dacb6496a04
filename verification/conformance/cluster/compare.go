package main

import (
	"fmt"
	"sort"
	"strings"
)

// compare tells where a run with a policy differs from one without it, in a way that it should not. The run with it may
// leave steps out, and keeps their order.
func compare(without, with *result) []string {
	var differences []string
	differ := func(format string, args ...any) {
		differences = append(differences, fmt.Sprintf(format, args...))
	}
	plain := map[string]*stepResult{}
	for i := range without.Steps {
		plain[without.Steps[i].Name] = &without.Steps[i]
	}
	for _, run := range []*result{without, with} {
		for _, step := range run.Steps {
			for _, f := range step.Facts {
				if f.Wanted != f.Found {
					differ("%s: %s: %s: is %q and should be %q", run.Run, step.Name, f.Name, f.Found, f.Wanted)
				}
			}
			if step.Plan != nil {
				for _, wrong := range step.Plan.Differences {
					differ("%s: %s: %s", run.Run, step.Name, wrong)
				}
			}
			if step.Completed != nil {
				for _, wrong := range step.Completed.wrong() {
					differ("%s: %s: %s", run.Run, step.Name, wrong)
				}
			}
		}
		for _, counted := range run.Reviews {
			for _, group := range []reviews{counted.Controllers, counted.Others} {
				for _, wrong := range group.Wrong {
					differ("%s: %s: %s", run.Run, counted.Step, wrong)
				}
			}
		}
	}
	if with.Stuck != "" {
		differ("%s", with.Stuck)
	}
	if with.Unfelt {
		differ("%s: nothing was wrong with the policy's host", with.Run)
	}
	for i, step := range with.Steps {
		other := plain[step.Name]
		if other == nil {
			differ("%s: %s: was not run without the policy", with.Run, step.Name)
			continue
		}
		for _, kind := range []string{"MachineSet", "Machine"} {
			if step.Created[kind] != other.Created[kind] {
				differ("%s: %s: %d %ss were created, without the policy %d", with.Run, step.Name, step.Created[kind], kind, other.Created[kind])
			}
		}
		// After a step that only one of them ran the states are others anyway.
		if i < len(without.Steps) && without.Steps[i].Name == step.Name {
			for _, difference := range compareStates(other.State, step.State) {
				if !strings.HasPrefix(with.Run, "provider-") || !ownedByProvider(difference) {
					differ("%s: %s: %s", with.Run, step.Name, difference)
				}
			}
		}
	}
	return differences
}

// ownedByProvider is whether a line is about a key that the provider owns without the policy and nobody owns with it: what
// the policy adds below a third-party control plane has no owner, and its record removes it.
func ownedByProvider(line string) bool {
	return strings.Contains(line, ": managers of metadata/") && strings.HasSuffix(line, withIt+absent)
}

func compareStates(without, with snapshot) []string {
	var differences []string
	for _, name := range union(without, with) {
		before, after := without[name], with[name]
		if len(before) != len(after) {
			differences = append(differences, fmt.Sprintf("%s: %d objects, without the policy %d", name, len(after), len(before)))
			continue
		}
		for i := range before {
			for _, line := range compareObjects(before[i], after[i]) {
				differences = append(differences, fmt.Sprintf("%s: %s", name, line))
			}
		}
	}
	return differences
}

func union(a, b snapshot) []string {
	names := map[string]bool{}
	for _, s := range []snapshot{a, b} {
		for name := range s {
			names[name] = true
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return sorted
}

// enough is how many differences of one step are printed.
const enough = 12

// brief are the first differences of each step, and how many more there are.
func brief(differences []string) []string {
	var said, order []string
	more := map[string]int{}
	for _, difference := range differences {
		words := strings.SplitN(difference, ": ", 3)
		step := strings.Join(words[:min(2, len(words))], ": ")
		if more[step]++; more[step] == 1 {
			order = append(order, step)
		}
		if more[step] <= enough {
			said = append(said, difference)
		}
	}
	for _, step := range order {
		if more[step] > enough {
			said = append(said, fmt.Sprintf("%s: and %d more like these", step, more[step]-enough))
		}
	}
	return said
}
