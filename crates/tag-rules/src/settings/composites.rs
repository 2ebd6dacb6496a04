//! `cloudTags.composites`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};

use kubernetes::settings::FieldPath;

use crate::texts::CompositeGroup;

/// Composites that say in the same way who their provider is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Composites {
    /// API groups of the composites, such as `blueprints.plexsphere.com`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(deserialize_with = "not_empty")]
    pub api_groups: Vec<CompositeGroup>,
    /// Where the provider is found. An unknown or absent provider gets the generic profile.
    pub provider: Provider,
    /// Kinds of these groups that are claims, which get no tags.
    #[serde(default)]
    pub claim_kinds: Vec<String>,
}

/// Where the provider of a composite is found.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Provider {
    /// Dotted path of a field of the composite, such as `spec.parameters.provider`.
    Path(FieldPath),
    /// The provider of all.
    Fixed(String),
    /// The provider of each kind.
    ByKind(BTreeMap<String, String>),
}

/// A list with elements.
pub(super) fn not_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::deserialize(deserializer)?;
    if list.is_empty() { Err(de::Error::invalid_length(0, &"at least one element")) } else { Ok(list) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_settings::Settings;

    #[test]
    fn every_kind_of_provider_is_read() {
        let read = |provider: &str| {
            let composites = format!(r#"{{"apiGroups":["a.b"],"provider":{provider}}}"#);
            let text = format!(r#"{{"cloudTags":{{"composites":[{composites}]}}}}"#);
            Settings::from_json(&text).unwrap().cloud_tags.composites[0].provider.clone()
        };
        assert!(matches!(read(r#"{"path":"spec.a"}"#), Provider::Path(path) if path.steps().eq(["spec", "a"])));
        assert!(matches!(read(r#"{"fixed":"aws","path":null}"#), Provider::Fixed(provider) if provider == "aws"));
        assert!(matches!(read(r#"{"byKind":{"X":"aws"}}"#), Provider::ByKind(kinds) if kinds["X"] == "aws"));
    }
}
