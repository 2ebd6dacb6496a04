// Command model replays traces of verification/model on a real API server with the compiled policy in front: after each event the
// same values and owners have to be stored.
//
// It needs no container and no privilege, and leaves nothing running.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"conformance/harness"
)

func main() { harness.Main(command) }

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	root := filepath.Join("..", "..", "..")
	directory := flags.String("directory", filepath.Join(root, "target", "conformance"), "folder of programs and logs")
	webhook := flags.String("webhook", filepath.Join(root, "target", "debug", "webhook"), "the webhook, built by Cargo")
	module := flags.String("module", filepath.Join(root, "policy.wasm"), "the compiled policy")
	policy := flags.String("policy", "module", "module, or one of the webhook's policies that are wrong on purpose")
	result := flags.String("result", "", "file of how much was compared, for `results` of verification/tasks")
	file := flags.String("traces", "", "what `model traces` prints")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := harness.Absolute(&root, directory, webhook, module, file); err != nil {
		return err
	}
	content, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var groups []group
	if err := json.Unmarshal(content, &groups); err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	controlPlane, kubernetes, err := harness.ControlPlane(ctx, *directory)
	if err != nil {
		return err
	}
	differences, traces := 0, 0
	for number, of := range groups {
		r := &run{webhook: *webhook, policy: *policy, module: *module, root: root}
		r.Server, err = harness.NewServer(controlPlane, filepath.Join(*directory, fmt.Sprintf("model-%d", number)))
		if err != nil {
			return err
		}
		found, err := r.replayAll(ctx, of)
		r.Stop()
		if err != nil {
			return err
		}
		differences += found
		traces += len(of.Traces)
	}
	err = harness.CheckResult{
		Versions: map[string]string{"kube-apiserver": kubernetes},
		Parts:    map[string]harness.Part{"traces": {Comparisons: traces, Differences: differences}},
	}.Write(*result)
	if err != nil {
		return err
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}
