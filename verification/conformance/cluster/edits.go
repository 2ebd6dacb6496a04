package main

import (
	"context"
	"fmt"
	"time"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cached is how long Kubewarden's host, and so the webhook, may answer from an older read.
const cached = 5 * time.Second

// derived are objects that Cluster API derives from others, each with a label that it has from above.
var derived = []struct {
	kind   string
	labels map[string]string
	// reverted is whether Cluster API puts an edit right at once: nobody above watches a Machine's parts.
	reverted bool
}{
	{"KubeadmControlPlane", nil, true},
	{"MachineDeployment", of("md0"), true},
	{"MachineSet", of("md0"), true},
	{"Machine", of("md0"), true},
	{"DevMachine", of("md0"), false},
	{"KubeadmConfig", of("md0"), false},
	{"Machine", ofControlPlane, true},
	{"DevMachine", ofControlPlane, false},
	{"KubeadmConfig", ofControlPlane, false},
	{"MachinePool", nil, true},
}

var ofControlPlane = map[string]string{controlPlaneOf: ""}

// editDerived lets Alice change and remove labels that come from above. Cluster API reverts that, a moment later or when
// it next looks; with the policy it never happens, and Alice's own answer says so.
func editDerived(ctx context.Context, r *run) error {
	pause(ctx, cached)
	// Cluster API may have warned her of a class that was not reconciled yet.
	r.people["alice"].Warnings.Take()
	for _, d := range derived {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		for _, edit := range []struct{ value, said, without string }{{`"edited"`, "is changed", "edited"}, {"null", "is removed", ""}} {
			patched, err := r.people["alice"].Patch(ctx, o, fmt.Sprintf(`{"metadata":{"labels":{"owner":%s}}}`, edit.value))
			if err != nil {
				return err
			}
			name := fmt.Sprintf("label owner of a %s of %s when it %s", d.kind, place(d.labels), edit.said)
			r.expect(name, edit.without, "team", patched.GetLabels()["owner"])
			if !d.reverted {
				continue
			}
			if err := r.restored(ctx, d.kind, o.GetName(), "team"); err != nil {
				return err
			}
		}
		r.warned(d.kind)
	}
	if err := r.editTemplates(ctx); err != nil {
		return err
	}
	if err := r.editFields(ctx); err != nil {
		return err
	}
	return r.lookAgain(ctx)
}

// derivedFields are fields that Cluster API changes in place, with the value that they have from above.
var derivedFields = []struct {
	kind      string
	labels    map[string]string
	path, key string
	value     int64
}{
	{"KubeadmControlPlane", nil, "spec/machineTemplate/spec/deletion", "nodeDeletionTimeoutSeconds", 20},
	{"MachineDeployment", of("md0"), "spec/template/spec/deletion", "nodeDrainTimeoutSeconds", 30},
	{"MachineDeployment", of("md0"), "spec/template/spec", "minReadySeconds", 1},
	{"MachineSet", of("md0"), "spec/template/spec/deletion", "nodeVolumeDetachTimeoutSeconds", 40},
	{"Machine", of("md0"), "spec/deletion", "nodeDrainTimeoutSeconds", 30},
	{"Machine", of("md0"), "spec", "minReadySeconds", 1},
	{"Machine", ofControlPlane, "spec/deletion", "nodeDeletionTimeoutSeconds", 20},
}

// editFields lets Alice change fields that come from above.
func (r *run) editFields(ctx context.Context) error {
	for _, d := range derivedFields {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		edited, err := r.edit(ctx, "alice", o.GetAPIVersion(), d.kind, o.GetName(), func(o *object) { put(o, d.path, d.key, int64(77)) })
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s of a %s of %s when it is changed", d.key, d.kind, place(d.labels))
		r.expect(name, "77", fmt.Sprint(d.value), mapAt(edited, d.path)[d.key])
		err = r.until(ctx, name, func() error { return has(r.record.get(d.kind, o.GetName()), d.path, d.key, d.value) })
		if err != nil {
			return err
		}
	}
	r.people["alice"].Warnings.Take()
	return nil
}

// editTemplates does the same where the metadata of others is described.
func (r *run) editTemplates(ctx context.Context) error {
	for kind, path := range map[string]string{
		"MachineSet": "spec/template/metadata/labels", "KubeadmControlPlane": "spec/machineTemplate/metadata/labels",
	} {
		o, err := r.first(kind, nil)
		if err != nil {
			return err
		}
		edited, err := r.edit(ctx, "alice", o.GetAPIVersion(), kind, o.GetName(), func(o *object) { put(o, path, "tier", "edited") })
		if err != nil {
			return err
		}
		r.expect("label tier in the template of a "+kind+" when it is changed", "edited", "std", mapAt(edited, path)["tier"])
		err = r.until(ctx, kind+" has its template's label again", func() error {
			return has(r.record.get(kind, o.GetName()), path, "tier", "std")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ownKeys lets Alice add keys of her own: they are hers, and stay where they are. In a template they propagate.
func ownKeys(ctx context.Context, r *run) error {
	for _, d := range derived {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		own := "own-" + d.kind
		patched, err := r.people["alice"].Patch(ctx, o, fmt.Sprintf(`{"metadata":{"labels":{%q:"alice"},"annotations":{%q:"alice"}}}`, own, own))
		if err != nil {
			return err
		}
		r.expect(fmt.Sprintf("own label of a %s of %s", d.kind, place(d.labels)), "alice", "alice", patched.GetLabels()[own])
	}
	for _, topology := range []string{"md0", "md1"} {
		deployment, err := r.first("MachineDeployment", of(topology))
		if err != nil {
			return err
		}
		below := `{"spec":{"template":{"metadata":{"labels":{"own-below":"alice"},"annotations":{"own-below":"alice"}}}}}`
		if _, err = r.people["alice"].Patch(ctx, deployment, below); err != nil {
			return err
		}
		if err := r.propagated(ctx, "DevMachine", of(topology), "own-below", "alice"); err != nil {
			return err
		}
	}
	return r.lookAgain(ctx)
}

// pauseCluster edits while Cluster API looks away: the policy does too. Afterwards everything is put right.
func pauseCluster(ctx context.Context, r *run) error {
	setPaused := func(paused bool) error {
		return r.editCluster(ctx, func(o *object) { put(o, "spec", "paused", paused) })
	}
	if err := setPaused(true); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	pause(ctx, cached)
	for _, d := range derived {
		o, err := r.first(d.kind, d.labels)
		if err != nil {
			return err
		}
		patched, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"labels":{"owner":"paused"}}}`)
		if err != nil {
			return err
		}
		r.expect(fmt.Sprintf("label owner of a %s of %s in a paused Cluster", d.kind, place(d.labels)), "paused", "paused",
			patched.GetLabels()["owner"])
	}
	if err := r.editCluster(ctx, func(o *object) { put(o, topologyMD0+labels, "while-paused", "a") }); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := setPaused(false); err != nil {
		return err
	}
	for _, d := range derived {
		if err := r.propagated(ctx, d.kind, d.labels, "owner", "team"); err != nil {
			return err
		}
	}
	return r.propagated(ctx, "DevMachine", of("md0"), "while-paused", "a")
}

const hook = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/conformance"

// deletingMachine holds a Machine back while it is being deleted: it gets fields still, and no metadata.
func deletingMachine(ctx context.Context, r *run) error {
	machine, err := r.first("Machine", of("md0"))
	if err != nil {
		return err
	}
	alice := r.people["alice"]
	if _, err := alice.Patch(ctx, machine, fmt.Sprintf(`{"metadata":{"annotations":{%q:""}}}`, hook)); err != nil {
		return err
	}
	if err := alice.Delete(ctx, machine, metav1.DeletePropagationBackground); err != nil {
		return err
	}
	err = r.until(ctx, "the Machine is being deleted", func() error {
		return equal("its hook waits", "WaitingForPreTerminateHook", harness.ConditionField(r.record.get("Machine", machine.GetName()), "Deleting", "reason"))
	})
	if err != nil {
		return err
	}
	err = r.editCluster(ctx, func(o *object) {
		put(o, topologyMD0+labels, "while-deleting", "a")
		put(o, topologyMD0+"/deletion", "nodeDeletionTimeoutSeconds", int64(25))
	})
	if err != nil {
		return err
	}
	err = r.until(ctx, "the field reaches the deleting Machine", func() error {
		return has(r.record.get("Machine", machine.GetName()), "spec/deletion", "nodeDeletionTimeoutSeconds", int64(25))
	})
	if err != nil {
		return err
	}
	pause(ctx, cached)
	deleting := r.record.get("Machine", machine.GetName())
	r.expect("new label of a Machine that is being deleted", "", "", deleting.GetLabels()["while-deleting"])
	patched, err := alice.Patch(ctx, deleting, `{"metadata":{"labels":{"owner":"edited"}}}`)
	if err != nil {
		return err
	}
	r.expect("label owner of a deleting Machine when it is changed", "edited", "edited", patched.GetLabels()["owner"])
	if patched, err = alice.Patch(ctx, deleting, `{"spec":{"deletion":{"nodeDeletionTimeoutSeconds":77}}}`); err != nil {
		return err
	}
	r.expect("nodeDeletionTimeoutSeconds of a deleting Machine when it is changed", "77", "25",
		mapAt(patched, "spec/deletion")["nodeDeletionTimeoutSeconds"])
	alice.Warnings.Take()
	if _, err := alice.Patch(ctx, machine, fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, hook)); err != nil {
		return err
	}
	if err := r.gone(ctx, "Machine", machine.GetName()); err != nil {
		return err
	}
	return r.machines(ctx, 4)
}

// restored waits until a label has its value from its source, no matter who set it.
func (r *run) restored(ctx context.Context, kind, name, value string) error {
	return r.until(ctx, "label owner of "+kind+" "+name, func() error {
		return equal("owner", value, r.record.get(kind, name).GetLabels()["owner"])
	})
}

// warned notes whether the last answers to Alice came with a warning.
func (r *run) warned(kind string) {
	heard := len(r.people["alice"].Warnings.Take()) > 0
	r.expect("Alice is warned when she edits a "+kind, "false", "true", heard)
}

func place(labels map[string]string) string {
	if name := labels[topologyMDName]; name != "" {
		return name
	}
	return "the control plane or pool"
}

func has(o *object, path, key string, value any) error {
	if o == nil {
		return fmt.Errorf("%s: there is no object", path)
	}
	// A copy: looking must not make maps in the record.
	return equal(o.GetName()+" "+path+"/"+key, value, mapAt(o.DeepCopy(), path)[key])
}

func equal(what string, wanted, found any) error {
	if wanted != found {
		return fmt.Errorf("%s is %v and not %v", what, found, wanted)
	}
	return nil
}
