package vectors

import (
	"k8s.io/utils/ptr"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// edit is one thing that a user may do to an object.
type edit[T any] struct {
	name string
	make func(d dice, object *T)
}

// machineDeploymentEdits are what a user may do to a MachineDeployment. Which of them replace Machines, Cluster API says.
func machineDeploymentEdits() []edit[clusterv1.MachineDeployment] {
	spec := func(name string, make func(d dice, spec *clusterv1.MachineSpec)) edit[clusterv1.MachineDeployment] {
		return edit[clusterv1.MachineDeployment]{name, func(d dice, md *clusterv1.MachineDeployment) { make(d, &md.Spec.Template.Spec) }}
	}
	return []edit[clusterv1.MachineDeployment]{
		spec("version", func(_ dice, s *clusterv1.MachineSpec) { s.Version = "v1.37.0" }),
		spec("infrastructureRef.name", func(_ dice, s *clusterv1.MachineSpec) { s.InfrastructureRef.Name = "other" }),
		spec("infrastructureRef.kind", func(_ dice, s *clusterv1.MachineSpec) { s.InfrastructureRef.Kind = "OtherMachineTemplate" }),
		spec("infrastructureRef.apiGroup", func(_ dice, s *clusterv1.MachineSpec) { s.InfrastructureRef.APIGroup = "other." + infra }),
		spec("bootstrap.configRef.name", func(_ dice, s *clusterv1.MachineSpec) { s.Bootstrap.ConfigRef.Name = "other" }),
		spec("bootstrap.dataSecretName", func(_ dice, s *clusterv1.MachineSpec) { s.Bootstrap.DataSecretName = ptr.To("secret") }),
		spec("bootstrap", func(_ dice, s *clusterv1.MachineSpec) {
			s.Bootstrap = clusterv1.Bootstrap{DataSecretName: ptr.To("secret")}
		}),
		spec("failureDomain", func(_ dice, s *clusterv1.MachineSpec) { s.FailureDomain = "b" }),
		spec("failureDomain", func(_ dice, s *clusterv1.MachineSpec) { s.FailureDomain = "" }),
		spec("nodeDrainTimeout", func(_ dice, s *clusterv1.MachineSpec) { s.Deletion.NodeDrainTimeoutSeconds = ptr.To(int32(77)) }),
		spec("nodeDeletionTimeout", func(_ dice, s *clusterv1.MachineSpec) { s.Deletion.NodeDeletionTimeoutSeconds = nil }),
		spec("nodeVolumeDetachTimeout", func(_ dice, s *clusterv1.MachineSpec) { s.Deletion.NodeVolumeDetachTimeoutSeconds = ptr.To(int32(0)) }),
		spec("minReadySeconds", func(_ dice, s *clusterv1.MachineSpec) { s.MinReadySeconds = ptr.To(int32(77)) }),
		spec("readinessGates", func(_ dice, s *clusterv1.MachineSpec) {
			s.ReadinessGates = []clusterv1.MachineReadinessGate{{ConditionType: "Other"}}
		}),
		spec("taints", func(d dice, s *clusterv1.MachineSpec) { s.Taints = d.taints() }),
		{"metadata", func(d dice, md *clusterv1.MachineDeployment) { md.Labels = d.Labels() }},
		{"template labels", func(d dice, md *clusterv1.MachineDeployment) {
			md.Spec.Template.Labels = map[string]string{"team": "other", clusterv1.ClusterNameLabel: md.Spec.ClusterName}
		}},
		{"template annotations", func(d dice, md *clusterv1.MachineDeployment) { md.Spec.Template.Annotations = d.Annotations() }},
		{"replicas", func(_ dice, md *clusterv1.MachineDeployment) { md.Spec.Replicas = ptr.To(int32(9)) }},
		{"deletion order", func(d dice, md *clusterv1.MachineDeployment) { md.Spec.Deletion.Order = d.deletionOrder() }},
		{"strategy", func(_ dice, md *clusterv1.MachineDeployment) {
			md.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
		}},
		{"machine naming", func(_ dice, md *clusterv1.MachineDeployment) { md.Spec.MachineNaming.Template = "x-{{ .random }}" }},
		{"paused", func(_ dice, md *clusterv1.MachineDeployment) { md.Spec.Paused = ptr.To(true) }},
		{"nothing", func(dice, *clusterv1.MachineDeployment) {}},
	}
}

// controlPlaneEdits are what a user may do to a KubeadmControlPlane.
func controlPlaneEdits() []edit[controlplanev1.KubeadmControlPlane] {
	config := func(name string, make func(spec *bootstrapv1.KubeadmConfigSpec)) edit[controlplanev1.KubeadmControlPlane] {
		return edit[controlplanev1.KubeadmControlPlane]{name, func(_ dice, kcp *controlplanev1.KubeadmControlPlane) { make(&kcp.Spec.KubeadmConfigSpec) }}
	}
	return []edit[controlplanev1.KubeadmControlPlane]{
		{"version", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) { kcp.Spec.Version = "v1.37.0" }},
		{"infrastructureRef.name", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineTemplate.Spec.InfrastructureRef.Name = "other"
		}},
		{"replicas", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) { kcp.Spec.Replicas = ptr.To(int32(5)) }},
		{"metadata", func(d dice, kcp *controlplanev1.KubeadmControlPlane) { kcp.Labels = d.Labels() }},
		{"machine template metadata", func(d dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineTemplate.ObjectMeta = clusterv1.ObjectMeta{Labels: d.Labels()}
		}},
		{"nodeDrainTimeout", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineTemplate.Spec.Deletion.NodeDrainTimeoutSeconds = ptr.To(int32(77))
		}},
		{"readinessGates", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineTemplate.Spec.ReadinessGates = []clusterv1.MachineReadinessGate{{ConditionType: "Other"}}
		}},
		{"taints", func(d dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineTemplate.Spec.Taints = d.taints()
		}},
		{"machine naming", func(_ dice, kcp *controlplanev1.KubeadmControlPlane) {
			kcp.Spec.MachineNaming.Template = "x-{{ .random }}"
		}},
		{"nothing", func(dice, *controlplanev1.KubeadmControlPlane) {}},
		config("controlPlaneEndpoint", func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.ControlPlaneEndpoint = "10.0.0.1:6443" }),
		config("certificatesDir", func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.CertificatesDir = "/elsewhere" }),
		config("format cloud-config", func(s *bootstrapv1.KubeadmConfigSpec) { s.Format = bootstrapv1.CloudConfig }),
		config("format ignition", func(s *bootstrapv1.KubeadmConfigSpec) { s.Format = bootstrapv1.Ignition }),
		config("verbosity", func(s *bootstrapv1.KubeadmConfigSpec) { s.Verbosity = ptr.To(int32(5)) }),
		config("users", func(s *bootstrapv1.KubeadmConfigSpec) { s.Users = []bootstrapv1.User{{Name: "admin"}} }),
		config("ntp", func(s *bootstrapv1.KubeadmConfigSpec) { s.NTP.Servers = []string{"ntp.example.com"} }),
		config("preKubeadmCommands", func(s *bootstrapv1.KubeadmConfigSpec) { s.PreKubeadmCommands = []string{"true"} }),
		config("postKubeadmCommands", func(s *bootstrapv1.KubeadmConfigSpec) { s.PostKubeadmCommands = []string{"true"} }),
		config("files", func(s *bootstrapv1.KubeadmConfigSpec) { s.Files = []bootstrapv1.File{{Path: "/x", Content: "x"}} }),
		config("joinConfiguration.discovery", func(s *bootstrapv1.KubeadmConfigSpec) {
			s.JoinConfiguration.Discovery.BootstrapToken.Token = "abcdef.0123456789abcdef"
		}),
		config("joinConfiguration.nodeRegistration", func(s *bootstrapv1.KubeadmConfigSpec) { s.JoinConfiguration.NodeRegistration.Name = "other" }),
		config("initConfiguration.nodeRegistration", func(s *bootstrapv1.KubeadmConfigSpec) { s.InitConfiguration.NodeRegistration.Name = "other" }),
		config("dns", func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.DNS.ImageTag = "v9" }),
		config("etcd.local", func(s *bootstrapv1.KubeadmConfigSpec) { s.ClusterConfiguration.Etcd.Local.DataDir = "/elsewhere" }),
		config("featureGates", func(s *bootstrapv1.KubeadmConfigSpec) {
			s.ClusterConfiguration.FeatureGates = map[string]bool{"X": true}
		}),
	}
}
