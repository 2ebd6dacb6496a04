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
	"time"

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
	{"sources", (*stage).playSources},
	{"forged", (*stage).playForged},
	{"stored", (*stage).playStored},
	{"compositions", (*stage).playCompositions},
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("crossplane", flag.ContinueOnError)
	root := filepath.Join("..", "..", "..")
	directory := flags.String("directory", filepath.Join(root, "target", "conformance"), "folder of programs and logs")
	webhook := flags.String("webhook", filepath.Join(root, "target", "debug", "webhook"), "the webhook, built by Cargo")
	module := flags.String("module", filepath.Join(root, "policy.wasm"), "the compiled policy")
	result := flags.String("result", "", "file of how much was compared, for `results` of verification/tasks")
	names := flags.String("scenarios", "", "scenarios to run, with commas; empty is all of them")
	only := flags.Bool("build", false, "build the programs, and run nothing")
	steps := flags.String("steps", "", "steps of the scenario composites, with commas; empty is all of them")
	roots := flags.String("roots", "", "names of its composites, with commas; empty is all of them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := list(*names)
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
	if *only {
		return nil
	}
	stage := &stage{
		programs: programs, root: root, directory: *directory, module: *module, steps: list(*steps), roots: list(*roots),
	}
	if len(stage.steps)+len(stage.roots) > 0 {
		// A part of a scenario is no result.
		*result = ""
	}
	differences, parts := 0, map[string]harness.Part{}
	if len(chosen) == 0 {
		chosen = known()
	}
	begun := time.Now()
	for _, scenario := range scenarios {
		if !slices.Contains(chosen, scenario.name) {
			continue
		}
		left := slices.DeleteFunc(known(), func(name string) bool {
			_, done := parts[name]
			return done || !slices.Contains(chosen, name)
		})
		harness.Say("[%d of %d scenarios, %.0f s, left: %s]", len(parts), len(chosen), time.Since(begun).Seconds(), strings.Join(left, ", "))
		fmt.Printf("\n%s\n\n", scenario.name)
		before := stage.compared
		more, err := scenario.play(stage, ctx, os.Stdout)
		if err != nil {
			return fmt.Errorf("%s: %w", scenario.name, err)
		}
		differences += more
		parts[scenario.name] = harness.Part{Comparisons: stage.compared - before, Differences: more}
	}
	if err := (harness.CheckResult{Versions: programs.versions, Parts: parts, Partial: len(parts) < len(scenarios)}).Write(*result); err != nil {
		return err
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// list are the parts of a text with commas.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// known are the names of the scenarios.
func known() []string {
	var names []string
	for _, scenario := range scenarios {
		names = append(names, scenario.name)
	}
	return names
}
