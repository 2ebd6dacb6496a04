//! Profiles that allow what a cloud's API accepts, with a spelling of the key that it accepts.

use std::fmt;

use super::clouds::{
    ALIBABA, AWS_EVERYWHERE, AWS_INSTANCE_METADATA, AZURE, Cloud, DIGITALOCEAN, GCP, HETZNER, OCI, OPENSTACK,
};
use super::profiles::{CLOUD_TAG_PREFIX, PROFILES};

/// The strict profiles. They are only used if the settings name them: `cloudTags.profiles`.
///
/// Their limits are those of the cloud. If no number of tags is published, Hetzner's is that of the specification's
/// profile, and DigitalOcean's that of the generic one.
#[rustfmt::skip]
pub const STRICT_PROFILES: &[StrictProfile] = &[
    //     name               cloud           tags colon replaced                             lower case
    strict("aws-strict",       &AWS_EVERYWHERE, 50, ':', &[],                                false),
    strict("aws-instance-metadata", &AWS_INSTANCE_METADATA, 50, ':', &[('/', '.'), (' ', '_')], false),
    strict("hetzner-strict",   &HETZNER,      64,  '/', &[('/', '.'), (':', '.')],           false),
    // A composite has one map for all of its resources, so keys are spelled as the pickiest kind takes them: no colon, which
    // the names of a Swift container's headers must not have, nor the tags of Azure's DNS zones and Traffic Manager.
    strict("openstack-strict", &OPENSTACK,    128, '-', &[('/', '.'), (':', '-')],           false),
    strict("azure",            &AZURE,        50,  '_', &[('/', '.'), (':', '_')],           false),
    strict("gcp",              &GCP,          64,  '_', &[('/', '_'), (':', '_'), ('.', '_')], true),
    strict("oci",              &OCI,          10,  ':', &[('.', '_')],                       false),
    strict("digitalocean",     &DIGITALOCEAN, 32,  ':', &[('/', ':'), ('.', '_')],           false),
    strict("alibaba",          &ALIBABA,      20,  ':', &[],                                 false),
];

/// A profile with a cloud's own limits.
#[derive(Debug, PartialEq, Eq)]
pub struct StrictProfile {
    /// Its name in the settings.
    pub name: &'static str,
    pub cloud: &'static Cloud,
    /// The maximum number of tags of one resource.
    pub tags: usize,
    pub spelling: Spelling,
}

/// How a tag key is made from a qualified key. Everything else is unchanged.
#[derive(Debug, PartialEq, Eq)]
pub struct Spelling {
    /// What replaces the colon at the end of the prefix.
    pub colon: char,
    /// Characters of the qualified key, and what replaces them.
    pub replaced: &'static [(char, char)],
    /// Whether letters are written in lower case.
    pub lower_case: bool,
}

const fn strict(
    name: &'static str,
    cloud: &'static Cloud,
    tags: usize,
    colon: char,
    replaced: &'static [(char, char)],
    lower_case: bool,
) -> StrictProfile {
    StrictProfile { name, cloud, tags, spelling: Spelling { colon, replaced, lower_case } }
}

impl StrictProfile {
    pub fn named(name: &str) -> Option<&'static StrictProfile> {
        STRICT_PROFILES.iter().find(|profile| profile.name == name)
    }
}

/// The allowed values of `cloudTags.profiles`.
pub(crate) fn profile_names() -> Vec<&'static str> {
    PROFILES.iter().map(|profile| profile.name).chain(STRICT_PROFILES.iter().map(|profile| profile.name)).collect()
}

impl Spelling {
    /// The tag key of a qualified key, after a prefix that ends in a colon.
    pub fn of(&self, prefix: &str, qualified_key: &str) -> String {
        [self.prefix(prefix), self.spelled(qualified_key)].concat()
    }

    /// The prefix of every key, for a configured prefix that ends in a colon.
    pub fn prefix(&self, prefix: &str) -> String {
        let mut spelled = self.spelled(prefix.strip_suffix(':').unwrap_or(prefix));
        spelled.push(self.colon);
        spelled
    }

    /// Whether a tag key is spelled in this way, after a prefix that ends in a colon.
    pub fn is_of(&self, prefix: &str, tag_key: &str) -> bool {
        tag_key.strip_prefix(&self.prefix(prefix)).is_some_and(|rest| self.spelled(rest) == rest)
    }

    fn spelled(&self, text: &str) -> String {
        let replaced = |char: char| self.replaced.iter().find(|(from, _)| *from == char).map_or(char, |(_, to)| *to);
        let spelled: String = text.chars().map(replaced).collect();
        if self.lower_case { spelled.to_lowercase() } else { spelled }
    }
}

/// The row as in the table of the page.
impl fmt::Display for StrictProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictProfile { name, cloud, tags, spelling } = self;
        let (platform, project) =
            (spelling.of(CLOUD_TAG_PREFIX, "platform/env"), spelling.of(CLOUD_TAG_PREFIX, "acme:checkout/owner.id"));
        write!(f, "`{name}` | {} | {tags} | `{platform}`, `{project}`", cloud.provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::Profile;

    #[test]
    fn every_profile_spells_a_key_that_its_cloud_takes() {
        let spelled = [
            ("aws-strict", "plexsphere:Acme:checkout/owner.id"),
            ("hetzner-strict", "plexsphere/Acme.checkout.owner.id"),
            ("aws-instance-metadata", "plexsphere:Acme:checkout.owner.id"),
            ("openstack-strict", "plexsphere-Acme-checkout.owner.id"),
            ("azure", "plexsphere_Acme_checkout.owner.id"),
            ("gcp", "plexsphere_acme_checkout_owner_id"),
            ("oci", "plexsphere:Acme:checkout/owner_id"),
            ("digitalocean", "plexsphere:Acme:checkout:owner_id"),
            ("alibaba", "plexsphere:Acme:checkout/owner.id"),
        ];
        assert_eq!(spelled.len(), STRICT_PROFILES.len());
        for (name, expected) in spelled {
            let StrictProfile { cloud, spelling, .. } = StrictProfile::named(name).unwrap();
            assert_eq!(spelling.of(CLOUD_TAG_PREFIX, "Acme:checkout/owner.id"), expected);
            assert!(cloud.key.form.admits(expected) && cloud.key.length.admits(expected), "{name}");
            assert!(!cloud.reserves(expected), "{name}");
        }
    }

    #[test]
    fn another_prefix_is_spelled_as_keys_are() {
        let spelled = |name| StrictProfile::named(name).unwrap().spelling.of("Acme.org:", "a/b");
        let names = ["aws-strict", "hetzner-strict", "gcp", "oci"];
        assert_eq!(names.map(spelled), ["Acme.org:a/b", "Acme.org/a.b", "acme_org_a_b", "Acme_org:a/b"]);
    }

    #[test]
    fn a_strict_profile_has_no_more_tags_than_its_cloud_and_a_name_of_its_own() {
        for StrictProfile { name, cloud, tags, .. } in STRICT_PROFILES {
            assert!(*tags > 0 && cloud.tags.is_none_or(|most| *tags == most), "{name}");
        }
        let taken = STRICT_PROFILES.iter().map(|strict| strict.name).filter(|name| Profile::named(name).is_some());
        assert_eq!(taken.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
