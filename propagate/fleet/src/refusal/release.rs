//! Kubernetes versions as Cluster API's webhooks compare them.

/// Major, minor and patch number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(u64, u64, u64);

impl Release {
    /// Reads a semantic version, with or without its `v`; without pre-release and build.
    pub(super) fn read(version: &str) -> Option<Release> {
        let version = version.strip_prefix('v').unwrap_or(version);
        let version = version.split(['-', '+']).next()?;
        let mut numbers = version.split('.').map(|part| {
            let is_number = part == "0" || !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| is_number)
        });
        let release = Release(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(release)
    }

    /// Whether an upgrade from `old` leaves out a minor version.
    pub(super) fn skips_from(self, old: Release) -> bool {
        self >= Release(old.0, old.1.saturating_add(2), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_three_numbers() {
        for (text, expected) in [
            ("v1.34.2", Some(Release(1, 34, 2))),
            ("1.34.2-rc.1+build", Some(Release(1, 34, 2))),
            ("v1.34", None),
            ("v1.34.2.1", None),
            ("v1.034.2", None),
            ("latest", None),
        ] {
            assert_eq!(Release::read(text), expected, "{text}");
        }
    }

    #[test]
    fn an_upgrade_reaches_the_next_minor_version_at_most() {
        let skips = |old: &str, new: &str| Release::read(new).unwrap().skips_from(Release::read(old).unwrap());
        assert!(!skips("v1.33.9", "v1.34.7") && skips("v1.33.0", "v1.35.0") && !skips("v1.33.0", "v1.32.0"));
    }
}
