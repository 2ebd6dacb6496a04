//! Whether a policy runs this module.

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::needs::needs;
use super::policy::{KINDS, MODULE};

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
            findings.push(InstallationFinding {
                level: FindingLevel::Error,
                message: format!("{title} has a kind without `contextAwareResources`, so it cannot read other objects"),
                object: Some(policy.item.object),
                at: "kind".to_owned(),
                why: "labels propagate from the owners of the object that is written; without reading them nothing propagates",
                fix: "delete it, and create a ClusterAdmissionPolicy instead: deploy/cluster-api.yaml".to_owned(),
            });
        }
        if policy.kind.is_group
            && policy.settings.as_ref().is_ok_and(|it| it.mode == metadata_propagation::Mode::Mutate)
        {
            findings.push(InstallationFinding {
                level: FindingLevel::Error,
                message: format!("{title} has `mode: mutate`, and a group of policies cannot change objects"),
                object: Some(policy.item.object),
                at: format!("{}.settings.mode", policy.at),
                why: "a group has no field `mutating`: its members accept or reject requests and cannot change them",
                fix: "set `mode: verify`, or use a ClusterAdmissionPolicy".to_owned(),
            });
        }
        results.judge(&title, findings, || format!("runs `{}`", policy.module()));
    }
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
