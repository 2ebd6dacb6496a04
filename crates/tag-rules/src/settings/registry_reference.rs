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
    use kubernetes::settings::SettingsError;

    fn read(registry: &str) -> Result<Settings, SettingsError> {
        Settings::from_json(&format!(r#"{{"cloudTags":{{"registry":{registry}}}}}"#))
    }

    #[test]
    fn a_registry_is_one_object_or_several() {
        let names = |registry: &str| {
            let settings = read(registry).unwrap().cloud_tags;
            settings.registry.unwrap().names().iter().map(|name| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(r#"{"name":"default"}"#), ["default"]);
        assert_eq!(names(r#"{"name":null,"names":["b","a"]}"#), ["b", "a"]);
        for (registry, expected) in [
            (r#"{"name":"a","names":["b"]}"#, "cloudTags.registry: expected exactly one of `name`, `names`, `byScope`"),
            ("{}", "cloudTags.registry: expected exactly one of `name`, `names`, `byScope`"),
            (
                r#"{"names":["","Not A Name!","../x"]}"#,
                "cloudTags.registry.names[0]: expected the name of an object such as `default`: lower-case letters, \
                 digits, `-` and `.`, found ``; \
                 cloudTags.registry.names[1]: expected the name of an object such as `default`: lower-case letters, \
                 digits, `-` and `.`, found `Not A Name!`; \
                 cloudTags.registry.names[2]: expected the name of an object such as `default`: lower-case letters, \
                 digits, `-` and `.`, found `../x`",
            ),
            (
                r#"{"names":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]}"#,
                "cloudTags.registry.names: lists 17 objects, but at most 16 can be read for one request",
            ),
            (r#"{"name":["a"]}"#, "cloudTags.registry.name: expected a string, found a list"),
            (r#"{"names":[]}"#, "cloudTags.registry.names: expected at least one element"),
            (r#"{"names":["a","b","a"]}"#, "cloudTags.registry.names: `a` is listed twice"),
            (r#"{"byScope":false}"#, "cloudTags.registry.byScope: must be `true`"),
            (
                r#"{"byScope":true}"#,
                "cloudTags.belongsTo.domain: is missing: `cloudTags.registry.byScope` needs it to find the registries of a \
                 composite; cloudTags.belongsTo.project: is missing: `cloudTags.registry.byScope` needs it to find the \
                 registries of a composite",
            ),
            (r#"["default"]"#, "cloudTags.registry: expected one of `name`, `names`, `byScope`, found a list"),
            (r#""default""#, "cloudTags.registry: unknown value `default`, expected one of `name`, `names`, `byScope`"),
        ] {
            assert_eq!(read(registry).unwrap_err().to_string(), expected);
        }
    }
}
