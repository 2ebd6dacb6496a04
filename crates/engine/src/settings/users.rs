//! Lists of users.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::parsed_text::NonEmpty;

/// User names or groups, compared exactly. An empty list restricts nobody.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "Vec<NonEmpty>"))]
#[serde(from = "Vec<NonEmpty>")]
pub struct Users(Vec<String>);

impl From<Vec<NonEmpty>> for Users {
    fn from(names: Vec<NonEmpty>) -> Self {
        Users(names.into_iter().map(String::from).collect())
    }
}

impl Users {
    /// Whether the list restricts nobody.
    ///
    /// ```
    /// use metadata_propagation::Users;
    ///
    /// assert!(Users::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a user name or a group is listed.
    ///
    /// ```
    /// use metadata_propagation::Settings;
    ///
    /// let settings = Settings::from_json(r#"{"guards": {"exemptBy": ["platform-team"]}}"#)?;
    /// let names = ["platform-team", "alice"];
    /// assert_eq!(names.map(|name| settings.guards.exempt_by.contains(name)), [true, false]);
    /// # Ok::<(), metadata_propagation::SettingsError>(())
    /// ```
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|listed| listed == name)
    }
}

/// The names, separated by commas.
impl fmt::Display for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;

    #[test]
    fn users_are_listed_by_their_whole_name() {
        let text = r#"{"guards":{"exemptBy":["alice","platform-admins"]}}"#;
        let users = Settings::from_json(text).unwrap().guards.exempt_by;
        assert!(users.contains("alice") && !users.contains("Alice") && !users.contains(""));
        assert_eq!(users.to_string(), "alice, platform-admins");
    }

    #[test]
    fn nobody_is_listed_by_default() {
        let settings = Settings::default();
        assert!(settings.guards.exempt_by.is_empty() && settings.cluster_api.approve_rollout_by.is_empty());
    }

    #[test]
    fn an_empty_name_is_no_user() {
        let refused = Settings::from_json(r#"{"clusterApi":{"approveRolloutBy":[""]}}"#).unwrap_err().to_string();
        assert_eq!(refused, "clusterApi.approveRolloutBy[0]: expected a non-empty string, found ``");
    }
}
