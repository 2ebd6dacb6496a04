package harness

import (
	"context"
	"fmt"
	"os"

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
