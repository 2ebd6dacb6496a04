package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// entry is a line of the webhook's journal.
type entry struct {
	Operation, Kind, Name, User string
	DryRun, Allowed             bool
	Message                     *string
	Patch                       []struct{ Op, Path string }
}

// reviews are those of one step, counted.
type reviews struct {
	// Crossplane are its own writes.
	Count, Patched, Refused, Crossplane, CrossplanePatched int
	// Wrong tells of answers that the writer should not have got.
	Wrong []string
}

// reviews is how many there were so far.
func (f *fleet) reviews() (int, error) {
	content, err := os.ReadFile(f.Journal())
	return bytes.Count(content, []byte("\n")), err
}

// readReviews counts the reviews after the first ones.
func readReviews(file string, before int) (reviews, error) {
	var counted reviews
	content, err := os.ReadFile(file)
	if err != nil {
		return counted, err
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 16<<20)
	for number := 0; lines.Scan(); number++ {
		if number < before {
			continue
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return counted, fmt.Errorf("%s: line %d: %w", file, number+1, err)
		}
		counted.add(&e)
	}
	return counted, lines.Err()
}

// add counts one review. Nobody is refused here, and of what Crossplane writes nothing but tags may change.
func (r *reviews) add(e *entry) {
	crossplane := e.User == crossplaneUser
	what := fmt.Sprintf("%s of %s %s by %s", e.Operation, e.Kind, alike(e.Name), e.User[strings.LastIndex(e.User, ":")+1:])
	r.Count++
	if crossplane {
		r.Crossplane++
	}
	if !e.Allowed {
		r.Refused++
		message := ""
		if e.Message != nil {
			message = *e.Message
		}
		r.Wrong = append(r.Wrong, what+" was refused: "+message)
	}
	if len(e.Patch) == 0 {
		return
	}
	r.Patched++
	if !crossplane {
		return
	}
	r.CrossplanePatched++
	for _, operation := range e.Patch {
		if operation.Path != "/spec/cloudTags" && !strings.HasPrefix(operation.Path, "/spec/cloudTags/") {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s was changed: %s %s", what, operation.Op, operation.Path))
		}
	}
}
