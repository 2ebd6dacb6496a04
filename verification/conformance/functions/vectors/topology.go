package vectors

import (
	"context"
	_ "unsafe" // for go:linkname

	"k8s.io/utils/ptr"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	topologycluster "sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster"
	"sigs.k8s.io/cluster-api/exp/topology/desiredstate"
	"sigs.k8s.io/cluster-api/exp/topology/scope"

	"conformance/fleet"
)

//go:linkname getBlueprint sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster.(*Reconciler).getBlueprint
func getBlueprint(r *topologycluster.Reconciler, ctx context.Context, cluster *clusterv1.Cluster, class *clusterv1.ClusterClass) (*scope.ClusterBlueprint, error)

func topologies(d dice, count int, vectors func(dice, class, *scope.ClusterState) []fleet.Vector) []fleet.Vector {
	var all []fleet.Vector
	for range count {
		made := d.class()
		made.vary(d)
		all = append(all, vectors(d, made, generate(made))...)
	}
	return all
}

const (
	plain            = "desiredstate.Generate"
	noInfrastructure = plain + ", no machine infrastructure"
	withPatches      = plain + ", class with patches"
	withFields       = plain + ", template with fields"
)

// vary makes some classes special: their control planes follow from more than metadata and fields of topology and class.
func (made *class) vary(d dice) {
	switch {
	case !made.class.Spec.ControlPlane.MachineInfrastructure.TemplateRef.IsDefined():
		made.function = noInfrastructure
	case d.In(12):
		made.function = withPatches
		made.patch(d)
	case d.In(12):
		made.function = withFields
		template := &made.template.Spec.Template.Spec.MachineTemplate.Spec
		template.Deletion.NodeDrainTimeoutSeconds, template.Taints = ptr.To(int32(77)), d.taints()
	}
}

// patch gives the class a patch of its control plane.
func (made *class) patch(d dice) {
	// Keys that no layer uses otherwise, and one that the layers may have.
	key := pick(d, []string{"patched.example.com~1key", "example.com~1owner"})
	made.template.Spec.Template.ObjectMeta.Labels = map[string]string{"patched.example.com/base": "template"}
	value := fleet.JSON("by-patch")
	made.class.Spec.Patches = []clusterv1.ClusterClassPatch{{Name: "metadata", Definitions: []clusterv1.PatchDefinition{{
		Selector: clusterv1.PatchSelector{
			APIVersion: controlPlane + "/v1beta2", Kind: "KubeadmControlPlaneTemplate",
			MatchResources: clusterv1.PatchSelectorMatch{ControlPlane: ptr.To(true)},
		},
		JSONPatches: []clusterv1.JSONPatch{{Op: "add", Path: "/spec/template/metadata/labels/" + key, Value: jsonValue(value)}},
	}}}}
}

func generate(made class) *scope.ClusterState {
	ctx := context.Background()
	client := newStore(append(made.templates, in("v1beta2", made.template))...)
	reconciler := &topologycluster.Reconciler{Client: client, APIReader: client}
	blueprint, err := getBlueprint(reconciler, ctx, made.cluster, made.class)
	fleet.Must(err)
	generator, err := desiredstate.NewGenerator(client, clustercache.NewFakeEmptyClusterCache(), nil, nil, nil)
	fleet.Must(err)
	current := scope.New(made.cluster)
	current.Blueprint = blueprint
	current.Current.ControlPlane = &scope.ControlPlaneState{}
	state, err := generator.Generate(ctx, current)
	fleet.Must(err)
	return state
}

// above is the fleet that decides, as it is served.
func (made class) above(version string, others ...any) []map[string]any {
	objects := []map[string]any{in(version, made.cluster), in(version, made.class)}
	for _, other := range others {
		objects = append(objects, in(version, other))
	}
	return objects
}

func controlPlaneVectors(d dice, made class, state *scope.ClusterState) []fleet.Vector {
	e := d.editions()
	computed := in(e.object, read[controlplanev1.KubeadmControlPlane](state.ControlPlane.Object.Object))
	vector := e.vector(made.function, "KubeadmControlPlane")
	vector.Cluster = made.above(e.above, made.template)
	vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
	maps := fleet.Answer(state.ControlPlane.Object.Object, "metadata", "spec.machineTemplate.metadata")
	return []fleet.Vector{d.Question(vector, computed, maps)}
}

func machineDeploymentVectors(d dice, made class, state *scope.ClusterState) []fleet.Vector {
	var vectors []fleet.Vector
	for _, name := range fleet.Sorted(state.MachineDeployments) {
		e, object := d.editions(), state.MachineDeployments[name].Object
		computed := in(e.object, object)
		vector := e.vector(plain, "MachineDeployment")
		vector.Cluster = made.above(e.above)
		vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
		vectors = append(vectors, d.Question(vector, computed, fleet.Answer(in("v1beta2", object), "metadata", "spec.template.metadata")))
	}
	return vectors
}

func machinePoolVectors(d dice, made class, state *scope.ClusterState) []fleet.Vector {
	var vectors []fleet.Vector
	for _, name := range fleet.Sorted(state.MachinePools) {
		e, object := d.editions(), state.MachinePools[name].Object
		computed := in(e.object, object)
		vector := e.vector(plain, "MachinePool")
		vector.Cluster = made.above(e.above)
		vector.Fields = fleet.FieldsOf(computed, vector.Kind, e.object)
		vectors = append(vectors, d.Question(vector, computed, fleet.Answer(in("v1beta2", object), "metadata", "spec.template.metadata")))
	}
	return vectors
}

func (e editions) vector(function, kind string) fleet.Vector {
	vector := fleet.Vector{Function: function, Kind: kind, Version: e.object}
	if e.above != e.object {
		vector.Above = e.above
	}
	return vector
}
