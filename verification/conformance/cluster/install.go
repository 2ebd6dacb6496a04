package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// installed are the kinds of a release's manifests that mean something without containers.
var installed = map[string]bool{
	"Namespace": true, "ServiceAccount": true,
	"ClusterRole": true, "ClusterRoleBinding": true, "Role": true, "RoleBinding": true,
	"CustomResourceDefinition":       true,
	"MutatingWebhookConfiguration":   true,
	"ValidatingWebhookConfiguration": true,
}

// install applies a provider's manifests as released, but with webhooks on the loopback interface: `webhook` is the
// manager's port.
func (r *run) install(ctx context.Context, p provider, webhook int) error {
	folder, err := p.manifests(ctx, r.programs.clusterAPI)
	if err != nil {
		return err
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return fmt.Errorf("kustomize %s: %w", p.name, err)
	}
	// Not every kustomization has them in front.
	resources := built.Resources()
	slices.SortStableFunc(resources, func(a, b *resource.Resource) int {
		return cmp.Compare(behindNamespaces(a), behindNamespaces(b))
	})
	for _, resource := range resources {
		if !installed[resource.GetKind()] || p.noWebhooks && strings.HasSuffix(resource.GetKind(), "WebhookConfiguration") {
			continue
		}
		fields, err := resource.Map()
		if err != nil {
			return err
		}
		o := &object{Object: fields}
		if p.noWebhooks && o.GetKind() == "CustomResourceDefinition" {
			put(o, "spec", "conversion", map[string]any{"strategy": "None"})
		}
		r.answerLocally(o.Object, webhook)
		if err := r.API.Ensure(ctx, o); err != nil {
			return fmt.Errorf("install %s: %w", p.name, err)
		}
	}
	return nil
}

// behindNamespaces is 0 for a Namespace and 1 for what is in one.
func behindNamespaces(r *resource.Resource) int {
	if r.GetKind() == "Namespace" {
		return 0
	}
	return 1
}

// answerLocally replaces every reference to a webhook's Service by the manager's own address.
func (r *run) answerLocally(value any, port int) {
	switch value := value.(type) {
	case map[string]any:
		if service, is := value["service"].(map[string]any); is && service["path"] != nil {
			delete(value, "service")
			value["url"] = fmt.Sprintf("https://127.0.0.1:%d%v", port, service["path"])
			value["caBundle"] = base64.StdEncoding.EncodeToString(r.Authority.Bundle)
		}
		for _, below := range value {
			r.answerLocally(below, port)
		}
	case []any:
		for _, below := range value {
			r.answerLocally(below, port)
		}
	}
}
