package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// object is any object of the API.
type object = unstructured.Unstructured

// client is a user of the API server.
type client struct {
	config   *rest.Config
	dynamic  dynamic.Interface
	typed    *kubernetes.Clientset
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	warnings *warnings
}

func newClient(config *rest.Config) (*client, error) {
	config = rest.CopyConfig(config)
	heard := &warnings{}
	config.WarningHandler = heard
	dynamic, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(typed.Discovery()))
	return &client{config, dynamic, typed, mapper, heard}, nil
}

// as is the same client for another user, a person or the ServiceAccount of a program.
func (c *client) as(user string) (*client, error) {
	config := rest.CopyConfig(c.config)
	groups := []string{people, "system:authenticated"}
	if account, is := strings.CutPrefix(user, "system:serviceaccount:"); is {
		namespace, _, _ := strings.Cut(account, ":")
		groups = append(groups, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return newClient(config)
}

// people is the group of everybody who is none of Cluster API's programs. They may do everything; what stops them is
// admission.
const people = "people"

func (c *client) ready(ctx context.Context) error {
	return c.typed.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

func (c *client) resource(apiVersion, kind, namespace string) (dynamic.ResourceInterface, error) {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	mapping, err := c.mapper.RESTMapping(version.WithKind(kind).GroupKind(), version.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(version.WithKind(kind).GroupKind(), version.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(namespace), nil
}

func (c *client) of(o *object) (dynamic.ResourceInterface, error) {
	return c.resource(o.GetAPIVersion(), o.GetKind(), o.GetNamespace())
}

func (c *client) create(ctx context.Context, o *object) (*object, error) {
	resource, err := c.of(o)
	if err != nil {
		return nil, err
	}
	created, err := resource.Create(ctx, o, metav1.CreateOptions{})
	return created, told("create", o, err)
}

// ensure creates an object, or leaves it alone when it is there.
func (c *client) ensure(ctx context.Context, o *object) error {
	_, err := c.create(ctx, o)
	if apierrors.IsAlreadyExists(errors.Unwrap(err)) {
		return nil
	}
	return err
}

func (c *client) update(ctx context.Context, o *object) (*object, error) {
	resource, err := c.of(o)
	if err != nil {
		return nil, err
	}
	updated, err := resource.Update(ctx, o, metav1.UpdateOptions{})
	return updated, told("update", o, err)
}

// patch changes an object by a JSON merge patch.
func (c *client) patch(ctx context.Context, o *object, patch string) (*object, error) {
	resource, err := c.of(o)
	if err != nil {
		return nil, err
	}
	patched, err := resource.Patch(ctx, o.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return patched, told("patch", o, err)
}

// apply changes an object by server-side apply, and takes what others have set.
func (c *client) apply(ctx context.Context, o *object, manager string) (*object, error) {
	resource, err := c.of(o)
	if err != nil {
		return nil, err
	}
	applied, err := resource.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: manager, Force: true})
	return applied, told("apply", o, err)
}

func (c *client) delete(ctx context.Context, o *object, propagation metav1.DeletionPropagation) error {
	resource, err := c.of(o)
	if err != nil {
		return err
	}
	return told("delete", o, resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &propagation}))
}

func told(verb string, o *object, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %s: %w", verb, o.GetKind(), strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/"), err)
}

// warnings are what admission had to say besides its answer.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader keeps a warning.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// take returns the warnings since it was last called.
func (w *warnings) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}
