//! Values that Cluster API's webhooks check one by one: ranges of addresses, numbers in annotations, templates of names.
//!
//! Sources, in Cluster API v1.14: `validateCIDRBlocks` and `validateTopology` in core/webhooks/admission/cluster.go;
//! `validateMDMachineNaming` and `validateSkippedMachineSetPreflightChecks` in machinedeployment.go and machineset.go;
//! `validateNaming` in controlplane/kubeadm/webhooks/admission/kubeadmcontrolplane.go; the `validate` of Machines and of what
//! creates them.

use std::net::IpAddr;

use metadata_propagation::is_label_value;
use serde_json::Value;

use super::{Refusal, has_placeholder, has_variable, path, refusal, written};
use crate::relations::text;
use crate::workers::all_workers;

/// Names that become values of labels.
pub(super) fn long_name(object: &Value) -> Vec<Refusal> {
    let name = object.get("metadata").map(|metadata| text(metadata, "name")).unwrap_or_default();
    let is_refused = !has_placeholder(name) && !is_label_value(name);
    let message = "the name must be a valid value of a label";
    Vec::from_iter(is_refused.then(|| refusal("metadata.name", message)))
}

/// Names of entries of a topology, which are part of the names of MachineDeployments and MachinePools.
pub(super) fn entry_names(object: &Value) -> Vec<Refusal> {
    let wrong = all_workers(object).filter(|worker| !has_placeholder(worker.name) && !is_label_value(worker.name));
    let message = "the name must be a valid value of a label";
    wrong.map(|worker| refusal(format!("{}.name", worker.at()), message)).collect()
}

/// Ranges of the addresses of Pods and Services.
pub(super) fn no_ranges(object: &Value) -> Vec<Refusal> {
    let of_field = |field: &str| {
        let pointer = format!("/spec/clusterNetwork/{field}/cidrBlocks");
        let ranges = object.pointer(&pointer).and_then(Value::as_array).into_iter().flatten().enumerate();
        let ranges = ranges.filter_map(|(number, range)| Some((number, range.as_str()?)));
        let wrong = ranges.filter(|(_, range)| !has_placeholder(range) && !is_range(range));
        let at = path(&pointer);
        let refused = wrong.map(|(number, range)| {
            refusal(format!("{at}[{number}]"), format!("`{range}` must be a range of addresses, such as `10.0.0.0/16`"))
        });
        refused.collect::<Vec<_>>()
    };
    ["pods", "services"].into_iter().flat_map(of_field).collect()
}

fn is_range(text: &str) -> bool {
    let parsed = text.split_once('/').and_then(|(address, bits)| {
        let bits = bits.bytes().all(|byte| byte.is_ascii_digit()).then(|| bits.parse::<u8>().ok())?;
        address.parse::<IpAddr>().ok().zip(bits)
    });
    parsed.is_some_and(|(address, bits)| bits <= if address.is_ipv4() { 32 } else { 128 })
}

const CONCURRENCY: &str = "topology.cluster.x-k8s.io/upgrade-concurrency";

pub(super) fn no_concurrency(object: &Value) -> Vec<Refusal> {
    let is_managed = object.pointer("/spec/topology").is_some_and(Value::is_object);
    let is_number = |value: &str| value.parse::<i64>().is_ok_and(|number| number >= 1);
    let found = annotation(object, CONCURRENCY).filter(|value| is_managed && !is_number(value));
    let message = |value| format!("`{value}` must be a number of at least 1");
    Vec::from_iter(found.map(|value| refusal(format!("metadata.annotations.{CONCURRENCY}"), message(value))))
}

const SKIPPED_CHECKS: &str = "machineset.cluster.x-k8s.io/skip-preflight-checks";

pub(super) fn unknown_checks(object: &Value) -> Vec<Refusal> {
    const CHECKS: [&str; 5] =
        ["All", "ControlPlaneIsStable", "ControlPlaneVersionSkew", "KubeadmVersionSkew", "KubernetesVersionSkew"];
    let skipped = annotation(object, SKIPPED_CHECKS).into_iter().flat_map(|value| value.split(','));
    let unknown = skipped.map(str::trim).find(|check| !CHECKS.contains(check));
    let message = |check| format!("`{check}` must be one of the preflight checks {}", CHECKS.join(", "));
    Vec::from_iter(unknown.map(|check| refusal(format!("metadata.annotations.{SKIPPED_CHECKS}"), message(check))))
}

/// An annotation with a value that is not filled in later.
fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    let value = object.pointer("/metadata/annotations")?.get(key)?.as_str()?;
    Some(value).filter(|value| !value.is_empty() && !has_variable(value))
}

/// Templates of the names of Machines.
pub(super) fn fixed_names(object: &Value) -> Vec<Refusal> {
    const FIELDS: [&str; 4] = [
        "/spec/machineNaming/template",
        "/spec/machineNamingStrategy/template",
        "/spec/template/spec/machineNaming/template",
        "/spec/template/spec/machineNamingStrategy/template",
    ];
    let templates = FIELDS.into_iter().filter_map(|pointer| Some((pointer, object.pointer(pointer)?.as_str()?)));
    let fixed = templates.filter(|(_, template)| {
        !template.is_empty() && !template.contains("${") && !template.contains("{{ .random }}")
    });
    fixed.map(|(pointer, _)| refusal(path(pointer), "the template of names does not contain `{{ .random }}`")).collect()
}

/// What a Machine is started with, if something is written there that names nothing.
pub(super) fn no_bootstrap(object: &Value) -> Vec<Refusal> {
    let (pointer, of_machine) = match text(object, "kind") {
        "Machine" => ("/spec/bootstrap", written(object, "/metadata/labels/cluster.x-k8s.io~1pool-name").is_some()),
        _ => ("/spec/template/spec/bootstrap", false),
    };
    let has = |bootstrap: &Value, field: &str| bootstrap.get(field).is_some_and(|value| !value.is_null());
    let found = object.pointer(pointer).filter(|it| it.is_object() && !of_machine);
    let is_refused = found.is_some_and(|it| !["configRef", "dataSecretName"].iter().any(|field| has(it, field)));
    Vec::from_iter(is_refused.then(|| refusal(path(pointer), "a `configRef` or a `dataSecretName` is required")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_an_address_and_a_number_of_bits() {
        for range in ["10.0.0.0/16", "192.168.0.1/32", "fd00::/64", "0.0.0.0/0"] {
            assert!(is_range(range), "{range}");
        }
        for range in [
            "",
            "10.0.0.0",
            "10.0.0.0/33",
            "10.0.0/16",
            "fd00::/129",
            "10.0.0.0/+8",
            "10.0.0.0/",
            "10.0.0.0/16,fd00::/64",
        ] {
            assert!(!is_range(range), "{range}");
        }
    }
}
