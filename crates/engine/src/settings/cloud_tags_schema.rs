//! The shape of `cloudTags`, for the generator of the JSON Schema.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{OnXrd, Reaction};
use crate::settings::Stance;
use crate::tags::Definition;

/// `cloudTags` as it is written.
#[derive(Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CloudTagsShape {
    /// Which objects are Crossplane composites, and where their provider is found. None: no tags are stamped.
    composites: Vec<CompositesShape>,
    /// The label registry: definitions by qualified key. Not together with `registry`.
    definitions: BTreeMap<String, Definition>,
    /// The label registry as an object of the cluster, instead of `definitions`.
    registry: Option<RegistryShape>,
    /// The registry object cannot be read, or does not exist.
    on_registry_failure: Reaction,
    /// A CompositeResourceDefinition of a composite does not keep `spec.cloudTags`.
    xrds: OnXrd,
    /// A Composition of a composite does not carry `spec.cloudTags` to the tags of its resources.
    compositions: Stance,
}

impl Default for CloudTagsShape {
    fn default() -> Self {
        CloudTagsShape {
            composites: Vec::new(),
            definitions: BTreeMap::new(),
            registry: None,
            on_registry_failure: Reaction::Reject,
            xrds: OnXrd::Warn,
            compositions: Stance::Warn,
        }
    }
}

/// One entry of `cloudTags.composites` as it is written.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CompositesShape {
    /// API groups of the composites, such as `blueprints.plexsphere.com`.
    #[schemars(length(min = 1))]
    api_groups: Vec<String>,
    /// Where the provider is found. An unknown or absent provider gets the generic profile.
    provider: ProviderShape,
    /// Kinds of these groups that are claims, which are never stamped.
    #[serde(default)]
    claim_kinds: Vec<String>,
}

/// `provider` of an entry of `cloudTags.composites` as it is written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(not(test), expect(dead_code, reason = "its schema is all that is used of it"))]
enum ProviderShape {
    /// Dotted path of a field of the composite, such as `spec.parameters.provider`.
    Path(String),
    /// The provider of all.
    Fixed(String),
    /// The provider of each kind.
    ByKind(BTreeMap<String, String>),
}

/// `cloudTags.registry` as it is written.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RegistryShape {
    /// Name of a LabelRegistry object.
    #[schemars(length(min = 1))]
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::tags::Scope;

    fn composites(provider: ProviderShape) -> CompositesShape {
        let group = match &provider {
            ProviderShape::Path(_) => "path.example.org",
            ProviderShape::Fixed(_) => "fixed.example.org",
            ProviderShape::ByKind(_) => "by-kind.example.org",
        };
        CompositesShape { api_groups: vec![group.to_owned()], provider, claim_kinds: vec!["VM".to_owned()] }
    }

    #[test]
    fn what_has_the_shape_is_read() {
        let providers = [
            ProviderShape::Path("spec.provider".to_owned()),
            ProviderShape::Fixed("aws".to_owned()),
            ProviderShape::ByKind([("XVM".to_owned(), "aws".to_owned())].into()),
        ];
        let definition = Definition { scope: Scope::Domain, cloud_tag_propagation: true };
        let inline = CloudTagsShape {
            composites: providers.into_iter().map(composites).collect(),
            definitions: [("team".to_owned(), definition)].into(),
            ..CloudTagsShape::default()
        };
        let registry = Some(RegistryShape { name: "default".to_owned() });
        let object = CloudTagsShape { registry, on_registry_failure: Reaction::Warn, ..CloudTagsShape::default() };
        for shape in [CloudTagsShape::default(), inline, object] {
            let text = serde_json::to_string(&shape).unwrap();
            Settings::validate(&format!(r#"{{"cloudTags":{text}}}"#)).unwrap();
        }
    }
}
