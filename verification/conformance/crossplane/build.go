package main

import (
	"context"
	"path/filepath"

	"conformance/harness"
)

// programs are the built executables.
type programs struct {
	// controlPlane is the one of conformance/cluster.
	controlPlane string
	crossplane   string
	// functions by the name of their Function.
	functions map[string]string
	// webhook is built by Cargo.
	webhook string
	// definitions is the folder of Crossplane's own CustomResourceDefinitions.
	definitions string
	// versions are those of the released programs.
	versions map[string]string
}

// The functions that run, and that Compositions name.
const (
	patchAndTransform = "function-patch-and-transform"
	autoReady         = "function-auto-ready"
)

// built is a program, and the module whose go.mod says what it is built of.
type built struct{ name, module, of, release string }

// build builds every Go program into a folder. What is built already takes seconds.
func build(ctx context.Context, directory, webhook string) (programs, error) {
	controlPlane, kubernetes, err := harness.ControlPlane(ctx, directory)
	if err != nil {
		return programs{}, err
	}
	core, err := harness.ModuleField(ctx, "core", "github.com/crossplane/crossplane/v2", "{{.Version}} {{.Dir}}")
	if err != nil {
		return programs{}, err
	}
	version, folder := cut(core)
	for _, program := range []built{
		{
			"crossplane", "core", "github.com/crossplane/crossplane/v2/cmd/crossplane",
			"github.com/crossplane/crossplane-runtime/v2/pkg/version.version=" + version,
		},
		{patchAndTransform, "patches", ".", ""},
		{autoReady, "ready", "github.com/crossplane/function-auto-ready", ""},
	} {
		args := []string{"build", "-o", filepath.Join(directory, program.name)}
		if program.release != "" {
			// Others refuse a program that says no version.
			args = append(args, "-ldflags=-X "+program.release)
		}
		if err := harness.Go(ctx, program.module, append(args, program.of)...); err != nil {
			return programs{}, err
		}
	}
	return programs{
		controlPlane: controlPlane,
		crossplane:   filepath.Join(directory, "crossplane"),
		functions: map[string]string{
			patchAndTransform: filepath.Join(directory, patchAndTransform), autoReady: filepath.Join(directory, autoReady),
		},
		webhook:     webhook,
		definitions: filepath.Join(folder, "cluster", "crds"),
		versions:    map[string]string{"kube-apiserver": kubernetes, "Crossplane": version},
	}, nil
}
