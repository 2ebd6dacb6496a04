package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// ControlPlane builds etcd, the API server and the controller manager as one program into a folder, which several checks share.
// It returns the program and its version, which it says: Cluster API's managers and Crossplane refuse an API server that says none.
func ControlPlane(ctx context.Context, directory string) (program, version string, err error) {
	folder := filepath.Join("..", "cluster")
	if version, err = ModuleField(ctx, folder, "k8s.io/kubernetes", "{{.Version}}"); err != nil {
		return "", "", err
	}
	program = filepath.Join(directory, "controlplane")
	release := "-ldflags=-X k8s.io/component-base/version.gitVersion=" + version
	return program, version, Go(ctx, folder, "build", release, "-o", program, "./controlplane")
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
