//! CompositeResourceDefinitions: every served version must keep `spec.cloudTags`.

use super::faults::Faults;
use super::schema::{Limits, Schema};
use crate::json::{Json, Malformed};
use crate::tag_finding::TagSubject;
use tag_rules::CloudTags;

/// The served entries of `spec.versions`. A version that is not served cannot be written, so it loses nothing.
pub(super) fn served(spec: Json<'_>) -> Result<Vec<Json<'_>>, Malformed> {
    let mut served = Vec::new();
    for version in spec.get("versions")?.elements()? {
        if version.get("served")?.is_true() {
            served.push(version);
        }
    }
    Ok(served)
}

/// All ways in which the served versions lose tags, or reject objects with tags.
pub(super) fn faults<'a>(spec: Json<'a>, settings: &CloudTags, faults: &mut Faults<'a>) -> Result<(), Malformed> {
    let versions = served(spec)?;
    let mut declaring = None;
    for version in versions.iter().rev() {
        if !Schema::read(*version)?.tags.is_null() {
            declaring = version.string(&["name"])?;
        }
    }
    let limits = Limits::of(settings);
    for version in versions {
        faults.subject = TagSubject::Version(version.string(&["name"])?.unwrap_or_default().into());
        Schema::read(version)?.faults(version, declaring, &limits, faults)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;
    use kubernetes::settings::Stance;

    #[test]
    fn five_thousand_versions_are_checked() {
        let version = |n| format!(r#"{{"served":true,"name":"v{n}","schema":{{"openAPIV3Schema":{{}}}}}}"#);
        let versions: Vec<String> = (0..5_000).map(version).collect();
        let text = format!(r#"{{"spec":{{"versions":[{}]}}}}"#, versions.join(","));
        let (document, mut found) = (Document::new(text), Faults::default());
        let spec = document.root().get("spec").unwrap();
        faults(spec, &CloudTags::default(), &mut found).unwrap();
        let findings = found.findings(spec, "cloudTags.xrds", Stance::Reject);
        let last_two: Vec<_> = findings.iter().skip(99).map(|it| (it.at.as_str(), it.message.to_string())).collect();
        let last = "version `v99`: `spec.cloudTags` is not declared in the schema and is pruned".to_owned();
        assert_eq!(
            last_two,
            [("spec.versions[99].schema.openAPIV3Schema", last), ("spec", "and 4900 more".to_owned())]
        );
    }
}
