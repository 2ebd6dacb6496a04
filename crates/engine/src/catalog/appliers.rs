//! The field managers by which Cluster API's own controllers apply.

/// The field managers by which Cluster API's own controllers apply what they propagate, always by force. What one of
/// them alone owns is gone as soon as its source drops it.
///
/// Source: core/reconcilers/topology/cluster/structuredmerge/serversidepatchhelper.go; core/reconcilers/machinedeployment,
/// machineset and machinepool; controlplane/kubeadm/reconcilers/kubeadmcontrolplane.
pub(crate) const APPLIERS: &[&str] = &[
    "capi-kubeadmcontrolplane",
    "capi-kubeadmcontrolplane-metadata",
    "capi-machinedeployment",
    "capi-machineset",
    "capi-machineset-metadata",
    "capi-topology",
    "machinepool-controller",
];
