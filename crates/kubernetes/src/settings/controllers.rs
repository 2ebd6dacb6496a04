//! Lists of controllers.

use serde::{Deserialize, Serialize};

use super::parsed_text::NonEmpty;
use super::problems::SettingProblem;

/// User names and groups of controllers, in the order in which they are listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "Vec<NonEmpty>"))]
#[serde(from = "Vec<NonEmpty>")]
pub struct Controllers(Vec<String>);

impl From<Vec<NonEmpty>> for Controllers {
    fn from(names: Vec<NonEmpty>) -> Self {
        Controllers(names.into_iter().map(String::from).collect())
    }
}

/// Groups that contain every account, and how they do.
const EVERYBODY: [(&str, &str); 3] = [
    ("system:authenticated", "every account"),
    ("system:serviceaccounts", "every service account"),
    ("system:unauthenticated", "everybody without an account"),
];

impl Controllers {
    /// The controllers with these names.
    #[must_use]
    pub fn of(names: &[&str]) -> Self {
        Controllers(names.iter().copied().map(str::to_owned).collect())
    }

    /// Whether a user name or a group is listed.
    ///
    /// ```
    /// use kubernetes::settings::Controllers;
    ///
    /// let controllers = Controllers::of(&["system:serviceaccount:capi-system:capi-manager"]);
    /// assert!(controllers.contains("system:serviceaccount:capi-system:capi-manager"));
    /// assert!(!controllers.contains("alice"));
    /// ```
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|listed| listed == name)
    }

    /// The groups in it that contain everybody, for the path of the list.
    #[must_use]
    pub fn problems_of_groups(&self, path: &str) -> Vec<SettingProblem> {
        let problem = |(index, listed)| {
            let (group, members) = EVERYBODY.iter().find(|(group, _)| *group == listed)?;
            Some(SettingProblem::new(format!("{path}[{index}]"), format!("group `{group}` includes {members}")))
        };
        self.iter().enumerate().filter_map(problem).collect()
    }

    /// The user names and groups.
    ///
    /// ```
    /// use kubernetes::settings::Controllers;
    ///
    /// assert!(Controllers::of(&["a", "b"]).iter().eq(["a", "b"]));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
