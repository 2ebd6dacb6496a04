package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"conformance/harness"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Programs that write managedFields, or write without a change.
const (
	velero          = "system:serviceaccount:velero:velero"
	storageMigrator = "system:serviceaccount:kube-system:storage-version-migrator-controller"
)

// topologyPlaces are where the topology describes what is derived.
var topologyPlaces = []string{topologyControlPlane, topologyMD0, topologyMP0}

// gain adds a label and an annotation to the topology, and waits until everything derived has them.
func (r *run) gain(ctx context.Context, key string) error {
	err := r.editCluster(ctx, func(o *object) {
		for _, place := range topologyPlaces {
			put(o, place+labels, key, inSource)
			put(o, place+annotations, key, inSource)
		}
	})
	if err != nil {
		return err
	}
	if err := r.allHave(ctx, key); err != nil {
		return err
	}
	// Until then the host may answer with the source as it was.
	pause(ctx, cached)
	return nil
}

// lose removes them again, and adds another label, which shows when Cluster API is done.
func (r *run) lose(ctx context.Context, key string) error {
	err := r.editCluster(ctx, func(o *object) {
		for _, place := range topologyPlaces {
			drop(o, place+labels, key)
			drop(o, place+annotations, key)
			put(o, place+labels, key+"-lost", inSource)
		}
	})
	if err != nil {
		return err
	}
	return r.allHave(ctx, key+"-lost")
}

// allHave waits until everything derived has a label of the topology.
func (r *run) allHave(ctx context.Context, key string) error {
	for _, d := range derived {
		if err := r.propagated(ctx, d.kind, d.labels, key, inSource); err != nil {
			return err
		}
	}
	return nil
}

// editKept lets somebody write everything derived, and expects the label and the annotation of the topology in each answer and
// after Cluster API's next write; then the topology loses them.
func (r *run) editKept(ctx context.Context, key string, write func(o *object) (*object, error)) error {
	err := r.eachDerived(func(o *object, place string) error {
		written, err := write(o)
		if err == nil {
			what := fmt.Sprintf("%s of a %s of %s", key, written.GetKind(), place)
			r.expect("label "+what, edited, inSource, written.GetLabels()[key])
			r.expect("annotation "+what, "", inSource, written.GetAnnotations()[key])
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.keepAndLose(ctx, key)
}

// keepAndLose waits until Cluster API has written everything derived, and it still has the label; then the topology loses it.
func (r *run) keepAndLose(ctx context.Context, key string) error {
	return errors.Join(r.touch(ctx, 0), r.allHave(ctx, key), r.settle(ctx), r.lose(ctx, key))
}

// emptyOwners lets Alice replace everything derived by a file with `managedFields: []`. To the API server that says nothing
// about owners.
func emptyOwners(ctx context.Context, r *run) error {
	const key = "emptied"
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	return r.editKept(ctx, key, func(o *object) (*object, error) {
		return r.edit(ctx, "alice", o.GetAPIVersion(), o.GetKind(), o.GetName(), func(o *object) {
			put(o, "metadata", "managedFields", []any{})
			put(o, "metadata/labels", key, edited)
			drop(o, "metadata/annotations", key)
		})
	})
}

// staleOwners lets Alice replace everything derived by a file from before the topology gained something, with the owners of
// that time.
func staleOwners(ctx context.Context, r *run) error {
	const key = "stale"
	if err := r.settle(ctx); err != nil {
		return err
	}
	files := map[string]*object{}
	err := r.eachDerived(func(o *object, _ string) error {
		files[o.GetKind()+o.GetName()] = o.DeepCopy()
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	return r.editKept(ctx, key, func(o *object) (*object, error) {
		file := files[o.GetKind()+o.GetName()]
		return r.edit(ctx, "alice", o.GetAPIVersion(), o.GetKind(), o.GetName(), func(o *object) {
			// kubectl replaces the version, and the API server ignores the status.
			file.SetResourceVersion(o.GetResourceVersion())
			o.Object = file.DeepCopy().Object
			put(o, "metadata/labels", key, edited)
		})
	})
}

// olderEntry lets Alice apply in the older version of the API, so that managedFields have entries in both: first other values,
// then the values of the topology, at last nothing.
func olderEntry(ctx context.Context, r *run) error {
	const key = "older"
	drains := func(o *object) map[string]any { return mapAt(o, "spec/deletion") }
	err := r.editCluster(ctx, func(o *object) {
		for _, place := range []string{topologyControlPlane, topologyMD0} {
			put(o, place+"/deletion", "nodeDrainTimeoutSeconds", int64(30))
		}
	})
	if err == nil {
		err = r.gain(ctx, key)
	}
	if err != nil {
		return err
	}
	drained := func() error {
		return r.until(ctx, "every Machine has the timeout of the topology", func() error {
			for _, d := range derived {
				for _, o := range r.record.list(d.kind, d.labels) {
					if seconds := drains(o.DeepCopy())["nodeDrainTimeoutSeconds"]; d.kind == "Machine" && seconds != int64(30) {
						return fmt.Errorf("%s has %v", o.GetName(), seconds)
					}
				}
			}
			return nil
		})
	}
	if err := drained(); err != nil {
		return err
	}
	pause(ctx, cached)
	apply := func(o *object, wanted configuration) (*object, error) {
		view := o.DeepCopy()
		group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
		view.SetAPIVersion(group + "/v1beta1")
		return serverApply("older-applier", true)(ctx, r.people["alice"], view, wanted)
	}
	says := func(value string) configuration {
		return configuration{"metadata": configuration{"labels": configuration{key: value}}}
	}
	err = r.eachDerived(func(o *object, place string) error {
		wanted := says(edited)
		if o.GetKind() == "Machine" {
			wanted["spec"] = configuration{"nodeDrainTimeout": "77s"}
		}
		written, err := apply(o, wanted)
		if err != nil {
			return err
		}
		r.expect(fmt.Sprintf("label %s of a %s of %s", key, o.GetKind(), place), edited, inSource, written.GetLabels()[key])
		if o.GetKind() == "Machine" {
			what := fmt.Sprintf("nodeDrainTimeout of a Machine of %s", place)
			r.expect(what, "1m17s", "30s", harness.Text(written, "spec", "nodeDrainTimeout"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := errors.Join(r.touch(ctx, 0), r.allHave(ctx, key), drained(), r.settle(ctx)); err != nil {
		return err
	}
	err = r.eachDerived(func(o *object, _ string) error {
		_, err := apply(o, says(inSource))
		return err
	})
	if err == nil {
		err = r.editCluster(ctx, func(o *object) {
			for _, place := range []string{topologyControlPlane, topologyMD0} {
				drop(o, place+"/deletion", "nodeDrainTimeoutSeconds")
				if len(mapAt(o, place+"/deletion")) == 0 {
					drop(o, place, "deletion")
				}
			}
		})
	}
	if err == nil {
		err = errors.Join(r.lose(ctx, key), r.settle(ctx))
	}
	if err != nil {
		return err
	}
	return r.eachDerived(func(o *object, place string) error {
		what := fmt.Sprintf("label %s of a %s of %s that only the older entry owns", key, o.GetKind(), place)
		r.expect(what, inSource, inSource, o.GetLabels()[key])
		_, err := apply(o, configuration{})
		return err
	})
}

// migrateStorage lets the API server's own controller write everything derived without a change, as after a new version is
// stored. Parts of Machines have lost keys while the policy was absent, and get them with it.
//
// Source: Kubernetes, pkg/controller/storageversionmigrator/storageversionmigrator.go.
func migrateStorage(ctx context.Context, r *run) error {
	const key = "migrated"
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	if err := r.absent(ctx, true); err != nil {
		return err
	}
	parts := map[string]bool{"DevMachine": true, "KubeadmConfig": true}
	err := r.eachDerived(func(o *object, _ string) error {
		if !parts[o.GetKind()] {
			return nil
		}
		_, err := r.people["alice"].Patch(ctx, o, fmt.Sprintf(`{"metadata":{"labels":{%q:null},"annotations":{%q:null}}}`, key, key))
		return err
	})
	if err != nil {
		return err
	}
	if err := r.absent(ctx, false); err != nil {
		return err
	}
	migrator, err := r.as(storageMigrator)
	if err != nil {
		return err
	}
	err = r.eachDerived(func(o *object, place string) error {
		for {
			live, err := migrator.Get(ctx, o)
			if err != nil {
				return err
			}
			same := part(live, nil)
			same.SetUID(live.GetUID())
			same.SetResourceVersion(live.GetResourceVersion())
			written, err := migrator.ApplyWith(ctx, same, metav1.ApplyOptions{FieldManager: "storage-version-migrator-controller"})
			if apierrors.IsConflict(errors.Unwrap(err)) {
				continue
			}
			if err == nil && parts[o.GetKind()] {
				what := fmt.Sprintf("%s of a %s of %s", key, o.GetKind(), place)
				r.expect("label "+what, "", inSource, written.GetLabels()[key])
				r.expect("annotation "+what, "", inSource, written.GetAnnotations()[key])
			}
			return err
		}
	})
	if err != nil {
		return err
	}
	return r.keepAndLose(ctx, key)
}

// restoreWithOwners loses a Machine with all that belongs to it, and has it restored from a backup, from before the topology
// lost something, without its ownerReferences. Then the restored objects get the owners of that time.
//
// Source: Velero, pkg/restore/restore.go, "restore the managedFields".
func restoreWithOwners(ctx context.Context, r *run) error {
	const key = "backed-up"
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	machine, err := r.first("Machine", of("md0"))
	if err != nil {
		return err
	}
	backup, err := r.belongings(ctx, machine)
	if err != nil {
		return err
	}
	if err := r.lose(ctx, key); err != nil {
		return err
	}
	tool, err := r.as(velero)
	if err != nil {
		return err
	}
	err = r.whilePaused(ctx, func() error {
		if err := r.recreate(ctx, tool, backup, true); err != nil {
			return err
		}
		return r.settle(ctx)
	})
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	if err := r.ownedAgain(ctx, machine); err != nil {
		return err
	}
	return errors.Join(r.touch(ctx, cached), r.allHave(ctx, key+"-lost"))
}

// moveWithOwners moves the Cluster together with its owners; then Alice edits what is derived, and the topology loses it.
func moveWithOwners(ctx context.Context, r *run) error {
	const key = "carried"
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	if err := r.move(ctx, true, 5); err != nil {
		return err
	}
	if err := errors.Join(r.touch(ctx, 0), r.settle(ctx)); err != nil {
		return err
	}
	pause(ctx, cached)
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q},"annotations":{%q:null}}}`, key, edited, key)
	return r.editKept(ctx, key, func(o *object) (*object, error) { return r.people["alice"].Patch(ctx, o, patch) })
}

// stripOwners lets Alice remove the owners of everything derived. What the topology loses after that goes nevertheless.
func stripOwners(ctx context.Context, r *run) error {
	const key = "stripped"
	if err := r.gain(ctx, key); err != nil {
		return err
	}
	alice := r.people["alice"]
	err := r.eachDerived(func(o *object, _ string) error {
		resource, err := alice.Of(o)
		if err != nil {
			return err
		}
		patch := []byte(`[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`)
		_, err = resource.Patch(ctx, o.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
		return harness.Told("patch", o, err)
	})
	if err != nil {
		return err
	}
	return errors.Join(r.touch(ctx, 0), r.settle(ctx), r.lose(ctx, key))
}

// recreate takes objects away, and creates them again with their labels and without ownerReferences; with owners they get
// their managedFields too.
func (r *run) recreate(ctx context.Context, tool *client, saved []*object, withOwners bool) error {
	for _, o := range saved {
		if err := r.release(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range saved {
		if o.GetKind() == "Secret" {
			continue
		}
		if err := r.gone(ctx, o.GetKind(), o.GetName()); err != nil {
			return err
		}
	}
	for _, o := range saved {
		copied := anew(o, nil)
		copied.SetOwnerReferences(nil)
		created, err := tool.Create(ctx, copied)
		if err == nil && withOwners {
			_, err = tool.PatchAs(ctx, created, ownedAs(o), "velero-server")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownedAs is the patch that gives an object the managedFields of another one.
func ownedAs(o *object) configuration {
	return configuration{"metadata": configuration{"managedFields": mapAt(o.DeepCopy(), "metadata")["managedFields"]}}
}
