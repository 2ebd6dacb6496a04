//! Whether a policy runs this module.

use fleet::{CROSSPLANE_GROUP, FindingLevel};

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::needs::needs;
use super::policy::{InstalledPolicy, KINDS, MODULE};

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let resources = KINDS.iter().map(|kind| format!("{}.policies.kubewarden.io", fleet::plural(kind.name)));
    let unreadable: Vec<String> = resources.filter(|resource| installation.unreadable.contains(resource)).collect();
    for resource in &unreadable {
        results.not_examined("", format!("cannot read `{resource}`"));
    }
    if installation.policies.is_empty() && unreadable.is_empty() {
        results.judge("", vec![none()], String::new);
    }
    for policy in &installation.policies {
        let mut findings = Vec::new();
        let title = policy.title();
        let reads = policy.settings.as_ref().is_ok_and(|settings| !needs(installation, policy, settings).is_empty());
        if !policy.kind.reads_objects && reads {
            findings.push(policy.error(
                "kind",
                " has a kind without `contextAwareResources`, so it cannot read other objects",
                "labels propagate from the owners of the object that is written; without reading them nothing propagates",
                instead(policy),
            ));
        }
        if !policy.kind.reads_objects {
            findings.extend(unreachable(policy));
        }
        if policy.kind.is_group
            && policy.settings.as_ref().is_ok_and(|it| it.mode == metadata_propagation::Mode::Mutate)
        {
            findings.push(policy.error(
                policy.setting("mode"),
                " has `mode: mutate`, and a group of policies cannot change objects",
                "a group has no field `mutating`: its members accept or reject requests and cannot change them",
                "set `mode: verify`, or use a ClusterAdmissionPolicy",
            ));
        }
        results.judge(&title, findings, || format!("runs `{}`", policy.module()));
    }
}

/// What an installation has instead of a policy of a namespace.
fn instead(policy: &InstalledPolicy<'_>) -> String {
    let is_tagging = policy.settings.as_ref().is_ok_and(|settings| !settings.cloud_tags.composites.is_empty());
    let manifest = if is_tagging { "cloud-tags" } else { "cluster-api" };
    format!("delete it, and create a ClusterAdmissionPolicy instead: deploy/{manifest}.yaml")
}

/// Groups whose kinds are not in namespaces.
const CLUSTER_SCOPED: [&str; 2] = [CROSSPLANE_GROUP, "labels.plexsphere.com"];

/// What a policy of a namespace has and Kubewarden does not use: rules for kinds outside namespaces, and reads.
///
/// Source: kubewarden/adm-controller, api/policies/v1/admissionpolicy_types.go, and how it makes webhooks: the scope of
/// their rules is `Namespaced`.
fn unreachable<'a>(policy: &InstalledPolicy<'a>) -> Vec<InstallationFinding<'a>> {
    let finding = |message: &str, at: String, why| policy.error(at, message, why, instead(policy));
    let rules = policy.rules().into_iter().filter_map(|rule| {
        let group = rule.groups.iter().find(|group| CLUSTER_SCOPED.contains(group) || group.is_empty())?;
        let is_node = group.is_empty() && rule.resources.contains(&"nodes");
        let message = format!(" has a rule for `{}`, which are not in a namespace", rule.resources.join("`, `"));
        (is_node || !group.is_empty())
            .then(|| finding(&message, rule.at, "objects outside namespaces are not sent to a policy of a namespace"))
    });
    let reads = (!policy.grants().is_empty()).then(|| {
        finding(
            " has `contextAwareResources`, which is no field of its kind",
            format!("{}.contextAwareResources", policy.at),
            "the API server drops the field, so nothing is read",
        )
    });
    rules.chain(reads).collect()
}

fn none<'a>() -> InstallationFinding<'a> {
    InstallationFinding {
        level: FindingLevel::Error,
        message: format!("no policy runs a module named `{MODULE}`"),
        object: None,
        at: String::new(),
        why: "nothing is propagated at admission, and no guard rail is on",
        fix: "apply deploy/policy-server.yaml, deploy/rbac.yaml and deploy/cluster-api.yaml, or install the chart"
            .to_owned(),
    }
}
