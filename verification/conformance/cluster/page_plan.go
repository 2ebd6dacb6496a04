package main

import (
	"fmt"
	"strings"
)

// planTable has a row for each step about which `propagate plan` was asked.
func planTable(played *result) string {
	about := map[string]string{}
	for _, p := range predictions {
		about[p.name] = p.about
	}
	var rows [][]string
	for _, step := range played.Steps {
		if step.Plan != nil {
			// There are no composites.
			verdict := strings.Replace(step.Plan.Verdict, ", 0 cloud tags change", "", 1)
			rows = append(rows, []string{step.Name, about[step.Name], verdict, step.Plan.Happened, step.Plan.cell()})
		}
	}
	return table([]string{"step", "what the users write", "`propagate plan`", "Cluster API", "as predicted"}, rows)
}

// cell is whether a step went as it was predicted, and why not where it did not.
func (p *planned) cell() string {
	var said []string
	for _, line := range p.Differences {
		said = append(said, "no: "+shortened(line))
	}
	for _, reason := range p.CannotTell {
		said = append(said, "cannot tell "+shortened(reason))
	}
	if len(said) == 0 {
		said = append(said, "yes")
	}
	for _, d := range p.Deviations {
		said = append(said, "except that "+d.Reason)
	}
	return strings.Join(said, ", ")
}

// completedTable has a row for each run in which `propagate backfill` completed stored objects.
func completedTable(runs ...*result) string {
	var rows [][]string
	for _, played := range runs {
		for _, step := range played.Steps {
			if c := step.Completed; c != nil {
				left, released := "nothing", "–"
				if c.Released > 0 {
					released = fmt.Sprint(c.Released)
				}
				if len(c.Left) > 0 {
					left = fmt.Sprintf("%d, the first is %s", len(c.Left), shortened(c.Left[0]))
				}
				rows = append(rows, []string{code(c.Means), fmt.Sprint(c.Lacking), fmt.Sprint(c.Patched), left, released})
			}
		}
	}
	return table([]string{"command", "objects with drift", "objects that it writes", "`propagate check` finds afterwards", "`--release` gives up"}, rows)
}
