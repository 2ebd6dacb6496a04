//! The provider of a composite, and whether the settings may have it wrong.

use std::ptr;

use crate::fact::CloudTagFact;
use crate::json::Malformed;
use kubernetes::settings::FieldPath;
use kubernetes::{Mentioned, Object, ReviewedObject};
use tag_rules::{CloudTags, Composites, Provider};

/// The provider that an object names; `None` if it names none. A value that is not a string names none: the schema of a
/// composite may allow it, and then it is stored, and refusing it would even block changes of finalizers.
pub(super) fn provider<'a>(composites: &'a Composites, kind: &str, object: &Object<'a>) -> Option<&'a str> {
    match &composites.provider {
        Provider::Path(path) => at(path, object).ok().flatten(),
        Provider::Fixed(provider) => Some(provider),
        Provider::ByKind(providers) => providers.get(kind).map(String::as_str),
    }
}

fn at<'a>(path: &FieldPath, object: &Object<'a>) -> Result<Option<&'a str>, Malformed> {
    path.steps().try_fold(object.root, |here, step| here.get(step))?.string(&[])
}

/// A provider without a profile, or none at all: a mistake, or a cloud that the policy does not know.
pub struct UnknownProvider {
    /// The setting that determines the provider, such as `cloudTags.composites[0].provider.path`.
    pub setting: String,
    /// The provider; empty if the composite names none.
    pub provider: String,
    pub fact: CloudTagFact,
}

impl UnknownProvider {
    /// `profile` is the name of the profile that is used instead.
    pub(super) fn new(
        settings: &CloudTags,
        composites: &Composites,
        subject: &ReviewedObject<'_>,
        provider: Option<&str>,
        profile: &'static str,
    ) -> Self {
        let entry = settings.composites.iter().position(|entry| ptr::eq(entry, composites)).unwrap_or_default();
        let by = match composites.provider {
            Provider::Path(_) => "path",
            Provider::Fixed(_) => "fixed",
            Provider::ByKind(_) => "byKind",
        };
        let setting = format!("cloudTags.composites[{entry}].provider.{by}");
        let named = Mentioned(setting.clone());
        let none_at = |place: &str| CloudTagFact::NoProvider { place: place.into(), setting: named.clone(), profile };
        let fact = match (provider, &composites.provider) {
            (Some(provider), _) => CloudTagFact::UnknownProvider { provider: provider.into(), setting: named, profile },
            (None, Provider::Path(path)) => match at(path, &subject.object) {
                Ok(_) => none_at(path),
                Err(problem) => CloudTagFact::UnusableProvider { problem, setting: named, profile },
            },
            (None, _) => none_at(&subject.review.kind.kind),
        };
        UnknownProvider { setting, provider: provider.unwrap_or_default().to_owned(), fact }
    }
}
