package main

import (
	"encoding/json"
	"os"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// outputs are templates of patches and what they print.
type outputs struct {
	// Functions are the names of all functions that Cluster API admits.
	Functions []string       `json:"functions"`
	Data      map[string]any `json:"data"`
	// Outputs are pairs of a template and its output; null if it fails.
	Outputs [][2]*string `json:"outputs"`
}

// writeOutputs executes the templates of a file as Cluster API does, and writes what they print.
func writeOutputs(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all outputs
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	all.Functions = nil
	for name := range sprig.HermeticTxtFuncMap() {
		all.Functions = append(all.Functions, name)
	}
	sort.Strings(all.Functions)
	lines := make([]string, 0, len(all.Outputs))
	for _, pair := range all.Outputs {
		pair[1] = printed(*pair[0], copyOf(all.Data).(map[string]any))
		lines = append(lines, string(raw(pair)))
	}
	written := "{\"functions\": " + string(raw(all.Functions)) + ",\n\"data\": " + string(raw(all.Data)) +
		",\n\"outputs\": [\n" + strings.Join(lines, ",\n") + "\n]}\n"
	return os.WriteFile(file, []byte(written), 0o644)
}

func printed(source string, data map[string]any) *string {
	parsed, err := template.New("tpl").Funcs(sprig.HermeticTxtFuncMap()).Parse(source)
	if err != nil {
		return nil
	}
	var out strings.Builder
	if err := parsed.Execute(&out, data); err != nil {
		return nil
	}
	text := out.String()
	return &text
}
