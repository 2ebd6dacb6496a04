package vectors

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
	bootstrapv1beta1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1beta1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	bootstrapconversion "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks/conversion"
	controlplaneconversion "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"

	"conformance/fleet"
)

const (
	core         = "cluster.x-k8s.io"
	controlPlane = "controlplane.cluster.x-k8s.io"
	bootstrap    = "bootstrap.cluster.x-k8s.io"
	infra        = "infrastructure.cluster.x-k8s.io"
)

// editions are the versions of an object under review and of the objects above it. They differ where a cluster serves
// one of them only.
type editions struct{ object, above string }

func (d dice) editions() editions {
	return pick(d, []editions{
		{"v1beta2", "v1beta2"}, {"v1beta2", "v1beta2"}, {"v1beta1", "v1beta1"}, {"v1beta1", "v1beta1"},
		{"v1beta2", "v1beta1"}, {"v1beta1", "v1beta2"},
	})
}

// in is an object as the API server shows it in a version, by Cluster API's own conversion.
func in(version string, object any) map[string]any {
	if version == "v1beta2" {
		return shown(version, object)
	}
	getter := func(_ context.Context, gk schema.GroupKind) (string, error) { return gk.Group + "/" + version, nil }
	coreconversion.SetAPIVersionGetter(getter)
	controlplaneconversion.SetAPIVersionGetter(getter)
	switch hub := object.(type) {
	case *clusterv1.Cluster:
		return converted(hub.DeepCopy(), coreconversion.ConvertClusterHubToV1Beta1)
	case *clusterv1.ClusterClass:
		return converted(hub.DeepCopy(), coreconversion.ConvertClusterClassHubToV1Beta1)
	case *clusterv1.MachineDeployment:
		return converted(hub.DeepCopy(), coreconversion.ConvertMachineDeploymentHubToV1Beta1)
	case *clusterv1.MachineSet:
		return converted(hub.DeepCopy(), coreconversion.ConvertMachineSetHubToV1Beta1)
	case *clusterv1.MachinePool:
		return converted(hub.DeepCopy(), coreconversion.ConvertMachinePoolHubToV1Beta1)
	case *clusterv1.Machine:
		return converted(hub.DeepCopy(), coreconversion.ConvertMachineHubToV1Beta1)
	case *controlplanev1.KubeadmControlPlane:
		return converted(hub.DeepCopy(), controlplaneconversion.ConvertKubeadmControlPlaneHubToV1Beta1)
	case *controlplanev1.KubeadmControlPlaneTemplate:
		return converted(hub.DeepCopy(), controlplaneconversion.ConvertKubeadmControlPlaneTemplateHubToV1Beta1)
	case *bootstrapv1.KubeadmConfig:
		return converted(hub.DeepCopy(), bootstrapconversion.ConvertKubeadmConfigHubToV1Beta1)
	}
	return shown(version, object)
}

func converted[Hub, Old any](hub *Hub, convert func(context.Context, *Hub, *Old) error) map[string]any {
	old := new(Old)
	fleet.Must(convert(context.Background(), hub, old))
	object := shown("v1beta1", old)
	// The round-trip copy: it would double every vector.
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, fleet.ConversionData)
			if len(annotations) == 0 {
				delete(metadata, "annotations")
			}
		}
	}
	return object
}

// shown is an object in its version.
func shown(version string, object any) map[string]any {
	group, kind := groupKind(object)
	return fleet.Shown(group+"/"+version, kind, object)
}

func groupKind(object any) (group, kind string) {
	switch object.(type) {
	case *clusterv1.Cluster, *clusterv1beta1.Cluster:
		return core, "Cluster"
	case *clusterv1.ClusterClass, *clusterv1beta1.ClusterClass:
		return core, "ClusterClass"
	case *clusterv1.MachineDeployment, *clusterv1beta1.MachineDeployment:
		return core, "MachineDeployment"
	case *clusterv1.MachineSet, *clusterv1beta1.MachineSet:
		return core, "MachineSet"
	case *clusterv1.MachinePool, *clusterv1beta1.MachinePool:
		return core, "MachinePool"
	case *clusterv1.Machine, *clusterv1beta1.Machine:
		return core, "Machine"
	case *controlplanev1.KubeadmControlPlane, *controlplanev1beta1.KubeadmControlPlane:
		return controlPlane, "KubeadmControlPlane"
	case *controlplanev1.KubeadmControlPlaneTemplate, *controlplanev1beta1.KubeadmControlPlaneTemplate:
		return controlPlane, "KubeadmControlPlaneTemplate"
	case *bootstrapv1.KubeadmConfig, *bootstrapv1beta1.KubeadmConfig:
		return bootstrap, "KubeadmConfig"
	}
	return "", ""
}

// read is the way back: a typed object from its JSON.
func read[T any](object map[string]any) *T {
	typed := new(T)
	fleet.Must(json.Unmarshal(fleet.JSON(object), typed))
	return typed
}
