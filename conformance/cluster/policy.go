package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// policyName is the webhook configuration of the policy, named as Kubewarden names it: in the order of names it comes
// after Cluster API's own.
const policyName = "clusterwide-metadata-propagation-policy"

// policyFile is the policy's manifest, in deploy/.
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
		rules = everything
	}
	if !r.withPolicy() {
		// Controllers' writes are what is recorded, and what other policies do wrong.
		conditions = nil
	}
	config := map[string]any{
		"listen":      fmt.Sprintf("127.0.0.1:%d", port[0]),
		"certificate": serving.certificate, "key": serving.key,
		"policy": r.options.policy, "module": r.options.module,
		"settings": deployed.Spec.Settings, "granted": deployed.Spec.ContextAwareResources,
		"evaluationSeconds": deployed.Spec.TimeoutEvalSeconds,
		"server":            r.api.config.Host, "certificateAuthority": r.authority.file(), "token": token,
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
	r.webhook = fmt.Sprintf("https://127.0.0.1:%d", port[0])
	configuration := &object{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   map[string]any{"name": policyName},
		"webhooks": []any{map[string]any{
			"name":                    policyName + ".kubewarden.admission",
			"clientConfig":            map[string]any{"url": r.webhook + "/validate", "caBundle": r.authority.bundle},
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

// deployed is the policy's manifest, as the life wants it.
func (r *run) deployed() (*manifest, error) {
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", policyFile))
	if err != nil {
		return nil, err
	}
	deployed := &manifest{}
	if err := yaml.Unmarshal(content, deployed); err != nil {
		return nil, fmt.Errorf("deploy/%s: %w", policyFile, err)
	}
	if r.options.life.anybody {
		// The conditions name the same users.
		deployed.Spec.MatchConditions = nil
		clusterAPI, is := deployed.Spec.Settings["clusterApi"].(map[string]any)
		if !is {
			return nil, fmt.Errorf("deploy/%s: no settings.clusterApi", policyFile)
		}
		clusterAPI["controllers"] = []any{}
	}
	return deployed, nil
}

// policyServer makes the ServiceAccount of the PolicyServer, with what deploy/rbac.yaml grants it, and returns the file
// with its token.
func (r *run) policyServer(ctx context.Context) (string, error) {
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return "", err
	}
	if r.grants, err = decode("deploy/rbac.yaml", content); err != nil {
		return "", err
	}
	name, namespace, err := subject(r.grants)
	if err != nil {
		return "", fmt.Errorf("deploy/rbac.yaml: %w", err)
	}
	for _, o := range append([]*object{
		{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name, "namespace": namespace}}},
	}, r.grants...) {
		if err := r.api.ensure(ctx, o.DeepCopy()); err != nil {
			return "", err
		}
	}
	_, login, err := r.account(ctx, namespace, name)
	if err != nil {
		return "", err
	}
	return login.BearerTokenFile, nil
}

// subject is the one ServiceAccount to which permissions are granted.
func subject(grants []*object) (name, namespace string, err error) {
	for _, o := range grants {
		subjects, _, err := unstructured.NestedSlice(o.Object, "subjects")
		if err != nil {
			return "", "", err
		}
		for _, entry := range subjects {
			if entry, is := entry.(map[string]any); is && entry["kind"] == "ServiceAccount" {
				return fmt.Sprint(entry["name"]), fmt.Sprint(entry["namespace"]), nil
			}
		}
	}
	return "", "", fmt.Errorf("no ServiceAccount is granted anything")
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
