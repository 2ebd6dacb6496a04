package harness

import "context"

// LetPeople makes a namespace, and lets people do everything.
func (s *Server) LetPeople(ctx context.Context, namespace string) error {
	for _, o := range []*Object{
		{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}},
		{Object: map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
			"metadata": map[string]any{"name": People},
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
			"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": People}},
		}},
	} {
		if err := s.API.Ensure(ctx, o); err != nil {
			return err
		}
	}
	return nil
}
