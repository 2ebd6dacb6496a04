package vectors

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	bootstrapv1beta1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	controlplanev1beta1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	controlplaneconversion "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment/mdutil"
	coreconversion "sigs.k8s.io/cluster-api/core/webhooks/conversion"

	"conformance/fleet"
)

// leaf is one field of a type without fields of its own, and values for it. The first two differ, the others may mean the
// same as one of them or as none.
type leaf struct {
	path   []any
	values []any
}

// leaves are all fields of a type, by reflection. An element of a list has the index 0, a value of a map the key `k`.
func leaves(kind reflect.Type, path ...any) []leaf {
	at := func(step any) []any { return append(append([]any{}, path...), step) }
	switch kind {
	case reflect.TypeFor[metav1.Duration]():
		return []leaf{{path, []any{"5m0s", "10m0s", "0s", "300s", "300.5s"}}}
	case reflect.TypeFor[metav1.Time]():
		return []leaf{{path, []any{"2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"}}}
	case reflect.TypeFor[bootstrapv1beta1.BootstrapTokenString]():
		return []leaf{{path, []any{"abcdef.0123456789abcdef", "fedcba.0123456789abcdef"}}}
	case reflect.TypeFor[resource.Quantity]():
		return []leaf{{path, []any{"1Gi", "2Gi", "1024Mi"}}}
	case reflect.TypeFor[[]byte]():
		return []leaf{{path, []any{"YQ==", "Yg==", ""}}}
	}
	switch kind.Kind() {
	case reflect.Pointer:
		return leaves(kind.Elem(), path...)
	case reflect.Slice:
		return append(leaves(kind.Elem(), at(0)...), leaf{path, []any{[]any{}}})
	case reflect.Map:
		return append(leaves(kind.Elem(), at("k")...), leaf{path, []any{map[string]any{}}})
	case reflect.String:
		return []leaf{{path, []any{"a", "b", ""}}}
	case reflect.Bool:
		return []leaf{{path, []any{true, false}}}
	case reflect.Struct:
		all := []leaf{{path, []any{map[string]any{}}}}
		for index := range kind.NumField() {
			name, options, _ := strings.Cut(kind.Field(index).Tag.Get("json"), ",")
			if options == "inline" {
				all = append(all, leaves(kind.Field(index).Type, path...)[1:]...)
			} else if name != "" && name != "-" {
				all = append(all, leaves(kind.Field(index).Type, at(name)...)...)
			}
		}
		return all
	default:
		return []leaf{{path, []any{1, 2, 0}}}
	}
}

// with is a value with another one below a path, and nothing else. Without the last step's value it has the containers.
func with(path []any, value any, isPresent bool) any {
	if len(path) == 0 {
		return value
	}
	isLeft := len(path) == 1 && !isPresent
	switch step := path[0].(type) {
	case int:
		if isLeft {
			return []any{}
		}
		return []any{with(path[1:], value, isPresent)}
	default:
		if isLeft {
			return map[string]any{}
		}
		return map[string]any{step.(string): with(path[1:], value, isPresent)}
	}
}

// edits are a leaf that is set, changed to each other value, and removed.
func (l leaf) edits(make func(change string, old, new any)) {
	at := strings.Trim(strings.ReplaceAll(strings.ReplaceAll(fmt.Sprint(l.path), "[", ""), "]", ""), " ")
	at = strings.ReplaceAll(at, " ", ".")
	none := with(l.path, nil, false)
	for index, value := range l.values {
		now := with(l.path, value, true)
		make(fmt.Sprintf("%s: set to %v", at, value), none, now)
		make(fmt.Sprintf("%s: removed, was %v", at, value), now, none)
		if index > 0 {
			make(fmt.Sprintf("%s: %v to %v", at, l.values[0], value), with(l.path, l.values[0], true), now)
		}
	}
}

// objectOf is an object of v1beta1 with a `spec`, as a user writes it, and what it is to Cluster API.
func objectOf[Spoke, Hub any](kind, apiVersion string, spec any, convert func(context.Context, *Spoke, *Hub) error) (map[string]any, *Hub) {
	object := map[string]any{
		"apiVersion": apiVersion, "kind": kind, "spec": spec,
		"metadata": map[string]any{"name": "edited", "namespace": namespace, "uid": "edited"},
	}
	spoke, hub := new(Spoke), new(Hub)
	fleet.Must(json.Unmarshal(fleet.JSON(object), spoke))
	fleet.Must(convert(context.Background(), spoke, hub))
	return object, hub
}

// convertedControlPlanes: each field of a KubeadmControlPlane's configuration in v1beta1, edited alone.
func convertedControlPlanes(d dice) []any {
	const function = "kubeadm.UpToDate, v1beta1"
	cluster := &clusterv1.Cluster{}
	cluster.Name, cluster.Namespace, cluster.UID = "c1", namespace, "cluster"
	controlPlaneOf := func(config any) (map[string]any, *controlplanev1.KubeadmControlPlane) {
		spec := map[string]any{
			"version": "v1.36.0", "kubeadmConfigSpec": config,
			"machineTemplate": map[string]any{"infrastructureRef": map[string]any{"apiVersion": infra + "/v1beta1", "kind": "DevMachineTemplate", "name": "control-plane"}},
		}
		return objectOf[controlplanev1beta1.KubeadmControlPlane, controlplanev1.KubeadmControlPlane](
			"KubeadmControlPlane", controlPlane+"/v1beta1", spec, controlplaneconversion.ConvertKubeadmControlPlaneV1Beta1ToHub)
	}
	var lines []any
	for _, field := range leaves(reflect.TypeFor[bootstrapv1beta1.KubeadmConfigSpec]()) {
		field.edits(func(change string, old, new any) {
			before, oldHub := controlPlaneOf(old)
			after, newHub := controlPlaneOf(new)
			upToDate := controlPlaneUpToDate(oldHub, newHub, cluster, false) && controlPlaneUpToDate(oldHub, newHub, cluster, true)
			lines = append(lines, classified{function, numberedName(function, len(lines)), "KubeadmControlPlane", "v1beta1", change, before, after, upToDate})
		})
	}
	return lines
}

// convertedMachineDeployments: each field of a MachineDeployment's Machines in v1beta1, edited alone.
func convertedMachineDeployments(d dice) []any {
	const function = "mdutil.MachineTemplateUpToDate, v1beta1"
	deploymentOf := func(machine any) (map[string]any, *clusterv1.MachineDeployment) {
		spec := map[string]any{"clusterName": "c1", "template": map[string]any{"spec": machine}}
		return objectOf[clusterv1beta1.MachineDeployment, clusterv1.MachineDeployment](
			"MachineDeployment", core+"/v1beta1", spec, coreconversion.ConvertMachineDeploymentV1Beta1ToHub)
	}
	var lines []any
	for _, field := range leaves(reflect.TypeFor[clusterv1beta1.MachineSpec]()) {
		field.edits(func(change string, old, new any) {
			before, oldHub := deploymentOf(old)
			after, newHub := deploymentOf(new)
			upToDate, _ := mdutil.MachineTemplateUpToDate(&oldHub.Spec.Template, &newHub.Spec.Template)
			lines = append(lines, classified{function, numberedName(function, len(lines)), "MachineDeployment", "v1beta1", change, before, after, upToDate})
		})
	}
	return lines
}
