package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// result is what happened in one run. It is written to a file, so that runs can be compared later.
type result struct {
	// Run is its name, Policy what answered.
	Run     string
	Policy  string
	Seconds float64
	Steps   []stepResult
	Reviews []stepReviews
	// Stuck is why the scenario ended early, empty where it did not.
	Stuck string
	// Unfelt is whether the scenario's trouble did not reach the policy.
	Unfelt bool
}

// stepResult is what happened in one step.
type stepResult struct {
	Name    string
	Seconds float64
	// Versions is how many versions of objects there were, and Busiest how many of the busiest object.
	Versions int
	Busiest  string
	// Created are the MachineSets and Machines that came into being.
	Created map[string]int
	Facts   []fact
	// Plan is what `propagate plan` predicted of the step, and what happened; nil where it was not asked.
	Plan *planned `json:",omitempty"`
	// Completed is what `propagate backfill` did; nil where it was not asked.
	Completed *completed `json:",omitempty"`
	State     snapshot
	// End is how many lines the journal of reviews had then.
	End int
}

// fact is something seen, and what has to be seen.
type fact struct{ Name, Wanted, Found string }

// expect notes what was found and what must be found, without the policy and with it. While something is wrong with the
// policy's host either will do.
func (r *run) expect(name, without, with string, found any) {
	wanted := without
	if r.withPolicy() {
		wanted = with
	}
	if r.troubled && fmt.Sprint(found) == without {
		wanted = without
	}
	current := &r.result.Steps[len(r.result.Steps)-1]
	current.Facts = append(current.Facts, fact{name, wanted, fmt.Sprint(found)})
}

func (s *stepResult) finish(changes []change, state snapshot, reviews int, took time.Duration) {
	s.Seconds, s.State, s.End = took.Seconds(), state, reviews
	s.Versions = len(changes)
	s.Created = map[string]int{"MachineSet": 0, "Machine": 0}
	byObject, most := map[string]int{}, 0
	for _, c := range changes {
		name := c.Kind + " " + c.Name
		byObject[name]++
		if byObject[name] > most {
			most, s.Busiest = byObject[name], fmt.Sprintf("%s: %d", name, byObject[name])
		}
		if _, counted := s.Created[c.Kind]; counted && c.What == watch.Added {
			s.Created[c.Kind]++
		}
	}
}

func (r *result) write(file string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func readResult(file string) (*result, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	read := &result{}
	if err := json.Unmarshal(text, read); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return read, nil
}
