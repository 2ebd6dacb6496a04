//! What the webhooks refuse in the configuration of kubeadm.
//!
//! Source: `Validate` in bootstrap/kubeadm/webhooks/admission/kubeadmconfig.go of Cluster API v1.14.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Refusal, has_placeholder, path, refusal};
use crate::relations::text;

/// What is refused in the configuration, wherever an object of this kind has it.
pub(super) fn kubeadm(object: &Value) -> Vec<Refusal> {
    // Whether it is that of a control plane.
    const SPECS: [(&str, bool); 4] = [
        ("/spec", false),
        ("/spec/kubeadmConfigSpec", true),
        ("/spec/template/spec", false),
        ("/spec/template/spec/kubeadmConfigSpec", true),
    ];
    let specs = SPECS.into_iter().filter_map(|(pointer, is)| Some((path(pointer), object.pointer(pointer)?, is)));
    specs.flat_map(|(at, spec, is_control_plane)| of_spec(&at, spec, is_control_plane)).collect()
}

fn of_spec(at: &str, spec: &Value, is_control_plane: bool) -> Vec<Refusal> {
    let timeouts = is_control_plane.then(|| other_timeouts(at, spec)).flatten();
    sources(at, spec).into_iter().chain(large_disks(at, spec)).chain(of_ignition(at, spec)).chain(timeouts).collect()
}

fn list<'v>(spec: &'v Value, pointer: &str) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
    spec.pointer(pointer).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// Timeouts of the first Machine of a control plane that those that join it do not have.
fn other_timeouts(at: &str, spec: &Value) -> Option<Refusal> {
    const FIELD: &str = "timeouts.controlPlaneComponentHealthCheckSeconds";
    let of = |part: &str| spec.pointer(&format!("/{part}/{}", FIELD.replace('.', "/"))).filter(|it| !it.is_null());
    let [init, join] = ["initConfiguration", "joinConfiguration"].map(of);
    let part = if init.is_none() { "joinConfiguration" } else { "initConfiguration" };
    let message = "`initConfiguration` and `joinConfiguration` must have the same value";
    (init != join).then(|| refusal(format!("{at}.{part}.{FIELD}"), message))
}

/// Certificates of a control plane that are valid for longer than those of its CA, or not until they are renewed.
///
/// Source: `validateRolloutAndCertValidityFields` in controlplane/kubeadm/webhooks/admission/kubeadmcontrolplane.go of Cluster
/// API v1.14, and `DefaultCACertificatesExpiryDays` in util/secret/consts.go.
pub(super) fn certificates(object: &Value) -> Vec<Refusal> {
    const CA_DAYS: u64 = 3650;
    const CLUSTER: &str = "/spec/kubeadmConfigSpec/clusterConfiguration";
    let days = |pointer: &str| object.pointer(pointer).and_then(Value::as_u64).filter(|days| *days > 0);
    let valid = format!("{CLUSTER}/certificateValidityPeriodDays");
    let Some(days_valid) = days(&valid) else { return Vec::new() };
    let of_ca = days(&format!("{CLUSTER}/caCertificateValidityPeriodDays")).unwrap_or(CA_DAYS);
    let longer = (days_valid > of_ca)
        .then(|| refusal(path(&valid), format!("the certificate of the CA is valid for {of_ca} days only")));
    let renewed = ["/spec/rollout/before/certificatesExpiryDays", "/spec/rolloutBefore/certificatesExpiryDays"];
    let renewed = renewed.into_iter().filter(|pointer| days(pointer).is_some_and(|days| days >= days_valid));
    let message = || format!("it must be less than `certificateValidityPeriodDays`, which is {days_valid}");
    longer.into_iter().chain(renewed.map(|pointer| refusal(path(pointer), message()))).collect()
}

fn large_disks(at: &str, spec: &Value) -> Vec<Refusal> {
    let percentages = |disk| list(disk, "/diskLayout").filter_map(|(_, part)| part.get("percentage")?.as_u64());
    let large = list(spec, "/diskSetup/partitions").filter(|(_, disk)| percentages(disk).sum::<u64>() > 100);
    let message = "the percentages of the partitions add up to more than 100";
    large.map(|(number, _)| refusal(format!("{at}.diskSetup.partitions[{number}].diskLayout"), message)).collect()
}

/// Settings of Ignition without it, and those that it does not know. Whether Cluster API's feature gate for it is on does not
/// matter to these.
fn of_ignition(at: &str, spec: &Value) -> Vec<Refusal> {
    let is_set = |value: &Value, field: &str| match value.get(field) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(value) => value.as_str() != Some(""),
    };
    if text(spec, "format") != "ignition" {
        let is_refused = is_set(spec, "ignition") && !has_placeholder(text(spec, "format"));
        return Vec::from_iter(
            is_refused.then(|| refusal(format!("{at}.ignition"), "`ignition` needs `format: ignition`")),
        );
    }
    let message = "`format: ignition` does not support this field";
    let of_list = |(pointer, field): (&'static str, &'static str)| {
        let found = list(spec, pointer).filter(move |(_, entry)| match field {
            "encoding" => text(entry, field).starts_with("gzip"),
            "tableType" => !["", "gpt"].contains(&text(entry, field)),
            _ => is_set(entry, field),
        });
        found.map(move |(number, _)| refusal(format!("{at}.{}[{number}].{field}", path(pointer)), message))
    };
    let lists = [
        ("/users", "inactive"),
        ("/files", "encoding"),
        ("/diskSetup/partitions", "tableType"),
        ("/diskSetup/filesystems", "replaceFS"),
        ("/diskSetup/filesystems", "partition"),
    ];
    let boot = list(spec, "/bootCommands").next().map(|_| refusal(format!("{at}.bootCommands"), message));
    boot.into_iter().chain(lists.into_iter().flat_map(of_list)).collect()
}

/// Files with one path, and files and users with two sources.
fn sources(at: &str, spec: &Value) -> Vec<Refusal> {
    let list = |field: &str| list(spec, &format!("/{field}"));
    let both = [("files", "content", "contentFrom"), ("users", "passwd", "passwdFrom")].into_iter();
    let both = both.flat_map(|(field, own, other)| {
        let has_both =
            move |entry: &Value| !text(entry, own).is_empty() && entry.get(other).is_some_and(|it| !it.is_null());
        let message = format!("`{own}` and `{other}` exclude each other");
        let found = list(field).filter(move |(_, entry)| has_both(entry));
        found.map(move |(number, _)| refusal(format!("{at}.{field}[{number}]"), message.clone()))
    });
    let mut paths = BTreeSet::new();
    let again = list("files").filter(|(_, file)| {
        let path = text(file, "path");
        !path.is_empty() && !has_placeholder(path) && !paths.insert(path)
    });
    let again = again.map(|(number, file)| {
        let message = format!("`{}` is the path of another file, too", text(file, "path"));
        refusal(format!("{at}.files[{number}].path"), message)
    });
    both.chain(again).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_have_one_path_and_one_source_each() {
        let spec = json!({
            "files": [{"path": "/a", "content": "1"}, {"path": "/a"}, {"path": "${A}"}, {"path": "${A}"},
                {"path": "/b", "content": "1", "contentFrom": {"secret": {"name": "s", "key": "k"}}}],
            "users": [{"name": "u", "passwd": "1", "passwdFrom": null}],
        });
        let found: Vec<String> = kubeadm(&json!({"spec": {"template": {"spec": {"kubeadmConfigSpec": spec}}}}))
            .into_iter()
            .map(|Refusal { at, message, .. }| format!("{at}: {message}"))
            .collect();
        let at = "spec.template.spec.kubeadmConfigSpec.files";
        let expected = [
            format!("{at}[4]: `content` and `contentFrom` exclude each other"),
            format!("{at}[1].path: `/a` is the path of another file, too"),
        ];
        assert_eq!(found, expected);
    }
}
