//! The service accounts that the managers of Cluster API run as.

/// A service account as in `userInfo.username`, and the installation that creates it.
///
/// `clusterApi.controllers` lists them all by default. The managers of other control planes (RKE2, K3s, k0smotron) are
/// not among them: their writes are checked like those of any user.
pub const CONTROLLERS: &[&str] = &[
    // Released manifests, as clusterctl applies them: core-components.yaml, bootstrap-components.yaml and
    // control-plane-components.yaml of Cluster API.
    "system:serviceaccount:capi-system:capi-manager",
    "system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager",
    "system:serviceaccount:capi-kubeadm-control-plane-system:capi-kubeadm-control-plane-manager",
    // Cluster API Operator, if its chart is only given names: hack/charts/cluster-api-operator/templates/bootstrap.yaml
    // and control-plane.yaml.
    "system:serviceaccount:kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager",
    "system:serviceaccount:kubeadm-control-plane-system:capi-kubeadm-control-plane-manager",
    // Rancher Turtles: charts/rancher-turtles/templates/core-provider-configmap.yaml.
    "system:serviceaccount:cattle-capi-system:capi-manager",
];
