//! What the webhooks refuse in the health checks of classes, and of Clusters with a class.
//!
//! Source: `validateMachineHealthChecks` in core/webhooks/admission/cluster.go of Cluster API, and
//! `validateMachineHealthCheckClasses` and `validateUpdatesToMachineHealthCheckClasses` in clusterclass.go.

use serde_json::Value;

use crate::fields::{get, is_true, list, text};
use crate::functions::whole_seconds;
use crate::obstacle::TopologyRefusal;
use crate::owner::DEPLOYMENTS;

/// The field of a health check in v1beta2 and v1beta1.
const FIELDS: [&str; 2] = ["healthCheck", "machineHealthCheck"];

/// What is refused in a class, whatever its Clusters are.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let control_plane = get(class, &["spec", "controlPlane"]);
    let without_machines =
        control_plane.filter(|holder| is_defined(holder) && get(holder, &["machineInfrastructure"]).is_none());
    let without_machines = without_machines.into_iter().flat_map(|holder| {
        let fields = FIELDS.into_iter().filter(|field| get(holder, &[field]).is_some());
        fields.map(|field| (format!("spec.controlPlane.{field}"), NEEDS_MACHINES.to_owned()))
    });
    let workers = list(class, &["spec", "workers", DEPLOYMENTS.list]).iter();
    let workers = workers.map(|it| (format!("spec.workers.{}[{}]", DEPLOYMENTS.list, text(it, &["class"])), it));
    let holders = control_plane.map(|it| ("spec.controlPlane".to_owned(), it)).into_iter().chain(workers);
    let invalid = holders.flat_map(|(at, holder)| invalid(&at, holder));
    without_machines.chain(invalid).map(|found| of_kind("ClusterClass", found)).collect()
}

const NEEDS_MACHINES: &str = "needs `spec.controlPlane.machineInfrastructure`";

/// What is refused in a Cluster because of the class, and in the class because of the Cluster.
///
/// ```
/// use serde_json::json;
///
/// let cluster = json!({"spec": {"topology": {"controlPlane": {"healthCheck": {"enabled": true}}}}});
/// let refusals = topology::health_check_refusals(&cluster, &json!({"spec": {"controlPlane": {}}}));
/// let refusals: Vec<String> = refusals.iter().map(ToString::to_string).collect();
/// let reason = "it is enabled, and neither the Cluster nor its ClusterClass defines it";
/// assert_eq!(refusals, [format!("`spec.topology.controlPlane.healthCheck` of Cluster: {reason}")]);
/// ```
pub fn health_check_refusals(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let topology = |path: &[&str]| get(cluster, &["spec", "topology"]).and_then(|it| get(it, path));
    let of_control_plane = get(class, &["spec", "controlPlane"]);
    let control_plane =
        topology(&["controlPlane"]).map(|it| ("spec.topology.controlPlane".to_owned(), it, of_control_plane));
    let has_machines = of_control_plane.is_none_or(|it| get(it, &["machineInfrastructure"]).is_some());
    let without_machines = control_plane.iter().filter(|(_, entry, _)| !has_machines && is_defined(entry));
    let without_machines = without_machines.map(|(at, ..)| (format!("{at}.healthCheck"), NEEDS_MACHINES.to_owned()));
    let workers = list(cluster, &["spec", "topology", "workers", DEPLOYMENTS.list]).iter().map(|entry| {
        let mut classes = list(class, &["spec", "workers", DEPLOYMENTS.list]).iter();
        let of_class = classes.find(|it| text(it, &["class"]) == text(entry, &["class"]));
        (format!("spec.topology.workers.{}[{}]", DEPLOYMENTS.list, text(entry, &["name"])), entry, of_class)
    });
    let holders = control_plane.clone().into_iter().chain(workers);
    let found =
        holders.flat_map(|(at, entry, of_class)| [undefined(&at, entry, of_class), invalid(&at, entry)].concat());
    without_machines.chain(found).map(|found| of_kind("Cluster", found)).collect()
}

/// A health check that an entry of a topology enables, and that neither the entry nor its class defines.
fn undefined(at: &str, entry: &Value, of_class: Option<&Value>) -> Vec<(String, String)> {
    let is_enabled = |field: &&str| ["enabled", "enable"].iter().any(|it| is_true(entry, &[field, it]));
    let is_missing = !is_defined(entry) && of_class.is_some_and(|class| !is_defined(class));
    let fields = FIELDS.into_iter().filter(|field| is_missing && is_enabled(field));
    fields.map(|field| (format!("{at}.{field}"), UNDEFINED.to_owned())).collect()
}

const UNDEFINED: &str = "it is enabled, and neither the Cluster nor its ClusterClass defines it";

fn of_kind(kind: &str, (path, reason): (String, String)) -> TopologyRefusal {
    TopologyRefusal::object(kind, path, reason)
}

/// Whether a class or an entry of a topology defines a health check, rather than enables one.
fn is_defined(holder: &Value) -> bool {
    let fields = FIELDS.iter().filter_map(|field| get(holder, &[field])?.as_object()).flatten();
    fields.into_iter().any(|(name, value)| !["enabled", "enable"].contains(&&**name) && !is_zero(value))
}

/// Whether Go reads a value as a field that is not set.
fn is_zero(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(|fields| fields.values().all(is_zero))
}

/// The path of a startup timeout that is too short, and what is said of it. The check is that of a class, of a topology, or the
/// `spec` of a MachineHealthCheck, in either version: a duration of v1beta1 is converted to whole seconds first.
///
/// Source: `validateMachineHealthCheckNodeStartupTimeoutSeconds` in core/webhooks/admission/machinehealthcheck.go of Cluster
/// API v1.14; `ConvertToSeconds` in api/core/v1beta2/conversion.go.
///
/// ```
/// use serde_json::json;
///
/// let reason = "must be at least 30 seconds, or 0";
/// assert_eq!(topology::early_startup(&json!({"nodeStartupTimeout": "20s"})), Some(("nodeStartupTimeout", reason)));
/// assert_eq!(topology::early_startup(&json!({"checks": {"nodeStartupTimeoutSeconds": 600}})), None);
/// ```
pub fn early_startup(check: &Value) -> Option<(&'static str, &'static str)> {
    let seconds = get(check, &["checks", "nodeStartupTimeoutSeconds"]).and_then(Value::as_i64);
    let seconds = seconds.map(|seconds| ("checks.nodeStartupTimeoutSeconds", seconds));
    let (path, seconds) =
        seconds.or_else(|| Some(("nodeStartupTimeout", whole_seconds(text(check, &["nodeStartupTimeout"]))?)))?;
    (seconds != 0 && seconds < 30).then_some((path, "must be at least 30 seconds, or 0"))
}

/// Values that are not those of a health check.
fn invalid(at: &str, holder: &Value) -> Vec<(String, String)> {
    const AMOUNTS: [&[&str]; 2] =
        [&["remediation", "triggerIf", "unhealthyLessThanOrEqualTo"], &["remediation", "maxInFlight"]];
    let found = FIELDS.into_iter().filter_map(|field| Some((field, get(holder, &[field])?)));
    let early = found.filter_map(|(field, check)| {
        let (path, reason) = early_startup(check)?;
        Some((format!("{at}.{field}.{path}"), reason.to_owned()))
    });
    let early: Vec<(String, String)> = early.collect();
    let [field, _] = FIELDS;
    let Some(check) = get(holder, &[field]) else { return early };
    let amounts = AMOUNTS
        .into_iter()
        .filter(|path| get(check, path).and_then(Value::as_str).is_some_and(|text| !super::is_amount(text)));
    let amounts = amounts.map(|path| (format!("{at}.{field}.{}", path.join(".")), super::NO_AMOUNT.to_owned()));
    early.into_iter().chain(amounts).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_enabled_is_defined() {
        let check = json!({"checks": {"nodeStartupTimeoutSeconds": 300}});
        let class = |of_control_plane: &Value, of_workers: &Value| {
            json!({"spec": {"controlPlane": {"machineInfrastructure": {"templateRef": {"name": "m"}}, "healthCheck": of_control_plane},
                "workers": {"machineDeployments": [{"class": "worker", "healthCheck": of_workers}]}}})
        };
        let cluster = |of_control_plane: Value, of_workers: Value| {
            json!({"spec": {"topology": {"controlPlane": {"healthCheck": of_control_plane},
                "workers": {"machineDeployments": [{"name": "md", "class": "worker", "healthCheck": of_workers}]}}}})
        };
        let enabled = json!({"enabled": true});
        let own = json!({"enabled": true, "checks": {"nodeStartupTimeoutSeconds": 60}});
        let at = |field: &str| format!("`spec.topology.{field}` of Cluster");
        let [of_control_plane, of_workers] =
            ["controlPlane.healthCheck", "workers.machineDeployments[md].healthCheck"].map(at);
        let none = json!({});
        let cases = [
            (cluster(enabled.clone(), enabled.clone()), class(&check, &check), vec![]),
            (cluster(own.clone(), own), class(&none, &none), vec![]),
            (cluster(json!({"enabled": false}), none.clone()), class(&none, &none), vec![]),
            (
                cluster(enabled.clone(), enabled.clone()),
                class(&none, &json!({"checks": {}})),
                vec![format!("{of_control_plane}: {UNDEFINED}"), format!("{of_workers}: {UNDEFINED}")],
            ),
            (
                cluster(none.clone(), json!({"checks": {"nodeStartupTimeoutSeconds": 2}, "remediation": {"maxInFlight": "3"}})),
                class(&none, &none),
                vec![
                    "`spec.topology.workers.machineDeployments[md].healthCheck.checks.nodeStartupTimeoutSeconds` of Cluster: must be at least 30 seconds, or 0".to_owned(),
                    "`spec.topology.workers.machineDeployments[md].healthCheck.remediation.maxInFlight` of Cluster: must be a number or a percentage".to_owned(),
                ],
            ),
        ];
        for (cluster, class, expected) in cases {
            let found: Vec<String> = health_check_refusals(&cluster, &class).iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{cluster}");
        }
        let refused = refusals(&json!({"spec": {"controlPlane": {"machineHealthCheck": {"maxUnhealthy": "40%"}}}}));
        let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused, [format!("`spec.controlPlane.machineHealthCheck` of ClusterClass: {NEEDS_MACHINES}")]);
    }
}
