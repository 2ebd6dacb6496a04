//! CompositeResourceDefinitions: every served version has to keep `spec.cloudTags`.

use super::fault::Faults;
use super::node::{Node, Wrong};
use super::schema::Schema;

/// The served entries of `spec.versions`. What is not served can be written by nobody, and loses nothing.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn served<'a>(spec: Node<'a>) -> Result<Vec<Node<'a>>, Wrong<'a>> {
    let mut served = Vec::new();
    for version in spec.get(&["versions"])?.elements()? {
        if Node(version).get(&["served"])?.is_true() {
            served.push(Node(version));
        }
    }
    Ok(served)
}

/// All ways in which the served versions lose tags, or refuse objects with tags.
///
/// # Errors
/// When the definition has another shape than Crossplane gives it.
pub(super) fn faults<'a>(spec: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let versions = served(spec)?;
    let mut declaring = "".into();
    for version in versions.iter().rev() {
        if !Schema::read(*version)?.tags.is_null() {
            declaring = version.string(&["name"])?;
        }
    }
    for version in versions {
        faults.about = format!("version `{}`: ", version.string(&["name"])?);
        Schema::read(version)?.losses(version, &declaring, faults)?;
    }
    Ok(())
}
