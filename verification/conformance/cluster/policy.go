package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"conformance/harness"

	"sigs.k8s.io/yaml"
)

// policyName is the webhook configuration of the policy, named as Kubewarden names it: in the order of names it comes
// after Cluster API's own.
const policyName = "kw.cap.metadata-propagation-policy"

// policyFile is the policy's manifest for Cluster API's objects, in deploy/.
const policyFile = "cluster-api.yaml"

// manifest is what a run takes from it.
type manifest struct {
	Spec struct {
		Rules                 []map[string]any `json:"rules"`
		Settings              map[string]any   `json:"settings"`
		ContextAwareResources []map[string]any `json:"contextAwareResources"`
		MatchConditions       []map[string]any `json:"matchConditions"`
		TimeoutSeconds        int              `json:"timeoutSeconds"`
		TimeoutEvalSeconds    int              `json:"timeoutEvalSeconds"`
		FailurePolicy         string           `json:"failurePolicy"`
	} `json:"spec"`
}

// everything is every write of a fleet: what is recorded.
var everything = []map[string]any{{
	"apiGroups":   []any{"cluster.x-k8s.io", "controlplane.cluster.x-k8s.io", "bootstrap.cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io"},
	"apiVersions": []any{"v1beta1", "v1beta2"},
	"resources":   []any{"*"},
	"operations":  []any{"CREATE", "UPDATE", "DELETE"},
}}

// startPolicy starts the webhook and tells the API server of it: with a policy the rules of deploy/, and without one
// every write of the fleet, to be recorded.
func (r *run) startPolicy(ctx context.Context) error {
	deployed, err := r.deployed()
	if err != nil {
		return err
	}
	token, grants, err := r.PolicyServer(ctx, filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return err
	}
	r.grants = grants
	rules, conditions := deployed.Spec.Rules, deployed.Spec.MatchConditions
	if r.options.policy == observe {
		rules = everything
	}
	if !r.withPolicy() {
		// Controllers' writes are what is recorded, and what other policies do wrong.
		conditions = nil
	}
	r.webhook, err = r.StartWebhook(ctx, harness.Webhook{
		Program: r.programs.webhook, Policy: r.options.policy, Module: r.options.module,
		Settings: deployed.Spec.Settings, Granted: deployed.Spec.ContextAwareResources,
		EvaluationSeconds: deployed.Spec.TimeoutEvalSeconds, Token: token,
		Name: policyName, Rules: rules, Conditions: conditions,
		FailurePolicy: deployed.Spec.FailurePolicy, TimeoutSeconds: deployed.Spec.TimeoutSeconds,
	})
	return err
}

// deployed is the policy's manifest, as the scenario wants it.
func (r *run) deployed() (*manifest, error) {
	file := policyFile
	if r.options.scenario.deploy != "" {
		file = r.options.scenario.deploy
	}
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", file))
	if err != nil {
		return nil, err
	}
	deployed := &manifest{}
	if err := yaml.Unmarshal(content, deployed); err != nil {
		return nil, fmt.Errorf("deploy/%s: %w", file, err)
	}
	clusterAPI, is := deployed.Spec.Settings["clusterApi"].(map[string]any)
	if !is {
		return nil, fmt.Errorf("deploy/%s: no settings.clusterApi", file)
	}
	for name, value := range r.options.scenario.settings {
		switch value {
		case nil:
			delete(clusterAPI, name)
		case installedEdition:
			clusterAPI[name] = r.options.clusterAPI.name
		default:
			clusterAPI[name] = value
		}
	}
	if r.options.scenario.anybody {
		// The conditions name the same users.
		deployed.Spec.MatchConditions = nil
		clusterAPI["controllers"] = []any{}
	}
	return deployed, nil
}
