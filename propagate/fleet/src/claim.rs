//! What happens to the tags of a claim: Crossplane makes a composite of it, without some of its labels.

use metadata_propagation::{Cluster, Fact, Settings, evaluate};
use serde_json::Value;

use crate::object::{FleetObject, create};
use crate::object_finding::{CLOUD_TAGS, FindingLevel, ObjectFinding};
use crate::templates::is_copied;

/// The sentence about a label that its composite does not get.
pub(crate) const NOT_COPIED: &str = "Crossplane does not copy labels of `kubernetes.io` and `k8s.io` from a claim to \
                                     its composite";

/// A claim as a composite that gets all its labels, or those that Crossplane copies.
fn composite(claim: &FleetObject, keeps: impl Fn(&str) -> bool) -> Value {
    let mut value = claim.value();
    if let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("resourceRef");
    }
    if let Some(labels) = value.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.retain(|label, _| keeps(label));
    }
    value
}

/// The labels of a claim that would become tags and that its composite does not get, and what the policy warns about in
/// the composite that Crossplane makes of it. `settings` are those without kinds of claims.
pub(crate) fn claim_findings(
    claim: &FleetObject,
    settings: &Settings,
    cluster: &dyn Cluster,
) -> (Vec<ObjectFinding>, Vec<Fact>) {
    let outcome = |keeps: &dyn Fn(&str) -> bool| {
        let json = composite(claim, keeps).to_string();
        evaluate(&create(&claim.id, &claim.version, &json), settings, cluster)
    };
    let all = outcome(&|_| true).report.and_then(|report| report.cloud_tags);
    let value = claim.value();
    let labels = value.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
    let dropped = labels.map(|(label, _)| label).filter(|label| !is_copied(label));
    let lost = dropped.filter(|label| all.as_ref().is_some_and(|all| !all.not_propagating.contains_key(*label)));
    let finding = |label: &String| ObjectFinding {
        keys: vec![label.clone()],
        reason: "claim-label-not-copied",
        ..ObjectFinding::new(
            FindingLevel::Note,
            CLOUD_TAGS,
            "metadata.labels",
            format!("label `{label}` does not become a cloud tag: {NOT_COPIED}"),
        )
    };
    (lost.map(finding).collect(), outcome(&is_copied).notes)
}
