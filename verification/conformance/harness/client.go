package harness

import (
	"context"
	"encoding/json"
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

// Object is any object of the API.
type Object = unstructured.Unstructured

// Client is a user of the API server.
type Client struct {
	Config   *rest.Config
	Dynamic  dynamic.Interface
	Typed    *kubernetes.Clientset
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	Warnings *Warnings
}

// NewClient makes the client of a login.
func NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	heard := &Warnings{}
	config.WarningHandler = heard
	// The API server makes the field manager of it where a write names none.
	config.UserAgent = "people/1"
	dynamic, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(typed.Discovery()))
	return &Client{config, dynamic, typed, mapper, heard}, nil
}

// As is the same client for another user, a person or the ServiceAccount of a program.
func (c *Client) As(user string) (*Client, error) {
	config := rest.CopyConfig(c.Config)
	groups := []string{People, "system:authenticated"}
	if account, is := strings.CutPrefix(user, "system:serviceaccount:"); is {
		namespace, _, _ := strings.Cut(account, ":")
		groups = append(groups, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return NewClient(config)
}

// AsKubelet is the same client for the kubelet of a Node.
func (c *Client) AsKubelet(node string) (*Client, error) {
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:node:" + node, Groups: []string{"system:nodes", "system:authenticated"},
	}
	return NewClient(config)
}

// People is the group of everybody who is none of the programs. They may do everything; what stops them is
// admission.
const People = "people"

// Ready asks the API server whether it serves.
func (c *Client) Ready(ctx context.Context) error {
	return c.Typed.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// Resource is a kind, in a namespace where it has any.
func (c *Client) Resource(apiVersion, kind, namespace string) (dynamic.ResourceInterface, error) {
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
		return c.Dynamic.Resource(mapping.Resource), nil
	}
	return c.Dynamic.Resource(mapping.Resource).Namespace(namespace), nil
}

// Of is the resource of an object.
func (c *Client) Of(o *Object) (dynamic.ResourceInterface, error) {
	return c.Resource(o.GetAPIVersion(), o.GetKind(), o.GetNamespace())
}

// Get reads an object as it is now.
func (c *Client) Get(ctx context.Context, o *Object) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	read, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
	return read, Told("get", o, err)
}

// Create creates an object.
func (c *Client) Create(ctx context.Context, o *Object) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	created, err := resource.Create(ctx, o, metav1.CreateOptions{})
	return created, Told("create", o, err)
}

// Ensure creates an object, or leaves it alone when it is there.
func (c *Client) Ensure(ctx context.Context, o *Object) error {
	_, err := c.Create(ctx, o)
	if apierrors.IsAlreadyExists(errors.Unwrap(err)) {
		return nil
	}
	return err
}

// Update replaces an object.
func (c *Client) Update(ctx context.Context, o *Object) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	updated, err := resource.Update(ctx, o, metav1.UpdateOptions{})
	return updated, Told("update", o, err)
}

// Patch changes an object by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, o *Object, patch string) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	patched, err := resource.Patch(ctx, o.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return patched, Told("patch", o, err)
}

// PatchAs changes an object by a JSON merge patch, with a field manager.
func (c *Client) PatchAs(ctx context.Context, o *Object, patch map[string]any, manager string) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	patched, err := resource.Patch(ctx, o.GetName(), types.MergePatchType, text, metav1.PatchOptions{FieldManager: manager})
	return patched, Told("patch", o, err)
}

// ApplyWith changes an object by server-side apply.
func (c *Client) ApplyWith(ctx context.Context, o *Object, options metav1.ApplyOptions) (*Object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	applied, err := resource.Apply(ctx, o.GetName(), o, options)
	return applied, Told("apply", o, err)
}

// Apply changes an object by server-side apply, and takes what others have set.
func (c *Client) Apply(ctx context.Context, o *Object, manager string) (*Object, error) {
	return c.ApplyWith(ctx, o, metav1.ApplyOptions{FieldManager: manager, Force: true})
}

// Delete deletes an object.
func (c *Client) Delete(ctx context.Context, o *Object, propagation metav1.DeletionPropagation) error {
	resource, err := c.Of(o)
	if err != nil {
		return err
	}
	return Told("delete", o, resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &propagation}))
}

// Told names the object in an error.
func Told(verb string, o *Object, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %s: %w", verb, o.GetKind(), strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/"), err)
}

// Warnings are what admission had to say besides its answer.
type Warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader keeps a warning.
func (w *Warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

// Take returns the warnings since it was last called.
func (w *Warnings) Take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}
