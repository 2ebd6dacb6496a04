package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Go runs the go command in a folder; empty is the one of this process.
func Go(ctx context.Context, folder string, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = folder
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// ModuleField is what `go list` reports about a module; flags are the go command's.
func ModuleField(ctx context.Context, folder, module, field string, flags ...string) (string, error) {
	// Before that, the module has no folder.
	if err := Go(ctx, folder, append(append([]string{"mod", "download"}, flags...), module)...); err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", append(append([]string{"list", "-m", "-f", field}, flags...), module)...)
	command.Dir = folder
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	return strings.TrimSpace(string(output)), nil
}
