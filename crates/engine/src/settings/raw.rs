//! Settings as they are written: the shape that users and the JSON Schema know.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Guards, Mode, OnConflict, OptIn, RawCloudTags, Reaction};
use crate::catalog::version::Version;
use crate::settings::Stance;

/// Settings as they are written.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "metadata-propagation-policy settings"))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawSettings {
    /// `mutate`: write what is missing. `verify`: refuse it and write nothing.
    pub mode: Mode,
    /// How other objects are read.
    pub lookup: RawLookup,
    /// Which rules of Cluster API hold, and for whom.
    pub cluster_api: RawClusterApi,
    /// What becomes of edits that destroy Machines, and of keys that do harm or never arrive.
    pub guards: Guards,
    /// Which labels of Crossplane composites become tags of their cloud resources.
    #[cfg_attr(feature = "schema", schemars(with = "super::cloud_tags_schema::CloudTagsShape"))]
    pub cloud_tags: RawCloudTags,
}

/// `lookup` as it is written.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawLookup {
    /// True bypasses the host's cache of five seconds.
    pub fresh: bool,
    /// The parent does not exist.
    pub on_missing: Reaction,
    /// The cluster could not be asked: permissions, grants, network.
    pub on_failure: Reaction,
    /// Versions of control planes beyond the shipped grants: `Kind.group` to version, such as
    /// `RKE2ControlPlane.controlplane.cluster.x-k8s.io: v1beta1`.
    pub api_versions: BTreeMap<String, String>,
}

/// `clusterApi` as it is written.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawClusterApi {
    /// `v1.MINOR` or `v1.MINOR.PATCH`; before v1.10 the older edition of the rules holds.
    pub version: String,
    /// Exact user names whose writes pass at once and unchanged.
    pub controllers: Vec<String>,
    /// Compare the controllers' writes with the rules; differences go to the audit annotation and the log.
    pub self_check: bool,
    /// Somebody edits a propagated value on a child.
    pub on_conflict: OnConflict,
    /// In-place mutable fields propagate as well.
    pub fields: bool,
    /// The cluster's gate `MachineTaintPropagation` is on: taints may be introduced where an object has none.
    pub taints: bool,
    /// Propagation beyond Cluster API, for selected keys; none by default.
    pub opt_in: OptIn,
    /// An UPDATE would replace Machines.
    pub rollout: Stance,
    /// What the manager syncs from Machines to Nodes beyond the three criteria.
    pub node: RawNodeSync,
}

/// `clusterApi.node` as it is written.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawNodeSync {
    /// The manager's `--additional-sync-machine-labels`: Go regular expressions, not anchored, on the key.
    pub additional_labels: Vec<String>,
    /// The manager's `--additional-sync-machine-annotations`: Go regular expressions, not anchored, on the key.
    pub additional_annotations: Vec<String>,
}

impl Default for RawLookup {
    fn default() -> Self {
        RawLookup {
            fresh: false,
            on_missing: Reaction::Accept,
            on_failure: Reaction::Reject,
            api_versions: BTreeMap::new(),
        }
    }
}

/// The service accounts of the core, kubeadm bootstrap and kubeadm control-plane managers, as released manifests name
/// them.
const CONTROLLERS: [&str; 3] = [
    "system:serviceaccount:capi-system:capi-manager",
    "system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager",
    "system:serviceaccount:capi-kubeadm-control-plane-system:capi-kubeadm-control-plane-manager",
];

impl Default for RawClusterApi {
    fn default() -> Self {
        RawClusterApi {
            version: Version::NEWEST.to_string(),
            controllers: CONTROLLERS.map(str::to_owned).to_vec(),
            self_check: false,
            on_conflict: OnConflict::default(),
            fields: true,
            taints: false,
            opt_in: OptIn::default(),
            rollout: Stance::Warn,
            node: RawNodeSync::default(),
        }
    }
}
