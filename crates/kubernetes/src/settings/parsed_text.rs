//! Texts in a certain format. A text in another format cannot be read.

use crate::metadata_key::{is_annotation_key, is_label_key, is_subdomain};

/// Declares a text type: its name, the check of its format, and the name of the format.
#[macro_export]
macro_rules! text {
    ($(#[$meta:meta])* $name:ident, $is:expr, $form:expr) => {
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
        #[serde(try_from = "String", into = "String")]
        $(#[$meta])*
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let is_of_form: fn(&str) -> bool = $is;
                if is_of_form(&text) { Ok($name(text)) } else { Err(format!("expected {}, found `{text}`", $form)) }
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl ::std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl ::std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text!(
    /// A text that is not empty.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1)))]
    NonEmpty,
    |text| !text.is_empty(),
    "a non-empty string"
);
text!(
    /// The key of a label.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1)))]
    LabelKey,
    is_label_key,
    "a key of labels"
);
text!(
    /// A key of labels or annotations, or a domain of keys such as `example.com`.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = "[^/]$")))]
    KeyOrDomain,
    |text| is_annotation_key(text) || is_subdomain(text),
    "a key, or a domain without a trailing slash"
);
text!(
    /// A kind and its group, such as `RKE2ControlPlane.controlplane.cluster.x-k8s.io`.
    KindAndGroup,
    is_kind_and_group,
    "`Kind.group` such as `RKE2ControlPlane.controlplane.cluster.x-k8s.io`"
);
text!(
    /// A version of an API, such as `v1beta2`.
    ApiVersion,
    is_api_version,
    "a version such as `v1beta1`"
);
text!(
    /// The dotted path of a field, such as `spec.parameters.provider`.
    FieldPath,
    |text| text.split('.').all(|step| !step.is_empty()),
    "a path such as `spec.parameters.provider`"
);

impl FieldPath {
    /// The names of the fields, from the object's root down.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.split('.')
    }
}

fn is_kind_and_group(text: &str) -> bool {
    text.split_once('.').is_some_and(|(kind, group)| {
        kind.starts_with(|first: char| first.is_ascii_uppercase())
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && group.split('.').all(|part| !part.is_empty())
    })
}

/// `v1`, `v1beta2`, `v2alpha1`.
fn is_api_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('v').is_some_and(|rest| {
        let (major, minor) = rest.split_once("alpha").or_else(|| rest.split_once("beta")).unwrap_or((rest, "1"));
        is_number(major) && is_number(minor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_versions_are_spelt_as_kubernetes_does() {
        for (text, expected) in
            [("RKE2ControlPlane.a.b", true), ("rke2.a", false), ("Kind", false), ("Kind.", false), ("Kind.a..b", false)]
        {
            assert_eq!(KindAndGroup::try_from(text.to_owned()).is_ok(), expected, "{text}");
        }
        for (text, expected) in [
            ("v1", true),
            ("v1beta2", true),
            ("v2alpha1", true),
            ("1", false),
            ("v", false),
            ("v1beta", false),
            ("v1gamma1", false),
        ] {
            assert_eq!(ApiVersion::try_from(text.to_owned()).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_path_is_its_steps() {
        let path = FieldPath::try_from("spec.provider".to_owned()).unwrap();
        assert_eq!(path.steps().collect::<Vec<_>>(), ["spec", "provider"]);
        assert_eq!(
            FieldPath::try_from("spec..a".to_owned()).unwrap_err(),
            "expected a path such as `spec.parameters.provider`, found `spec..a`"
        );
        assert_eq!(NonEmpty::try_from(String::new()).unwrap_err(), "expected a non-empty string, found ``");
    }
}
