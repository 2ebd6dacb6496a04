// Command live asks a real API server with `propagate`: every verb, with the permissions that deploy/ ships, with fewer, and
// with none. The server's audit log says which verbs were asked for.
//
// It needs no container and no privilege, and leaves nothing running.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"conformance/harness"
)

func main() { harness.Main(command) }

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	root := filepath.Join("..", "..", "..")
	directory := flags.String("directory", filepath.Join(root, "target", "conformance"), "folder of programs and logs")
	program := flags.String("propagate", filepath.Join(root, "target", "release", "propagate"), "the command line, built with the feature cluster")
	result := flags.String("result", "", "file of how much was compared, for `results` of verification/tasks")
	fleet := flags.String("fleet", "", "what the example `generate` prints")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := harness.Absolute(&root, directory, program, fleet); err != nil {
		return err
	}
	controlPlane, kubernetes, err := harness.ControlPlane(ctx, *directory)
	if err != nil {
		return err
	}
	server, err := harness.NewServer(controlPlane, filepath.Join(*directory, "live"))
	if err != nil {
		return err
	}
	r := &run{Server: server, propagate: *program, root: root}
	defer r.Stop()
	content, err := os.ReadFile(*fleet)
	if err != nil {
		return err
	}
	objects, err := harness.Decode(*fleet, content)
	if err != nil {
		return err
	}
	if err := r.start(ctx, objects); err != nil {
		return err
	}
	if err := r.ask(ctx); err != nil {
		return err
	}
	if err := r.verbs(); err != nil {
		return err
	}
	r.Stop()
	r.away()
	err = harness.CheckResult{
		Versions: map[string]string{"kube-apiserver": kubernetes},
		Parts:    map[string]harness.Part{"calls": {Comparisons: r.compared, Differences: r.differences}},
	}.Write(*result)
	if err != nil {
		return err
	}
	if r.differences > 0 {
		return harness.Differences(r.differences)
	}
	fmt.Println("no differences")
	return nil
}
