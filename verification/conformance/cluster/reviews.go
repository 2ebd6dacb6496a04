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
	Reverted                                                     []string
	Gets, Fresh, Failed                                          int
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
	// Reverted are patches that restore what the write had changed. Fresh reads go past the cache, Failed ones have no answer.
	Count, DryRuns, Patched, Reverted, Denied, Gets, Fresh, Failed int
	// Wrong tells of answers that the writer should not have got: denials, and patches of controllers.
	Wrong []string
	// Microseconds of each answer.
	Microseconds []float64
}

// programUsers are users besides whose writes nobody may undo: they know what they do to their own objects.
var programUsers = map[string]bool{
	"system:serviceaccount:capd-system:capd-manager":              true,
	"system:serviceaccount:capi-k3s-control-plane-system:default": true,
	"system:serviceaccount:capi-k3s-bootstrap-system:default":     true,
	providerUser: true,
}

// controllers are the users whose writes nobody may touch.
var controllers = map[string]bool{
	"system:serviceaccount:capi-system:capi-manager":                                             true,
	"system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager":         true,
	"system:serviceaccount:capi-kubeadm-control-plane-system:capi-kubeadm-control-plane-manager": true,
}

// readJournal reads what the webhook noted, step by step.
//
// Where controllers are like anybody else, their writes may be completed, and still not undone.
func readJournal(file string, steps []stepResult, anybody bool) ([]stepReviews, error) {
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
			switch {
			case controllers[e.User] && !anybody:
				counted.Controllers.add(&e, len(e.Patch) > 0)
			case controllers[e.User]:
				counted.Controllers.add(&e, len(e.Reverted) > 0)
			default:
				counted.Others.add(&e, programUsers[e.User] && len(e.Reverted) > 0)
			}
		}
		read = append(read, counted)
	}
	return read, lines.Err()
}

// add counts one review; wrong is whether its patch should not be.
func (r *reviews) add(e *entry, wrong bool) {
	r.Count++
	r.Gets += e.Gets
	r.Fresh += e.Fresh
	r.Failed += e.Failed
	r.Microseconds = append(r.Microseconds, e.Microseconds)
	if e.DryRun {
		r.DryRuns++
	}
	what := fmt.Sprintf("%s of %s %s by %s", e.Operation, e.Kind, e.Name, e.User[strings.LastIndex(e.User, ":")+1:])
	if len(e.Patch) > 0 {
		r.Patched++
	}
	if len(e.Reverted) > 0 {
		r.Reverted++
	}
	if wrong {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%s was changed: %s; undone: %q", what, e.Patch, e.Reverted))
	}
	if !e.Allowed && e.DryRun {
		// A dry run gets an answer, and nothing is refused.
		return
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
		sum.Reverted += one.Reverted
		sum.Denied += one.Denied
		sum.Gets += one.Gets
		sum.Fresh += one.Fresh
		sum.Failed += one.Failed
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
