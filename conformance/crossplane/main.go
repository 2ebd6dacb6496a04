// Command crossplane holds the compiled policy against Crossplane's released core on a real API server.
//
// It needs no container and no privilege, and leaves nothing running.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conformance/harness"
)

func main() { harness.Main(command) }

// scenarios are what can be run, each of which returns how many differences it found.
var scenarios = []struct {
	name string
	play func(*stage, context.Context, io.Writer) (int, error)
}{
	{"definitions", (*stage).playDefinitions},
	{"composites", (*stage).compareComposites},
	{"registry", (*stage).playRegistry},
	{"stored", (*stage).playStored},
	{"compositions", (*stage).playCompositions},
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("crossplane", flag.ContinueOnError)
	root := filepath.Join("..", "..")
	directory := flags.String("directory", filepath.Join(root, "target", "conformance"), "folder of programs and logs")
	webhook := flags.String("webhook", filepath.Join(root, "target", "debug", "webhook"), "the webhook, built by Cargo")
	module := flags.String("module", filepath.Join(root, "policy.wasm"), "the compiled policy")
	names := flags.String("scenarios", "", "scenarios to run, with commas; empty is all of them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var chosen []string
	if *names != "" {
		chosen = strings.Split(*names, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(known(), name) {
			return fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(known(), ", "))
		}
	}
	if err := harness.Absolute(&root, directory, webhook, module); err != nil {
		return err
	}
	programs, err := build(ctx, *directory, *webhook)
	if err != nil {
		return err
	}
	stage := &stage{programs: programs, root: root, directory: *directory, module: *module}
	differences := 0
	for _, scenario := range scenarios {
		if len(chosen) > 0 && !slices.Contains(chosen, scenario.name) {
			continue
		}
		fmt.Printf("\n%s\n\n", scenario.name)
		more, err := scenario.play(stage, ctx, os.Stdout)
		if err != nil {
			return fmt.Errorf("%s: %w", scenario.name, err)
		}
		differences += more
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// known are the names of the scenarios.
func known() []string {
	var names []string
	for _, scenario := range scenarios {
		names = append(names, scenario.name)
	}
	return names
}
