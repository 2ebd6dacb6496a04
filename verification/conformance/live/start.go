package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conformance/harness"
)

// run is one API server and the program that asks it.
type run struct {
	*harness.Server
	propagate, root string
	objects         int
	// compared are the answers that were looked at.
	compared    int
	differences int
}

// auditLog is where the API server writes one line for each request.
func (r *run) auditLog() string { return filepath.Join(r.Directory, "audit.log") }

// start starts the API server with a fleet in it.
func (r *run) start(ctx context.Context, objects []*harness.Object) error {
	policy := filepath.Join(r.Directory, "audit.yaml")
	err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{ level: Metadata }]\n"), 0o600)
	if err != nil {
		return err
	}
	r.Flags = []string{"--audit-policy-file=" + policy, "--audit-log-path=" + r.auditLog(), "--audit-log-mode=blocking-strict"}
	if err := r.StartControlPlane(ctx); err != nil {
		return err
	}
	for _, namespace := range []string{"fleet", "tools"} {
		if err := r.API.Ensure(ctx, object("v1", "Namespace", "", namespace, nil)); err != nil {
			return err
		}
	}
	if err := r.define(ctx, objects); err != nil {
		return err
	}
	if err := r.create(ctx, objects); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "propagate-rbac.yaml"))
	if err != nil {
		return err
	}
	grants, err := harness.Decode("propagate-rbac.yaml", content)
	if err != nil {
		return err
	}
	grants = append(grants, binding("ClusterRoleBinding", "", "reader"), binding("RoleBinding", "fleet", "tenant"))
	for _, grant := range grants {
		if err := r.API.Ensure(ctx, grant); err != nil {
			return err
		}
	}
	for _, name := range []string{"reader", "tenant", "nobody"} {
		if err := r.API.Ensure(ctx, object("v1", "ServiceAccount", "tools", name, nil)); err != nil {
			return err
		}
		_, login, err := r.Account(ctx, "tools", name)
		if err != nil {
			return err
		}
		if err := harness.WriteKubeconfig(r.kubeconfig(name), login); err != nil {
			return err
		}
		if name == "nobody" {
			expired := filepath.Join(r.Directory, "expired.token")
			if err := os.WriteFile(expired, []byte("expired"), 0o600); err != nil {
				return err
			}
			login.BearerTokenFile = expired
			if err := harness.WriteKubeconfig(r.kubeconfig("expired"), login); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) kubeconfig(user string) string { return filepath.Join(r.Directory, user+".kubeconfig") }

func object(apiVersion, kind, namespace, name string, fields map[string]any) *harness.Object {
	o := &harness.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}}
	if namespace != "" {
		o.SetNamespace(namespace)
	}
	for field, value := range fields {
		o.Object[field] = value
	}
	return o
}

// binding lets a ServiceAccount read what deploy/propagate-rbac.yaml says, in one namespace or in all.
func binding(kind, namespace, account string) *harness.Object {
	return object("rbac.authorization.k8s.io/v1", kind, namespace, account, map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "propagate"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": account, "namespace": "tools"}},
	})
}

// define installs the kinds of the objects, without Cluster API's conversion webhooks.
func (r *run) define(ctx context.Context, objects []*harness.Object) error {
	known := map[string]bool{}
	for _, o := range objects {
		kind := o.GroupVersionKind()
		if known[kind.Kind] || kind.Group == "" {
			continue
		}
		known[kind.Kind] = true
		singular := strings.ToLower(kind.Kind)
		plural := singular + "s"
		if strings.HasSuffix(singular, "s") {
			plural = singular + "es"
		}
		open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		definition := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", plural+"."+kind.Group, map[string]any{
			"spec": map[string]any{
				"group": kind.Group, "scope": "Namespaced",
				"names": map[string]any{"kind": kind.Kind, "plural": plural, "singular": singular},
				"versions": []any{map[string]any{
					"name": kind.Version, "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": open},
				}},
			},
		})
		definition.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, only for a test"})
		if _, err := r.API.Create(ctx, definition); err != nil {
			return err
		}
	}
	return r.AwaitDefinitions(ctx)
}

// create creates the objects in their order, which is from owners down: the API server gives out uids of its own.
func (r *run) create(ctx context.Context, objects []*harness.Object) error {
	uids := map[string]any{}
	for _, o := range objects {
		written := string(o.GetUID())
		owners, _ := o.Object["metadata"].(map[string]any)["ownerReferences"].([]any)
		for _, owner := range owners {
			owner := owner.(map[string]any)
			uid, is := uids[fmt.Sprint(owner["uid"])]
			if !is {
				return fmt.Errorf("%s %s is owned by %v, which is not before it", o.GetKind(), o.GetName(), owner["uid"])
			}
			owner["uid"] = uid
		}
		created, err := r.API.Create(ctx, o)
		if err != nil {
			return err
		}
		uids[written] = string(created.GetUID())
		r.objects++
	}
	return nil
}
