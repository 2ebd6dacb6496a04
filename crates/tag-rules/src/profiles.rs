//! What each provider allows in a tag.

use std::fmt;

use self::KeyCharacters::{LettersDigitsAnd, NonControlBut};
use self::Unit::{Bytes, Runes};
use super::text_limits::ListedCharacters;
use kubernetes::names;

/// The prefix of every tag key of the specification's profiles: one name to search for, and to distinguish these tags
/// from others.
pub const CLOUD_TAG_PREFIX: &str = "plexsphere:";

/// The tag profiles, each also a line of `testdata/spec/policy/tag-profiles.txt`. An unknown provider gets `generic`, which is
/// last.
///
/// They are those of the specification, and not always what the provider accepts: a key such as
/// `plexsphere:platform/env` passes the profile of Hetzner and OpenStack, whose APIs reject its `:` or `/`.
#[rustfmt::skip]
pub const PROFILES: &[Profile] = &[
    //      name         unit   key  value tags key characters                reserved
    // AWS, Tagging AWS Resources, tag naming limits: characters in UTF-8, keys that begin with `aws:` are AWS's own.
    profile("aws",       Runes, 128, 256,  50,  LettersDigitsAnd(" +-=._:/@"), &["aws:"]),
    // Hetzner Cloud API reference, Labels. `:` and `/` are allowed because of the prefix and of keys with layers.
    profile("hetzner",   Runes, 63,  63,   64,  LettersDigitsAnd("-_.:/"),     &[]),
    // OpenStack Compute API reference, server metadata: keys and values of at most 255 bytes.
    profile("openstack", Bytes, 255, 255,  50,  NonControlBut(""),             &[]),
    GENERIC,
];

/// What an unknown provider allows is not known: few tags of plain characters are most likely accepted.
const GENERIC: Profile = profile("generic", Runes, 63, 255, 32, LettersDigitsAnd("-_.:/"), &[]);

/// What one provider allows.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// The provider, in lower case.
    pub name: &'static str,
    pub unit: Unit,
    /// The longest tag key, including its prefix.
    pub key: usize,
    pub value: usize,
    /// The maximum number of tags of one resource.
    pub tags: usize,
    pub characters: KeyCharacters,
    /// Prefixes that qualified keys must not have, in lower case.
    pub reserved: &'static [&'static str],
}

names! {
    Unit {
        Runes = "runes";
        Bytes = "bytes";
    }
}

/// A class of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCharacters {
    /// Letters and digits of any script, Unicode's general categories L and Nd, and these.
    LettersDigitsAnd(&'static str),
    /// All but Unicode's control characters, category Cc, and these.
    NonControlBut(&'static str),
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
    /// The profile of a provider, ignoring case; the generic one if the provider is not known.
    pub fn of(provider: &str) -> &'static Profile {
        Profile::named(provider).unwrap_or(&GENERIC)
    }

    /// The profile of this name, ignoring case.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(name))
    }

    /// The reserved prefix that a qualified key has, if it has one.
    pub fn reserved_prefix(&self, qualified_key: &str) -> Option<&'static str> {
        self.reserved.iter().copied().find(|reserved| qualified_key.starts_with(reserved))
    }
}

impl Unit {
    /// Whether a text is longer than that. A text has at most as many characters as bytes, so most are not counted.
    pub fn exceeds(self, text: &str, most: usize) -> bool {
        text.len() > most && self.length(text) > most
    }

    pub fn length(self, text: &str) -> usize {
        match self {
            Unit::Runes => text.chars().count(),
            Unit::Bytes => text.len(),
        }
    }
}

/// The row as in `testdata/spec/policy/tag-profiles.txt`.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Profile { name, unit, key, value, tags, characters, reserved } = self;
        write!(f, "{name} | <= {key} {unit} | <= {value} {unit} | {tags} | {characters} | ")?;
        f.write_str(&if reserved.is_empty() { "none".to_owned() } else { reserved.join(", ") })
    }
}

impl fmt::Display for KeyCharacters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = match self {
            LettersDigitsAnd(others) => {
                f.write_str("letters, digits")?;
                others
            }
            NonControlBut(others) => {
                f.write_str(if others.is_empty() { "any non-control rune" } else { "any non-control rune but" })?;
                others
            }
        };
        ListedCharacters(others).fmt(f)
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
        for provider in ["", "unknown", "aws ", "awss"] {
            assert_eq!(Profile::of(provider), PROFILES.last().unwrap(), "{provider}");
        }
    }

    #[test]
    fn names_are_lower_case_and_unique() {
        let names: std::collections::BTreeSet<_> = PROFILES.iter().map(|profile| profile.name.to_lowercase()).collect();
        assert_eq!(names, PROFILES.iter().map(|profile| profile.name.to_owned()).collect());
        assert_eq!(names.len(), PROFILES.len());
    }

    #[test]
    fn every_profile_admits_a_tag_and_reserves_in_lower_case() {
        for Profile { name, key, value, tags, reserved, .. } in PROFILES {
            assert!([key, value, tags].into_iter().all(|limit| *limit > 0), "{name}");
            assert!(reserved.iter().all(|reserved| reserved.to_lowercase() == *reserved), "{name}");
        }
    }

    #[test]
    fn a_class_of_characters_is_all_but_its_exceptions() {
        let class = NonControlBut("<%");
        assert!(class.admit("a:/ä>"));
        for refused in ["a<", "%", "a\u{7}", "\u{85}"] {
            assert!(!class.admit(refused), "{refused:?}");
        }
        assert_eq!(class.to_string(), "any non-control rune but \\< %");
        assert_eq!(NonControlBut("").to_string(), "any non-control rune");
    }

    /// What the specification promises of its own four profiles. Those of clouds without `:` and `/` need not hold it.
    mod specified {
        use super::*;

        const SPECIFIED: [&str; 4] = ["aws", "hetzner", "openstack", "generic"];

        fn specified() -> impl Iterator<Item = &'static Profile> {
            SPECIFIED.iter().map(|name| PROFILES.iter().find(|profile| profile.name == *name).unwrap())
        }

        #[test]
        fn the_generic_profile_is_the_strictest_in_keys_and_count() {
            for profile in specified() {
                assert!(profile.key >= GENERIC.key && profile.tags >= GENERIC.tags, "{profile}");
            }
        }

        #[test]
        fn each_admits_the_prefix_and_a_layered_key() {
            for profile in specified() {
                assert!(profile.characters.admit("plexsphere:acme:checkout/owner"), "{profile}");
            }
        }
    }
}
