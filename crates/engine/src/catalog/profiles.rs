//! What each provider admits in a tag.

use std::fmt;

use self::KeyCharacters::{LettersDigitsAnd, NonControl};
use self::Unit::{Bytes, Runes};

/// The tag profiles. An unknown provider gets the last, which is the strictest.
///
/// They are the specification's, not the providers' last word: a key such as `plexsphere:platform/env` passes the profile
/// of Hetzner and OpenStack, whose own interfaces refuse its `:` or `/`.
#[rustfmt::skip]
pub const PROFILES: &[Profile] = &[
    //      name         unit   key  value tags key characters                reserved
    // AWS, Tagging AWS Resources, tag naming limits: characters in UTF-8, keys that begin with `aws:` are AWS's own.
    profile("aws",       Runes, 128, 256,  50,  LettersDigitsAnd(" +-=._:/@"), &["aws:"]),
    // Hetzner Cloud API reference, Labels. `:` and `/` are admitted for the sake of the prefix and of layered keys.
    profile("hetzner",   Runes, 63,  63,   64,  LettersDigitsAnd("-_.:/"),     &[]),
    // OpenStack Compute API reference, server metadata: keys and values of at most 255 bytes.
    profile("openstack", Bytes, 255, 255,  50,  NonControl,                    &[]),
    GENERIC,
];

/// Nobody knows what an unknown provider admits: little and plain tags have the best chance.
const GENERIC: Profile = profile("generic", Runes, 63, 255, 32, LettersDigitsAnd("-_.:/"), &[]);

/// What one provider admits.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// The provider, in lower case.
    pub name: &'static str,
    /// What lengths are counted in.
    pub unit: Unit,
    /// The longest tag key, its prefix included.
    pub key: usize,
    /// The longest value.
    pub value: usize,
    /// The most tags of one resource.
    pub tags: usize,
    /// The characters of a tag key.
    pub characters: KeyCharacters,
    /// How qualified keys may not begin, in lower case.
    pub reserved: &'static [&'static str],
}

/// What lengths are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode scalar values.
    Runes,
    /// Bytes of UTF-8.
    Bytes,
}

/// A class of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCharacters {
    /// Unicode letters and digits, and these.
    LettersDigitsAnd(&'static str),
    /// All but Unicode's control characters, category Cc.
    NonControl,
}

const fn profile(
    name: &'static str,
    unit: Unit,
    key: usize,
    value: usize,
    tags: usize,
    characters: KeyCharacters,
    reserved: &'static [&'static str],
) -> Profile {
    Profile { name, unit, key, value, tags, characters, reserved }
}

impl Profile {
    /// The profile of a provider, whatever its case; the generic one where the provider is not known.
    #[must_use]
    pub fn of(provider: &str) -> &'static Profile {
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(provider)).unwrap_or(&GENERIC)
    }
}

impl Unit {
    pub(crate) fn length(self, text: &str) -> usize {
        match self {
            Unit::Runes => text.chars().count(),
            Unit::Bytes => text.len(),
        }
    }
}

impl KeyCharacters {
    pub(crate) fn admit(self, key: &str) -> bool {
        match self {
            LettersDigitsAnd(others) => key.chars().all(|char| char.is_alphanumeric() || others.contains(char)),
            NonControl => !key.contains(char::is_control),
        }
    }
}

/// The row as `spec/tag-profiles.txt` writes it.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Profile { name, unit, key, value, tags, characters, reserved } = self;
        write!(f, "{name} | <= {key} {unit} | <= {value} {unit} | {tags} | {characters} | ")?;
        f.write_str(&if reserved.is_empty() { "none".to_owned() } else { reserved.join(", ") })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Runes => "runes",
            Unit::Bytes => "bytes",
        })
    }
}

impl fmt::Display for KeyCharacters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LettersDigitsAnd(others) => {
                f.write_str("letters, digits")?;
                others
                    .chars()
                    .try_for_each(|char| if char == ' ' { f.write_str(", space") } else { write!(f, " {char}") })
            }
            NonControl => f.write_str("any non-control rune"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_found_whatever_its_case() {
        for (provider, name) in
            [("aws", "aws"), ("AWS", "aws"), ("Hetzner", "hetzner"), ("OpenStack", "openstack"), ("GENERIC", "generic")]
        {
            assert_eq!(Profile::of(provider).name, name);
        }
    }

    #[test]
    fn an_unknown_provider_gets_the_generic_profile() {
        for provider in ["", "azure", "aws ", "awss"] {
            assert_eq!(Profile::of(provider), PROFILES.last().unwrap(), "{provider}");
        }
    }

    #[test]
    fn names_are_lower_case_and_stand_once() {
        let names: std::collections::BTreeSet<_> = PROFILES.iter().map(|profile| profile.name.to_lowercase()).collect();
        assert_eq!(names, PROFILES.iter().map(|profile| profile.name.to_owned()).collect());
        assert_eq!(names.len(), PROFILES.len());
    }

    #[test]
    fn no_profile_is_stricter_than_the_generic_one_in_keys_and_count() {
        for profile in PROFILES {
            assert!(profile.key >= GENERIC.key && profile.tags >= GENERIC.tags, "{profile}");
        }
    }

    #[test]
    fn every_profile_admits_the_prefix_and_a_layered_key() {
        for profile in PROFILES {
            assert!(profile.characters.admit("plexsphere:acme:checkout/owner"), "{profile}");
        }
    }
}
