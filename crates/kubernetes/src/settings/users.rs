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
    /// use kubernetes::settings::Users;
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
    /// use kubernetes::settings::Users;
    ///
    /// let users: Users = serde_json::from_str(r#"["platform-team"]"#)?;
    /// assert_eq!(["platform-team", "alice"].map(|name| users.contains(name)), [true, false]);
    /// # Ok::<(), serde_json::Error>(())
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
