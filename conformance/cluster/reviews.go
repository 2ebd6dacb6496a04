package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
)

// entry is a line of the webhook's journal.
type entry struct {
	Operation, Kind, Version, SubResource, Namespace, Name, User string
	DryRun, Allowed                                              bool
	Message                                                      *string
	Patch                                                        []json.RawMessage
	Gets                                                         int
	Microseconds                                                 float64
}

// stepReviews are the reviews of one step.
type stepReviews struct {
	Step string
	// Controllers are the writes of Cluster API's controllers, Others everybody else's.
	Controllers, Others reviews
}

// reviews are counted.
type reviews struct {
	Count, DryRuns, Patched, Denied, Gets int
	// Wrong tells of answers that the writer should not have got: patches and denials of controllers.
	Wrong []string
	// Microseconds of each answer.
	Microseconds []float64
}

// controllers are the users whose writes nobody may touch.
var controllers = map[string]bool{
	"system:serviceaccount:capi-system:capi-manager":                                             true,
	"system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager":         true,
	"system:serviceaccount:capi-kubeadm-control-plane-system:capi-kubeadm-control-plane-manager": true,
}

// readJournal reads what the webhook noted, step by step.
func readJournal(file string, steps []stepResult) ([]stepReviews, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var read []stepReviews
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 16<<20)
	number := 0
	for _, step := range steps {
		counted := stepReviews{Step: step.Name}
		for ; number < step.End && lines.Scan(); number++ {
			var e entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", file, number+1, err)
			}
			if controllers[e.User] {
				counted.Controllers.add(&e, true)
			} else {
				counted.Others.add(&e, false)
			}
		}
		read = append(read, counted)
	}
	return read, lines.Err()
}

func (r *reviews) add(e *entry, controller bool) {
	r.Count++
	r.Gets += e.Gets
	r.Microseconds = append(r.Microseconds, e.Microseconds)
	if e.DryRun {
		r.DryRuns++
	}
	what := fmt.Sprintf("%s of %s %s by %s", e.Operation, e.Kind, e.Name, e.User[strings.LastIndex(e.User, ":")+1:])
	if len(e.Patch) > 0 {
		r.Patched++
		if controller {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s was changed: %s", what, e.Patch))
		}
	}
	if !e.Allowed {
		r.Denied++
		message := ""
		if e.Message != nil {
			message = *e.Message
		}
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s was refused: %s", what, message))
	}
}

// total is the sum over several steps.
func total(counted []stepReviews, of func(*stepReviews) *reviews) reviews {
	var sum reviews
	for i := range counted {
		one := of(&counted[i])
		sum.Count += one.Count
		sum.DryRuns += one.DryRuns
		sum.Patched += one.Patched
		sum.Denied += one.Denied
		sum.Gets += one.Gets
		sum.Wrong = append(sum.Wrong, one.Wrong...)
		sum.Microseconds = append(sum.Microseconds, one.Microseconds...)
	}
	return sum
}

// quantile is the smallest time that a share of the answers did not exceed, in milliseconds.
func (r *reviews) quantile(share float64) float64 {
	if len(r.Microseconds) == 0 {
		return 0
	}
	sorted := append([]float64(nil), r.Microseconds...)
	sort.Float64s(sorted)
	return sorted[int(share*float64(len(sorted)-1))] / 1000
}

func countLines(file string) (int, error) {
	content, err := os.ReadFile(file)
	return bytes.Count(content, []byte("\n")), err
}
