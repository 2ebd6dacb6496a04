// Package fleet draws what generated fleets are made of, and makes questions of what Cluster API says of them. It knows
// no rule of propagation.
package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Vector is one question to the policy, and Cluster API's answer.
type Vector struct {
	// Function is the one that answered; Name numbers its vectors.
	Function string `json:"function"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	// Version of the object under review; Above, where the objects above it are served in another one only.
	Version  string           `json:"version"`
	Above    string           `json:"above,omitempty"`
	Settings map[string]any   `json:"settings,omitempty"`
	Cluster  []map[string]any `json:"cluster"`
	Review   Review           `json:"review"`
	// Expected maps by path. With the relation `equals`, they are the whole maps; with `overlays`, the object under
	// review has keys of its own that Cluster API leaves alone.
	Expected map[string]map[string]string `json:"expected"`
	Relation string                       `json:"relation"`
	// Fields are in-place mutable fields by path; null where Cluster API sets none and leaves the object's own.
	Fields map[string]any `json:"fields,omitempty"`
}

// Formatted is one name, and the label value that Cluster API makes of it.
type Formatted struct {
	Function string `json:"function"`
	Name     string `json:"name"`
	Value    string `json:"value"`
}

// Review is the part of an AdmissionRequest that is not told by the object.
type Review struct {
	Operation string         `json:"operation"`
	Username  string         `json:"username"`
	Object    map[string]any `json:"object"`
	OldObject map[string]any `json:"oldObject,omitempty"`
}

// Topic is one file of vectors.
type Topic struct {
	// Name of the file, and part of its seed.
	Name string
	// Make returns a topic's vectors, each of which becomes a line of JSON.
	Make func(d Dice) []any
}

// Write makes one topic and writes it as gzipped lines of JSON, the same bytes from the same seed.
func (topic Topic) Write(folder string, seed uint64, seedNames func(int64)) (vectors int, err error) {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	lines := topic.Make(NewDice(seed, topic.Name, seedNames))
	for _, line := range lines {
		if _, err := writer.Write(append(JSON(line), '\n')); err != nil {
			return 0, err
		}
	}
	if err := writer.Close(); err != nil {
		return 0, err
	}
	return len(lines), os.WriteFile(filepath.Join(folder, topic.Name+".jsonl.gz"), packed.Bytes(), 0o644)
}

// Numbered names vectors in order: by function, by kind.
func Numbered(vectors []Vector) []any {
	counts := map[string]int{}
	var lines []any
	for _, vector := range vectors {
		counts[vector.Function]++
		vector.Name = fmt.Sprintf("%s %d", vector.Function, counts[vector.Function])
		lines = append(lines, vector)
	}
	return lines
}

// At is what is at a dotted path; nil where nothing is.
func At(object map[string]any, path string) any {
	var found any = object
	for _, step := range strings.Split(path, ".") {
		within, ok := found.(map[string]any)
		if !ok {
			return nil
		}
		found = within[step]
	}
	return found
}

// Put writes a value to a dotted path; nil removes what is there.
func Put(object map[string]any, path string, value any) {
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		within, ok := object[step].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			within = map[string]any{}
			object[step] = within
		}
		object = within
	}
	if value == nil {
		delete(object, steps[len(steps)-1])
		return
	}
	object[steps[len(steps)-1]] = value
}

// MapAt is a map of strings at a dotted path; empty where there is none.
func MapAt(object map[string]any, path string) map[string]string {
	entries := map[string]string{}
	if found, ok := At(object, path).(map[string]any); ok {
		for key, value := range found {
			entries[key] = value.(string)
		}
	}
	return entries
}

// Shown is an object's JSON with the type that the API server writes into it, where it is given, and without what only the
// API server fills in.
func Shown(apiVersion, kind string, object any) map[string]any {
	var shown map[string]any
	Must(json.Unmarshal(JSON(object), &shown))
	if kind != "" {
		shown["apiVersion"], shown["kind"] = apiVersion, kind
	}
	delete(shown, "status")
	if metadata, ok := shown["metadata"].(map[string]any); ok {
		delete(metadata, "creationTimestamp")
	}
	return shown
}

// JSON is an object's text, with sorted keys.
func JSON(object any) []byte {
	text, err := json.Marshal(object)
	Must(err)
	return text
}

// Must stops where vectors cannot be made.
func Must(err error) {
	if err != nil {
		panic(fmt.Sprintf("vectors cannot be made: %v", err))
	}
}
