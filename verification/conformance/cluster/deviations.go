package main

import "strings"

// deviation is a difference between what `plan` predicts and what Cluster API does that is meant to be there.
type deviation struct {
	// Step is the one in which it is met, and Line what is in the line about it.
	Step, Line string
	// Reason is why it is meant to be there.
	Reason string
}

// deviations are all of them. One that is not met is a difference too.
var deviations = []deviation{
	{"plan-create", "created Machines: 4, predicted: 5", noPools},
	{"plan-upgrade", "replaced Machines: 3, predicted: 4", noPools},
	{"plan-delete-cluster", "deleted Machines: 7, predicted: 8", noPools},
}

// noPools is about the one replica of the MachinePool.
const noPools = "the MachinePool has no backend here, so that its replica never becomes a Machine"

// documented takes those of the differences away that are documented, and adds deviations that were not met.
func documented(step string, found []string) ([]string, []deviation) {
	var differences []string
	var met []deviation
	known := map[int]bool{}
	for _, line := range found {
		isKnown := false
		for i, d := range deviations {
			if d.Step == step && strings.Contains(line, d.Line) {
				isKnown = true
				if !known[i] {
					met = append(met, d)
				}
				known[i] = true
			}
		}
		if !isKnown {
			differences = append(differences, line)
		}
	}
	for i, d := range deviations {
		if d.Step == step && !known[i] {
			differences = append(differences, "a documented deviation was not met: "+d.Line)
		}
	}
	return differences, met
}
