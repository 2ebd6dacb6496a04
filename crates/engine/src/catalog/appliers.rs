//! The field managers that Cluster API's own controllers apply with.

/// The field managers that Cluster API's own controllers apply propagated values with, always with force. A value that
/// only one of them owns is removed as soon as its source drops it.
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
