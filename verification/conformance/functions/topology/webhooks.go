package main

import (
	"context"
	"encoding/json"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	bootstrapadmission "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks/admission"
	controlplaneadmission "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/admission"
	coreadmission "sigs.k8s.io/cluster-api/core/webhooks/admission"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// webhooks are those of Cluster API's kinds in v1beta2.
type webhooks struct{ reader *store }

func (w *webhooks) admit(ctx context.Context, live, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind := object.GroupVersionKind()
	if of, ok := conversions[kind.Kind]; ok && kind.Version == "v1beta1" {
		return w.stored(ctx, live, object, of)
	}
	if kind.Version != "v1beta2" {
		return object, nil
	}
	switch kind.Kind {
	case "Cluster":
		return through(ctx, live, object, w.cluster, &coreadmission.Cluster{Client: w.reader, ClusterCacheReader: w})
	case "ClusterClass":
		return through(ctx, live, object, classStatus, &coreadmission.ClusterClass{Client: w.reader})
	case "MachineDeployment":
		hook := &coreadmission.MachineDeployment{}
		keep := func(ctx context.Context, old, object *clusterv1.MachineDeployment) error {
			if old != nil && object.Spec.Replicas == nil {
				object.Spec.Replicas = old.Spec.Replicas
			}
			return hook.Default(ctx, object)
		}
		return through(ctx, live, object, keep, hook)
	case "MachinePool":
		hook := &coreadmission.MachinePool{}
		keep := func(ctx context.Context, old, object *clusterv1.MachinePool) error {
			if old != nil && object.Spec.Replicas == nil {
				object.Spec.Replicas = old.Spec.Replicas
			}
			return hook.Default(ctx, object)
		}
		return through(ctx, live, object, keep, hook)
	case "MachineHealthCheck":
		hook := &coreadmission.MachineHealthCheck{}
		return through(ctx, live, object, alone(hook.Default), hook)
	case "KubeadmControlPlane":
		hook := &controlplaneadmission.KubeadmControlPlane{}
		return through(ctx, live, object, alone(hook.Default), hook)
	case "KubeadmControlPlaneTemplate":
		none := func(context.Context, *controlplanev1.KubeadmControlPlaneTemplate) error { return nil }
		return through(ctx, live, object, alone(none), &controlplaneadmission.KubeadmControlPlaneTemplate{})
	case "KubeadmConfigTemplate":
		hook := &bootstrapadmission.KubeadmConfigTemplate{}
		return through(ctx, live, object, alone(hook.Default), hook)
	case "KubeadmConfig":
		none := func(context.Context, *bootstrapv1.KubeadmConfig) error { return nil }
		return through(ctx, live, object, alone(none), &bootstrapadmission.KubeadmConfig{})
	}
	return object, nil
}

func alone[T any](hook func(context.Context, T) error) func(context.Context, T, T) error {
	return func(ctx context.Context, _, object T) error { return hook(ctx, object) }
}

// through sends an object through the webhooks of its kind.
func through[T any, P interface {
	*T
	client.Object
}](ctx context.Context, live, object *unstructured.Unstructured, mutate func(context.Context, P, P) error, hook admission.Validator[P]) (*unstructured.Unstructured, error) {
	var old P
	if live != nil {
		old = new(T)
		if err := read(live, old); err != nil {
			return nil, err
		}
	}
	typed := P(new(T))
	if err := read(object, typed); err != nil {
		return nil, err
	}
	given, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	if err := mutate(ctx, old, typed); err != nil {
		return nil, err
	}
	// What the validation of an update changes in its own copies is not stored.
	mutated, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	if old == nil {
		_, err = hook.ValidateCreate(ctx, typed)
	} else {
		_, err = hook.ValidateUpdate(ctx, old, typed)
	}
	if err != nil {
		return nil, err
	}
	// A webhook's response adds and changes fields; what Go omits because it is empty stays.
	patch, err := jsonpatch.CreateMergePatch(given, mutated)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(text, patch)
	if err != nil {
		return nil, err
	}
	admitted := &unstructured.Unstructured{}
	return admitted, admitted.UnmarshalJSON(merged)
}

// cluster is the defaulting webhook of Clusters; its decoder of old objects is set by a manager only.
func (w *webhooks) cluster(ctx context.Context, old, cluster *clusterv1.Cluster) error {
	if !strings.HasPrefix(cluster.Spec.Topology.Version, "v") {
		cluster.Spec.Topology.Version = "v" + cluster.Spec.Topology.Version
	}
	class := &clusterv1.ClusterClass{}
	if err := w.reader.Get(ctx, cluster.GetClassKey(), class); err != nil {
		return err
	}
	return (&coreadmission.Cluster{Client: w.reader}).DefaultAndValidateVariables(ctx, cluster, old, class).ToAggregate()
}

// GetReader reads the workload cluster: as if it were the management cluster, which has no Nodes.
func (w *webhooks) GetReader(context.Context, client.ObjectKey) (client.Reader, error) {
	return w.reader, nil
}
