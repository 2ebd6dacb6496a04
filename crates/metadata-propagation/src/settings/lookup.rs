//! `lookup`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use cluster_api::parents::is_cluster_apis_own;
use kubernetes::Readable;
use kubernetes::settings::parsed_text::{ApiVersion, KindAndGroup};
use kubernetes::settings::stance::Reaction;

use crate::grants::GRANTS;
use crate::settings::Settings;

/// How other objects are read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Lookup {
    /// The parent does not exist.
    pub on_missing: Reaction,
    /// A read failed: permission, grant, network.
    pub on_failure: Reaction,
    /// Versions of kinds beyond the shipped grants: `Kind.group` to version, such as
    /// `RKE2ControlPlane.controlplane.cluster.x-k8s.io: v1beta1`. A kind of composites that compose others is listed so that
    /// their tags are only forwarded while the parent exists.
    pub api_versions: BTreeMap<KindAndGroup, ApiVersion>,
}

impl Default for Lookup {
    fn default() -> Self {
        Lookup { on_missing: Reaction::Accept, on_failure: Reaction::Warn, api_versions: BTreeMap::new() }
    }
}

/// The versions in the settings precede those that the policy brings.
impl Readable for Settings {
    fn versions<'s>(&'s self, group: &str, kind: &str) -> Vec<&'s str> {
        let shipped = GRANTS.iter().find(|grant| grant.kind == kind && grant.group == group);
        let mut versions: Vec<&str> = shipped.map_or(Vec::new(), |grant| grant.versions.to_vec());
        let configured = &self.lookup.api_versions;
        if !configured.is_empty()
            && let Some(version) = configured.get(&*[kind, ".", group].concat())
        {
            versions.retain(|known| **known != **version);
            versions.insert(0, version);
        }
        if let Some(tenant) = &self.cloud_tags.sources.tenant
            && tenant.kind.split_once('.') == Some((kind, group))
        {
            versions.insert(0, &tenant.version);
        }
        versions
    }

    fn share_a_version(&self, group: &str, kind: &str) -> bool {
        is_cluster_apis_own(group, kind)
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;

    #[test]
    fn versions_are_found_by_kind_and_group() {
        let text = r#"{"lookup":{"apiVersions":{"RKE2ControlPlane.controlplane.cluster.x-k8s.io":"v1beta1"}}}"#;
        let versions = Settings::from_json(text).unwrap().lookup.api_versions;
        let version = versions.get("RKE2ControlPlane.controlplane.cluster.x-k8s.io");
        assert_eq!(version.map(|version| &**version), Some("v1beta1"));
    }
}
