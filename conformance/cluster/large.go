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

// samples are the small fleets from which the model predicts a large one: the same number of Clusters, other numbers of Machines.
var samples = [2]size{{2, 3}, {2, 9}}

// played is a fleet that was played.
type played struct {
	Size   size
	Policy string
	Steps  []cost
}

// large plays a large fleet without the policy and with it, and small ones to predict it from, and writes what each step cost as JSON.
func large(ctx context.Context, programs programs, root, directory, module string, fleet size, out string) error {
	if _, err := exec.LookPath(harness.PolicyServerProgram); err != nil {
		return errors.New("policy-server is not on the PATH")
	}
	if err := harness.EnterNetwork(); err != nil {
		return err
	}
	var all []played
	for _, policy := range []string{noPolicy, asDeployed, everyWrite} {
		sizes := []size{fleet}
		if policy != noPolicy {
			sizes = append(samples[:], fleet)
		}
		for _, of := range sizes {
			folder := filepath.Join(directory, "large", fmt.Sprintf("%dx%d-%s", of.Clusters, of.Machines, policy))
			steps, err := playLarge(ctx, programs, root, folder, module, of, policy)
			if err != nil {
				return fmt.Errorf("%d Clusters of %d Machines, %s: %w", of.Clusters, of.Machines, policy, err)
			}
			all = append(all, played{of, policy, steps})
		}
	}
	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, content, 0o644)
}

// playLarge plays one fleet from its creation to its end on a new API server.
func playLarge(ctx context.Context, programs programs, root, directory, module string, of size, policy string) ([]cost, error) {
	options := options{life: &life{name: fmt.Sprintf("%d x %d", of.Clusters, of.Machines)}, policy: policy, module: module, clusterAPI: programs.clusterAPI}
	r, err := newRun(options, programs, root, directory)
	if err != nil {
		return nil, err
	}
	defer r.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, start := range []func(context.Context) error{r.StartControlPlane, r.startManagers, r.startPolicyServer, r.meetPeople} {
		if err := start(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.record.watchAll(ctx, r.API, namespace, options.clusterAPI.pools()); err != nil {
		return nil, err
	}
	var costs []cost
	for _, step := range largeSteps {
		before, err := r.counted(ctx)
		if err != nil {
			return nil, err
		}
		if err := step.play(ctx, r, of); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		if err := r.settleWithin(ctx, patience); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		after, err := r.counted(ctx)
		if err != nil {
			return nil, err
		}
		cost := after.since(before)
		cost.Step = step.name
		costs = append(costs, cost)
		harness.Say("%s: %-10s %5.0f s, %6.0f requests, %6.0f writes, %5.0f reviews; CPU seconds: API server %.1f, PolicyServer %.1f",
			r.options.name(), step.name, cost.Seconds, cost.Requests, cost.Writes, cost.Reviews, cost.Server, cost.PolicyServer)
	}
	return costs, nil
}

// startPolicyServer starts Kubewarden's own host with the policy of deploy/, where the fleet has it.
func (r *run) startPolicyServer(ctx context.Context) error {
	if r.options.policy == noPolicy {
		return nil
	}
	manifest, err := r.deployed()
	if err != nil {
		return err
	}
	token, _, err := r.PolicyServer(ctx, filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return err
	}
	conditions := manifest.Spec.MatchConditions
	if r.options.policy == everyWrite {
		conditions = nil
	}
	return r.StartPolicyServer(ctx, harness.Webhook{
		Module: r.options.module, Settings: manifest.Spec.Settings, Granted: manifest.Spec.ContextAwareResources,
		EvaluationSeconds: manifest.Spec.TimeoutEvalSeconds, Token: token, Name: policyName,
		Rules: manifest.Spec.Rules, Conditions: conditions,
		FailurePolicy: manifest.Spec.FailurePolicy, TimeoutSeconds: manifest.Spec.TimeoutSeconds,
	})
}
