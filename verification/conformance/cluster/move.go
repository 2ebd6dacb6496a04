package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// order is the order in which `clusterctl move` creates: owners first.
var order = []string{
	"Cluster", "DevCluster", "KubeadmControlPlane", "DevMachineTemplate", "KubeadmConfigTemplate", "MachineDeployment",
	"MachinePool", "DevMachinePool", "MachineSet", "Machine", "DevMachine", "KubeadmConfig", "Secret",
}

// move does what `clusterctl move` to a folder and back does.
func move(ctx context.Context, r *run) error { return r.move(ctx, false, 4) }

// move pauses the Cluster, takes everything away, lets an administrator create it again, with new identities and its
// ownerReferences, and resumes. With owners the new objects get the managedFields of the old ones, as `clusterctl move` to another
// API server does.
//
// Source: Cluster API, cmd/clusterctl/client/cluster/mover.go, patchTopologyManagedFields.
func (r *run) move(ctx context.Context, withOwners bool, machines int) error {
	if err := r.editCluster(ctx, func(o *object) { put(o, "spec", "paused", true) }); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	moved, err := r.moved(ctx)
	if err != nil {
		return err
	}
	for i := len(moved) - 1; i >= 0; i-- {
		if err := r.release(ctx, moved[i]); err != nil {
			return err
		}
	}
	for _, o := range moved {
		if o.GetKind() == "Secret" {
			continue
		}
		err := r.until(ctx, o.GetKind()+" "+o.GetName()+" goes", func() error {
			left := r.record.get(o.GetKind(), o.GetName())
			if left == nil {
				return nil
			}
			// A controller that was at work may have taken hold of it again.
			return errors.Join(r.release(ctx, left), errors.New("it is still there"))
		})
		if err != nil {
			return err
		}
	}
	identities := map[types.UID]types.UID{}
	for _, o := range moved {
		copied := anew(o, identities)
		created, err := r.API.Create(ctx, copied)
		if err != nil {
			return err
		}
		identities[o.GetUID()] = created.GetUID()
		if o.GetKind() != "Secret" {
			r.expect(fmt.Sprintf("a moved %s has the labels it had", o.GetKind()), "true", "true",
				fmt.Sprint(o.GetLabels()) == fmt.Sprint(created.GetLabels()))
		}
		if withOwners {
			if _, err := r.API.PatchAs(ctx, created, ownedAs(o), ""); err != nil {
				return err
			}
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.editCluster(ctx, func(o *object) { put(o, "spec", "paused", false) }); err != nil {
		return err
	}
	return r.machines(ctx, machines)
}

// removeRecreated removes a label and an annotation from the class that objects have which were created again, and adds
// another label, which shows when Cluster API is done.
func removeRecreated(ctx context.Context, r *run) error {
	err := r.editClass(ctx, func(o *object) {
		for _, place := range []string{classControlPlane, classWorker, classPool} {
			drop(o, place+labels, "class-only")
			drop(o, place+annotations, "example.com/class")
			put(o, place+labels, "class-later", "yes")
		}
	})
	if err != nil {
		return err
	}
	return r.everywhere(ctx, "class-later", "yes")
}

// moved is what belongs to the Cluster, owners first.
func (r *run) moved(ctx context.Context) ([]*object, error) {
	secrets, err := r.API.Resource("v1", "Secret", namespace)
	if err != nil {
		return nil, err
	}
	list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: clusterName + "=" + cluster})
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, kind := range order {
		place[strings.Replace(kind, poolKind, r.options.clusterAPI.pools(), 1)] = i
	}
	var moved []*object
	for _, o := range r.record.all() {
		_, known := place[o.GetKind()]
		if known && (o.GetKind() == "Cluster" || o.GetLabels()[clusterName] == cluster) {
			moved = append(moved, o)
		}
	}
	for i := range list.Items {
		moved = append(moved, &list.Items[i])
	}
	if len(moved) == 0 {
		return nil, errors.New("there is nothing to move")
	}
	sort.Slice(moved, func(i, j int) bool {
		a, b := moved[i], moved[j]
		if place[a.GetKind()] != place[b.GetKind()] {
			return place[a.GetKind()] < place[b.GetKind()]
		}
		return a.GetName() < b.GetName()
	})
	return moved, nil
}

// anew is an object as it is created again, its owners by their new identities.
func anew(o *object, identities map[types.UID]types.UID) *object {
	copied := o.DeepCopy()
	copied.SetUID("")
	copied.SetResourceVersion("")
	copied.SetGeneration(0)
	copied.SetCreationTimestamp(metav1.Time{})
	copied.SetManagedFields(nil)
	owners := copied.GetOwnerReferences()
	for i := range owners {
		if now, known := identities[owners[i].UID]; known {
			owners[i].UID = now
		}
	}
	copied.SetOwnerReferences(owners)
	delete(copied.Object, "status")
	return copied
}

// deleteCluster deletes the Cluster. Nothing of it stays. The pool's infrastructure has no backend here, so that nobody
// lets go of it but this.
func deleteCluster(ctx context.Context, r *run) error {
	c, err := r.first("Cluster", nil)
	if err != nil {
		return err
	}
	if err := r.people["alice"].Delete(ctx, c, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	return clusterGone(ctx, r)
}

// clusterGone waits until nothing of a deleted Cluster is left.
func clusterGone(ctx context.Context, r *run) error {
	return r.until(ctx, "everything of the Cluster goes", func() error {
		for _, pool := range r.record.list(r.options.clusterAPI.pools(), nil) {
			if pool.GetDeletionTimestamp() == nil {
				continue
			}
			if err := r.release(ctx, pool); err != nil {
				return err
			}
		}
		if left := r.record.list("Cluster", nil); len(left) > 0 {
			return fmt.Errorf("the Cluster is still there: %s", harness.ConditionField(left[0], "Deleting", "message"))
		}
		for _, o := range r.record.all() {
			if o.GetLabels()[clusterName] == cluster {
				return fmt.Errorf("%s %s is still there", o.GetKind(), o.GetName())
			}
		}
		return nil
	})
}
