package main

import (
	"context"
	"encoding/base64"
	"fmt"

	"sigs.k8s.io/kustomize/api/krusty"
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
	for _, resource := range built.Resources() {
		if !installed[resource.GetKind()] {
			continue
		}
		fields, err := resource.Map()
		if err != nil {
			return err
		}
		o := &object{Object: fields}
		r.answerLocally(o.Object, webhook)
		if err := r.API.Ensure(ctx, o); err != nil {
			return fmt.Errorf("install %s: %w", p.name, err)
		}
	}
	return nil
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
