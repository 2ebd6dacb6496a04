//! The part of the settings that tests of this crate read.

use kubernetes::settings::object::{self, ObjectOnly};
use kubernetes::settings::{SettingsError, read};
use serde::Deserialize;

use crate::settings::{ClusterApi, Guards};

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Settings {
    #[serde(deserialize_with = "object::field")]
    pub(crate) cluster_api: ClusterApi,
    #[serde(deserialize_with = "object::field")]
    pub(crate) guards: Guards,
}

impl Settings {
    pub(crate) fn from_json(text: &str) -> Result<Settings, SettingsError> {
        let (settings, mut problems) = read::read(text);
        let settings = settings.map(|ObjectOnly(settings): ObjectOnly<Settings>| settings).unwrap_or_default();
        problems.extend(settings.cluster_api.contradictions());
        SettingsError::unless_empty(problems)?;
        Ok(settings)
    }

    pub(crate) fn validate(text: &str) -> Result<(), SettingsError> {
        SettingsError::unless_empty(Settings::from_json(text)?.cluster_api.useless())
    }
}
