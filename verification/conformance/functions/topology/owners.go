package main

import (
	"context"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1beta1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	kcppkg "sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/desiredstate"
	controlplaneconversion "sigs.k8s.io/cluster-api/controlplane/kubeadm/webhooks/conversion"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment/mdutil"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// owner is what an edit does to a control plane, a MachineDeployment or a MachinePool.
type owner struct {
	// Object is "control plane", or the kind and the name of an entry of the topology.
	Object string `json:"object"`
	// Effect is `rollout`, `scheduled`, `replacedWhenDeleted`, `scale`, `inPlace`, `provider` (only a provider knows),
	// `created` or `deleted`.
	Effect string `json:"effect"`
	// Rollouts are how often Machines are replaced, if more than once.
	Rollouts int `json:"rollouts,omitempty"`
	// Because are the fields that differ, by the kind that has them.
	Because []string `json:"because,omitempty"`
}

// part is what belongs to an owner: its object and what that refers to.
type part struct {
	kind   string
	object *unstructured.Unstructured
}

// owners compares the objects before an edit with every state after it.
func owners(before *store, states []*store, cluster client.ObjectKey) ([]owner, error) {
	all := append([]*store{before}, states...)
	names := map[string]bool{}
	for _, state := range all {
		for name := range heads(state, cluster) {
			names[name] = true
		}
	}
	var found []owner
	for _, name := range sorted(names) {
		changed, err := compare(name, all, cluster)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if changed != nil {
			found = append(found, *changed)
		}
	}
	return found, nil
}

func sorted(names map[string]bool) []string {
	var all []string
	for name := range names {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}

// heads are the control plane, MachineDeployments and MachinePools by name.
func heads(state *store, cluster client.ObjectKey) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{}
	for key, object := range state.objects {
		labels := object.GetLabels()
		if key.namespace != cluster.Namespace || labels[clusterv1.ClusterNameLabel] != cluster.Name {
			continue
		}
		switch {
		case isControlPlane(state, cluster, object):
			found["control plane"] = object
		case key.kind.Kind == "MachineDeployment":
			found["MachineDeployment "+labels[clusterv1.ClusterTopologyMachineDeploymentNameLabel]] = object
		case key.kind.Kind == "MachinePool":
			found["MachinePool "+labels[clusterv1.ClusterTopologyMachinePoolNameLabel]] = object
		}
	}
	return found
}

func isControlPlane(state *store, cluster client.ObjectKey, object *unstructured.Unstructured) bool {
	owner := state.objects[storeKey{clusterv1.GroupVersion.WithKind("Cluster").GroupKind(), cluster.Namespace, cluster.Name}]
	kind, _, _ := unstructured.NestedString(owner.Object, "spec", "controlPlaneRef", "kind")
	name, _, _ := unstructured.NestedString(owner.Object, "spec", "controlPlaneRef", "name")
	return object.GetKind() == kind && object.GetName() == name
}

// parts are what a head refers to, by role.
func parts(state *store, head *unstructured.Unstructured) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{"": head}
	paths := map[string][][]string{
		"infrastructure": {
			{"spec", "machineTemplate", "spec", "infrastructureRef"}, {"spec", "machineTemplate", "infrastructureRef"},
			{"spec", "template", "spec", "infrastructureRef"},
		},
		"bootstrap": {{"spec", "template", "spec", "bootstrap", "configRef"}},
	}
	for role, paths := range paths {
		for _, path := range paths {
			reference, ok, _ := unstructured.NestedMap(head.Object, path...)
			if !ok {
				continue
			}
			for key, object := range state.objects {
				if key.namespace == head.GetNamespace() && key.kind.Kind == reference["kind"] && key.name == reference["name"] {
					found[role] = object
				}
			}
		}
	}
	return found
}

func compare(name string, states []*store, cluster client.ObjectKey) (*owner, error) {
	first, last := heads(states[0], cluster)[name], heads(states[len(states)-1], cluster)[name]
	switch {
	case first == nil && last == nil:
		return nil, nil
	case first == nil:
		return &owner{Object: name, Effect: "created"}, nil
	case last == nil:
		return &owner{Object: name, Effect: "deleted"}, nil
	}
	changed := &owner{Object: name, Because: because(parts(states[0], first), parts(states[len(states)-1], last))}
	rollouts, isScheduled := 0, false
	for number := 1; number < len(states); number++ {
		from, to := heads(states[number-1], cluster)[name], heads(states[number], cluster)[name]
		effect, err := replaced(states[number-1], states[number], from, to, cluster)
		if err != nil {
			return nil, err
		}
		switch effect {
		case "rollout":
			rollouts++
		case "scheduled":
			isScheduled = true
		}
	}
	onDelete, _, _ := unstructured.NestedString(last.Object, "spec", "rollout", "strategy", "type")
	switch {
	case (rollouts > 0 || isScheduled) && onDelete == "OnDelete":
		changed.Effect = "replacedWhenDeleted"
	case rollouts > 0:
		changed.Effect = "rollout"
		if rollouts > 1 {
			changed.Rollouts = rollouts
		}
	case isScheduled:
		changed.Effect = "scheduled"
	case len(changed.Because) == 0:
		return nil, nil
	case isUnknown(name, first, changed.Because):
		changed.Effect = "provider"
	case isScale(changed.Because):
		changed.Effect = "scale"
	default:
		changed.Effect = "inPlace"
	}
	return changed, nil
}

func isScale(because []string) bool {
	for _, path := range because {
		if strings.HasSuffix(path, " spec.replicas") {
			return true
		}
	}
	return false
}

// isUnknown says whether only a provider knows what changes of an object's spec do.
func isUnknown(name string, head *unstructured.Unstructured, because []string) bool {
	isKubeadm := head.GetKind() == "KubeadmControlPlane"
	for _, path := range because {
		isOfHead := strings.HasPrefix(path, head.GetKind()+" ")
		isSpec := strings.Contains(path, " spec") && !strings.HasSuffix(path, " spec.replicas")
		switch {
		case !isSpec:
		case name == "control plane" && isOfHead && !isKubeadm, strings.HasPrefix(name, "MachinePool") && (!isOfHead || strings.Contains(path, "failureDomains")):
			return true
		}
	}
	return false
}

// replaced says whether Machines made from one state are replaced in another.
func replaced(was, is *store, from, to *unstructured.Unstructured, cluster client.ObjectKey) (string, error) {
	switch {
	case to.GetKind() == "MachineDeployment":
		var old, made clusterv1.MachineDeployment
		if err := read(from, &old); err != nil {
			return "", err
		}
		if err := read(to, &made); err != nil {
			return "", err
		}
		upToDate, _ := mdutil.MachineTemplateUpToDate(&old.Spec.Template, &made.Spec.Template)
		if !upToDate {
			return "rollout", nil
		}
		return after(old.Spec.Rollout.After, made.Spec.Rollout.After), nil
	case to.GetKind() == "MachinePool":
		var old, made clusterv1.MachinePool
		if err := read(from, &old); err != nil {
			return "", err
		}
		if err := read(to, &made); err != nil {
			return "", err
		}
		if old.Spec.Template.Spec.Version != made.Spec.Template.Spec.Version {
			return "rollout", nil
		}
		return "", nil
	case to.GetKind() == "KubeadmControlPlane":
		return controlPlaneReplaced(was, is, from, to, cluster)
	}
	version := func(object *unstructured.Unstructured) string {
		version, _, _ := unstructured.NestedString(object.Object, "spec", "version")
		return version
	}
	if version(from) != version(to) || reference(from) != reference(to) {
		return "rollout", nil
	}
	return "", nil
}

func reference(head *unstructured.Unstructured) string {
	for _, path := range [][]string{{"spec", "machineTemplate", "spec", "infrastructureRef", "name"}, {"spec", "machineTemplate", "infrastructureRef", "name"}} {
		if name, ok, _ := unstructured.NestedString(head.Object, path...); ok {
			return name
		}
	}
	return ""
}

func after(old, made metav1.Time) string {
	switch {
	case old.Equal(&made) || made.IsZero():
		return ""
	case made.After(time.Now()):
		return "scheduled"
	}
	return "rollout"
}

// controlPlaneReplaced makes the first Machine, and one that joined, from the old control plane, and asks about it under
// the new one.
func controlPlaneReplaced(was, is *store, from, to *unstructured.Unstructured, key client.ObjectKey) (string, error) {
	old, err := kubeadm(from)
	if err != nil {
		return "", err
	}
	made, err := kubeadm(to)
	if err != nil {
		return "", err
	}
	cluster := &clusterv1.Cluster{}
	if err := is.Get(context.Background(), key, cluster); err != nil {
		return "", err
	}
	ctx := context.Background()
	for _, isJoin := range []bool{false, true} {
		machine, err := desiredstate.ComputeDesiredMachine(old, cluster, "", nil)
		if err != nil {
			return "", err
		}
		machine.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "InfraMachine", Name: machine.Name}
		machine.Spec.Bootstrap.ConfigRef = clusterv1.ContractVersionedObjectReference{APIGroup: "bootstrap.cluster.x-k8s.io", Kind: "KubeadmConfig", Name: machine.Name}
		machine.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
		infraMachine, err := desiredstate.ComputeDesiredInfraMachine(ctx, templates{was}, old, cluster, machine.Name, nil)
		if err != nil {
			return "", err
		}
		config, err := desiredstate.ComputeDesiredKubeadmConfig(old, cluster, isJoin, machine.Name, nil)
		if err != nil {
			return "", err
		}
		now := metav1.Now()
		upToDate, _, err := kcppkg.UpToDate(ctx, templates{is}, cluster, machine, made, &now,
			map[string]*unstructured.Unstructured{machine.Name: infraMachine}, map[string]*bootstrapv1.KubeadmConfig{machine.Name: config})
		if err != nil {
			return "", err
		}
		if !upToDate {
			return "rollout", nil
		}
	}
	return after(old.Spec.Rollout.After, made.Spec.Rollout.After), nil
}

// templates are a store that serves templates in the only version that it has.
type templates struct{ *store }

func (t templates) Get(ctx context.Context, name client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if into, ok := into.(*unstructured.Unstructured); ok {
		for key, object := range t.objects {
			if key.kind == into.GroupVersionKind().GroupKind() && key.name == name.Name && key.namespace == name.Namespace {
				object.DeepCopyInto(into)
				return nil
			}
		}
	}
	return t.store.Get(ctx, name, into, options...)
}

func kubeadm(object *unstructured.Unstructured) (*controlplanev1.KubeadmControlPlane, error) {
	if strings.HasSuffix(object.GetAPIVersion(), "/v1beta1") {
		return inHub(object)
	}
	typed := &controlplanev1.KubeadmControlPlane{}
	return typed, read(object, typed)
}

func inHub(object *unstructured.Unstructured) (*controlplanev1.KubeadmControlPlane, error) {
	old, made := &controlplanev1beta1.KubeadmControlPlane{}, &controlplanev1.KubeadmControlPlane{}
	if err := read(object, old); err != nil {
		return nil, err
	}
	return made, controlplaneconversion.ConvertKubeadmControlPlaneV1Beta1ToHub(context.Background(), old, made)
}

// because are the fields that differ between the parts of an owner: names of templates and what only servers write aside.
func because(old, made map[string]*unstructured.Unstructured) []string {
	found := map[string]bool{}
	for role, is := range made {
		was, ok := old[role]
		if !ok {
			continue
		}
		for _, field := range []string{"labels", "annotations"} {
			a, _, _ := unstructured.NestedMap(was.Object, "metadata", field)
			b, _, _ := unstructured.NestedMap(is.Object, "metadata", field)
			differences(found, is.GetKind()+" metadata."+field, anyOf(a), anyOf(b))
		}
		if was.GetKind() != is.GetKind() {
			found[is.GetKind()+" kind"] = true
		}
		differences(found, is.GetKind()+" spec", was.Object["spec"], is.Object["spec"])
	}
	return sorted(found)
}

func anyOf(object map[string]any) any {
	if object == nil {
		return map[string]any{}
	}
	return object
}

// differences adds the paths that differ; lists as a whole, except where their elements agree in number.
func differences(found map[string]bool, path string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	a, isMap := was.(map[string]any)
	b, areMaps := is.(map[string]any)
	if isMap && areMaps {
		for name := range a {
			differences(found, path+"."+name, a[name], b[name])
		}
		for name := range b {
			if _, ok := a[name]; !ok {
				differences(found, path+"."+name, nil, b[name])
			}
		}
		return
	}
	for _, reference := range []string{"nfrastructureRef.name", ".configRef.name"} {
		if strings.HasSuffix(path, reference) {
			return
		}
	}
	found[path] = true
}
