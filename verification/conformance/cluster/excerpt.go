package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"conformance/harness"
)

// excerpted are the steps whose reviews become test data, one file each.
var excerpted = []string{
	"edit-derived", "own-keys", "pause", "deleting-machine", "standalone", "other-control-plane", "v1beta1-client", "move", "delete",
}

// secrets are values that are not kept, and their placeholders.
var secrets = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`"token":"[a-z0-9]{6}\.[a-z0-9]{16}"`), `"token":"abcdef.0123456789abcdef"`},
	{regexp.MustCompile(`"sha256:[0-9a-f]{64}"`), `"sha256:0000000000000000000000000000000000000000000000000000000000000000"`},
	{regexp.MustCompile(`"JTI=[-0-9a-f]{36}"`), `"JTI=00000000-0000-0000-0000-000000000000"`},
}

// recorded is an AdmissionReview, as far as an excerpt looks into it.
type recorded struct {
	Request struct {
		Operation string
		Kind      struct{ Kind string }
		Name      string
		UserInfo  struct{ Username string }
		DryRun    bool
		Options   struct{ FieldManager string }
		Object    map[string]any
		OldObject map[string]any
	}
}

// excerpt writes a compact set of a run's reviews, which replays in order: first the last write of every object that
// was there, then the steps. Of writes that change nothing and of dry runs one of each sort is enough; a write that was
// in conflict with another never was.
func excerpt(directory string, played *result, to string) error {
	content, err := os.Open(filepath.Join(directory, "reviews.jsonl"))
	if err != nil {
		return err
	}
	defer content.Close()
	lines := bufio.NewReader(content)
	standing, names := map[string][]byte{}, []string{}
	seen := map[string]bool{}
	number, files := 0, 1
	for _, step := range played.Steps {
		chosen := slices.Contains(excerpted, step.Name)
		if chosen && files == 1 {
			var fleet [][]byte
			for _, name := range names {
				if line := standing[name]; line != nil {
					fleet = append(fleet, line)
				}
			}
			if err := writeExcerpt(filepath.Join(to, "11-fleet.jsonl.gz"), fleet); err != nil {
				return err
			}
		}
		var kept [][]byte
		// written is the index in kept of the last write of each object, by the version that it replaced.
		written := map[string]int{}
		for ; number < step.End; number++ {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return err
			}
			var review recorded
			if err := json.Unmarshal(line, &review); err != nil {
				return fmt.Errorf("review %d: %w", number+1, err)
			}
			request := &review.Request
			name := key(request.Kind.Kind, nameOf(&review))
			if !request.DryRun {
				if standing[name] == nil {
					names = append(names, name)
				}
				standing[name] = line
				if request.Operation == "DELETE" || ended(request.Object) {
					standing[name] = nil
				}
			}
			idle := request.DryRun || sameButManagedFields(request.Object, request.OldObject)
			sort := fmt.Sprint(request.Kind.Kind, request.Operation, request.UserInfo.Username, request.Options.FieldManager, request.DryRun, idle)
			if !chosen || idle && seen[sort] {
				continue
			}
			seen[sort] = true
			if replaced := harness.Text(&object{Object: request.OldObject}, "metadata", "resourceVersion"); replaced != "" && !idle {
				// A write that replaces the version which another one replaced shows that the other was in conflict.
				if other, again := written[name+" "+replaced]; again {
					kept[other] = nil
				}
				written[name+" "+replaced] = len(kept)
			}
			kept = append(kept, line)
		}
		if chosen {
			files++
			if err := writeExcerpt(filepath.Join(to, fmt.Sprintf("%d-%s.jsonl.gz", 10+files, step.Name)), kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameOf is an object's name; at the mutating point a created object has it only in itself.
func nameOf(review *recorded) string {
	metadata, _ := review.Request.Object["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); name != "" {
		return name
	}
	return review.Request.Name
}

// ended is whether a write is an object's last one: it is being deleted, and nobody holds it any more.
func ended(fields map[string]any) bool {
	o := &object{Object: fields}
	return o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0
}

func sameButManagedFields(a, b map[string]any) bool {
	without := func(o map[string]any) map[string]any {
		copied := (&object{Object: o}).DeepCopy()
		copied.SetManagedFields(nil)
		return copied.Object
	}
	return a != nil && b != nil && reflect.DeepEqual(without(a), without(b))
}

func writeExcerpt(file string, lines [][]byte) error {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(line []byte) bool { return line == nil })
	for _, line := range lines {
		for _, secret := range secrets {
			line = secret.found.ReplaceAll(line, []byte(secret.by))
		}
		if _, err := writer.Write(line); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	harness.Say("%s: %d reviews, %d KB", filepath.Base(file), len(lines), packed.Len()/1000)
	return os.WriteFile(file, packed.Bytes(), 0o644)
}
