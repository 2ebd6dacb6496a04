package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/component-base/featuregate"
	"k8s.io/utils/ptr"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
	"sigs.k8s.io/cluster-api/feature"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// user is the field manager of the edits.
const user = "user"

// steady bounds the reconciles after one edit: an upgrade of all workers takes one for each, and a template that writes
// its own name never ends.
const steady = 16

// world is a management cluster with one topology.
type world struct {
	store *store
	name  client.ObjectKey
}

func (w *world) copy() *world {
	store := w.store.copy()
	store.servers = &servers{kinds: store.servers.kinds, admission: &webhooks{reader: store}}
	return &world{store: store, name: w.name}
}

var known *servers

// usual are the feature gates of a vector that names none.
var usual = map[string]bool{"ClusterTopology": true, "MachinePool": true, "MachineTaintPropagation": true, "RuntimeSDK": false}

// prepare reads the definitions of kinds and sets feature gates.
func prepare(others map[string]bool) error {
	gates := feature.Gates.(utilfeature.MutableFeatureGate)
	for _, set := range []map[string]bool{usual, others} {
		if err := gates.SetFromMap(set); err != nil {
			return err
		}
	}
	if known != nil {
		return nil
	}
	made, err := newServers()
	known = made
	return err
}

// start is the world before the edits: everything is created and nothing changes anymore.
func (v vector) start() (*world, error) {
	if err := prepare(v.Gates); err != nil {
		return nil, err
	}
	store, err := newStore(&servers{kinds: known.kinds})
	if err != nil {
		return nil, err
	}
	store.servers.admission = &webhooks{reader: store}
	w := &world{store: store}
	if err := w.write(vector{}, v); err != nil {
		return nil, err
	}
	_, err = w.reconcile()
	return w, err
}

// change makes an edit, and says what differs when nothing changes anymore.
func (w *world) change(old, edited vector) ([]owner, error) {
	before := w.store.copy()
	if err := w.write(old, edited); err != nil {
		return nil, err
	}
	states, err := w.reconcile()
	if err != nil {
		return nil, err
	}
	return owners(before, states, w.name)
}

// write applies what differs: templates, then classes, then the Cluster. What is refused is tried again after the others, as
// whoever applies a repository does.
func (w *world) write(old, edited vector) error {
	written := map[string]string{}
	var all []map[string]any
	for number, from := range []vector{old, edited} {
		all = append(append(append([]map[string]any{}, from.Templates...), from.Others...), from.Class, from.Cluster)
		if number == 0 {
			for _, object := range all {
				if object != nil {
					written[idOf(object)] = text(object)
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(object map[string]any) bool { return written[idOf(object)] == text(object) })
	for len(all) > 0 {
		var refused []map[string]any
		var first error
		for _, object := range all {
			if err := w.apply(object); err != nil {
				refused = append(refused, object)
				first = cmp.Or(first, err)
			}
		}
		if len(refused) == len(all) {
			return first
		}
		all = refused
	}
	return nil
}

func idOf(object map[string]any) string {
	u := unstructured.Unstructured{Object: object}
	return fmt.Sprint(u.GroupVersionKind().GroupKind(), u.GetNamespace(), "/", u.GetName())
}

func text(object map[string]any) string {
	text, err := json.Marshal(object)
	must(err)
	return string(text)
}

// apply applies an object as a user does.
func (w *world) apply(written map[string]any) error {
	// Whole numbers are integers, as in an API server.
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON([]byte(text(written))); err != nil {
		return err
	}
	if err := w.store.servers.unknown(object); err != nil {
		return err
	}
	if err := w.store.servers.written(object); err != nil {
		return err
	}
	object, err := hub(object)
	if err != nil {
		return err
	}
	w.store.servers.pruneNulls(object)
	if object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	if object.GetKind() == "Cluster" {
		w.name = client.ObjectKeyFromObject(object)
	}
	return w.store.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(user), client.ForceOwnership)
}

// hub is a Cluster or ClusterClass in v1beta2; templates stay in the version that their class names.
func hub(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if object.GetAPIVersion() != clusterv1beta1.GroupVersion.String() {
		return object, nil
	}
	switch object.GetKind() {
	case "Cluster":
		return converted(object, clusterv1.GroupVersion.String(), coreconversion.ConvertClusterV1Beta1ToHub)
	case "ClusterClass":
		return converted(object, clusterv1.GroupVersion.String(), coreconversion.ConvertClusterClassV1Beta1ToHub)
	}
	return object, nil
}

func converted[F, T any](from *unstructured.Unstructured, version string, convert func(context.Context, *F, *T) error) (*unstructured.Unstructured, error) {
	old, made := new(F), new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, old); err != nil {
		return nil, err
	}
	if err := convert(context.Background(), old, made); err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetAPIVersion(version)
	object.SetKind(from.GetKind())
	unstructured.RemoveNestedField(object.Object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(object.Object, "status")
	return object, nil
}

// classStatus is what the controller of classes writes: the variables of the class.
func classStatus(_ context.Context, _, class *clusterv1.ClusterClass) error {
	class.Status = clusterv1.ClusterClassStatus{ObservedGeneration: 1}
	for _, variable := range class.Spec.Variables {
		class.Status.Variables = append(class.Status.Variables, clusterv1.ClusterClassStatusVariable{
			Name: variable.Name, DefinitionsConflict: ptr.To(false),
			Definitions: []clusterv1.ClusterClassStatusVariableDefinition{{
				From: clusterv1.VariableDefinitionFromInline, Required: variable.Required, Schema: variable.Schema,
				DeprecatedV1Beta1Metadata: variable.DeprecatedV1Beta1Metadata,
			}},
		})
	}
	class.Generation = 1
	class.Status.Conditions = []metav1.Condition{{Type: clusterv1.ClusterClassVariablesReadyCondition, Status: metav1.ConditionTrue, Reason: "Ready", LastTransitionTime: metav1.Unix(0, 0)}}
	return nil
}

// reconcile reconciles until nothing changes, and returns every state.
func (w *world) reconcile() ([]*store, error) {
	reconciler, generator, err := reconcilerOf(w.store)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	var states []*store
	for range steady {
		cluster := &clusterv1.Cluster{}
		if err := w.store.Get(ctx, w.name, cluster); err != nil {
			return nil, err
		}
		if ptr.Deref(cluster.Spec.Paused, false) || hasPaused(cluster) {
			return append(states, w.store.copy()), nil
		}
		class := &clusterv1.ClusterClass{}
		if err := w.store.Get(ctx, cluster.GetClassKey(), class); err != nil {
			return nil, err
		}
		if err := w.store.servers.admission.cluster(ctx, nil, cluster); err != nil {
			return nil, err
		}
		s := scope.New(cluster)
		if s.Blueprint, err = getBlueprint(reconciler, ctx, cluster, class); err != nil {
			return nil, err
		}
		if s.Current, err = getCurrentState(reconciler, ctx, s); err != nil {
			return nil, err
		}
		if s.Desired, err = generator.Generate(ctx, s); err != nil {
			return nil, err
		}
		if err := reconcileState(reconciler, ctx, s); err != nil {
			return nil, err
		}
		w.settle()
		states = append(states, w.store.copy())
		if len(states) > 1 && same(states[len(states)-2], states[len(states)-1]) {
			return states, nil
		}
	}
	return states, nil
}

func hasPaused(cluster *clusterv1.Cluster) bool {
	_, ok := cluster.Annotations[clusterv1.PausedAnnotation]
	return ok
}

// settle writes what providers report when their work is done.
func (w *world) settle() {
	for _, object := range w.store.objects {
		spec, _ := object.Object["spec"].(map[string]any)
		if version, ok := spec["version"]; ok && isControlPlane(w.store, w.name, object) {
			status := map[string]any{"version": version, "initialization": map[string]any{"controlPlaneInitialized": true}, "initialized": true}
			for _, field := range []string{"replicas", "readyReplicas", "availableReplicas", "upToDateReplicas", "updatedReplicas"} {
				if replicas, ok := spec["replicas"]; ok {
					status[field] = replicas
				}
			}
			status["unavailableReplicas"] = int64(0)
			object.Object["status"] = status
			w.store.servers.prune(object)
		}
	}
}

func same(a, b *store) bool {
	if len(a.objects) != len(b.objects) {
		return false
	}
	for key, object := range a.objects {
		other, ok := b.objects[key]
		if !ok || object.GetResourceVersion() != other.GetResourceVersion() {
			return false
		}
	}
	return true
}
