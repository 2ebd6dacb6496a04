package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/v1beta1"
	controlplanev1 "sigs.k8s.io/cluster-api/controlplane/kubeadm/api/v1beta1"
	expv1 "sigs.k8s.io/cluster-api/exp/api/v1beta1"

	"conformance/fleet"
)

const (
	namespace = "fleet"
	version   = "v1beta1"
	core      = "cluster.x-k8s.io/" + version
)

// dice draws what is typed, over what every edition draws.
type dice struct{ fleet.Dice }

func (d dice) cluster() *clusterv1.Cluster {
	return &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "c1", Namespace: namespace, UID: "cluster"}}
}

// object is the metadata of a parent: its own labels and annotations are not propagated, or not everywhere.
func (d dice) object(name string, uid types.UID) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: namespace, UID: uid, Labels: d.Labels(),
		Annotations: fleet.Without(d.Annotations(), fleet.Paused, fleet.ConversionData),
	}
}

func (d dice) timeout() *metav1.Duration {
	return fleet.Some(d.Dice, 45, func() metav1.Duration {
		return metav1.Duration{Duration: fleet.Pick(d.Dice, []time.Duration{0, 10 * time.Second, 90 * time.Second, time.Hour})}
	})
}

func (d dice) seconds() *int32 {
	return fleet.Some(d.Dice, 45, func() int32 { return fleet.Pick(d.Dice, []int32{1, 10, 60}) })
}

// machineTemplate is the template of a MachineDeployment, MachineSet or MachinePool as Cluster API's webhooks leave it:
// with the cluster's name.
func (d dice) machineTemplate() clusterv1.MachineTemplateSpec {
	template := clusterv1.MachineTemplateSpec{ObjectMeta: clusterv1.ObjectMeta{Labels: d.Labels(), Annotations: d.Annotations()}}
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[clusterv1.ClusterNameLabel] = "c1"
	template.Spec = clusterv1.MachineSpec{
		ClusterName: "c1", NodeDrainTimeout: d.timeout(), NodeVolumeDetachTimeout: d.timeout(), NodeDeletionTimeout: d.timeout(),
	}
	return template
}

func (d dice) machineDeployment() *clusterv1.MachineDeployment {
	deployment := &clusterv1.MachineDeployment{ObjectMeta: d.object("workers", "deployment")}
	deployment.Spec.ClusterName, deployment.Spec.Template, deployment.Spec.MinReadySeconds = "c1", d.machineTemplate(), d.seconds()
	replicas := int32(3)
	deployment.Spec.Replicas = &replicas
	// As Cluster API's webhook defaults it.
	deployment.Spec.Strategy = &clusterv1.MachineDeploymentStrategy{
		Type:          clusterv1.RollingUpdateMachineDeploymentStrategyType,
		RollingUpdate: &clusterv1.MachineRollingUpdateDeployment{MaxSurge: &intstr.IntOrString{IntVal: 1}, MaxUnavailable: &intstr.IntOrString{}},
	}
	if order := fleet.Pick(d.Dice, []string{"", "Random", "Newest", "Oldest"}); order != "" {
		deployment.Spec.Strategy.RollingUpdate.DeletePolicy = &order
	}
	return deployment
}

func (d dice) machineSet() *clusterv1.MachineSet {
	set := &clusterv1.MachineSet{ObjectMeta: d.object(d.ParentName("set"), "set")}
	if set.Labels == nil {
		set.Labels = map[string]string{}
	}
	if d.In(60) {
		set.Labels[clusterv1.MachineDeploymentNameLabel] = "workers"
	}
	replicas := int32(3)
	set.Spec.ClusterName, set.Spec.Template, set.Spec.Replicas = "c1", d.machineTemplate(), &replicas
	return set
}

func (d dice) machinePool() *expv1.MachinePool {
	pool := &expv1.MachinePool{ObjectMeta: d.object(d.ParentName("pool"), "pool")}
	pool.Spec.ClusterName, pool.Spec.Template = "c1", d.machineTemplate()
	return pool
}

func (d dice) controlPlane(cluster *clusterv1.Cluster) *controlplanev1.KubeadmControlPlane {
	kcp := &controlplanev1.KubeadmControlPlane{ObjectMeta: d.object(d.ParentName("control-plane"), "control-plane")}
	kcp.OwnerReferences = []metav1.OwnerReference{{APIVersion: core, Kind: "Cluster", Name: cluster.Name, UID: cluster.UID}}
	kcp.Spec.Version = "v1.30.0"
	template := &kcp.Spec.MachineTemplate
	template.ObjectMeta = clusterv1.ObjectMeta{Labels: d.Labels(), Annotations: d.Annotations()}
	template.NodeDrainTimeout, template.NodeVolumeDetachTimeout, template.NodeDeletionTimeout = d.timeout(), d.timeout(), d.timeout()
	return kcp
}
