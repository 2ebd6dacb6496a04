package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"conformance/harness"
)

// commandLine is `propagate`, run in a folder.
type commandLine struct{ program, directory string }

// listOf is the manifest with objects.
func listOf(objects []*harness.Object) map[string]any {
	var items []any
	for _, o := range objects {
		items = append(items, o.Object)
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
}

// write writes a file into its folder.
func (l commandLine) write(file string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.directory, file), text, 0o600)
}

// run reads what a verb prints as JSON.
func (l commandLine) run(ctx context.Context, answer any, args ...string) error {
	command := exec.CommandContext(ctx, l.program, append(args, "--output", "json")...)
	command.Dir = l.directory
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	var exit *exec.ExitError
	if err := command.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		return fmt.Errorf("propagate %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return json.Unmarshal(out.Bytes(), answer)
}
