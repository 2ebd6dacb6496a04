package vectors

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// store is what Cluster API's functions can read: objects by kind and name, and for every kind a definition that says
// which versions follow the contract. Anything else they might ask of a client, they do not.
type store struct {
	client.Client
	objects map[string]*unstructured.Unstructured
}

func newStore(objects ...map[string]any) store {
	s := store{objects: map[string]*unstructured.Unstructured{}}
	for _, object := range objects {
		u := &unstructured.Unstructured{Object: object}
		s.objects[u.GetKind()+"/"+u.GetName()] = u
	}
	return s
}

func (s store) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *metav1.PartialObjectMetadata:
		into.Labels = map[string]string{"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta2"}
		return nil
	case *unstructured.Unstructured:
		found, ok := s.objects[into.GetKind()+"/"+key.Name]
		if !ok {
			return fmt.Errorf("no %s %s in this fleet", into.GetKind(), key.Name)
		}
		found.DeepCopyInto(into)
		return nil
	}
	return fmt.Errorf("nobody told this fleet to hold a %T", into)
}
