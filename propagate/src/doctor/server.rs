//! The PolicyServer, and its version.

use std::collections::BTreeSet;

use fleet::FindingLevel;

use super::finding::{CheckResults, InstallationFinding};
use super::image::name_and_tag;
use super::installation::Installation;
use super::item::{Item, KUBEWARDEN};
use super::names::did_you_mean;
use super::policy::InstalledPolicy;

/// The first minor version 1.x of a PolicyServer that understands field masks: docs/operating.md.
const OLDEST: u32 = 33;

/// The first minor version 1.x that removes expired entries from its cache of objects: docs/operating.md.
const NO_LEAK: u32 = 38;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    let servers: Vec<&Item<'_>> = installation.of_kind(KUBEWARDEN, "PolicyServer").collect();
    let mut known = BTreeSet::new();
    for policy in &installation.policies {
        match servers.iter().find(|server| server.object.id.name == policy.server()) {
            None if servers.is_empty() && !installation.is_live => {
                results.not_examined(&format!("PolicyServer {}", policy.server()), "is not among the files");
            }
            None => results.judge("", vec![missing(policy, &servers)], String::new),
            Some(server) if known.insert(policy.server()) => judge(server, results),
            Some(_) => {}
        }
    }
}

fn judge<'a>(server: &'a Item<'a>, results: &mut CheckResults<'a>) {
    let (name, title) = (&server.object.id.name, server.object.id.to_string());
    let image = server.text("/spec/image");
    let mut findings = Vec::new();
    for condition in server.at("/status/conditions").as_array().into_iter().flatten() {
        let text = |field: &str| condition.get(field).and_then(|value| value.as_str()).unwrap_or_default();
        if text("status") == "False" {
            let (condition, message) = (text("type"), text("message"));
            findings.push(InstallationFinding::of(
                FindingLevel::Error,
                (server.object, "status.conditions"),
                format!("PolicyServer {name} is not ready: condition `{condition}` is false: {message}"),
                "its policies may not be served; until they are, the `failurePolicy` of each decides whether writes are accepted",
                format!("see `kubectl describe policyserver {name}` and the log of its Pods"),
            ));
        }
    }
    let Some(minor) = minor(image) else {
        results.judge(&title, findings, || "exists".to_owned());
        results.not_examined(&title, format!("image `{image}` has no version of the form v1.MINOR.PATCH"));
        return;
    };
    if minor < OLDEST {
        findings.push(InstallationFinding::of(
            FindingLevel::Error,
            (server.object, "spec.image"),
            format!("PolicyServer {name} has version 1.{minor}, but the policy needs 1.{OLDEST} or later"),
            "older versions do not support the field masks with which the policy reads objects, so every read fails",
            format!("upgrade Kubewarden, or set `spec.image` to version 1.{OLDEST} or later"),
        ));
    }
    if minor < NO_LEAK && server.at("/spec/limits/memory").is_null() {
        findings.push(InstallationFinding::of(
            FindingLevel::Warning,
            (server.object, "spec"),
            format!("PolicyServer {name} of version 1.{minor} has no memory limit"),
            "versions before 1.38 keep cached objects in memory after they expire",
            "set `spec.limits.memory`, such as 512Mi",
        ));
    }
    results.judge(&title, findings, || format!("has version 1.{minor}; 1.{OLDEST} or later is needed"));
}

fn missing<'a>(policy: &InstalledPolicy<'a>, servers: &[&Item<'_>]) -> InstallationFinding<'a> {
    let name = policy.server();
    let guess = did_you_mean(name, servers.iter().map(|server| &*server.object.id.name));
    policy.error(
        "spec.policyServer",
        format!(" names PolicyServer `{name}`, which does not exist{guess}"),
        "without its PolicyServer the policy has no webhook, and every write is accepted unchecked",
        "apply deploy/policy-server.yaml, or set `spec.policyServer` to one that exists",
    )
}

/// The minor version of an image's tag.
fn minor(image: &str) -> Option<u32> {
    let (_, tag) = name_and_tag(image);
    let tag = tag?;
    tag.strip_prefix('v').unwrap_or(tag).strip_prefix("1.")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_an_image_has_the_version() {
        for (image, expected) in [
            ("ghcr.io/kubewarden/adm-controller/policy-server:v1.37.2", Some(37)),
            ("ghcr.io/kubewarden/policy-server:v1.36.0-beta.1@sha256:00", Some(36)),
            ("mirror:5000/policy-server", None),
            ("policy-server:latest", None),
        ] {
            assert_eq!(minor(image), expected, "{image}");
        }
    }
}
