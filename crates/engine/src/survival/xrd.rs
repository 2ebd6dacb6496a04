//! CompositeResourceDefinitions: every served version has to keep `spec.cloudTags`.

use super::fault::Fault;
use super::schema::{Declaration, Schema};
use crate::json::{Json, Malformed};

/// One served version.
pub(super) struct Version<'a> {
    pub(super) name: String,
    pub(super) schema: Schema<'a>,
}

/// The versions that clients can write. What is not served loses nothing.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn served<'a>(spec: &Json<'a>) -> Result<Vec<Version<'a>>, Malformed> {
    let mut versions = Vec::new();
    if let Some(all) = spec.at(&["versions"], None)? {
        for version in all.elements()? {
            if version.is_true(&["served"])? {
                let name = version.string(&["name"])?.unwrap_or_default().into_owned();
                versions.push(Version { name, schema: Schema::read(&version)? });
            }
        }
    }
    Ok(versions)
}

/// All ways in which the served versions lose tags, or refuse objects with tags.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn faults(spec: &Json<'_>, faults: &mut Vec<Fault>) -> Result<(), Malformed> {
    let versions = served(spec)?;
    let declaring = versions.iter().find(|version| version.schema.declaration != Declaration::Absent);
    for version in &versions {
        let elsewhere = declaring.filter(|_| version.schema.declaration == Declaration::Absent);
        for (weight, at, what) in version.schema.losses(elsewhere.map(|version| &*version.name))? {
            faults.push(Fault::new(weight, at, format!("version `{}`: {what}", version.name)));
        }
    }
    Ok(())
}
