package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// answer is what `propagate` prints, and the code with which it exits.
type answer struct {
	code     int
	out, err string
}

// askPropagate runs the command line of this repository with the settings of deploy/.
func (p *programs) askPropagate(ctx context.Context, root, verb string, args ...string) (*answer, error) {
	settings := filepath.Join(root, "deploy", policyFile)
	command := exec.CommandContext(ctx, p.propagate, append([]string{verb, "--settings", settings}, args...)...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	failure := command.Run()
	var exit *exec.ExitError
	if failure != nil && !errors.As(failure, &exit) {
		return nil, fmt.Errorf("propagate %s: %w", verb, failure)
	}
	return &answer{command.ProcessState.ExitCode(), out.String(), said.String()}, nil
}

// plan is what `propagate plan --output json` prints: docs/plan.schema.json describes it.
type plan struct {
	Objects []planObject `json:"objects"`
	Further []planEntry  `json:"further"`
	Verdict planVerdict  `json:"verdict"`
}

type planObject struct {
	Object   planName     `json:"object"`
	Happens  string       `json:"happens"`
	Machines planMachines `json:"machines"`
	Edits    []planEdit   `json:"edits"`
	Entries  []planEntry  `json:"entries"`
}

type planName struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

type planMachines struct {
	Count int        `json:"count"`
	Named []planName `json:"named"`
}

type planEdit struct {
	At              string       `json:"at"`
	Effect          string       `json:"effect"`
	Machines        planMachines `json:"machines"`
	DeletesMachines bool         `json:"deletesMachines"`
	Reason          *string      `json:"reason"`
}

type planEntry struct {
	Object          planName `json:"object"`
	IsAmongTheFiles bool     `json:"isAmongTheFiles"`
	At              string   `json:"at"`
	Key             string   `json:"key"`
	From            *string  `json:"from"`
	To              *string  `json:"to"`
}

type planVerdict struct {
	Replaces int    `json:"replaces"`
	Creates  int    `json:"creates"`
	Deletes  int    `json:"deletes"`
	Orphans  int    `json:"orphans"`
	Relabels int    `json:"relabels"`
	Text     string `json:"text"`
}

// isTold is whether the effects of all edits are predicted.
func (p *plan) isTold() bool {
	for _, o := range p.Objects {
		for _, edit := range o.Edits {
			if edit.Effect == "cannot tell" {
				return false
			}
		}
	}
	return true
}

// creates is whether an object is one that the users create.
func (p *plan) creates(o *object) bool {
	return slices.ContainsFunc(p.Objects, func(planned planObject) bool {
		return planned.Happens == "created" && planned.Object == planName{o.GetKind(), o.GetName()}
	})
}

// plan asks what the change does from the objects of a folder before to those after.
func (p *programs) plan(ctx context.Context, root, folder string) (*plan, error) {
	before, after := filepath.Join(folder, "before.json"), filepath.Join(folder, "after.json")
	answer, err := p.askPropagate(ctx, root, "plan", "--output", "json", before, after)
	if err != nil {
		return nil, err
	}
	if answer.code > 1 || answer.err != "" {
		return nil, fmt.Errorf("propagate plan exits with %d: %s", answer.code, strings.TrimSpace(answer.err))
	}
	said := &plan{}
	if err := json.Unmarshal([]byte(answer.out), said); err != nil {
		return nil, fmt.Errorf("propagate plan: %w", err)
	}
	return said, nil
}
