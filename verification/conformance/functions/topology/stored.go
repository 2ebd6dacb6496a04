package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	bootstrapv1beta1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1beta1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	bootstrapconversion "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks/conversion"
	controlplaneconversion "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
)

type conversion func(*unstructured.Unstructured) (*unstructured.Unstructured, error)

// conversions are those of kubeadm's kinds: from v1beta1 to v1beta2, and back.
var conversions = map[string][2]conversion{
	"KubeadmConfig": {
		between(bootstrapv1.GroupVersion.String(), bootstrapconversion.ConvertKubeadmConfigV1Beta1ToHub),
		between(bootstrapv1beta1.GroupVersion.String(), bootstrapconversion.ConvertKubeadmConfigHubToV1Beta1),
	},
	"KubeadmConfigTemplate": {
		between(bootstrapv1.GroupVersion.String(), bootstrapconversion.ConvertKubeadmConfigTemplateV1Beta1ToHub),
		between(bootstrapv1beta1.GroupVersion.String(), bootstrapconversion.ConvertKubeadmConfigTemplateHubToV1Beta1),
	},
	"KubeadmControlPlane": {
		between(controlplanev1.GroupVersion.String(), controlplaneconversion.ConvertKubeadmControlPlaneV1Beta1ToHub),
		between(controlplanev1beta1.GroupVersion.String(), controlplaneconversion.ConvertKubeadmControlPlaneHubToV1Beta1),
	},
	"KubeadmControlPlaneTemplate": {
		between(controlplanev1.GroupVersion.String(), controlplaneconversion.ConvertKubeadmControlPlaneTemplateV1Beta1ToHub),
		between(controlplanev1beta1.GroupVersion.String(), controlplaneconversion.ConvertKubeadmControlPlaneTemplateHubToV1Beta1),
	},
}

func between[F, T any](version string, convert func(context.Context, *F, *T) error) conversion {
	return func(from *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return converted(from, version, convert)
	}
}

// stored is an object of v1beta1 as a server returns it, which stores it in v1beta2 as the webhooks admit it there.
func (w *webhooks) stored(ctx context.Context, live, object *unstructured.Unstructured, of [2]conversion) (*unstructured.Unstructured, error) {
	controlplaneconversion.SetAPIVersionGetter(w.apiVersion)
	written, err := of[0](object)
	if err != nil {
		return nil, err
	}
	if live != nil {
		if live, err = of[0](live); err != nil {
			return nil, err
		}
	}
	if written, err = w.admit(ctx, live, written); err != nil {
		return nil, err
	}
	returned, err := of[1](written)
	if err != nil {
		return nil, err
	}
	object = object.DeepCopy()
	object.Object["spec"] = returned.Object["spec"]
	return object, nil
}

// apiVersion is the version in which a kind is served: references of v1beta2 do not have it.
func (w *webhooks) apiVersion(_ context.Context, kind schema.GroupKind) (string, error) {
	for key, object := range w.reader.objects {
		if key.kind == kind {
			return object.GetAPIVersion(), nil
		}
	}
	return "", fmt.Errorf("no %s", kind)
}
