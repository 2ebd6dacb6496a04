//! What the webhook of control planes of RKE2 refuses.

use serde_json::Value;

use super::{Refusal, refusal};
use crate::relations::text;

/// Source: `validateSpec`, `validateCNI` and `validateMachineTemplate` in controlplane/api/v1beta2/rke2controlplane_webhook.go of
/// Cluster API's provider for RKE2.
pub(super) fn control_plane(object: &Value) -> Vec<Refusal> {
    let is_below = |pointer: &str, least: i64| {
        object.pointer(pointer).and_then(Value::as_i64).is_some_and(|number| number < least)
    };
    let replicas =
        is_below("/spec/replicas", 1).then(|| refusal("spec.replicas", "a control plane has at least one replica"));
    let server = object.pointer("/spec/serverConfig").unwrap_or(&Value::Null);
    let is_alone = server.get("cniMultusEnable") == Some(&Value::Bool(true)) && text(server, "cni").is_empty();
    let plugin = is_alone.then(|| refusal("spec.serverConfig.cni", "`cniMultusEnable` needs a `cni`"));
    let timeouts = ["nodeDrainTimeoutSeconds", "nodeVolumeDetachTimeoutSeconds", "nodeDeletionTimeoutSeconds"];
    let negative =
        timeouts.into_iter().filter(|name| is_below(&format!("/spec/machineTemplate/spec/deletion/{name}"), 0));
    let negative =
        negative.map(|name| refusal(format!("spec.machineTemplate.spec.deletion.{name}"), "it must not be negative"));
    replicas.into_iter().chain(plugin).chain(negative).collect()
}
