package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"conformance/harness"
)

// How reviews reach the policy in a large fleet.
const (
	// noPolicy: there is none.
	noPolicy = "without"
	// asDeployed: as deploy/cluster-api.yaml, where Cluster API's own controllers are not reviewed.
	asDeployed = "deployed"
	// everyWrite: without match conditions.
	everyWrite = "every-write"
)

// size is a fleet: Clusters, and Machines in each, with that of the control plane.
type size struct{ Clusters, Machines int }

// policiesOfFleets run in turn, and each round begins with another one, because the speed of a machine changes over time.
var policiesOfFleets = []string{noPolicy, asDeployed, everyWrite}

// samples are the small fleets from which the model predicts a large one: the same number of Clusters, other numbers of Machines.
var samples = [2]size{{2, 3}, {2, 9}}

// played is a fleet that was run, and the last line of `propagate check` about all objects before the last step. Without the policy,
// nothing is asked.
type played struct {
	Size   size
	Policy string
	Steps  []cost
	Found  string
}

// bench is where fleets are run, and with which module.
type bench struct {
	programs                programs
	root, directory, module string
}

// written is what the command writes.
type written struct {
	Fleets []played
	Faults faults
}

// large runs a large fleet without the policy and with it, in several rounds, small ones to predict it from, and one whose PolicyServers
// break, and writes what each step cost as JSON.
func (b *bench) large(ctx context.Context, fleet size, rounds int, out string) error {
	if _, err := exec.LookPath(harness.PolicyServerProgram); err != nil {
		return errors.New("policy-server is not on the PATH")
	}
	if err := harness.EnterNetwork(); err != nil {
		return err
	}
	broken, err := b.broken(ctx)
	if err != nil {
		return fmt.Errorf("the fleet whose PolicyServers break: %w", err)
	}
	all := written{Faults: *broken}
	play := func(of size, policy string) error {
		run, err := b.play(ctx, of, policy)
		if err != nil {
			return fmt.Errorf("%d Clusters of %d Machines, %s: %w", of.Clusters, of.Machines, policy, err)
		}
		all.Fleets = append(all.Fleets, *run)
		return nil
	}
	for _, of := range samples {
		if err := play(of, everyWrite); err != nil {
			return err
		}
	}
	for round := range rounds {
		for turn := range policiesOfFleets {
			if err := play(fleet, policiesOfFleets[(round+turn)%len(policiesOfFleets)]); err != nil {
				return err
			}
		}
	}
	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, content, 0o644)
}

// play runs one fleet from its creation to its end on a new API server.
func (b *bench) play(ctx context.Context, of size, policy string) (*played, error) {
	// Watches end with it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := b.start(ctx, of, policy, policy, (*run).startPolicyServer)
	if err != nil {
		return nil, err
	}
	defer r.Stop()
	found := &played{Size: of, Policy: policy}
	for number, step := range largeSteps {
		if policy != noPolicy && number == len(largeSteps)-1 {
			if found.Found, err = r.checkAll(ctx, step.name); err != nil {
				return nil, err
			}
		}
		cost, err := r.costOf(ctx, step.name, func() error {
			if err := step.write(ctx, r, of); err != nil {
				return err
			}
			return step.over(ctx, r, of)
		})
		if err != nil {
			return nil, err
		}
		found.Steps = append(found.Steps, cost)
	}
	return found, nil
}

// start starts an API server with Cluster API's managers, and the policy's host in this way. The caller stops it.
func (b *bench) start(ctx context.Context, of size, policy, name string, host func(*run, context.Context) error) (*run, error) {
	folder := fmt.Sprintf("%dx%d-%s", of.Clusters, of.Machines, name)
	options := options{scenario: &scenario{name: folder}, policy: policy, module: b.module, clusterAPI: b.programs.clusterAPI}
	r, err := newRun(options, b.programs, b.root, filepath.Join(b.directory, "large", folder))
	if err != nil {
		return nil, err
	}
	for _, start := range []func(context.Context) error{
		r.StartControlPlane, r.startManagers, func(ctx context.Context) error { return host(r, ctx) }, r.meetPeople,
		func(ctx context.Context) error {
			return r.record.watchAll(ctx, r.API, namespace, options.clusterAPI.pools())
		},
	} {
		if err := start(ctx); err != nil {
			r.Stop()
			return nil, err
		}
	}
	return r, nil
}

// startPolicyServer starts Kubewarden's own host with the policy of deploy/, where the fleet has it.
func (r *run) startPolicyServer(ctx context.Context) error {
	if r.options.policy == noPolicy {
		return nil
	}
	servers, err := r.policyServers(ctx)
	if err != nil {
		return err
	}
	port, err := servers.Start(ctx, harness.PolicyServerProgram)
	if err != nil {
		return err
	}
	r.hosts = []string{harness.PolicyServerProgram}
	return servers.Register(ctx, port)
}

// policyServers are replicas with the policy of deploy/, none of them started.
func (r *run) policyServers(ctx context.Context) (*harness.PolicyServers, error) {
	manifest, err := r.deployed()
	if err != nil {
		return nil, err
	}
	token, _, err := r.PolicyServer(ctx, filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return nil, err
	}
	conditions := manifest.Spec.MatchConditions
	if r.options.policy == everyWrite {
		conditions = nil
	}
	return r.NewPolicyServers(harness.Webhook{
		Module: r.options.module, Settings: manifest.Spec.Settings, Granted: manifest.Spec.ContextAwareResources,
		EvaluationSeconds: manifest.Spec.TimeoutEvalSeconds, Token: token, Name: policyName,
		Rules: manifest.Spec.Rules, Conditions: conditions,
		FailurePolicy: manifest.Spec.FailurePolicy, TimeoutSeconds: manifest.Spec.TimeoutSeconds,
	})
}
