package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"conformance/harness"
)

// policyFile is the policy's manifest, in deploy/, and policyName the name of its webhook configuration.
const (
	policyFile = "cloud-tags.yaml"
	policyName = "kw.cap.metadata-propagation-policy-cloud-tags"
)

// manifest is what a run takes from it.
type manifest struct {
	Spec struct {
		Rules                 []map[string]any `json:"rules"`
		Settings              map[string]any   `json:"settings"`
		ContextAwareResources []map[string]any `json:"contextAwareResources"`
		TimeoutSeconds        int              `json:"timeoutSeconds"`
		TimeoutEvalSeconds    int              `json:"timeoutEvalSeconds"`
		FailurePolicy         string           `json:"failurePolicy"`
	} `json:"spec"`
}

// policy is how a run deviates from the manifest.
type policy struct {
	// answers is one of the webhook's policies.
	answers string
	// settings are instead of those of the manifest; nil is those.
	settings map[string]any
	// cloudTags are settings besides those of the manifest.
	cloudTags map[string]any
	// labels are those of the objects that it checks; nil is all.
	labels map[string]string
}

// The webhook's policies that a run can have.
const (
	observe   = "observe"
	compiled  = "module"
	stampTime = "stamp-time"
)

// composites is the API group of all composites here.
const composites = "blueprints.plexsphere.com"

// startPolicy starts the policy as deploy/ has it, for every kind of composites.
func (r *run) startPolicy(ctx context.Context, p policy) error {
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", policyFile))
	if err != nil {
		return err
	}
	deployed := &manifest{}
	if err := yaml.Unmarshal(content, deployed); err != nil {
		return fmt.Errorf("deploy/%s: %w", policyFile, err)
	}
	if p.settings != nil {
		deployed.Spec.Settings = p.settings
	}
	cloudTags, is := deployed.Spec.Settings["cloudTags"].(map[string]any)
	if !is {
		return fmt.Errorf("deploy/%s: no settings.cloudTags", policyFile)
	}
	for name, value := range p.cloudTags {
		cloudTags[name] = value
	}
	for _, rule := range deployed.Spec.Rules {
		if fmt.Sprint(rule["apiGroups"]) == fmt.Sprint([]string{composites}) {
			rule["apiGroups"] = []any{composites, thingGroup}
			rule["apiVersions"], rule["resources"] = []any{"*"}, []any{"*"}
		}
	}
	if r.token == "" {
		if r.token, _, err = r.PolicyServer(ctx, filepath.Join(r.root, "deploy", "rbac.yaml")); err != nil {
			return err
		}
	}
	_, err = r.StartWebhook(ctx, harness.Webhook{
		Program: r.programs.webhook, Policy: p.answers, Module: r.module,
		Settings: deployed.Spec.Settings, Granted: deployed.Spec.ContextAwareResources,
		EvaluationSeconds: deployed.Spec.TimeoutEvalSeconds, Token: r.token,
		Name: policyName, Labels: p.labels, Rules: deployed.Spec.Rules,
		FailurePolicy: deployed.Spec.FailurePolicy, TimeoutSeconds: deployed.Spec.TimeoutSeconds,
	})
	return err
}
