//! Who the provider of a composite is, and whether the settings may mean somebody else.

use std::ptr;

use crate::json::Malformed;
use crate::kube::object::Object;
use crate::report::messages::cloud_tags as messages;
use crate::settings::{CloudTags, Composites, Provider};

/// The provider that an object names; `None` where it names none.
///
/// # Errors
/// When the path leads through something that is not an object, or to something that is not a string.
pub(super) fn provider<'a>(
    composites: &'a Composites,
    kind: &str,
    object: &Object<'a>,
) -> Result<Option<&'a str>, Malformed> {
    Ok(match &composites.provider {
        Provider::Path(path) => path.steps().try_fold(object.root, |here, step| here.get(step))?.string(&[])?,
        Provider::Fixed(provider) => Some(provider),
        Provider::ByKind(providers) => providers.get(kind).map(String::as_str),
    })
}

/// A provider that no profile is for, or none at all: a slip, or a cloud that the policy does not know.
pub(crate) struct UnknownProvider {
    /// The setting that says who the provider is, such as `cloudTags.composites[0].provider.path`.
    pub(crate) setting: String,
    /// The provider; empty where the composite names none.
    pub(crate) provider: String,
    /// What is told.
    pub(crate) message: String,
}

impl UnknownProvider {
    /// `profile` is the name of the profile that is asked instead.
    pub(super) fn new(
        settings: &CloudTags,
        composites: &Composites,
        kind: &str,
        provider: Option<&str>,
        profile: &str,
    ) -> Self {
        let entry = settings.composites.iter().position(|entry| ptr::eq(entry, composites)).unwrap_or_default();
        let by = match composites.provider {
            Provider::Path(_) => "path",
            Provider::Fixed(_) => "fixed",
            Provider::ByKind(_) => "byKind",
        };
        let setting = format!("cloudTags.composites[{entry}].provider.{by}");
        let message = match (provider, &composites.provider) {
            (Some(provider), _) => messages::unknown_provider(provider, &setting, profile),
            (None, Provider::Path(path)) => messages::no_provider(path, &setting, profile),
            (None, _) => messages::no_provider(kind, &setting, profile),
        };
        UnknownProvider { setting, provider: provider.unwrap_or_default().to_owned(), message }
    }
}
