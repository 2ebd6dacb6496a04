//! The status of the policies that Kubewarden sets.

use std::collections::BTreeSet;

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::item::KUBEWARDEN;
use super::policy::InstalledPolicy;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let mut known = BTreeSet::new();
    for policy in &installation.policies {
        let id = &policy.item.object.id;
        if !known.insert(id) {
            continue;
        }
        match policy.item.text("/status/policyStatus") {
            "active" => results.judge(&id.to_string(), Vec::new(), || "is active".to_owned()),
            "" if !installation.is_live => results.not_examined(&id.to_string(), "the manifest has no status"),
            "scheduled" if !has_server(installation, policy) => {
                results.judge("", vec![unscheduled(policy)], String::new);
            }
            status => results.judge("", vec![inactive(policy, status)], String::new),
        }
    }
}

/// Whether the policy's PolicyServer exists, as far as that is known.
fn has_server(installation: &Installation<'_>, policy: &InstalledPolicy<'_>) -> bool {
    installation.of_kind(KUBEWARDEN, "PolicyServer").any(|server| server.object.id.name == policy.server())
}

/// A policy whose PolicyServer was deleted, or never created.
///
/// Source: kubewarden-controller, internal/controller/policy_subreconciler.go, `reconcilePolicyServerUnavailable`.
fn unscheduled<'a>(policy: &InstalledPolicy<'a>) -> InstallationFinding<'a> {
    let (object, server) = (policy.item.object, policy.server());
    InstallationFinding::of(
        FindingLevel::Error,
        (object, "status"),
        format!(
            "{} is not enforced: it has status `scheduled`, because PolicyServer {server} does not exist",
            object.id
        ),
        "the webhooks are deleted with the PolicyServer, and every write is accepted unchecked",
        format!("create PolicyServer {server} again: deploy/policy-server.yaml"),
    )
}

fn inactive<'a>(policy: &InstalledPolicy<'a>, status: &str) -> InstallationFinding<'a> {
    let object = policy.item.object;
    let conditions = policy.item.at("/status/conditions").as_array().into_iter().flatten();
    let reasons = conditions.filter(|condition| condition.get("status").is_some_and(|status| status == "False"));
    let reasons: Vec<&str> = reasons.filter_map(|condition| condition.get("message")?.as_str()).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    let status = if status.is_empty() { "has no status".to_owned() } else { format!("has status `{status}`") };
    InstallationFinding::of(
        FindingLevel::Error,
        (object, "status"),
        format!("{} is not active: it {status}{reasons}", object.id),
        "while a policy is not active no webhook is registered, and every write is accepted unchecked",
        format!("see the log of the Pods of PolicyServer {}: docs/troubleshooting.md", policy.server()),
    )
}
