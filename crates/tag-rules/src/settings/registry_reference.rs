//! `cloudTags.registry`.

use std::slice;

use serde::{Deserialize, Serialize};

use super::composites::not_empty;
use crate::texts::RegistryName;

/// The label registry as one LabelRegistry object or as several.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RegistryReference {
    /// Name of the one LabelRegistry object.
    Name(RegistryName),
    /// Names of LabelRegistry objects. Where two define a key, the wider scope wins, and of one scope the first.
    Names(
        #[serde(deserialize_with = "not_empty")]
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        Vec<RegistryName>,
    ),
    /// Each scope has a LabelRegistry object whose name follows from it: `platform`, `domain.DOMAIN`,
    /// `project.DOMAIN.PROJECT`. The keys of labels say which of them are read. Needs `cloudTags.belongsTo`.
    ByScope(#[cfg_attr(feature = "schema", schemars(extend("const" = true)))] bool),
}

impl RegistryReference {
    /// The names of the objects that are listed, by descending precedence.
    pub fn names(&self) -> &[RegistryName] {
        match self {
            RegistryReference::Name(name) => slice::from_ref(name),
            RegistryReference::Names(names) => names,
            RegistryReference::ByScope(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_settings::Settings;

    #[test]
    fn a_registry_is_one_object_or_several() {
        let names = |registry: &str| {
            let settings = Settings::from_json(&format!(r#"{{"cloudTags":{{"registry":{registry}}}}}"#));
            let registry = settings.unwrap().cloud_tags.registry.unwrap();
            registry.names().iter().map(|name| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(r#"{"name":"default"}"#), ["default"]);
        assert_eq!(names(r#"{"name":null,"names":["b","a"]}"#), ["b", "a"]);
    }
}
