package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Webhook is a policy behind a mutating webhook.
type Webhook struct {
	// Program is verification/webhook, built by Cargo.
	Program string
	// Policy is one of its policies, Module the compiled one.
	Policy, Module string
	Settings       map[string]any
	// Granted is what the module may read.
	Granted           []map[string]any
	EvaluationSeconds int
	// CacheSeconds is how long the host keeps what it read; 0 is as long as Kubewarden's.
	CacheSeconds int
	// Token is the file by which the policy's host reads the API server.
	Token string
	// Name is the webhook configuration's.
	Name string
	// Labels are those of the objects that it checks; nil is all objects.
	Labels map[string]string
	// Rules, Conditions, FailurePolicy and TimeoutSeconds are those of the webhook configuration.
	Rules, Conditions []map[string]any
	FailurePolicy     string
	TimeoutSeconds    int
}

// Journal is the file that receives a line for each review.
func (s *Server) Journal() string { return filepath.Join(s.Directory, "journal.jsonl") }

// StartWebhook starts the policy's host, tells the API server of it, and returns the host's address.
func (s *Server) StartWebhook(ctx context.Context, w Webhook) (string, error) {
	port, err := FreePorts(1)
	if err != nil {
		return "", err
	}
	serving, err := s.Authority.Serving("policy-server")
	if err != nil {
		return "", err
	}
	written, err := json.Marshal(map[string]any{
		"listen":      fmt.Sprintf("127.0.0.1:%d", port[0]),
		"certificate": serving.Certificate, "key": serving.Key,
		"policy": w.Policy, "module": w.Module,
		"settings": w.Settings, "granted": w.Granted,
		"evaluationSeconds": w.EvaluationSeconds, "cacheSeconds": w.CacheSeconds,
		"server": s.API.Config.Host, "certificateAuthority": s.Authority.File(), "token": w.Token,
		"journal": s.Journal(), "recording": filepath.Join(s.Directory, "reviews.jsonl"),
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.Directory, "webhook.json")
	if err := os.WriteFile(file, written, 0o600); err != nil {
		return "", err
	}
	if err := s.Start("webhook", nil, w.Program, file); err != nil {
		return "", err
	}
	address := fmt.Sprintf("https://127.0.0.1:%d", port[0])
	// The module is compiled before the first byte is answered, which takes a while on a busy machine.
	if err := s.Await(ctx, "webhook", 3*time.Minute, func() error { return Listening(port[0]) }); err != nil {
		return "", err
	}
	return address, s.register(ctx, w, address+"/validate")
}

// register tells the API server of a policy's host.
func (s *Server) register(ctx context.Context, w Webhook, url string) error {
	configuration, err := Plain(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   map[string]any{"name": w.Name},
		"webhooks": []any{map[string]any{
			"name":                    w.Webhook(),
			"clientConfig":            map[string]any{"url": url, "caBundle": s.Authority.Bundle},
			"rules":                   w.Rules,
			"objectSelector":          map[string]any{"matchLabels": w.Labels},
			"matchConditions":         w.Conditions,
			"admissionReviewVersions": []any{"v1"},
			"failurePolicy":           w.FailurePolicy,
			"matchPolicy":             "Equivalent",
			"sideEffects":             "None",
			"timeoutSeconds":          w.TimeoutSeconds,
		}},
	})
	if err != nil {
		return err
	}
	return s.API.Ensure(ctx, &Object{Object: configuration})
}

// Webhook is the name of the webhook in its configuration, which metrics have.
func (w *Webhook) Webhook() string { return w.Name + ".kubewarden.admission" }
