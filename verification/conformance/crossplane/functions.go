package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// startFunctions starts the functions, and tells Crossplane where they are: as packages that somebody else runs.
func (r *run) startFunctions(ctx context.Context) error {
	root, err := r.API.Typed.CoreV1().Secrets(system).Get(ctx, rootSecret, metav1.GetOptions{})
	if err != nil {
		return err
	}
	authority, err := harness.ReadAuthority(filepath.Join(r.Directory, "functions"), root.Data["tls.crt"], root.Data["tls.key"])
	if err != nil {
		return fmt.Errorf("%s: %w", rootSecret, err)
	}
	ports, err := harness.FreePorts(len(r.programs.functions))
	if err != nil {
		return err
	}
	for i, name := range sortedKeys(r.programs.functions) {
		if err := r.startFunction(ctx, authority, name, ports[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) startFunction(ctx context.Context, authority *harness.Authority, name string, port int) error {
	serving, err := authority.Serving(name)
	if err != nil {
		return err
	}
	folder := filepath.Dir(serving.Certificate)
	if err := authority.Copy(filepath.Join(folder, "ca.crt")); err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	err = r.Start(name, []string{"TLS_SERVER_CERTS_DIR=" + folder}, r.programs.functions[name], "--address="+address)
	if err != nil {
		return err
	}
	if err := r.Await(ctx, name, time.Minute, func() error { return harness.Listening(port) }); err != nil {
		return err
	}
	// Paused: nobody fetches an image.
	paused := map[string]any{"crossplane.io/paused": "true"}
	const image = "conformance.example/functions/"
	function := &harness.Object{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1", "kind": "Function",
		"metadata": map[string]any{"name": name, "annotations": paused},
		"spec":     map[string]any{"package": image + name + ":v1"},
	}}
	if err := r.API.Ensure(ctx, function); err != nil {
		return err
	}
	revision, err := r.API.Create(ctx, &harness.Object{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1", "kind": "FunctionRevision",
		"metadata": map[string]any{
			"name": name + "-1", "annotations": paused,
			"labels": map[string]any{"pkg.crossplane.io/package": name},
		},
		"spec": map[string]any{"image": image + name + ":v1", "desiredState": "Active", "revision": int64(1)},
	}})
	if err != nil {
		return err
	}
	revision.Object["status"] = map[string]any{"endpoint": address, "capabilities": []any{"composition"}}
	revisions, err := r.API.Of(revision)
	if err != nil {
		return err
	}
	_, err = revisions.UpdateStatus(ctx, revision, metav1.UpdateOptions{})
	return err
}
