package main

import (
	"fmt"
	"io"
)

// report prints two runs side by side.
func report(to io.Writer, without, with *result) {
	fmt.Fprintf(to, "%-22s %21s %21s %19s %19s\n", "", "versions of objects", "MachineSets created", "Machines created", "patched, denied")
	plain := map[string]stepResult{}
	for _, step := range without.Steps {
		plain[step.Name] = step
	}
	for i, step := range with.Steps {
		other := plain[step.Name]
		patched, denied := 0, 0
		if i < len(with.Reviews) {
			counted := with.Reviews[i]
			patched = counted.Controllers.Patched + counted.Others.Patched
			denied = counted.Controllers.Denied + counted.Others.Denied
		}
		fmt.Fprintf(to, "%-22s %10d %10d %10d %10d %9d %9d %9d %9d\n", step.Name, other.Versions, step.Versions,
			other.Created["MachineSet"], step.Created["MachineSet"], other.Created["Machine"], step.Created["Machine"], patched, denied)
	}
	fmt.Fprintf(to, "\n%-46s %8s %8s %8s %8s %8s %8s %8s %8s %9s %9s\n", "reviews", "all", "dry runs", "patched", "undone",
		"denied", "reads", "fresh", "failed", "median ms", "p99 ms")
	for _, run := range []*result{without, with} {
		for _, group := range []struct {
			name string
			of   func(*stepReviews) *reviews
		}{
			{"Cluster API's controllers", func(s *stepReviews) *reviews { return &s.Controllers }},
			{"everybody else", func(s *stepReviews) *reviews { return &s.Others }},
		} {
			sum := total(run.Reviews, group.of)
			fmt.Fprintf(to, "%-46s %8d %8d %8d %8d %8d %8d %8d %8d %9.2f %9.2f\n", run.Run+", "+group.name, sum.Count, sum.DryRuns,
				sum.Patched, sum.Reverted, sum.Denied, sum.Gets, sum.Fresh, sum.Failed, sum.quantile(0.5), sum.quantile(0.99))
		}
	}
	fmt.Fprintf(to, "\n%s took %.0f s, %s %.0f s\n\n", without.Run, without.Seconds, with.Run, with.Seconds)
}
