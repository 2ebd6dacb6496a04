//! Taints of Machines, which Cluster API's webhooks mostly refuse.

use serde_json::Value;

use super::{Refusal, refusal};
use crate::relations::text;
use crate::workers::all_workers;

/// Where taints are in an object, with them.
fn taints(object: &Value) -> Vec<(String, &Vec<Value>)> {
    const OF: [&str; 8] = [
        "",
        "template/spec/",
        "controlPlane/",
        "topology/controlPlane/",
        "machineTemplate/",
        "machineTemplate/spec/",
        "template/spec/machineTemplate/",
        "template/spec/machineTemplate/spec/",
    ];
    let own = OF.map(|of| format!("/spec/{of}taints")).map(|pointer| (super::path(&pointer), object.pointer(&pointer)));
    let workers = all_workers(object);
    let workers = workers.map(|worker| (format!("{}.taints", worker.at()), worker.value.get("taints")));
    let all = own.into_iter().chain(workers);
    all.filter_map(|(at, taints)| Some((at, taints?.as_array().filter(|taints| !taints.is_empty())?))).collect()
}

/// Taints that are set by the control plane of a cluster, its nodes or Cluster API.
pub(super) fn reserved(object: &Value) -> Vec<Refusal> {
    let is_of_workers = ["MachineDeployment", "MachineSet"].contains(&text(object, "kind"));
    let mut found = Vec::new();
    for (at, taints) in taints(object) {
        for (number, taint) in taints.iter().enumerate() {
            let key = text(taint, "key");
            if is_reserved(key) || is_of_workers && key == "node-role.kubernetes.io/control-plane" {
                let message = format!("the key `{key}` of a taint is reserved");
                found.push(refusal(format!("{at}[{number}].key"), message));
            }
        }
    }
    found
}

fn is_reserved(key: &str) -> bool {
    let keys = [
        "node.cluster.x-k8s.io/uninitialized",
        "node.cluster.x-k8s.io/outdated-revision",
        "node-role.kubernetes.io/master",
    ];
    keys.contains(&key)
        || key.starts_with("node.cloudprovider.kubernetes.io/")
        || key.starts_with("node.kubernetes.io/") && key != "node.kubernetes.io/out-of-service"
}

/// Taints of a MachinePool itself. In a topology or a class they are accepted, and refused when the pool is written.
pub(crate) fn of_pool(object: &Value) -> Vec<Refusal> {
    let message = "Cluster API refuses taints of MachinePools: it does not implement them";
    taints(object).into_iter().map(|(at, _)| refusal(at, message)).collect()
}

/// Taints without the feature gate for them. It is off by default.
///
/// Sources, in Cluster API v1.14: `ValidateMachineTaints` in internal/util/taints/validation.go, and its callers in
/// core/webhooks/admission and controlplane/kubeadm/webhooks/admission; feature/feature.go.
pub(super) fn ungated(object: &Value) -> Vec<Refusal> {
    taints(object).into_iter().map(|(at, _)| refusal(at, UNGATED)).collect()
}

pub(super) const UNGATED: &str = "taints are refused while Cluster API's feature gate MachineTaintPropagation is off, as it is by \
                                  default; if it is on, set `clusterApi.taints` or use `--taints`";
