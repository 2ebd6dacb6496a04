//! Versions of Cluster API, as far as the rules differ between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A minor version of Cluster API, such as `v1.14`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Version(u16);

impl Version {
    /// The newest version whose rules this engine knows.
    pub const NEWEST: Version = Version(14);
    /// The oldest version whose page this engine follows.
    pub const OLDEST_EDITION: Version = Version(6);
    /// The first version that syncs annotations, and by expression, to Nodes.
    pub const NODE_EXPRESSIONS: Version = Version(10);
    /// The first version whose class patches reach labels and annotations of a control plane.
    pub const PATCHED_METADATA: Version = Version(14);

    /// `v1.MINOR`.
    ///
    /// ```
    /// use cluster_api::catalog::version::Version;
    ///
    /// assert_eq!(Version::minor(12).to_string(), "v1.12");
    /// ```
    #[must_use]
    pub const fn minor(minor: u16) -> Version {
        Version(minor)
    }

    /// Whether this version has what `since` introduced. Versions older than the oldest edition are treated like that
    /// one.
    ///
    /// ```
    /// use cluster_api::catalog::version::Version;
    ///
    /// assert!(Version::minor(14).at_least(Version::PATCHED_METADATA));
    /// assert!(!Version::minor(9).at_least(Version::NODE_EXPRESSIONS));
    /// ```
    #[must_use]
    pub fn at_least(self, since: Version) -> bool {
        self.max(Version::OLDEST_EDITION) >= since
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v1.{}", self.0)
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|problem| format!("`{text}` {problem}"))
    }
}

impl FromStr for Version {
    type Err = &'static str;

    /// Reads `v1.MINOR` or `v1.MINOR.PATCH`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "is not `v1.MINOR` or `v1.MINOR.PATCH`";
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (minor, patch) = match text.strip_prefix("v1.").ok_or(EXPECTED)?.split_once('.') {
            Some((minor, patch)) => (minor, Some(patch)),
            None => (text.get("v1.".len()..).unwrap_or_default(), None),
        };
        if !is_number(minor) || !patch.is_none_or(is_number) {
            return Err(EXPECTED);
        }
        minor.parse().map(Version).map_err(|_| EXPECTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_makes_no_difference() {
        assert_eq!("v1.14.3".parse(), Ok(Version(14)));
        assert_eq!("v1.6".parse(), Ok(Version(6)));
    }

    #[test]
    fn what_is_no_version_one_is_refused() {
        for text in ["", "1.14", "v2.0", "v1", "v1.", "v1.x", "v1.14.", "v1.14.x", "v1.+4", "v1.99999", "v1.1.1.1"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }

    #[test]
    fn versions_before_the_oldest_edition_follow_it() {
        assert!(Version(4).at_least(Version::OLDEST_EDITION));
        assert!(!Version(9).at_least(Version::NODE_EXPRESSIONS));
    }
}
