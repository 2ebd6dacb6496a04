package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"conformance/harness"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// edit reads an object, changes it and writes it, as a person with an editor does.
func (r *run) edit(ctx context.Context, person, apiVersion, kind, name string, change func(*object)) (*object, error) {
	c := r.people[person]
	resource, err := c.Resource(apiVersion, kind, namespace)
	if err != nil {
		return nil, err
	}
	var updated *object
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(o)
		updated, err = resource.Update(ctx, o, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s edits %s %s: %w", person, kind, name, err)
	}
	return updated, nil
}

// tryEdit is whether a person may change an object, by a dry run.
func (r *run) tryEdit(ctx context.Context, person string, o *object, change func(*object)) (bool, error) {
	resource, err := r.people[person].Of(o)
	if err != nil {
		return false, err
	}
	changed := o.DeepCopy()
	change(changed)
	_, err = resource.Update(ctx, changed, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil && strings.Contains(err.Error(), policyName) {
		harness.Say("%s: %v", r.options.name(), err)
		return false, nil
	}
	return err == nil, harness.Told("try to update", o, err)
}

// editClass changes Bob's ClusterClass.
func (r *run) editClass(ctx context.Context, change func(*object)) error {
	_, err := r.edit(ctx, "bob", core, "ClusterClass", "class", change)
	return err
}

// editCluster changes Alice's Cluster.
func (r *run) editCluster(ctx context.Context, change func(*object)) error {
	_, err := r.edit(ctx, "alice", core, "Cluster", cluster, change)
	return err
}

// Where class and topology keep the metadata of what they describe.
const (
	classControlPlane    = "spec/controlPlane"
	classWorker          = "spec/workers/machineDeployments/0"
	classPool            = "spec/workers/machinePools/0"
	topologyControlPlane = "spec/topology/controlPlane"
	topologyMD0          = "spec/topology/workers/machineDeployments/0"
	topologyMD1          = "spec/topology/workers/machineDeployments/1"
	topologyMP0          = "spec/topology/workers/machinePools/0"
	labels               = "/metadata/labels"
	annotations          = "/metadata/annotations"
)

// put sets one entry of the map at a path, and makes the map where there is none.
func put(o *object, path, key string, value any) { mapAt(o, path)[key] = value }

// drop removes one entry of the map at a path.
func drop(o *object, path, key string) { delete(mapAt(o, path), key) }

// mapAt walks maps by name and lists by number.
func mapAt(o *object, path string) map[string]any {
	at := o.Object
	var list []any
	for _, name := range strings.Split(path, "/") {
		if list != nil {
			index, err := strconv.Atoi(name)
			if err != nil {
				panic(fmt.Sprintf("%s: %s is no index", path, name))
			}
			at, list = list[index].(map[string]any), nil
			continue
		}
		switch below := at[name].(type) {
		case []any:
			list = below
		case map[string]any:
			at = below
		default:
			made := map[string]any{}
			at[name], at = made, made
		}
	}
	return at
}

// until waits until the fleet is as it should be.
func (r *run) until(ctx context.Context, what string, is func() error) error {
	return r.Await(ctx, what, 2*time.Minute, is)
}

// machines waits until there are as many Machines, and each has its Node.
func (r *run) machines(ctx context.Context, count int) error {
	return r.until(ctx, fmt.Sprintf("%d Machines", count), func() error {
		found := r.record.list("Machine", nil)
		for _, machine := range found {
			if machine.GetDeletionTimestamp() != nil {
				return fmt.Errorf("%s is being deleted", machine.GetName())
			}
			if harness.Text(machine, "status", "nodeRef", "name") == "" {
				return fmt.Errorf("%s has no Node", machine.GetName())
			}
		}
		if len(found) != count {
			return fmt.Errorf("there are %d", len(found))
		}
		return nil
	})
}

// propagated waits until every object of a kind carries a label; an empty value means that none has it.
func (r *run) propagated(ctx context.Context, kind string, of map[string]string, key, value string) error {
	return r.until(ctx, fmt.Sprintf("label %s=%s on every %s", key, value, kind), func() error {
		found := r.record.list(kind, of)
		if len(found) == 0 {
			return errors.New("there is none")
		}
		for _, o := range found {
			if has := o.GetLabels()[key]; has != value {
				return fmt.Errorf("%s has %q", o.GetName(), has)
			}
		}
		return nil
	})
}

// everywhere waits for a label on all that belongs to Machines, workers and control plane alike.
func (r *run) everywhere(ctx context.Context, key, value string) error {
	for _, kind := range []string{"MachineDeployment", "MachineSet", "KubeadmControlPlane", "Machine", "DevMachine"} {
		if err := r.propagated(ctx, kind, map[string]string{topologyOwned: ""}, key, value); err != nil {
			return err
		}
	}
	return nil
}

const (
	topologyOwned    = "topology.cluster.x-k8s.io/owned"
	topologyMDName   = "topology.cluster.x-k8s.io/deployment-name"
	controlPlaneOf   = "cluster.x-k8s.io/control-plane"
	controlPlaneName = "cluster.x-k8s.io/control-plane-name"
	clusterName      = "cluster.x-k8s.io/cluster-name"
)

// of selects what belongs to a MachineDeployment of the topology.
func of(topology string) map[string]string { return map[string]string{topologyMDName: topology} }

// first is the first object of a kind with these labels, by name.
func (r *run) first(kind string, labels map[string]string) (*object, error) {
	found := r.record.list(kind, labels)
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no %s with %v", kind, labels)
	}
	return found[0], nil
}

// gone waits until an object is gone.
func (r *run) gone(ctx context.Context, kind, name string) error {
	return r.until(ctx, kind+" "+name+" goes", func() error {
		if r.record.get(kind, name) != nil {
			return errors.New("it is still there")
		}
		return nil
	})
}

// release deletes an object without waiting for anybody's finalizer.
func (r *run) release(ctx context.Context, o *object) error {
	if _, err := r.API.Patch(ctx, o, `{"metadata":{"finalizers":null}}`); err != nil {
		if apierrors.IsNotFound(errors.Unwrap(err)) {
			return nil
		}
		return err
	}
	err := r.API.Delete(ctx, o, metav1.DeletePropagationBackground)
	if apierrors.IsNotFound(errors.Unwrap(err)) {
		return nil
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
