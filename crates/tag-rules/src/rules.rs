//! What decides whether a label becomes a tag: a profile of the specification, or a strict one.

use crate::CloudTags;
use crate::clouds::{Cloud, KeyCase};
use crate::profiles::{CLOUD_TAG_PREFIX, Profile};
use crate::refusal::TagSkipReason;
use crate::strict::StrictProfile;

/// The rules by which labels become tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagRules {
    /// A profile of the specification.
    Specified {
        profile: &'static Profile,
        /// How many tags of a resource are left to others.
        reserve: usize,
    },
    /// A cloud's own limits.
    Strict {
        profile: &'static StrictProfile,
        /// How many tags of a resource are left to others.
        reserve: usize,
    },
}

impl From<&'static Profile> for TagRules {
    fn from(profile: &'static Profile) -> Self {
        TagRules::Specified { profile, reserve: 0 }
    }
}

impl TagRules {
    /// The rules for a provider: those that the settings give it, or the profile of its name, or the generic one.
    pub fn of(settings: &CloudTags, provider: &str) -> TagRules {
        let named = settings.profile_of(provider).unwrap_or_else(|| Profile::of(provider).name);
        TagRules::named(named, settings.reserve.into())
    }

    /// The rules of a profile, strict or not.
    pub fn named(name: &str, reserve: usize) -> TagRules {
        match StrictProfile::named(name) {
            Some(profile) => TagRules::Strict { profile, reserve },
            None => TagRules::Specified { profile: Profile::of(name), reserve },
        }
    }

    /// How many tags of a resource are left to others.
    pub fn reserve(self) -> usize {
        match self {
            TagRules::Specified { reserve, .. } | TagRules::Strict { reserve, .. } => reserve,
        }
    }

    /// Whether rules are for this provider, and not for the lack of any.
    pub fn are_known(settings: &CloudTags, provider: &str) -> bool {
        settings.profile_of(provider).is_some() || Profile::named(provider).is_some()
    }

    /// The cloud whose interface the tags of a provider meet, where its rules are known.
    pub fn cloud(self, provider: &str) -> Option<&'static Cloud> {
        match self {
            TagRules::Specified { profile, .. } => Cloud::of(provider).or_else(|| Cloud::of(profile.name)),
            TagRules::Strict { profile, .. } => Some(profile.cloud),
        }
    }

    /// Whether key and value of a provider's tags are one text with a colon between them, at least on some resources.
    pub fn joins(self, provider: &str) -> bool {
        self.cloud(provider).is_some_and(|cloud| cloud.lists_texts)
    }

    pub fn name(self) -> &'static str {
        match self {
            TagRules::Specified { profile, .. } => profile.name,
            TagRules::Strict { profile, .. } => profile.name,
        }
    }

    /// The tag key of a qualified key, below the specification's prefix.
    pub fn tag_key(self, qualified_key: &str) -> String {
        self.tag_key_below(CLOUD_TAG_PREFIX, qualified_key)
    }

    /// The tag key of a qualified key, below another prefix.
    pub fn tag_key_below(self, prefix: &str, qualified_key: &str) -> String {
        match self {
            TagRules::Specified { .. } => [prefix, qualified_key].concat(),
            TagRules::Strict { profile, .. } => profile.spelling.of(prefix, qualified_key),
        }
    }

    /// Whether a tag key is spelled by these rules, below a prefix.
    pub fn spells(self, prefix: &str, tag_key: &str) -> bool {
        match self {
            TagRules::Specified { .. } => tag_key.starts_with(prefix),
            TagRules::Strict { profile, .. } => profile.spelling.is_of(prefix, tag_key),
        }
    }

    /// How many tags one resource can have, with those that are left to others.
    pub fn tags(self) -> usize {
        match self {
            TagRules::Specified { profile, .. } => profile.tags,
            TagRules::Strict { profile, .. } => profile.tags,
        }
    }

    /// The most tags of one resource.
    pub fn most(self) -> usize {
        self.tags().saturating_sub(self.reserve())
    }

    /// Whether a label of this key can become a tag, with some value.
    pub fn admits(self, prefix: &str, qualified_key: &str) -> bool {
        let key = self.tag_key_below(prefix, qualified_key);
        match self {
            TagRules::Specified { profile, .. } => {
                profile.reserved_prefix(qualified_key).is_none()
                    && !profile.unit.exceeds(&key, profile.key)
                    && profile.characters.admit(&key)
            }
            TagRules::Strict { profile: StrictProfile { cloud, .. }, .. } => {
                cloud.key.length.admits(&key) && cloud.key.form.admits(&key) && !cloud.reserves(&key)
            }
        }
    }

    /// Whether the limits are the cloud's: it counts the tags of others too, and several labels may have one tag key.
    pub fn is_strict(self) -> bool {
        matches!(self, TagRules::Strict { .. })
    }

    /// What two tag keys that are one have in common; `None` where no two labels have one tag key.
    pub fn identity(self, tag_key: &str) -> Option<String> {
        match self {
            TagRules::Specified { .. } => None,
            TagRules::Strict { profile, .. } if profile.cloud.case == KeyCase::Ignored => Some(tag_key.to_lowercase()),
            TagRules::Strict { .. } => Some(tag_key.to_owned()),
        }
    }

    /// Why a label is no tag, considering this label alone.
    pub fn refusal(self, qualified_key: &str, tag_key: &str, value: &str) -> Option<TagSkipReason> {
        match self {
            TagRules::Specified { profile, .. } => refused_by_profile(profile, qualified_key, tag_key, value),
            TagRules::Strict { profile, .. } => profile.cloud.refusal(tag_key, value),
        }
    }
}

fn refused_by_profile(profile: &Profile, qualified_key: &str, tag_key: &str, value: &str) -> Option<TagSkipReason> {
    if profile.reserved_prefix(qualified_key).is_some() {
        return Some(TagSkipReason::ReservedPrefix);
    }
    if profile.unit.exceeds(tag_key, profile.key) {
        return Some(TagSkipReason::KeyTooLong);
    }
    if profile.unit.exceeds(value, profile.value) {
        return Some(TagSkipReason::ValueTooLong);
    }
    (!profile.characters.admit(tag_key)).then_some(TagSkipReason::KeyCharacterClass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds::CLOUDS;

    #[test]
    fn the_settings_win_over_the_name_and_the_name_over_the_generic_profile() {
        let text = r#"{"profiles":{"hetzner":"hetzner-strict","hcloud":"hetzner"},"reserve":4}"#;
        let settings: CloudTags = serde_json::from_str(text).unwrap();
        let of = |provider| {
            let rules = TagRules::of(&settings, provider);
            let cloud = rules.cloud(provider).map(|cloud| cloud.provider);
            (rules.name(), rules.most(), cloud, TagRules::are_known(&settings, provider))
        };
        assert_eq!(of("Hetzner"), ("hetzner-strict", 60, Some("hetzner"), true));
        assert_eq!(of("hcloud"), ("hetzner", 60, Some("hetzner"), true));
        assert_eq!(of("AWS"), ("aws", 46, Some("aws"), true));
        let cloud = CLOUDS.iter().map(|cloud| cloud.provider).find(|cloud| Profile::named(cloud).is_none()).unwrap();
        assert_eq!(of(cloud), ("generic", 28, Some(cloud), false));
        assert_eq!(of(""), ("generic", 28, None, false));
    }
}
