package vectors

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

const namespace = "fleet"

// class is a ClusterClass with its templates, and a Cluster made from it.
type class struct {
	cluster  *clusterv1.Cluster
	class    *clusterv1.ClusterClass
	template *controlplanev1.KubeadmControlPlaneTemplate
	// templates of other kinds, as their provider serves them.
	templates []map[string]any
	// function names what is asked of its control plane.
	function string
}

func (d dice) class() class {
	made := class{function: plain, cluster: d.topologyCluster(), template: d.controlPlaneTemplate()}
	made.class = &clusterv1.ClusterClass{}
	made.class.Name, made.class.Namespace = "class", namespace
	if d.In(20) {
		made.class.Namespace = "classes"
		made.cluster.Spec.Topology.ClassRef.Namespace = "classes"
	}
	made.template.Namespace = made.class.Namespace
	spec := &made.class.Spec
	spec.Infrastructure.TemplateRef = made.external(infra, "DevClusterTemplate", "cluster", nil)
	spec.ControlPlane.TemplateRef = clusterv1.ClusterClassTemplateReference{
		APIVersion: controlPlane + "/v1beta2", Kind: "KubeadmControlPlaneTemplate", Name: made.template.Name,
	}
	spec.ControlPlane.Metadata = d.metadata()
	spec.ControlPlane.Deletion.NodeDrainTimeoutSeconds = d.seconds()
	spec.ControlPlane.Deletion.NodeVolumeDetachTimeoutSeconds = d.seconds()
	spec.ControlPlane.Deletion.NodeDeletionTimeoutSeconds = d.seconds()
	spec.ControlPlane.ReadinessGates, spec.ControlPlane.Taints = d.readinessGates(), d.taints()
	if d.In(85) {
		spec.ControlPlane.MachineInfrastructure.TemplateRef = made.external(infra, "DevMachineTemplate", "control-plane", nil)
	}
	made.workers(d)
	return made
}

// workers adds one class of each kind of worker, and entries of the topology that use it.
func (made *class) workers(d dice) {
	bootstrapRef := made.external(bootstrap, "KubeadmConfigTemplate", "worker", nil)
	deployment := clusterv1.MachineDeploymentClass{
		Class: "worker", Metadata: d.metadata(), ReadinessGates: d.readinessGates(), Taints: d.taints(), MinReadySeconds: d.seconds(),
		Bootstrap:      clusterv1.MachineDeploymentClassBootstrapTemplate{TemplateRef: bootstrapRef},
		Infrastructure: clusterv1.MachineDeploymentClassInfrastructureTemplate{TemplateRef: made.external(infra, "DevMachineTemplate", "worker", nil)},
		Deletion: clusterv1.MachineDeploymentClassMachineDeletionSpec{
			Order: d.deletionOrder(), NodeDrainTimeoutSeconds: d.seconds(), NodeVolumeDetachTimeoutSeconds: d.seconds(), NodeDeletionTimeoutSeconds: d.seconds(),
		},
	}
	pool := clusterv1.MachinePoolClass{
		Class: "pool", Metadata: d.metadata(), Taints: d.taints(), MinReadySeconds: d.seconds(),
		Bootstrap:      clusterv1.MachinePoolClassBootstrapTemplate{TemplateRef: bootstrapRef},
		Infrastructure: clusterv1.MachinePoolClassInfrastructureTemplate{TemplateRef: made.external(infra, "DevMachinePoolTemplate", "pool", nil)},
		Deletion: clusterv1.MachinePoolClassMachineDeletionSpec{
			NodeDrainTimeoutSeconds: d.seconds(), NodeVolumeDetachTimeoutSeconds: d.seconds(), NodeDeletionTimeoutSeconds: d.seconds(),
		},
	}
	// A class that nothing uses must not be read for the other.
	spare := *deployment.DeepCopy()
	spare.Class, spare.Metadata = "spare", clusterv1.ObjectMeta{Labels: map[string]string{"team": "spare"}}
	workers := &made.class.Spec.Workers
	workers.MachineDeployments = []clusterv1.MachineDeploymentClass{spare, deployment}
	workers.MachinePools = []clusterv1.MachinePoolClass{pool}
	topology := &made.cluster.Spec.Topology.Workers
	for _, name := range []string{"blue", "green"}[:d.Between(1, 2)] {
		topology.MachineDeployments = append(topology.MachineDeployments, clusterv1.MachineDeploymentTopology{
			Name: name, Class: "worker", Metadata: d.metadata(), ReadinessGates: d.readinessGates(), Taints: d.taints(), MinReadySeconds: d.seconds(),
			Deletion: clusterv1.MachineDeploymentTopologyMachineDeletionSpec{
				Order: d.deletionOrder(), NodeDrainTimeoutSeconds: d.seconds(), NodeVolumeDetachTimeoutSeconds: d.seconds(), NodeDeletionTimeoutSeconds: d.seconds(),
			},
		})
	}
	topology.MachinePools = []clusterv1.MachinePoolTopology{{
		Name: "blue", Class: "pool", Metadata: d.metadata(), Taints: d.taints(), MinReadySeconds: d.seconds(),
		Deletion: clusterv1.MachinePoolTopologyMachineDeletionSpec{
			NodeDrainTimeoutSeconds: d.seconds(), NodeVolumeDetachTimeoutSeconds: d.seconds(), NodeDeletionTimeoutSeconds: d.seconds(),
		},
	}}
}

func (d dice) topologyCluster() *clusterv1.Cluster {
	cluster := d.cluster()
	cluster.Spec.Topology = clusterv1.Topology{ClassRef: clusterv1.ClusterClassRef{Name: "class"}, Version: "v1.36.0"}
	topology := &cluster.Spec.Topology.ControlPlane
	topology.Metadata, topology.ReadinessGates, topology.Taints = d.metadata(), d.readinessGates(), d.taints()
	topology.Deletion.NodeDrainTimeoutSeconds = d.seconds()
	topology.Deletion.NodeVolumeDetachTimeoutSeconds = d.seconds()
	topology.Deletion.NodeDeletionTimeoutSeconds = d.seconds()
	if d.In(70) {
		cluster.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{APIGroup: controlPlane, Kind: "KubeadmControlPlane", Name: "c1-cp"}
	}
	return cluster
}

// cluster is a Cluster whose metadata is not propagated.
func (d dice) cluster() *clusterv1.Cluster {
	cluster := &clusterv1.Cluster{}
	cluster.Name, cluster.Namespace, cluster.UID = pick(d, []string{"c1", "c-2.eu"}), namespace, types.UID("cluster")
	cluster.Labels = map[string]string{"team": "cluster"}
	return cluster
}

func (d dice) controlPlaneTemplate() *controlplanev1.KubeadmControlPlaneTemplate {
	template := &controlplanev1.KubeadmControlPlaneTemplate{}
	template.Name = "control-plane"
	resource := &template.Spec.Template
	resource.ObjectMeta, resource.Spec.MachineTemplate.ObjectMeta = d.metadata(), d.metadata()
	resource.Spec.KubeadmConfigSpec = bootstrapv1.KubeadmConfigSpec{Format: bootstrapv1.CloudConfig}
	return template
}

// external is a reference to a template of a provider, which is added to the class.
func (made *class) external(group, kind, name string, metadata map[string]any) clusterv1.ClusterClassTemplateReference {
	made.templates = append(made.templates, externalTemplate(group, kind, name, metadata))
	return clusterv1.ClusterClassTemplateReference{APIVersion: group + "/v1beta2", Kind: kind, Name: name}
}

func externalTemplate(group, kind, name string, metadata map[string]any) map[string]any {
	template := map[string]any{"spec": map[string]any{"size": "large"}}
	if len(metadata) > 0 {
		template["metadata"] = metadata
	}
	return map[string]any{
		"apiVersion": group + "/v1beta2", "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec":     map[string]any{"template": template},
	}
}

func jsonValue(text []byte) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: text} }
