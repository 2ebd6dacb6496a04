package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// store is an API server in memory, as far as the topology reconciler asks one. A call that it does not know ends the
// program: the embedded client is nil.
type store struct {
	client.Client
	scheme  *runtime.Scheme
	servers *servers
	objects map[storeKey]*unstructured.Unstructured
	written int
}

type storeKey struct {
	kind            schema.GroupKind
	namespace, name string
}

func newStore(servers *servers) (*store, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return &store{scheme: scheme, servers: servers, objects: map[storeKey]*unstructured.Unstructured{}}, nil
}

func (s *store) copy() *store {
	copied := &store{scheme: s.scheme, servers: s.servers, objects: map[storeKey]*unstructured.Unstructured{}, written: s.written}
	for key, object := range s.objects {
		copied.objects[key] = object.DeepCopy()
	}
	return copied
}

func (s *store) Scheme() *runtime.Scheme { return s.scheme }

func (s *store) keyOf(object client.Object) (storeKey, schema.GroupVersionKind, error) {
	kind, err := apiutil.GVKForObject(object, s.scheme)
	return storeKey{kind.GroupKind(), object.GetNamespace(), object.GetName()}, kind, err
}

// put stores an object, with what a server sets.
func (s *store) put(object *unstructured.Unstructured) {
	s.written++
	key := storeKey{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
	if object.GetUID() == "" {
		object.SetUID(types.UID(fmt.Sprintf("uid-%d", s.written)))
	}
	object.SetResourceVersion(fmt.Sprint(s.written))
	object.SetGeneration(1)
	s.objects[key] = object
}

func (s *store) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if into, ok := into.(*metav1.PartialObjectMetadata); ok {
		into.Labels = s.contracts(name.Name)
		return nil
	}
	kind, err := apiutil.GVKForObject(into, s.scheme)
	if err != nil {
		return err
	}
	found, ok := s.objects[storeKey{kind.GroupKind(), name.Namespace, name.Name}]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, name.Name)
	}
	if found.GroupVersionKind().Version != kind.Version {
		return fmt.Errorf("%s %s is in %s, not in %s", kind.Kind, name.Name, found.GroupVersionKind().Version, kind.Version)
	}
	return read(found, into)
}

// contracts are the labels of a definition: a provider serves the versions that its objects have, and a version follows
// the contract of its name.
func (s *store) contracts(definition string) map[string]string {
	_, group, _ := strings.Cut(definition, ".")
	versions := map[string][]string{}
	for _, key := range s.keys() {
		if key.kind.Group != group {
			continue
		}
		version, contract := s.objects[key].GroupVersionKind().Version, "cluster.x-k8s.io/v1beta2"
		if version != "v1beta2" {
			contract = "cluster.x-k8s.io/v1beta1"
		}
		if !slices.Contains(versions[contract], version) {
			versions[contract] = append(versions[contract], version)
		}
	}
	labels := map[string]string{}
	for contract, versions := range versions {
		labels[contract] = strings.Join(versions, "_")
	}
	return labels
}

func read(from *unstructured.Unstructured, into client.Object) error {
	if into, ok := into.(*unstructured.Unstructured); ok {
		from.DeepCopyInto(into)
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(from.DeepCopy().Object, into)
}

func (s *store) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	var asked client.ListOptions
	asked.ApplyOptions(options)
	kind, err := apiutil.GVKForObject(list, s.scheme)
	if err != nil {
		return err
	}
	kind.Kind = kind.Kind[:len(kind.Kind)-len("List")]
	if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
		kind = list.GetObjectKind().GroupVersionKind()
	}
	var found []runtime.Object
	for _, key := range s.keys() {
		object := s.objects[key]
		if key.kind != kind.GroupKind() || asked.Namespace != "" && asked.Namespace != key.namespace {
			continue
		}
		if asked.LabelSelector != nil && !asked.LabelSelector.Matches(labelsOf(object)) {
			continue
		}
		var item client.Object = &metav1.PartialObjectMetadata{}
		if typed, err := s.scheme.New(kind); err == nil {
			if _, ok := list.(*metav1.PartialObjectMetadataList); !ok {
				item = typed.(client.Object)
			}
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.DeepCopy().Object, item); err != nil {
			return err
		}
		found = append(found, item)
	}
	return meta.SetList(list, found)
}

type labelSet map[string]string

func labelsOf(object *unstructured.Unstructured) labelSet { return object.GetLabels() }

func (l labelSet) Has(key string) bool   { _, ok := l[key]; return ok }
func (l labelSet) Get(key string) string { return l[key] }
func (l labelSet) Lookup(key string) (string, bool) {
	value, ok := l[key]
	return value, ok
}

func (s *store) keys() []storeKey {
	var keys []storeKey
	for key := range s.objects {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(a, b int) bool { return fmt.Sprint(keys[a]) < fmt.Sprint(keys[b]) })
	return keys
}

func (s *store) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	key, kind, err := s.keyOf(object)
	if err != nil {
		return err
	}
	if _, ok := s.objects[key]; ok {
		return apierrors.NewAlreadyExists(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.name)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	created := &unstructured.Unstructured{Object: content}
	created.SetGroupVersionKind(kind)
	s.put(created)
	return read(created, object)
}

func (s *store) Delete(_ context.Context, object client.Object, _ ...client.DeleteOption) error {
	key, kind, err := s.keyOf(object)
	if err != nil {
		return err
	}
	if _, ok := s.objects[key]; !ok {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.name)
	}
	delete(s.objects, key)
	return nil
}

// Patch is a merge patch, of the Cluster.
func (s *store) Patch(_ context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
	if patch.Type() != types.MergePatchType {
		return fmt.Errorf("a patch of type %s", patch.Type())
	}
	key, _, err := s.keyOf(object)
	if err != nil {
		return err
	}
	live := s.objects[key]
	text, err := json.Marshal(live.Object)
	if err != nil {
		return err
	}
	data, err := patch.Data(object)
	if err != nil {
		return err
	}
	merged, err := jsonpatch.MergePatch(text, data)
	if err != nil {
		return err
	}
	patched := &unstructured.Unstructured{}
	if err := patched.UnmarshalJSON(merged); err != nil {
		return err
	}
	patched, err = s.servers.update(live, patched, "manager")
	if err != nil {
		return err
	}
	s.put(patched)
	return read(patched, object)
}

// Apply is a server-side apply.
func (s *store) Apply(ctx context.Context, configuration runtime.ApplyConfiguration, options ...client.ApplyOption) error {
	var asked client.ApplyOptions
	asked.ApplyOptions(options)
	given, ok := configuration.(interface {
		UnstructuredContent() map[string]any
		SetUnstructuredContent(map[string]any)
	})
	if !ok {
		return fmt.Errorf("an apply configuration of type %T", configuration)
	}
	applied := (&unstructured.Unstructured{Object: given.UnstructuredContent()}).DeepCopy()
	key := storeKey{applied.GroupVersionKind().GroupKind(), applied.GetNamespace(), applied.GetName()}
	live := s.objects[key]
	if uid := applied.GetUID(); uid != "" && (live == nil || live.GetUID() != uid) {
		return apierrors.NewConflict(schema.GroupResource{Group: key.kind.Group, Resource: key.kind.Kind}, key.name, fmt.Errorf("uid"))
	}
	isDryRun := len(asked.DryRun) > 0
	request := admissionv1.AdmissionRequest{Operation: admissionv1.Create, DryRun: &isDryRun}
	ctx = admission.NewContextWithRequest(ctx, admission.Request{AdmissionRequest: request})
	result, err := s.servers.apply(ctx, live, applied, asked.FieldManager, asked.Force != nil && *asked.Force)
	if err != nil {
		return err
	}
	if !isDryRun {
		s.put(result)
	}
	given.SetUnstructuredContent(result.DeepCopy().Object)
	return nil
}
