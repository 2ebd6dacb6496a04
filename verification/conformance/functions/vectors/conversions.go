package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	bootstrapv1beta1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	bootstrapconversion "sigs.k8s.io/cluster-api/bootstrap/kubeadm/webhooks/conversion"
	controlplaneconversion "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"
	"sigs.k8s.io/randfill"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Conversions is a file of its own: no request, but objects in two versions.
var Conversions = topic("conversions", func(d dice) []any { return conversions(d, 12) })

// conversion is the spec of an object in v1beta1, and in v1beta2 as Cluster API's webhooks convert it.
type conversion struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	V1Beta1 any    `json:"v1beta1"`
	V1Beta2 any    `json:"v1beta2"`
}

// specOf is the spec as JSON.
func specOf(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		panic(err)
	}
	return fields["spec"]
}

// inBothVersions fills an object of v1beta1 and converts it.
func inBothVersions[S, H any](filler *randfill.Filler, group, kind string, convert func(context.Context, *S, *H) error) any {
	spoke, hub := new(S), new(H)
	filler.Fill(spoke)
	// The conversion expects the variables of a status among those of the spec.
	if class, ok := any(spoke).(*clusterv1beta1.ClusterClass); ok {
		class.Status = clusterv1beta1.ClusterClassStatus{}
	}
	if err := convert(context.Background(), spoke, hub); err != nil {
		panic(fmt.Sprintf("%s: %v", kind, err))
	}
	return conversion{Group: group, Kind: kind, V1Beta1: specOf(spoke), V1Beta2: specOf(hub)}
}

// conversions converts that many generated objects of each kind.
func conversions(d dice, count int) []any {
	word := 0
	filler := randfill.NewWithSeed(int64(d.Uint64())).NilChance(0.4).NumElements(1, 2).MaxDepth(14).Funcs(
		func(m *metav1.ObjectMeta, _ randfill.Continue) { *m = metav1.ObjectMeta{} },
		func(m *metav1.ManagedFieldsEntry, _ randfill.Continue) {},
		// Conversions find entries of lists by their names.
		func(s *string, _ randfill.Continue) { word++; *s = fmt.Sprintf("w%d", word) },
		func(s *metav1.Duration, c randfill.Continue) {
			s.Duration = time.Duration(c.Intn(100000)) * 100 * time.Millisecond
		},
		func(s *metav1.Time, c randfill.Continue) { s.Time = time.Unix(int64(c.Intn(1<<30)), 0).UTC() },
		func(s *intstr.IntOrString, c randfill.Continue) { *s = intstr.FromInt32(int32(c.Intn(5))) },
		func(s *apiextensionsv1.JSON, _ randfill.Continue) { s.Raw = []byte("1") },
		func(s *clusterv1beta1.JSONSchemaProps, c randfill.Continue) {
			*s = clusterv1beta1.JSONSchemaProps{Type: "string", UniqueItems: c.Bool(), ExclusiveMaximum: c.Bool(), ExclusiveMinimum: c.Bool(), XIntOrString: c.Bool(), XPreserveUnknownFields: c.Bool()}
		},
		func(s *runtime.RawExtension, _ randfill.Continue) { s.Raw = []byte("{}") },
		func(s *bootstrapv1beta1.BootstrapTokenString, _ randfill.Continue) {
			s.ID, s.Secret = "abcdef", "abcdef0123456789"
		},
		func(s *corev1.ObjectReference, c randfill.Continue) {
			*s = corev1.ObjectReference{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: fmt.Sprintf("K%d", c.Intn(9)), Name: fmt.Sprintf("n%d", c.Intn(9)), Namespace: "fleet"}
		},
	)
	core, bootstrap, controlPlane := "cluster.x-k8s.io", "bootstrap.cluster.x-k8s.io", "controlplane.cluster.x-k8s.io"
	var lines []any
	for range count {
		lines = append(lines,
			inBothVersions(filler, core, "Cluster", coreconversion.ConvertClusterV1Beta1ToHub),
			inBothVersions(filler, core, "ClusterClass", coreconversion.ConvertClusterClassV1Beta1ToHub),
			inBothVersions(filler, core, "Machine", coreconversion.ConvertMachineV1Beta1ToHub),
			inBothVersions(filler, core, "MachineDeployment", coreconversion.ConvertMachineDeploymentV1Beta1ToHub),
			inBothVersions(filler, core, "MachineHealthCheck", coreconversion.ConvertMachineHealthCheckV1Beta1ToHub),
			inBothVersions(filler, core, "MachinePool", coreconversion.ConvertMachinePoolV1Beta1ToHub),
			inBothVersions(filler, core, "MachineSet", coreconversion.ConvertMachineSetV1Beta1ToHub),
			inBothVersions(filler, bootstrap, "KubeadmConfig", bootstrapconversion.ConvertKubeadmConfigV1Beta1ToHub),
			inBothVersions(filler, bootstrap, "KubeadmConfigTemplate", bootstrapconversion.ConvertKubeadmConfigTemplateV1Beta1ToHub),
			inBothVersions(filler, controlPlane, "KubeadmControlPlane", controlplaneconversion.ConvertKubeadmControlPlaneV1Beta1ToHub),
			inBothVersions(filler, controlPlane, "KubeadmControlPlaneTemplate", controlplaneconversion.ConvertKubeadmControlPlaneTemplateV1Beta1ToHub),
		)
	}
	return lines
}
