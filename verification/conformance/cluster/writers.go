package main

import (
	"context"
	"encoding/json"
	"fmt"

	"conformance/harness"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The programs of GitOps, with the ServiceAccounts of their releases.
const (
	argoCD = "system:serviceaccount:argocd:argocd-application-controller"
	flux   = "system:serviceaccount:flux-system:kustomize-controller"
)

// fluxManager is Flux' field manager.
const fluxManager = "kustomize-controller"

// lastApplied is where client-side apply keeps what it applied last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// configuration is a part of an object, as a writer writes it.
type configuration = map[string]any

// edits are what one writer does to one object.
type edits struct {
	// changed are the fields that it changes, with their values in the source and with its own.
	original, changed configuration
	// removed are the fields that it removes, with their values in the source.
	removed configuration
}

// writer is somebody who edits derived objects in one of the ways that Kubernetes has.
type writer struct {
	// name begins the keys that only this writer edits.
	name, user string
	// edit changes and removes once. Appliers have none.
	edit func(context.Context, *client, *object, edits) (*object, error)
	// apply makes an object as a configuration, and removes what the last one had and this one has not.
	apply func(context.Context, *client, *object, configuration) (*object, error)
	// release is how it lets go of an object; empty is that it applies nothing.
	release func(context.Context, *client, *object, configuration) (*object, error)
	// yields is whether it applies without force: the API server refuses to change what others own.
	yields bool
	// mark is a label that it gives everything that it applies.
	mark string
	// kinds are the only kinds that it edits; empty is all of them.
	kinds map[string]bool
}

// byKubectl are the kinds that people apply client-side here, and byArgo those that Argo CD does: there is one annotation
// for what was applied last, so they cannot share an object.
var (
	byKubectl = map[string]bool{"KubeadmControlPlane": true, "MachineSet": true, "DevMachine": true, "MachinePool": true}
	byArgo    = map[string]bool{"MachineDeployment": true, "Machine": true, "KubeadmConfig": true}
)

var writers = []writer{
	{name: "edit", user: "alice", edit: kubectlEdit},
	{name: "replace", user: "alice", edit: replace},
	{name: "client-apply", user: "alice", apply: clientApply("kubectl-client-side-apply"), kinds: byKubectl},
	// Not kubectl's own manager: with that the API server would rewrite what was applied last.
	{name: "apply", user: "alice", apply: serverApply("applier", false), yields: true},
	{name: "force", user: "alice", apply: serverApply("deployer", true)},
	// Argo CD applies as kubectl does, with a manager of its own: client-side where nothing else is said, and with force
	// where it applies server-side.
	//
	// Source: argo-cd, gitops-engine/pkg/utils/kube/resource_ops.go, newApplyOptions.
	{name: "argo", user: argoCD, apply: clientApply("argocd-controller"), kinds: byArgo},
	{name: "argo-server", user: argoCD, apply: serverApply("argocd-controller", true)},
	{name: "helm", user: "alice", apply: upgrade()},
	// As a dry run says, nothing changes when it lets go of what others own too, so that it never would.
	{name: "flux", user: flux, apply: applyDrifted, mark: "kustomize.toolkit.fluxcd.io/name", release: serverApply(fluxManager, true)},
}

// edits is whether a writer edits a kind.
func (w *writer) edits(kind string) bool { return len(w.kinds) == 0 || w.kinds[kind] }

// kubectlEdit sends what `kubectl edit` sends for a custom resource: a merge patch.
func kubectlEdit(ctx context.Context, c *client, o *object, e edits) (*object, error) {
	return c.PatchAs(ctx, o, merged(e.changed, nulls(e.removed)), "kubectl-edit")
}

// replace reads an object, changes it and writes the whole of it, without naming a manager: the API server takes the
// program's name.
func replace(ctx context.Context, c *client, o *object, e edits) (*object, error) {
	resource, err := c.Of(o)
	if err != nil {
		return nil, err
	}
	for {
		read, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			return nil, harness.Told("get", o, err)
		}
		read.Object = merged(read.Object, e.changed)
		removeFields(read.Object, e.removed)
		written, err := resource.Update(ctx, read, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return written, harness.Told("update", o, err)
		}
	}
}

// clientApply is `kubectl apply` for a custom resource: a merge patch with what differs from the object, and nulls for
// what was applied last and is not any more.
//
// Source: Kubernetes, kubectl/pkg/cmd/apply/patcher.go, and apimachinery/pkg/util/jsonmergepatch,
// CreateThreeWayJSONMergePatch.
func clientApply(manager string) func(context.Context, *client, *object, configuration) (*object, error) {
	return func(ctx context.Context, c *client, o *object, wanted configuration) (*object, error) {
		live, err := c.Get(ctx, o)
		if err != nil {
			return nil, err
		}
		last := configuration{}
		if text := live.GetAnnotations()[lastApplied]; text != "" {
			if err := json.Unmarshal([]byte(text), &last); err != nil {
				return nil, fmt.Errorf("%s of %s %s: %w", lastApplied, o.GetKind(), o.GetName(), err)
			}
		}
		wanted = part(o, wanted).Object
		text, err := json.Marshal(wanted)
		if err != nil {
			return nil, err
		}
		annotated := merged(wanted, configuration{"metadata": configuration{"annotations": configuration{lastApplied: string(text)}}})
		return patchThreeWay(ctx, c, live, last, annotated, manager)
	}
}

// upgrade is `helm upgrade` for a custom resource, with a three-way merge: Helm keeps the manifest of its last release itself.
//
// Source: helm, pkg/kube/client.go, createPatch with threeWayMergeForUnstructured.
func upgrade() func(context.Context, *client, *object, configuration) (*object, error) {
	released := map[string]configuration{}
	return func(ctx context.Context, c *client, o *object, wanted configuration) (*object, error) {
		live, err := c.Get(ctx, o)
		if err != nil {
			return nil, err
		}
		name := key(o.GetKind(), o.GetName())
		last := released[name]
		released[name] = part(o, wanted).Object
		return patchThreeWay(ctx, c, live, last, released[name], "helm")
	}
}

// patchThreeWay sends what differs from an object, and nulls for what was written last and is not wanted any more.
func patchThreeWay(ctx context.Context, c *client, live *object, last, wanted configuration, manager string) (*object, error) {
	patch := merged(without(wanted, live.Object, true), nulls(without(last, wanted, false)))
	if len(patch) == 0 {
		return live, nil
	}
	return c.PatchAs(ctx, live, patch, manager)
}

// serverApply is `kubectl apply --server-side`, with --force-conflicts or without.
func serverApply(manager string, force bool) func(context.Context, *client, *object, configuration) (*object, error) {
	return func(ctx context.Context, c *client, o *object, wanted configuration) (*object, error) {
		return c.ApplyWith(ctx, part(o, wanted), metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
}

// applyDrifted is Flux: it applies an object as a dry run, and then where the answer differs from the object.
//
// Source: fluxcd/pkg, ssa/manager_apply.go, Apply and hasDrifted.
func applyDrifted(ctx context.Context, c *client, o *object, wanted configuration) (*object, error) {
	live, err := c.Get(ctx, o)
	if err != nil {
		return nil, err
	}
	options := metav1.ApplyOptions{FieldManager: fluxManager, Force: true, DryRun: []string{metav1.DryRunAll}}
	tried, err := c.ApplyWith(ctx, part(o, wanted), options)
	if err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(live.GetLabels(), tried.GetLabels()) &&
		equality.Semantic.DeepEqual(live.GetAnnotations(), tried.GetAnnotations()) &&
		equality.Semantic.DeepEqual(live.Object["spec"], tried.Object["spec"]) {
		return tried, nil
	}
	options.DryRun = nil
	return c.ApplyWith(ctx, part(o, wanted), options)
}

// part is a configuration with the identity of an object.
func part(o *object, wanted configuration) *object {
	made := &object{Object: merged(wanted, nil)}
	made.SetAPIVersion(o.GetAPIVersion())
	made.SetKind(o.GetKind())
	made.SetNamespace(o.GetNamespace())
	made.SetName(o.GetName())
	return made
}

// merged is the first with what the second says; neither is changed.
func merged(first, second configuration) configuration {
	into := runtime.DeepCopyJSON(first)
	for name, value := range second {
		below, nested := value.(configuration)
		has, there := into[name].(configuration)
		switch {
		case nested && there:
			into[name] = merged(has, below)
		case nested:
			into[name] = merged(configuration{}, below)
		default:
			into[name] = runtime.DeepCopyJSONValue(value)
		}
	}
	return into
}

// nulls is a configuration with null for each value.
func nulls(of configuration) configuration {
	return each(of, func(any) any { return nil })
}

// each is a configuration with other values.
func each(of configuration, value func(any) any) configuration {
	made := configuration{}
	for name, was := range of {
		if below, nested := was.(configuration); nested {
			made[name] = each(below, value)
		} else {
			made[name] = value(was)
		}
	}
	return made
}

// without is what only the first has. Where values count, what the second has with another value is kept too.
func without(first, second configuration, values bool) configuration {
	kept := configuration{}
	for name, value := range first {
		has, there := second[name]
		if below, nested := value.(configuration); nested {
			other, _ := has.(configuration)
			if left := without(below, other, values); len(left) > 0 {
				kept[name] = left
			}
		} else if !there || values && !equality.Semantic.DeepEqual(value, has) {
			kept[name] = value
		}
	}
	return kept
}

// removeFields removes the fields of a configuration from an object.
func removeFields(from, removed configuration) {
	for name, value := range removed {
		below, nested := value.(configuration)
		has, there := from[name].(configuration)
		if nested && there {
			removeFields(has, below)
		} else if !nested {
			delete(from, name)
		}
	}
}
