package main

import (
	"context"
	"fmt"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// standalone is a MachineSet without a MachineDeployment, and what a person makes by hand below it.
func standalone(ctx context.Context, r *run) error {
	objects, err := r.manifests("standalone.yaml")
	if err != nil {
		return err
	}
	alice := r.people["alice"]
	set, err := alice.Create(ctx, objects[0])
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 5); err != nil {
		return err
	}
	for _, o := range objects[1:] {
		own(o, set)
		made, err := alice.Create(ctx, o)
		if err != nil {
			return err
		}
		r.expect("labels of a "+o.GetKind()+" that Alice makes for a MachineSet", "map[]",
			"map[cluster.x-k8s.io/cluster-name:c1 cluster.x-k8s.io/set-name:standalone node.cluster.x-k8s.io/pool:red owner:team set:standalone]", made.GetLabels())
		r.expect("annotations of a "+o.GetKind()+" that Alice makes for a MachineSet", "map[]", "map[note:standalone]",
			made.GetAnnotations())
		if err := r.release(ctx, made); err != nil {
			return err
		}
	}
	// Nobody but the owner's controller would put this right, and it does not check Machines of others.
	machine, err := r.first("Machine", map[string]string{"set": "standalone"})
	if err != nil {
		return err
	}
	patched, err := alice.Patch(ctx, machine, `{"metadata":{"labels":{"owner":"edited"},"annotations":{"note":"edited"}}}`)
	if err != nil {
		return err
	}
	r.expect("label owner of a standalone MachineSet's Machine when it is changed", "edited", "team", patched.GetLabels()["owner"])
	r.expect("annotation note of a standalone MachineSet's Machine when it is changed", "edited", "standalone",
		patched.GetAnnotations()["note"])
	alice.Warnings.Take()
	if err := r.restored(ctx, "Machine", machine.GetName(), "team"); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := alice.Delete(ctx, set, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	return r.machines(ctx, 4)
}

// otherControlPlane is a control plane of another provider, whose Machines the provider made without labels. Without
// the policy nobody adds them.
func otherControlPlane(ctx context.Context, r *run) error {
	alice := r.people["alice"]
	others, err := r.otherPlane(ctx)
	if err != nil {
		return err
	}
	made := others[0]
	r.expect("labels of a Machine of another provider's control plane", "map[cluster.x-k8s.io/cluster-name:c1]",
		"map[cluster.x-k8s.io/cluster-name:c1 owner:other tier:control-plane]", made.GetLabels())
	if err := r.settle(ctx); err != nil {
		return err
	}
	patched, err := alice.Patch(ctx, made, `{"metadata":{"labels":{"owner":"edited"}}}`)
	if err != nil {
		return err
	}
	r.expect("label owner of a Machine of another provider's control plane when it is changed", "edited", "other",
		patched.GetLabels()["owner"])
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.expect("the same label when everything has settled", "edited", "other", r.record.get("Machine", made.GetName()).GetLabels()["owner"])
	alice.Warnings.Take()
	for _, o := range others {
		if err := r.release(ctx, o); err != nil {
			return err
		}
	}
	return r.gone(ctx, "Machine", made.GetName())
}

// otherPlane lets Alice create a third-party control plane with a Machine, and returns the Machine and the control plane.
func (r *run) otherPlane(ctx context.Context) ([]*object, error) {
	objects, err := r.manifests("other-control-plane.yaml")
	if err != nil {
		return nil, err
	}
	definition, plane, machine := objects[0], objects[1], objects[2]
	definition.SetNamespace("")
	if err := r.API.Ensure(ctx, definition); err != nil {
		return nil, err
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		return nil, err
	}
	if plane, err = r.people["alice"].Create(ctx, plane); err != nil {
		return nil, err
	}
	own(machine, plane)
	made, err := r.people["alice"].Create(ctx, machine)
	return []*object{made, plane}, err
}

// olderClient writes in v1beta1 what is stored and propagated in v1beta2.
func olderClient(ctx context.Context, r *run) error {
	pause(ctx, cached)
	const older = "cluster.x-k8s.io/v1beta1"
	alice := r.people["alice"]
	for _, kind := range []string{"MachineDeployment", "MachineSet", "Machine"} {
		o, err := r.first(kind, of("md0"))
		if err != nil {
			return err
		}
		view := o.DeepCopy()
		view.SetAPIVersion(older)
		patched, err := alice.Patch(ctx, view, `{"metadata":{"labels":{"owner":"edited"}}}`)
		if err != nil {
			return err
		}
		r.expect(fmt.Sprintf("label owner of a %s when a v1beta1 client changes it", kind), "edited", "team", patched.GetLabels()["owner"])
		if err := r.restored(ctx, kind, o.GetName(), "team"); err != nil {
			return err
		}
	}
	alice.Warnings.Take()
	// A timeout in the older unit, on an object that does not own it.
	machine, err := r.first("Machine", of("md0"))
	if err != nil {
		return err
	}
	view := machine.DeepCopy()
	view.SetAPIVersion(older)
	patched, err := alice.Patch(ctx, view, `{"spec":{"nodeDrainTimeout":"90500ms"}}`)
	if err != nil {
		return err
	}
	r.expect("nodeDrainTimeout of a Machine when a v1beta1 client changes it", "1m30s", "30s", harness.Text(patched, "spec", "nodeDrainTimeout"))
	return r.until(ctx, "the timeout is what the MachineSet says", func() error {
		return has(r.record.get("Machine", machine.GetName()), "spec/deletion", "nodeDrainTimeoutSeconds", int64(30))
	})
}

// own makes an owner the controller of an object.
func own(o, owner *object) {
	controls := true
	o.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), Controller: &controls,
	}})
}
