// Command cluster holds the compiled policy against Cluster API's released controllers on a real API server.
//
// It plays one cluster's life twice, without the policy and with it, and compares. It needs no container and no
// privilege, and leaves nothing running.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	// The programs that are started end with the thread that started them.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:])
	stop()
	if err == nil {
		return
	}
	say("%v", err)
	if errors.As(err, &found{}) {
		os.Exit(1)
	}
	os.Exit(2)
}

// found is how many differences there are: what was asked for could be done, and the answer is no.
type found struct{ differences int }

func (f found) Error() string { return fmt.Sprintf("%d differences", f.differences) }

const usage = `usage: cluster build DIRECTORY                     builds the control plane and the managers
       cluster run [FLAGS]                         plays the scenario once and writes what happened
       cluster excerpt -out FOLDER                 writes a compact set of the reviews of the run without the policy
       cluster prune FILE.yaml...                  tells what the API server drops of objects, by definitions in the same files
       cluster conditions [REVIEWS.jsonl...]       evaluates deploy/match-conditions.yaml over the recorded reviews, and others
       cluster conditions -server                  lets an API server evaluate them
       cluster compare WITHOUT.json WITH.json      tells the differences; ends with 1 when there are any, with 2 when it fails`

func command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s", usage)
	}
	name, args := args[0], args[1:]
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	directory := flags.String("directory", filepath.Join("..", "..", "target", "conformance"), "folder of programs, logs and results")
	webhook := flags.String("webhook", filepath.Join("..", "..", "target", "debug", "webhook"), "the webhook, built by Cargo")
	policy := flags.String("policy", module, "what answers reviews: "+strings.Join([]string{observe, module, stampTime, rollMachines}, ", "))
	compiled := flags.String("module", filepath.Join("..", "..", "policy.wasm"), "the compiled policy")
	steps := flags.String("steps", "", "steps to play, with commas; `short` is "+strings.Join(short, ","))
	server := flags.Bool("server", false, "conditions: let an API server evaluate them")
	out := flags.String("out", "", "file of the result")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch name {
	case "build":
		_, err := build(ctx, absolute(*directory), absolute(*webhook))
		return err
	case "run":
		programs, err := build(ctx, absolute(*directory), absolute(*webhook))
		if err != nil {
			return err
		}
		options := options{policy: *policy, module: absolute(*compiled)}
		switch *steps {
		case "":
		case "short":
			options.steps = short
		default:
			options.steps = strings.Split(*steps, ",")
		}
		played, err := play(ctx, options, programs, absolute(filepath.Join("..", "..")), filepath.Join(absolute(*directory), *policy))
		if err != nil {
			return err
		}
		if *out == "" {
			*out = filepath.Join(absolute(*directory), *policy+".json")
		}
		return played.write(*out)
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
			return found{len(differences)}
		}
		return nil
	case "prune":
		programs, err := build(ctx, absolute(*directory), absolute(*webhook))
		if err != nil {
			return err
		}
		return prune(ctx, programs, filepath.Join(absolute(*directory), "prune"), flags.Args())
	case "conditions":
		root := absolute(filepath.Join("..", ".."))
		if !*server {
			return conditions(root, flags.Args(), os.Stdout)
		}
		programs, err := build(ctx, absolute(*directory), absolute(*webhook))
		if err != nil {
			return err
		}
		return conditionsOnServer(ctx, programs, root, filepath.Join(absolute(*directory), "conditions"), os.Stdout)
	case "excerpt":
		played, err := readResult(filepath.Join(absolute(*directory), observe+".json"))
		if err != nil {
			return err
		}
		return excerpt(filepath.Join(absolute(*directory), observe), played, *out)
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
