//! Versions of Cluster API, as far as the rules differ between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A version of Cluster API, such as `v1.14`. Of v1.9 the patch counts, because rules came with patches there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    minor: u16,
    /// 0 for every minor version but [`BACKPORTED`].
    patch: u16,
}

/// The minor version that got rules with its patches.
const BACKPORTED: u16 = 9;
/// The last of its patches that did: later ones have the same rules.
const LAST_BACKPORT: u16 = 7;

impl Version {
    /// The newest version whose rules this engine knows.
    pub const NEWEST: Version = Version::minor(14);
    /// The oldest version whose page this engine follows.
    pub const OLDEST_EDITION: Version = Version::minor(6);
    /// The first version that syncs labels to Nodes by expression.
    ///
    /// Source: main.go of v1.9.5, `additional-sync-machine-labels`, which v1.9.4 lacks.
    pub const NODE_LABEL_EXPRESSIONS: Version = Version { minor: BACKPORTED, patch: 5 };
    /// The first version that syncs annotations to Nodes, those of the domain and by expression.
    ///
    /// Source: main.go of v1.9.7, `additional-sync-machine-annotations`, and internal/controllers/machine,
    /// `getManagedAnnotations`, which v1.9.6 lacks.
    pub const NODE_ANNOTATIONS: Version = Version { minor: BACKPORTED, patch: LAST_BACKPORT };
    /// The first version that propagates taints of Machines.
    pub(crate) const MACHINE_TAINTS: Version = Version::minor(12);
    /// The first version whose class patches reach labels and annotations of a control plane.
    pub const PATCHED_METADATA: Version = Version::minor(14);

    pub const fn minor(minor: u16) -> Version {
        Version { minor, patch: 0 }
    }

    /// Whether this version has what `since` introduced. Versions older than the oldest edition are treated like that
    /// one.
    pub fn at_least(self, since: Version) -> bool {
        self.max(Version::OLDEST_EDITION) >= since
    }

    /// Whether this version has what `since` introduced, and `until` removed if anything did.
    pub(crate) fn is_between(self, since: Version, until: Option<Version>) -> bool {
        self.at_least(since) && until.is_none_or(|until| !self.at_least(until))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v1.{}", self.minor)?;
        if self.patch == 0 { Ok(()) } else { write!(f, ".{}", self.patch) }
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

    /// Reads `v1.MINOR` or `v1.MINOR.PATCH`, without leading zeros; without a patch it is the first one.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "is not `v1.MINOR` or `v1.MINOR.PATCH`";
        const TOO_OLD: &str = "is older than `v1.6`, the oldest version whose rules are known";
        let is_number = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && (part == "0" || !part.starts_with('0'))
        };
        let (minor, text_of_patch) = match text.strip_prefix("v1.").ok_or(EXPECTED)?.split_once('.') {
            Some((minor, patch)) => (minor, Some(patch)),
            None => (text.get("v1.".len()..).unwrap_or_default(), None),
        };
        if !is_number(minor) || !text_of_patch.is_none_or(is_number) {
            return Err(EXPECTED);
        }
        let minor = minor.parse().map_err(|_| EXPECTED)?;
        if Version::minor(minor) < Version::OLDEST_EDITION {
            return Err(TOO_OLD);
        }
        let patch: u32 = text_of_patch.map_or(Ok(0), str::parse).map_err(|_| EXPECTED)?;
        let last = if minor == BACKPORTED { LAST_BACKPORT } else { 0 };
        Ok(Version { minor, patch: u16::try_from(patch).map_or(last, |patch| patch.min(last)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_makes_a_difference_where_rules_came_with_patches() {
        for (text, printed) in [
            ("v1.14.3", "v1.14"),
            ("v1.6", "v1.6"),
            ("v1.9", "v1.9"),
            ("v1.9.0", "v1.9"),
            ("v1.9.4", "v1.9.4"),
            ("v1.9.7", "v1.9.7"),
            ("v1.9.11", "v1.9.7"),
            ("v1.9.99999", "v1.9.7"),
        ] {
            assert_eq!(String::from(text.parse::<Version>().unwrap()), printed, "{text}");
        }
    }

    #[test]
    fn expressions_came_to_v1_9_with_patches() {
        let has = |text: &str| {
            let version: Version = text.parse().unwrap();
            [Version::NODE_LABEL_EXPRESSIONS, Version::NODE_ANNOTATIONS].map(|since| version.at_least(since))
        };
        assert_eq!(has("v1.9"), [false, false]);
        assert_eq!(has("v1.9.4"), [false, false]);
        assert_eq!(has("v1.9.5"), [true, false]);
        assert_eq!(has("v1.9.6"), [true, false]);
        assert_eq!(has("v1.9.7"), [true, true]);
        assert_eq!(has("v1.10"), [true, true]);
    }

    #[test]
    fn what_is_no_version_one_is_refused() {
        for text in [
            "",
            "1.14",
            "v2.0",
            "v1",
            "v1.",
            "v1.x",
            "v1.14.",
            "v1.14.x",
            "v1.+4",
            "v1.99999",
            "v1.1.1.1",
            "v1.014",
            "v1.9.07",
            "v01.9",
            "v1.14.99999999999999999999",
        ] {
            assert_eq!(text.parse::<Version>(), Err("is not `v1.MINOR` or `v1.MINOR.PATCH`"), "{text}");
        }
        for text in ["v1.0", "v1.5", "v1.5.3"] {
            let expected = "is older than `v1.6`, the oldest version whose rules are known";
            assert_eq!(text.parse::<Version>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn versions_before_the_oldest_edition_follow_it() {
        assert!(Version::minor(4).at_least(Version::OLDEST_EDITION));
        assert!(!Version::minor(9).at_least(Version::NODE_ANNOTATIONS));
    }
}
