//! What the clouds' APIs accept, regardless of what a profile allows.

use std::fmt;

use self::KeyCase::{FirstStays, Ignored, Matters};
use super::text_limits::Alphabet::{Ascii, Unicode};
use super::text_limits::Form::{Any, AnyBut, Containing, Graphic, Label, LowerCase, PrefixedLabel, Without};
use super::text_limits::Length::{Bytes, Prefixed, Runes};
use super::text_limits::{Form, Length};
use kubernetes::{columns, names};

/// The APIs that tags of composites reach. A composite of another provider may be rejected as well: its limits are not
/// known.
pub const CLOUDS: &[Cloud] = &[AWS, HETZNER, OPENSTACK, AZURE, GCP, OCI, DIGITALOCEAN, ALIBABA];

/// `aws:` is reserved in values too by most services. IAM ignores the case of keys, instances that expose their tags in
/// instance metadata do not allow `/` and spaces in keys, and S3 objects take 10 tags: none is the general rule.
#[rustfmt::skip]
pub const AWS: Cloud = cloud("aws", "resource tags")
    .key(text(Runes(128), Containing(Unicode, "_.:/=+-@")))
    .value(text(Runes(256), Containing(Unicode, "_.:/=+-@")))
    .tags(50).reserved(&["aws:"]).reserved_in_values().case(Matters)
    .source("AWS Batch user guide, Tag restrictions; characters: ECS API reference, Tag: pattern");

/// What every service accepts: IAM ignores the case of keys.
#[rustfmt::skip]
pub(crate) const AWS_EVERYWHERE: Cloud = Cloud { case: Ignored, ..AWS };

/// What instances accept that expose their tags in instance metadata: such a tag is a path there.
#[rustfmt::skip]
pub(crate) const AWS_INSTANCE_METADATA: Cloud = AWS_EVERYWHERE
    .key(text(Runes(128), Containing(Ascii, "_.:=+-@")))
    .source("Amazon EC2 user guide, Enable access to tags in instance metadata");

/// No number is published.
#[rustfmt::skip]
pub const HETZNER: Cloud = cloud("hetzner", "labels")
    .key(text(Prefixed { prefix: 253, name: 63 }, PrefixedLabel))
    .value(text(Runes(63), Label))
    .reserved(&["hetzner.cloud/"])
    .source("Hetzner Cloud API reference, Labels; hetznercloud/hcloud-go, hcloud/labels.go");

/// If one key does not match the pattern, the server is not created. The number is a quota, `metadata_items`. Tags of
/// networks, ports, volumes and others are lists of texts.
#[rustfmt::skip]
pub const OPENSTACK: Cloud = cloud("openstack", "server metadata")
    .key(text(Bytes(255), Containing(Ascii, "-_:. ")))
    .value(text(Bytes(255), Any))
    .tags(128).listed()
    .source("key, value: openstack/nova, nova/api/validation/parameter_types.py; Compute API reference: 255 bytes; number: nova/conf/quota.py");

/// Exceptions: storage accounts accept keys of 128 characters, some kinds 15 tags; DNS zones and Traffic Manager drop keys
/// with `:`.
#[rustfmt::skip]
pub const AZURE: Cloud = cloud("azure", "resource tags")
    .key(text(Runes(512), AnyBut("<>%&\\?/")))
    .value(text(Runes(256), Any))
    .tags(50).reserved(&["microsoft", "azure", "windows"]).free(&["hidden-", "link:"]).case(Ignored)
    .source("Azure Resource Manager, Use tags to organize your resources: limitations; free: Azure/azure-cli#12314");

/// Resource Manager tags and network tags are different things. Exceptions: Bigtable and Cloud Deploy accept at most
/// 128 bytes in a key or a value.
#[rustfmt::skip]
pub const GCP: Cloud = cloud("gcp", "labels")
    .key(text(Runes(63), LowerCase { and: "_-", begins_with_letter: true }))
    .value(text(Runes(63), LowerCase { and: "_-", begins_with_letter: false }))
    .tags(64).case(Matters)
    .source("Google Cloud Resource Manager, Labels overview: requirements");

/// Defined tags are different: they need a namespace.
#[rustfmt::skip]
pub const OCI: Cloud = cloud("oci", "free-form tags")
    .key(text(Runes(100), Graphic { but: "." }))
    .value(text(Runes(256), Any))
    .tags(10).case(Matters)
    .source("key, value, number: Oracle Cloud Infrastructure, Tagging overview: limits; case: Understanding free-form tags");

/// A tag is one text, by convention a key, a colon and a value. No number is published.
#[rustfmt::skip]
pub const DIGITALOCEAN: Cloud = cloud("digitalocean", "tags, key:value")
    .key(text(Runes(254), Containing(Ascii, ":-_")))
    .value(text(Runes(254), Containing(Ascii, ":-_")))
    .joined(255).listed().case(FirstStays)
    .source("DigitalOcean API reference, Tags: name");

/// Some products only accept keys of 64 characters.
#[rustfmt::skip]
pub const ALIBABA: Cloud = cloud("alibaba", "tags")
    .key(text(Runes(128), Without(&["http://", "https://"])))
    .value(text(Runes(128), Without(&["http://", "https://"])))
    .tags(20).reserved(&["aliyun", "acs:"])
    .source("key, value, beginnings: E-MapReduce API reference, Tag; number: VPC, TagResources");

/// What one API accepts.
#[derive(Debug, PartialEq, Eq)]
pub struct Cloud {
    /// The provider, in lower case.
    pub provider: &'static str,
    /// What the tags are called there.
    pub interface: &'static str,
    pub key: Text,
    pub value: Text,
    /// The longest key and value together, with a colon between them, if both are one text; in characters.
    pub joined: Option<usize>,
    /// Whether some resources have lists of such texts, whatever the others have.
    pub lists_texts: bool,
    /// The maximum number of tags of one resource, if a number is published.
    pub tags: Option<usize>,
    /// Prefixes that keys must not have, in lower case; case is ignored.
    pub reserved: &'static [&'static str],
    /// Prefixes of keys that may have every character; case is ignored.
    pub free: &'static [&'static str],
    /// Whether values must not have these prefixes either.
    pub reserves_values: bool,
    /// What two keys are that only differ in case.
    pub case: KeyCase,
    pub source: &'static str,
}

names! {
    /// What two keys are that only differ in case.
    KeyCase {
        /// Two keys.
        Matters = "matters";
        /// One key.
        Ignored = "ignored";
        /// One tag, in the spelling in which it was first created, on any resource.
        FirstStays = "the first spelling stays";
        /// Not known.
        NotChecked = "not checked";
    }
}

/// Which texts are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    pub length: Length,
    pub form: Form,
}

const fn text(length: Length, form: Form) -> Text {
    Text { length, form }
}

/// An API of which only the name is known.
const fn cloud(provider: &'static str, interface: &'static str) -> Cloud {
    let text = text(Runes(0), Any);
    Cloud {
        provider,
        interface,
        key: text,
        value: text,
        joined: None,
        lists_texts: false,
        tags: None,
        reserved: &[],
        free: &[],
        reserves_values: false,
        case: KeyCase::NotChecked,
        source: "",
    }
}

columns! {
    Cloud {
        key(text: Text) => key: text,
        value(text: Text) => value: text,
        listed() => lists_texts: true,
        joined(characters: usize) => joined: Some(characters),
        tags(most: usize) => tags: Some(most),
        reserved(prefixes: &'static [&'static str]) => reserved: prefixes,
        free(prefixes: &'static [&'static str]) => free: prefixes,
        reserved_in_values() => reserves_values: true,
        case(keys: KeyCase) => case: keys,
        source(page: &'static str) => source: page,
    }
}

impl Cloud {
    /// The API of a provider; case is ignored.
    pub fn of(provider: &str) -> Option<&'static Cloud> {
        CLOUDS.iter().find(|cloud| cloud.provider.eq_ignore_ascii_case(provider))
    }

    /// Whether a text has a prefix that the cloud reserves.
    pub fn reserves(&self, text: &str) -> bool {
        begins(text, self.reserved)
    }

    /// Whether a key may have every character.
    pub(crate) fn frees(&self, key: &str) -> bool {
        begins(key, self.free)
    }
}

/// Whether a text has one of these prefixes; case is ignored.
fn begins(text: &str, prefixes: &[&str]) -> bool {
    let has = |prefix: &&str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    prefixes.iter().any(has)
}

/// The row as printed in the table of the page.
impl fmt::Display for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cloud { provider, interface, key, value, joined, tags, reserved, reserves_values, case, source, .. } = self;
        write!(f, "{provider} | {interface} | {}; {} | {}; {}", key.length, key.form, value.length, value.form)?;
        if let Some(most) = joined {
            write!(f, "; together <= {most} characters")?;
        }
        let tags = tags.map_or("not published".to_owned(), |most| most.to_string());
        let reserved = if reserved.is_empty() { "none".to_owned() } else { reserved.join(", ") };
        let of_values = if *reserves_values { ", in values too" } else { "" };
        write!(f, " | {tags} | {reserved}{of_values} | {case} | {source}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_found_whatever_its_case() {
        assert_eq!(Cloud::of("Azure"), Some(&AZURE));
        assert_eq!((Cloud::of("generic"), Cloud::of("")), (None, None));
    }

    #[test]
    fn what_is_reserved_is_reserved_in_every_case() {
        for (cloud, text, reserved) in [
            (AWS, "AWS:x", true),
            (AWS, "aws", false),
            (AZURE, "MicrosoftX", true),
            (HETZNER, "hetzner.cloud/x", true),
            (ALIBABA, "acs:", true),
            (ALIBABA, "äacs:", false),
            (GCP, "aws:", false),
        ] {
            assert_eq!(cloud.reserves(text), reserved, "{text}");
        }
    }
}
