//! Cluster API: what propagates from owners to their children, what an edit does to Machines, and what guards refuse.
//!
//! The tables of [`catalog`] are the specification: [`RULES`](catalog::RULES) and
//! [`FORCED`](catalog::FORCED) say what propagates, [`FIELDS`](catalog::FIELDS) which in-place mutable
//! fields do, [`EFFECTS`](catalog::effects::table::EFFECTS) what an edit does to Machines.

#![allow(missing_docs, reason = "an inner crate of the policy: a name that says enough has no comment")]

pub mod catalog;
pub mod fact;
pub mod guards;
mod label_value;
pub mod misplaced;
pub mod parents;
pub mod propagation;
pub mod rollout;
mod selector;
pub mod settings;
pub mod skipped;
pub mod subject;
pub mod waiver;

use raw_json as json;

/// The part of the settings that tests of this crate read.
#[cfg(test)]
mod test_settings {
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
}
