package main

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

const (
	core           = "cluster.x-k8s.io/v1beta2"
	controlPlane   = "controlplane.cluster.x-k8s.io/v1beta2"
	bootstrap      = "bootstrap.cluster.x-k8s.io/v1beta2"
	infrastructure = "infrastructure.cluster.x-k8s.io/v1beta2"
)

// watched are the kinds of a fleet, with their versions.
var watched = map[string]string{
	"ClusterClass": core, "Cluster": core, "MachineDeployment": core, "MachineSet": core, "Machine": core,
	"MachinePool": core, "KubeadmControlPlane": controlPlane, "KubeadmControlPlaneTemplate": controlPlane,
	"KubeadmConfig": bootstrap, "KubeadmConfigTemplate": bootstrap,
	"DevCluster": infrastructure, "DevClusterTemplate": infrastructure, "DevMachine": infrastructure,
	"DevMachineTemplate": infrastructure, "DevMachinePool": infrastructure, "DevMachinePoolTemplate": infrastructure,
}

var listEverything = metav1.ListOptions{}

// record is every version of every object of a fleet, as a watch of the API server reports them.
type record struct {
	mutex   sync.Mutex
	objects map[string]*object
	changes []change
	failed  error
}

// change is one new version of an object.
type change struct {
	At   time.Time
	What watch.EventType
	Kind string
	Name string
}

func key(kind, name string) string { return kind + "/" + name }

// watchAll begins to watch all kinds in one namespace.
func (r *record) watchAll(ctx context.Context, api *client, namespace, pools string) error {
	r.objects = map[string]*object{}
	kinds := map[string]string{}
	for kind, version := range watched {
		kinds[strings.Replace(kind, poolKind, pools, 1)] = version
	}
	return r.watch(ctx, api, namespace, kinds)
}

// watch begins to watch kinds, with their versions.
func (r *record) watch(ctx context.Context, api *client, namespace string, kinds map[string]string) error {
	for kind, version := range kinds {
		resource, err := api.Resource(version, kind, namespace)
		if err != nil {
			return err
		}
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list %s: %w", kind, err)
		}
		for _, o := range list.Items {
			r.mutex.Lock()
			r.objects[key(kind, o.GetName())] = &o
			r.mutex.Unlock()
		}
		// An API server ends the watch of a client that does not read for a moment: this one goes on where it was.
		watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return resource.Watch(ctx, options)
			},
		})
		if err != nil {
			return fmt.Errorf("watch %s: %w", kind, err)
		}
		go r.follow(ctx, kind, watcher)
	}
	return nil
}

func (r *record) follow(ctx context.Context, kind string, watcher watch.Interface) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		o, is := event.Object.(*object)
		if !is {
			break
		}
		r.mutex.Lock()
		if event.Type == watch.Deleted {
			delete(r.objects, key(kind, o.GetName()))
		} else {
			r.objects[key(kind, o.GetName())] = o
		}
		r.changes = append(r.changes, change{time.Now(), event.Type, kind, o.GetName()})
		r.mutex.Unlock()
	}
	if ctx.Err() == nil {
		r.mutex.Lock()
		r.failed = fmt.Errorf("the watch of %s ended", kind)
		r.mutex.Unlock()
	}
}

// get is an object's newest version, or nil.
func (r *record) get(kind, name string) *object {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.objects[key(kind, name)]
}

// list is all objects of a kind that have these labels, by name.
func (r *record) list(kind string, labels map[string]string) []*object {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*object
	for _, o := range r.objects {
		if o.GetKind() == kind && hasLabels(o, labels) {
			found = append(found, o)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].GetName() < found[j].GetName() })
	return found
}

// all is every object, in no order.
func (r *record) all() []*object {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []*object
	for _, o := range r.objects {
		found = append(found, o)
	}
	return found
}

func hasLabels(o *object, labels map[string]string) bool {
	has := o.GetLabels()
	for name, value := range labels {
		if found, is := has[name]; !is || found != value {
			return false
		}
	}
	return true
}

// length is how many changes there were so far.
func (r *record) length() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.changes)
}

// since are the changes after the first n.
func (r *record) since(n int) []change {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]change(nil), r.changes[n:]...)
}

// quiet is how long nothing has changed.
func (r *record) quiet() (time.Duration, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.failed != nil || len(r.changes) == 0 {
		return 0, r.failed
	}
	return time.Since(r.changes[len(r.changes)-1].At), nil
}
