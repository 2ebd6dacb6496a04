//! `lookup`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::parsed_text::{ApiVersion, KindAndGroup};

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

/// What a lookup without an answer does to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reaction {
    /// Leave the object as it is.
    Accept,
    /// Leave the object as it is, with a warning.
    Warn,
    /// Refuse the request.
    Reject,
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

    #[test]
    fn what_is_no_kind_or_no_version_is_refused() {
        let text = r#"{"lookup":{"apiVersions":{"RKE2ControlPlane.a.b":"1","rke2":"v1","A.b":7}}}"#;
        assert_eq!(
            Settings::from_json(text).unwrap_err().to_string(),
            "lookup.apiVersions[A.b]: expected a string, found a number; \
             lookup.apiVersions[RKE2ControlPlane.a.b]: expected a version such as `v1beta1`, found `1`; \
             lookup.apiVersions[rke2]: expected `Kind.group` such as `RKE2ControlPlane.controlplane.cluster.x-k8s.io`, \
             found `rke2`"
        );
    }
}
