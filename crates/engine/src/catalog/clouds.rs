//! What the clouds' own interfaces take, whatever a profile admits.

use std::fmt;

use super::text::Alphabet::{Ascii, Unicode};
use super::text::Form::{Any, AnyBut, Containing, Graphic, Label, LowerCase, PrefixedLabel, Without};
use super::text::Length::{Bytes, Prefixed, Runes};
use super::text::{Form, Length};

/// The interfaces that tags of composites reach. A composite of another provider may be refused as well: its limits are not known.
pub const CLOUDS: &[Cloud] = &[AWS, HETZNER, OPENSTACK, AZURE, GCP, OCI, DIGITALOCEAN, ALIBABA];

/// `aws:` is reserved in values too by most services. Instances whose metadata show their tags bar `/` and spaces in keys,
/// and S3 objects take 10 tags: neither is the rule.
pub(crate) const AWS: Cloud = Cloud {
    provider: "aws",
    interface: "resource tags",
    key: Text { length: Runes(128), form: Containing(Unicode, "_.:/=+-@") },
    value: Text { length: Runes(256), form: Containing(Unicode, "_.:/=+-@") },
    joined: None,
    tags: Some(50),
    reserved: &["aws:"],
    reserves_values: true,
    case: KeyCase::Matters,
    source: "AWS Batch user guide, Tag restrictions; characters: ECS API reference, Tag: pattern",
};

/// No number is published.
pub(crate) const HETZNER: Cloud = Cloud {
    provider: "hetzner",
    interface: "labels",
    key: Text { length: Prefixed { prefix: 253, name: 63 }, form: PrefixedLabel },
    value: Text { length: Runes(63), form: Label },
    joined: None,
    tags: None,
    reserved: &["hetzner.cloud/"],
    reserves_values: false,
    case: KeyCase::NotChecked,
    source: "Hetzner Cloud API reference, Labels; hetznercloud/hcloud-go, hcloud/labels.go",
};

/// One key that the pattern does not take, and the server is not created. The number is a quota, `metadata_items`.
pub(crate) const OPENSTACK: Cloud = Cloud {
    provider: "openstack",
    interface: "server metadata",
    key: Text { length: Bytes(255), form: Containing(Ascii, "-_:. ") },
    value: Text { length: Bytes(255), form: Any },
    joined: None,
    tags: Some(128),
    reserved: &[],
    reserves_values: false,
    case: KeyCase::NotChecked,
    source: "key, value: openstack/nova, nova/api/validation/parameter_types.py; Compute API reference: 255 bytes; number: nova/conf/quota.py",
};

/// Storage accounts take keys of 128 characters, some kinds 15 tags, and Front Door and Traffic Manager no `:`: exceptions.
pub(crate) const AZURE: Cloud = Cloud {
    provider: "azure",
    interface: "resource tags",
    key: Text { length: Runes(512), form: AnyBut("<>%&\\?/") },
    value: Text { length: Runes(256), form: Any },
    joined: None,
    tags: Some(50),
    reserved: &["microsoft", "azure", "windows"],
    reserves_values: false,
    case: KeyCase::Ignored,
    source: "Azure Resource Manager, Use tags to organize your resources: limitations",
};

/// Resource Manager tags and network tags are other things. Bigtable and Cloud Deploy also take no more than 128 bytes in a key
/// or a value: exceptions.
pub(crate) const GCP: Cloud = Cloud {
    provider: "gcp",
    interface: "labels",
    key: Text { length: Runes(63), form: LowerCase { and: "_-", begins_with_letter: true } },
    value: Text { length: Runes(63), form: LowerCase { and: "_-", begins_with_letter: false } },
    joined: None,
    tags: Some(64),
    reserved: &[],
    reserves_values: false,
    case: KeyCase::Matters,
    source: "Google Cloud Resource Manager, Labels overview: requirements",
};

/// Defined tags are another thing: they need a namespace.
pub(crate) const OCI: Cloud = Cloud {
    provider: "oci",
    interface: "free-form tags",
    key: Text { length: Runes(100), form: Graphic { but: "." } },
    value: Text { length: Runes(256), form: Any },
    joined: None,
    tags: Some(10),
    reserved: &[],
    reserves_values: false,
    case: KeyCase::Matters,
    source: "key, value, number: Oracle Cloud Infrastructure, Tagging overview: limits; case: Understanding free-form tags",
};

/// A tag is one text, by habit a key, a colon and a value. No number is published.
pub(crate) const DIGITALOCEAN: Cloud = Cloud {
    provider: "digitalocean",
    interface: "tags, key:value",
    key: Text { length: Runes(254), form: Containing(Ascii, ":-_") },
    value: Text { length: Runes(254), form: Containing(Ascii, ":-_") },
    joined: Some(255),
    tags: None,
    reserved: &[],
    reserves_values: false,
    case: KeyCase::FirstStays,
    source: "DigitalOcean API reference, Tags: name",
};

/// Some products take keys of 64 characters only.
pub(crate) const ALIBABA: Cloud = Cloud {
    provider: "alibaba",
    interface: "tags",
    key: Text { length: Runes(128), form: Without(&["http://", "https://"]) },
    value: Text { length: Runes(128), form: Without(&["http://", "https://"]) },
    joined: None,
    tags: Some(20),
    reserved: &["aliyun", "acs:"],
    reserves_values: false,
    case: KeyCase::NotChecked,
    source: "key, value, beginnings: E-MapReduce API reference, Tag; number: VPC, TagResources",
};

/// What one interface takes.
#[derive(Debug, PartialEq, Eq)]
pub struct Cloud {
    /// The provider, in lower case.
    pub provider: &'static str,
    /// What the tags are called there.
    pub interface: &'static str,
    /// A tag key.
    pub key: Text,
    /// A value.
    pub value: Text,
    /// The longest key and value together, with a colon between them, where both are one text; in characters.
    pub joined: Option<usize>,
    /// The most tags of one resource, where a number is published.
    pub tags: Option<usize>,
    /// How keys may not begin, in lower case; no case is free.
    pub reserved: &'static [&'static str],
    /// Whether values may not begin so either.
    pub reserves_values: bool,
    /// What two keys are that differ in case alone.
    pub case: KeyCase,
    /// Where it is said.
    pub source: &'static str,
}

/// What two keys are that differ in case alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCase {
    /// Two keys.
    Matters,
    /// One key.
    Ignored,
    /// One tag, in the spelling in which it was created first, on whatever resource.
    FirstStays,
    /// Not known.
    NotChecked,
}

impl fmt::Display for KeyCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyCase::Matters => "matters",
            KeyCase::Ignored => "ignored",
            KeyCase::FirstStays => "the first spelling stays",
            KeyCase::NotChecked => "not checked",
        })
    }
}

/// Which texts are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// How long they may be.
    pub length: Length,
    /// Which characters they may have.
    pub form: Form,
}

impl Cloud {
    /// The interface of a provider, whatever its case.
    pub(crate) fn of(provider: &str) -> Option<&'static Cloud> {
        CLOUDS.iter().find(|cloud| cloud.provider.eq_ignore_ascii_case(provider))
    }

    /// Whether a text begins as the cloud's own do.
    pub(crate) fn reserves(&self, text: &str) -> bool {
        let begins =
            |reserved: &str| text.get(..reserved.len()).is_some_and(|start| start.eq_ignore_ascii_case(reserved));
        self.reserved.iter().any(|reserved| begins(reserved))
    }
}

/// The row as the page's table has it.
impl fmt::Display for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cloud { provider, interface, key, value, joined, tags, reserved, reserves_values, case, source } = self;
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
