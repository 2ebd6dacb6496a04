package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// PolicyServer makes the ServiceAccount of the PolicyServer, with what a file such as deploy/rbac.yaml grants it, and returns
// the file with its token and what was granted.
func (s *Server) PolicyServer(ctx context.Context, file string) (string, []*Object, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	grants, err := Decode(file, content)
	if err != nil {
		return "", nil, err
	}
	name, namespace, err := GrantedTo(grants)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, o := range append([]*Object{
		{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name, "namespace": namespace}}},
	}, grants...) {
		if err := s.API.Ensure(ctx, o.DeepCopy()); err != nil {
			return "", nil, err
		}
	}
	_, login, err := s.Account(ctx, namespace, name)
	if err != nil {
		return "", nil, err
	}
	return login.BearerTokenFile, grants, nil
}

// GrantedTo is the one ServiceAccount to which permissions are granted.
func GrantedTo(grants []*Object) (name, namespace string, err error) {
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

// PolicyServerProgram is Kubewarden's PolicyServer, on the PATH.
const PolicyServerProgram = "policy-server"

// StartPolicyServer starts Kubewarden's PolicyServer with a policy, and tells the API server of it. The module needs its metadata, as
// `kwctl annotate` adds them.
func (s *Server) StartPolicyServer(ctx context.Context, w Webhook) error {
	ports, err := FreePorts(2)
	if err != nil {
		return err
	}
	serving, err := s.Authority.Serving(PolicyServerProgram)
	if err != nil {
		return err
	}
	policies, err := json.Marshal(map[string]any{w.Name: map[string]any{
		"module": "file://" + w.Module, "policyMode": "protect", "allowedToMutate": true, "settings": w.Settings,
		"contextAwareResources": w.Granted, "timeoutEvalSeconds": w.EvaluationSeconds, "hostCapabilities": []string{"*"},
	}})
	if err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(s.Directory, PolicyServerProgram, name) }
	for name, content := range map[string][]byte{"policies.yml": policies, "trust.json": nil} {
		if err := os.WriteFile(file(name), content, 0o600); err != nil {
			return err
		}
	}
	err = WriteKubeconfig(file("kubeconfig"), &rest.Config{
		Host: s.API.Config.Host, BearerTokenFile: w.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: s.Authority.File()},
	})
	if err != nil {
		return err
	}
	folder := filepath.Dir(file("kubeconfig"))
	err = s.Start(PolicyServerProgram, []string{"KUBECONFIG=" + file("kubeconfig")}, PolicyServerProgram,
		"--addr", "127.0.0.1", "--port", strconv.Itoa(ports[0]), "--readiness-probe-port", strconv.Itoa(ports[1]),
		"--cert-file", serving.Certificate, "--key-file", serving.Key, "--policies", file("policies.yml"),
		"--policies-download-dir", folder, "--sigstore-trust-config", file("trust.json"), "--sigstore-cache-dir", folder,
		"--log-level", "warn", "--log-no-color")
	if err != nil {
		return err
	}
	err = s.Await(ctx, PolicyServerProgram, 3*time.Minute, func() error {
		return Healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readiness", ports[1]))
	})
	if err != nil {
		return err
	}
	return s.register(ctx, w, fmt.Sprintf("https://127.0.0.1:%d/validate/%s", ports[0], w.Name))
}
