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
	{planning, (*stage).playPlan},
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("crossplane", flag.ContinueOnError)
	root := filepath.Join("..", "..", "..")
	directory := flags.String("directory", filepath.Join(root, "target", "conformance"), "folder of programs and logs")
	webhook := flags.String("webhook", filepath.Join(root, "target", "debug", "webhook"), "the webhook, built by Cargo")
	propagate := flags.String("propagate", filepath.Join(root, "target", "debug", "propagate"), "the command line, built by Cargo")
	module := flags.String("module", filepath.Join(root, "policy.wasm"), "the compiled policy")
	results := flags.String("results", "", "folder of how much was compared, for `results` of verification/tasks")
	names := flags.String("scenarios", "", "scenarios to run, with commas; empty is all of them")
	only := flags.Bool("build", false, "build the programs, and run nothing")
	steps := flags.String("steps", "", "steps of the scenario composites, with commas, or changes of the scenario plan; empty is all of them")
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
	if err := harness.Absolute(&root, directory, webhook, propagate, module); err != nil {
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
		programs: programs, root: root, directory: *directory, propagate: *propagate, module: *module,
		steps: list(*steps), roots: list(*roots),
	}
	if len(stage.steps)+len(stage.roots) > 0 {
		// A part of a scenario is no result.
		*results = ""
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
	if err := writeResults(*results, programs.versions, parts); err != nil {
		return err
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// planning is the scenario that alone depends on the command line: it is a check of its own.
const planning = "plan"

// writeResults writes a file for each check of verification/testkit/src/results.rs; into no folder none.
func writeResults(folder string, versions map[string]string, parts map[string]harness.Part) error {
	if folder == "" {
		return nil
	}
	if part, is := parts[planning]; is {
		delete(parts, planning)
		check := harness.CheckResult{Versions: versions, Parts: map[string]harness.Part{planning: part}}
		if err := check.Write(filepath.Join(folder, "conformance-plan-tags.json")); err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		return nil
	}
	check := harness.CheckResult{Versions: versions, Parts: parts, Partial: len(parts) < len(scenarios)-1}
	return check.Write(filepath.Join(folder, "conformance-crossplane.json"))
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
