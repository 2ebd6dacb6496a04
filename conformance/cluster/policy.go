package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// policyName is the webhook configuration of the policy, named as Kubewarden names it: in the order of names it comes
// after Cluster API's own.
const policyName = "clusterwide-metadata-propagation-policy"

// manifest is the repository's deploy/cluster-api.yaml.
type manifest struct {
	Spec struct {
		Rules                 []map[string]any `json:"rules"`
		Settings              map[string]any   `json:"settings"`
		ContextAwareResources []map[string]any `json:"contextAwareResources"`
		MatchConditions       []map[string]any `json:"matchConditions"`
		TimeoutSeconds        int              `json:"timeoutSeconds"`
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
	var deployed manifest
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "cluster-api.yaml"))
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(content, &deployed); err != nil {
		return fmt.Errorf("deploy/cluster-api.yaml: %w", err)
	}
	port, err := freePorts(1)
	if err != nil {
		return err
	}
	token, err := r.policyServer(ctx)
	if err != nil {
		return err
	}
	serving, err := r.authority.serving("policy-server")
	if err != nil {
		return err
	}
	rules, conditions := deployed.Spec.Rules, deployed.Spec.MatchConditions
	if r.options.policy == observe {
		rules, conditions = everything, nil
	}
	config := map[string]any{
		"listen":      fmt.Sprintf("127.0.0.1:%d", port[0]),
		"certificate": serving.certificate, "key": serving.key,
		"policy": r.options.policy, "module": r.options.module,
		"settings": deployed.Spec.Settings, "granted": deployed.Spec.ContextAwareResources,
		"server": r.api.config.Host, "certificateAuthority": r.authority.file(), "token": token,
		"journal": r.journal(), "recording": filepath.Join(r.directory, "reviews.jsonl"),
	}
	file := filepath.Join(r.directory, "webhook.json")
	written, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, written, 0o600); err != nil {
		return err
	}
	if err := r.start("webhook", nil, r.programs.webhook, file); err != nil {
		return err
	}
	url := fmt.Sprintf("https://127.0.0.1:%d/validate", port[0])
	configuration := &object{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   map[string]any{"name": policyName},
		"webhooks": []any{map[string]any{
			"name":                    policyName + ".kubewarden.admission",
			"clientConfig":            map[string]any{"url": url, "caBundle": r.authority.bundle},
			"rules":                   rules,
			"matchConditions":         conditions,
			"admissionReviewVersions": []any{"v1"},
			"failurePolicy":           deployed.Spec.FailurePolicy,
			"matchPolicy":             "Equivalent",
			"sideEffects":             "None",
			"timeoutSeconds":          deployed.Spec.TimeoutSeconds,
		}},
	}}
	if configuration.Object, err = plain(configuration.Object); err != nil {
		return err
	}
	// The module is compiled before the first byte is answered, which takes a while on a busy machine.
	if err := r.await(ctx, "webhook", 3*time.Minute, func() error { return listening(port[0]) }); err != nil {
		return err
	}
	return r.api.ensure(ctx, configuration)
}

// policyServer makes the ServiceAccount of a PolicyServer, with what deploy/rbac.yaml grants it, and returns the file
// with its token.
func (r *run) policyServer(ctx context.Context) (string, error) {
	const name, namespace = "policy-server", "kubewarden"
	for _, o := range []*object{
		{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name, "namespace": namespace}}},
	} {
		if err := r.api.ensure(ctx, o); err != nil {
			return "", err
		}
	}
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return "", err
	}
	for _, document := range strings.Split(string(content), "\n---\n") {
		o := &object{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			return "", fmt.Errorf("deploy/rbac.yaml: %w", err)
		}
		if err := r.api.ensure(ctx, o); err != nil {
			return "", err
		}
	}
	_, login, err := r.account(ctx, namespace, name)
	if err != nil {
		return "", err
	}
	return login.BearerTokenFile, nil
}

// plain turns Go's own types into those of JSON, which unstructured objects are made of.
func plain(fields map[string]any) (map[string]any, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	err = o.UnmarshalJSON(text)
	return o.Object, err
}
