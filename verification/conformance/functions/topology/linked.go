package main

import (
	"context"
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	runtimecatalog "sigs.k8s.io/cluster-api/api/runtime/catalog"
	runtimehooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	topologycluster "sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster"
	runtimeclient "sigs.k8s.io/cluster-api/exp/runtime/client"
	"sigs.k8s.io/cluster-api/exp/topology/desiredstate"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
	capicontrollerutil "sigs.k8s.io/cluster-api/util/controller"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The steps of the reconciler between its watches and its status. The linker reaches them, so that no copy can go stale.

//go:linkname getBlueprint sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster.(*Reconciler).getBlueprint
func getBlueprint(r *topologycluster.Reconciler, ctx context.Context, cluster *clusterv1.Cluster, class *clusterv1.ClusterClass) (*scope.ClusterBlueprint, error)

//go:linkname getCurrentState sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster.(*Reconciler).getCurrentState
func getCurrentState(r *topologycluster.Reconciler, ctx context.Context, s *scope.Scope) (*scope.ClusterState, error)

//go:linkname reconcileState sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster.(*Reconciler).reconcileState
func reconcileState(r *topologycluster.Reconciler, ctx context.Context, s *scope.Scope) error

// reconcilerOf is a reconciler over a store. What its manager would set is set here.
func reconcilerOf(store *store) (*topologycluster.Reconciler, desiredstate.Generator, error) {
	generator, err := desiredstate.NewGenerator(store, clustercache.NewFakeEmptyClusterCache(), noExtensions{}, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	reconciler := &topologycluster.Reconciler{Client: store, APIReader: store, RuntimeClient: noExtensions{}}
	set(reconciler, "recorder", &record.FakeRecorder{})
	set(reconciler, "controller", noController{})
	set(reconciler, "ssaCache", noCache{})
	return reconciler, generator, nil
}

func set(reconciler *topologycluster.Reconciler, name string, value any) {
	field := reflect.ValueOf(reconciler).Elem().FieldByName(name)
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}

// noExtensions are the extensions of a management cluster that has none: all hooks are answered at once.
type noExtensions struct{ runtimeclient.Client }

func (noExtensions) GetAllExtensions(context.Context, runtimecatalog.Hook, client.Object) ([]string, error) {
	return nil, nil
}

func (noExtensions) CallAllExtensions(context.Context, runtimecatalog.Hook, client.Object, runtimehooksv1.RequestObject, runtimehooksv1.ResponseObject) error {
	return nil
}

// noController needs no caches to catch up.
type noController struct{ capicontrollerutil.Controller }

func (noController) DeferNextReconcileUntilCacheUpToDate(metav1.Object, capicontrollerutil.GroupVersionKindType, string) {
}

// noCache remembers no dry run.
type noCache struct{}

func (noCache) Add(string)              {}
func (noCache) Has(string, string) bool { return false }
