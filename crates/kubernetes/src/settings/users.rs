//! Lists of users.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::parsed_text::NonEmpty;
use super::problems::SettingProblem;

/// User names or groups, compared exactly, in the order in which they are listed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "Vec<NonEmpty>"))]
#[serde(from = "Vec<NonEmpty>")]
pub struct Users(Vec<String>);

impl From<Vec<NonEmpty>> for Users {
    fn from(names: Vec<NonEmpty>) -> Self {
        Users(names.into_iter().map(String::from).collect())
    }
}

/// Groups that contain every account, and how they do.
const EVERYBODY: [(&str, &str); 3] = [
    ("system:authenticated", "every account"),
    ("system:serviceaccounts", "every service account"),
    ("system:unauthenticated", "everybody without an account"),
];

impl Users {
    pub fn of(names: &[&str]) -> Self {
        Users(names.iter().copied().map(str::to_owned).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a user name or a group is listed.
    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|listed| listed == name)
    }

    /// The groups in it that contain everybody, for the path of the list.
    pub fn problems_of_groups(&self, path: &str) -> Vec<SettingProblem> {
        let problem = |(index, listed)| {
            let (group, members) = EVERYBODY.iter().find(|(group, _)| *group == listed)?;
            Some(SettingProblem::new(format!("{path}[{index}]"), format!("group `{group}` includes {members}")))
        };
        self.iter().enumerate().filter_map(problem).collect()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
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
    use super::*;

    #[test]
    fn users_are_listed_by_their_whole_name() {
        let users: Users = serde_json::from_str(r#"["alice","platform-admins"]"#).unwrap();
        assert!(users.contains("alice") && !users.contains("Alice") && !users.contains(""));
        assert_eq!(users.to_string(), "alice, platform-admins");
    }

    #[test]
    fn nobody_is_listed_by_default() {
        assert!(Users::default().is_empty());
    }

    #[test]
    fn an_empty_name_is_no_user() {
        let (_, problems) = crate::settings::read::read::<Users>(r#"[""]"#);
        assert_eq!(crate::settings::listed(&problems), "[0]: expected a non-empty string, found ``");
    }
}
