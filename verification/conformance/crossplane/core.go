package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// system is the namespace of Crossplane's installation, account its ServiceAccount.
const (
	system  = "crossplane-system"
	account = "crossplane"
	// crossplaneUser is who writes.
	crossplaneUser = "system:serviceaccount:" + system + ":" + account
)

// The Secrets that Crossplane makes for itself.
const (
	rootSecret   = "crossplane-root-ca"
	clientSecret = "crossplane-tls-client"
	serverSecret = "crossplane-tls-server"
)

// startCrossplane installs Crossplane's core, and starts it as the ServiceAccount of its release.
func (r *run) startCrossplane(ctx context.Context) error {
	for _, o := range []*harness.Object{
		named("v1", "Namespace", "", system),
		named("v1", "ServiceAccount", system, account),
		{Object: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
			"metadata": map[string]any{"name": account},
			// The RBAC manager, which grants what packages need, is not started.
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": account, "namespace": system}},
		}},
	} {
		if err := r.API.Ensure(ctx, o); err != nil {
			return err
		}
	}
	_, login, err := r.Account(ctx, system, account)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(r.Directory, account+".kubeconfig")
	if err := harness.WriteKubeconfig(kubeconfig, login); err != nil {
		return err
	}
	client := filepath.Join(r.Directory, clientSecret)
	environment := []string{
		"KUBECONFIG=" + kubeconfig, "POD_NAMESPACE=" + system, "POD_SERVICE_ACCOUNT=" + account,
		"CRDS_PATH=" + r.programs.definitions, "WEBHOOK_ENABLED=false",
		"TLS_CA_SECRET_NAME=" + rootSecret, "TLS_CLIENT_SECRET_NAME=" + clientSecret, "TLS_SERVER_SECRET_NAME=" + serverSecret,
		"TLS_CLIENT_CERTS_DIR=" + client,
	}
	if err := r.install(ctx, environment); err != nil {
		return err
	}
	if err := r.secretToFolder(ctx, clientSecret, client); err != nil {
		return err
	}
	ports, err := harness.FreePorts(2)
	if err != nil {
		return err
	}
	err = r.Start("crossplane", environment, r.programs.crossplane, "core", "start",
		"--package-runtime=External", "--cache-dir="+filepath.Join(r.Directory, "packages"),
		fmt.Sprintf("--health-probe-port=%d", ports[0]), fmt.Sprintf("--metrics-port=%d", ports[1]))
	if err != nil {
		return err
	}
	return r.Await(ctx, "crossplane", time.Minute, func() error {
		return harness.Healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", ports[0]))
	})
}

// install lets Crossplane install its own definitions. The first try ends before the API server serves them.
func (r *run) install(ctx context.Context, environment []string) error {
	for try := 1; ; try++ {
		err := r.Finish(ctx, fmt.Sprintf("crossplane-init-%d", try), environment, r.programs.crossplane, "core", "init")
		if err == nil {
			break
		}
		if try == 5 {
			return err
		}
		if err := r.AwaitDefinitions(ctx); err != nil {
			return err
		}
	}
	return r.AwaitDefinitions(ctx)
}

// secretToFolder writes a Secret as it would be mounted.
func (r *run) secretToFolder(ctx context.Context, name, folder string) error {
	secret, err := r.API.Typed.CoreV1().Secrets(system).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for file, content := range secret.Data {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
