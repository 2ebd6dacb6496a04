// Command cluster holds the compiled policy against Cluster API's released controllers on a real API server.
//
// It runs clusters' scenarios without the policy and with it, and compares. It needs no container and no
// privilege, and leaves nothing running.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conformance/harness"
)

func main() { harness.Main(command) }

const usage = `usage: cluster build DIRECTORY                     builds the control plane and the managers
       cluster scenarios [-scenarios NAME,... [-steps NAME,...]] [-capi VERSION]   runs scenarios without the policy and with it, and prints the differences; ends
                                                   with 1 when there are any, or a wrong policy is not noticed, with 2 when it fails
       cluster run [-scenario NAME] [-policy NAME]     runs a scenario once and writes what happened
       cluster large -module ANNOTATED.wasm -clusters N -machines N -rounds N -out FILE.json
                                                   runs a large fleet with a real PolicyServer and writes what each step cost
       cluster excerpt -out FOLDER                 writes a compact set of the reviews of the run without the policy
       cluster prune FILE.yaml...                  tells what the API server drops of objects, by definitions in the same files
       cluster conditions [REVIEWS.jsonl...]       evaluates deploy/match-conditions.yaml over the recorded reviews, and others
       cluster conditions -server                  lets an API server evaluate them
       cluster deploy                              applies deploy/ to an API server
       cluster plans RUN-FOLDER                    asks propagate plan again about the steps of a run; ends with 1 when it differs
       cluster compare WITHOUT.json WITH.json      tells the differences; ends with 1 when there are any, with 2 when it fails`

func command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s", usage)
	}
	name, args := args[0], args[1:]
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	directory := flags.String("directory", filepath.Join("..", "..", "..", "target", "conformance"), "folder of programs, logs and results")
	webhook := flags.String("webhook", filepath.Join("..", "..", "..", "target", "debug", "webhook"), "the webhook, built by Cargo")
	propagate := flags.String("propagate", filepath.Join("..", "..", "..", "target", "debug", "propagate"), "the command line, built by Cargo")
	policy := flags.String("policy", module, "what answers reviews: "+strings.Join(slices.Sorted(maps.Keys(policies)), ", "))
	scenarioName := flags.String("scenario", "whole", "the scenario of a run")
	names := flags.String("scenarios", "", "scenarios to compare, with commas; empty is all of them")
	reuse := flags.Bool("reuse", false, "scenarios: takes the results of earlier runs without the policy")
	capi := flags.String("capi", "", "the edition of Cluster API, such as v1.12; empty is the newest")
	built := flags.Bool("built", false, "takes the programs as they are")
	parallel := flags.Int("parallel", 4, "scenarios: how many runs at a time, where processors have nothing to do")
	compiled := flags.String("module", filepath.Join("..", "..", "..", "policy.wasm"), "the compiled policy")
	steps := flags.String("steps", "", "steps to run, with commas")
	server := flags.Bool("server", false, "conditions: let an API server evaluate them")
	clusters := flags.Int("clusters", 20, "large: how many Clusters")
	rounds := flags.Int("rounds", 3, "large: how often the fleet is run with each policy")
	machines := flags.Int("machines", 25, "large: how many Machines in each")
	results := flags.String("results", "", "scenarios: folder of how much was compared, for `results` of verification/tasks")
	out := flags.String("out", "", "excerpt: folder of the excerpts; large: file of the costs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	edition, err := clusterAPINamed(*capi)
	if err != nil {
		return err
	}
	k3s := false
	prepared := func() (programs, error) {
		if *built {
			return programsIn(absolute(*directory), absolute(*webhook), absolute(*propagate), edition), nil
		}
		return build(ctx, absolute(*directory), absolute(*webhook), absolute(*propagate), edition, k3s)
	}
	switch name {
	case "build":
		k3s = true
		_, err := prepared()
		return err
	case "run", "scenarios":
		scenarios, err := chosen(*names, edition)
		if err != nil {
			return err
		}
		k3s = slices.ContainsFunc(scenarios, func(s *scenario) bool { return s.k3s })
		programs, err := prepared()
		if err != nil {
			return err
		}
		stage := &stage{
			programs: programs, root: absolute(filepath.Join("..", "..", "..")), directory: absolute(*directory),
			module: absolute(*compiled), reuse: *reuse, parallel: *parallel,
			writes: *names == "" && *steps == "", results: *results,
		}
		if *steps != "" {
			stage.steps = strings.Split(*steps, ",")
		}
		if name == "scenarios" {
			return stage.compareScenarios(ctx, scenarios, os.Stdout)
		}
		if err := harness.EnterNetwork(); err != nil {
			return err
		}
		scenario, err := scenarioNamed(*scenarioName)
		if err != nil {
			return err
		}
		return stage.playOne(ctx, scenario, *policy)
	case "large":
		programs, err := prepared()
		if err != nil {
			return err
		}
		bench := &bench{programs, absolute(filepath.Join("..", "..", "..")), absolute(*directory), absolute(*compiled)}
		return bench.large(ctx, size{*clusters, *machines}, *rounds, absolute(*out))
	case "compare":
		if flags.NArg() != 2 {
			return fmt.Errorf("%s", usage)
		}
		without, err := readResult(flags.Arg(0))
		if err != nil {
			return err
		}
		with, err := readResult(flags.Arg(1))
		if err != nil {
			return err
		}
		report(os.Stdout, without, with)
		differences := compare(without, with)
		for _, difference := range differences {
			fmt.Println(difference)
		}
		if len(differences) > 0 {
			return harness.Differences(len(differences))
		}
		return nil
	case "plans":
		if flags.NArg() != 1 {
			return fmt.Errorf("%s", usage)
		}
		built := programsIn(absolute(*directory), absolute(*webhook), absolute(*propagate), edition)
		return planAgain(ctx, built, absolute(filepath.Join("..", "..", "..")), flags.Arg(0), os.Stdout)
	case "prune":
		programs, err := prepared()
		if err != nil {
			return err
		}
		return prune(ctx, programs, filepath.Join(absolute(*directory), "prune"), flags.Args())
	case "conditions":
		root := absolute(filepath.Join("..", "..", ".."))
		if !*server {
			return conditions(root, flags.Args(), os.Stdout)
		}
		programs, err := prepared()
		if err != nil {
			return err
		}
		return conditionsOnServer(ctx, programs, root, filepath.Join(absolute(*directory), "conditions"), os.Stdout)
	case "deploy":
		programs, err := prepared()
		if err != nil {
			return err
		}
		return deployOnServer(ctx, programs, absolute(filepath.Join("..", "..", "..")), filepath.Join(absolute(*directory), "deploy"), os.Stdout)
	case "excerpt":
		whole := (&options{scenario: &scenarios[0], policy: observe, clusterAPI: edition}).name()
		played, err := readResult(filepath.Join(absolute(*directory), whole+".json"))
		if err != nil {
			return err
		}
		return excerpt(filepath.Join(absolute(*directory), whole), played, *out)
	default:
		return fmt.Errorf("%s", usage)
	}
}

func absolute(path string) string {
	made, err := filepath.Abs(path)
	if err != nil {
		// Only a process without a working directory gets here.
		panic(err)
	}
	return made
}
