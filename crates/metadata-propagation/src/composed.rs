//! What is refused in the resources of one composite, for callers that have it beside its Composition.

use crate::fact::Finding;

use crate::json::{Document, Malformed};
use crate::settings::Settings;

/// What the API server or a cloud refuses in the resources that a Composition composes for a composite, which has all its
/// tags. Both are JSON.
pub fn findings_of_composite(
    composition: &str,
    composite: &str,
    settings: &Settings,
) -> Result<Vec<Finding>, Malformed> {
    let [composition, composite] = [composition, composite].map(Document::new);
    let findings = tag_delivery::findings_of_composite(composition.root(), composite.root(), settings.of_tags())?;
    Ok(findings.into_iter().map(tag_delivery::Finding::widen).collect())
}

/// The resources that a Composition, which is JSON, does not create because its composites have a namespace, or because
/// they have none.
pub fn findings_of_scope(
    composition: &str,
    is_composite_namespaced: bool,
    settings: &Settings,
) -> Result<Vec<Finding>, Malformed> {
    let composition = Document::new(composition);
    let findings = tag_delivery::findings_of_scope(composition.root(), is_composite_namespaced, settings.of_tags())?;
    Ok(findings.into_iter().map(tag_delivery::Finding::widen).collect())
}
