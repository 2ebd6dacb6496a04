//! `cloudTags.sources` and `cloudTags.belongsTo`: what is known about a composite from where its ownership is recorded.

use serde::{Deserialize, Serialize};

use super::composites::not_empty;
use kubernetes::names;
use kubernetes::settings::{ApiVersion, FieldPath, KindAndGroup, LabelKey, Reaction, SettingProblem};

/// Whose labels become tags.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct TagSourceSettings {
    /// The objects whose labels become tags. Of one key, the first object in this list that has it counts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(deserialize_with = "not_empty")]
    pub precedence: Vec<LabelSource>,
    /// The tenant of a composite, for `tenant` in `precedence`. The policy has to be granted its kind, in
    /// `contextAwareResources` and by RBAC.
    pub tenant: Option<Tenant>,
    /// A Namespace or a tenant cannot be read, or does not exist.
    pub on_failure: Reaction,
}

impl Default for TagSourceSettings {
    fn default() -> Self {
        TagSourceSettings { precedence: vec![LabelSource::Composite], tenant: None, on_failure: Reaction::Reject }
    }
}

names! {
    /// An object whose labels become tags.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    LabelSource {
        /// The composite, whose author chooses its labels.
        Composite = "composite";
        /// The Namespace of the composite.
        Namespace = "namespace";
        /// The object in `cloudTags.sources.tenant`.
        Tenant = "tenant";
    }
}

impl LabelSource {
    /// Why a definition with this `from` has no effect.
    pub fn unused(self) -> String {
        format!("`{}` is not in `cloudTags.sources.precedence`", self.as_str())
    }
}

/// The object that records who owns a composite.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Tenant {
    /// Its kind and group, such as `Project.tenancy.example.org`.
    pub kind: KindAndGroup,
    /// The version in which it is read.
    pub version: ApiVersion,
    /// Whether it is in the namespace of the composite; if not set, it has no namespace.
    pub namespaced: Option<bool>,
    /// Where its name is found. A composite without one has no tenant.
    pub name: TenantName,
}

/// Where the name of a composite's tenant is found.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TenantName {
    /// The value of a label of the composite, which its author chooses.
    Label(LabelKey),
    /// The value of a label of its Namespace.
    NamespaceLabel(LabelKey),
    /// Dotted path of a field of the composite, such as `spec.parameters.project`.
    Path(FieldPath),
}

/// The domain and the project that a composite belongs to. Registries of other domains and projects define nothing for
/// it. What is not set is not checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct BelongsTo {
    /// Where the domain is found.
    pub domain: Option<OwnerLabel>,
    /// Where the project is found.
    pub project: Option<OwnerLabel>,
}

/// A label whose value names the domain or the project of a composite.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OwnerLabel {
    /// A label of the composite, which its author chooses.
    Label(LabelKey),
    /// A label of its Namespace.
    NamespaceLabel(LabelKey),
}

impl OwnerLabel {
    pub(super) fn is_of_namespace(&self) -> bool {
        matches!(self, OwnerLabel::NamespaceLabel(_))
    }
}

impl TagSourceSettings {
    /// Whether the labels of an object become tags.
    pub fn has(&self, source: LabelSource) -> bool {
        self.precedence.contains(&source)
    }

    /// Combinations that are not allowed.
    pub(super) fn contradictions(&self) -> Vec<SettingProblem> {
        let mut problems = Vec::new();
        for (index, source) in self.precedence.iter().enumerate() {
            if self.precedence.iter().take(index).any(|earlier| earlier == source) {
                let problem = format!("`{}` is listed twice", source.as_str());
                problems.push(SettingProblem::new("cloudTags.sources.precedence", problem));
            }
        }
        if self.has(LabelSource::Tenant) != self.tenant.is_some() {
            let problem = match self.tenant {
                Some(_) => "has no effect: `tenant` is not in `cloudTags.sources.precedence`",
                None => "is missing: `tenant` is in `cloudTags.sources.precedence`",
            };
            problems.push(SettingProblem::new("cloudTags.sources.tenant", problem));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::LabelSource;
    use crate::test_settings::Settings;

    #[test]
    fn the_labels_of_the_composite_count_by_default() {
        let sources = Settings::default().cloud_tags.sources;
        assert_eq!((sources.precedence, sources.tenant.is_none()), (vec![LabelSource::Composite], true));
    }
}
