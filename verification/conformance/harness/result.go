package harness

import (
	"encoding/json"
	"os"
)

// Part is a part of a check: how much was compared, and how much of it differs.
type Part struct {
	Comparisons int `json:"comparisons"`
	Differences int `json:"differences"`
}

// CheckResult is what a check found. `results` of verification/tasks keeps it, with the digests of what was checked.
type CheckResult struct {
	// Versions are those of the foreign programs.
	Versions map[string]string `json:"versions"`
	Parts    map[string]Part   `json:"parts"`
	// Partial is whether parts of the check were left out.
	Partial bool `json:"partial,omitempty"`
}

// Write writes it into a file; an empty name is none.
func (r CheckResult) Write(file string) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
