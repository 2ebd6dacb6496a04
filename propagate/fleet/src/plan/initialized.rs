//! Which Machines of a kubeadm control plane an edit concerns: the one that initialized it, or those that joined it.
//!
//! Source: `matchesKubeadmConfig` in controlplane/kubeadm/pkg/filters.go of Cluster API v1.14.

use serde_json::Value;

use super::bare::bare;
use super::path::{EditPath, EditPlace};
use crate::object::ObjectId;

const INIT: &str = "/spec/kubeadmConfigSpec/initConfiguration";
const JOIN: &str = "/spec/kubeadmConfigSpec/joinConfiguration";

/// Whether an edit replaces only Machines that joined the control plane, which may be none: before it, there may be only the
/// Machine that initialized it.
pub(super) fn concerns_joined_only(id: &ObjectId, path: &EditPath, values: [&Value; 2]) -> bool {
    let [was, _] = values;
    let has_several = was.pointer("/spec/replicas").and_then(Value::as_u64) > Some(1);
    let [initialized, initializes] = values.map(|object| object.pointer(INIT));
    id.kind == "KubeadmControlPlane" && path.place == EditPlace::Joining && initialized == initializes && !has_several
}

/// Whether an edit of the configuration with which a control plane is initialized replaces no Machine: the one that
/// initialized it is like those that join it.
pub(super) fn concerns_none(path: &EditPath, values: [&Value; 2]) -> bool {
    const SAME: [[&str; 2]; 5] = [
        ["nodeRegistration", "nodeRegistration"],
        ["localAPIEndpoint", "controlPlane/localAPIEndpoint"],
        ["patches", "patches"],
        ["skipPhases", "skipPhases"],
        ["timeouts", "timeouts"],
    ];
    let [was, is] = values;
    let value = |object: &Value, of: &str, field: &str| object.pointer(&format!("{of}/{field}")).and_then(bare);
    // An empty list means that the Node gets no taint, also none of the default ones.
    let is_untainted = |object: &Value, of: &str| {
        let taints = object.pointer(&format!("{of}/nodeRegistration/taints")).and_then(Value::as_array);
        taints.is_some_and(Vec::is_empty)
    };
    path.place == EditPlace::Initialization
        && is_untainted(was, INIT) == is_untainted(is, JOIN)
        && SAME.iter().all(|[init, join]| value(was, INIT, init) == value(is, JOIN, join))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_machine_that_initialized_is_compared_with_those_that_join() {
        let object = |init: &str, join: &str| {
            let node = |provider: &str| json!({"nodeRegistration": {"kubeletExtraArgs": {"cloud-provider": provider}}});
            json!({"spec": {"kubeadmConfigSpec": {"initConfiguration": node(init), "joinConfiguration": node(join)}}})
        };
        let path = EditPath::parse("spec.kubeadmConfigSpec.initConfiguration.nodeRegistration");
        let is = |was: [&str; 2], is: [&str; 2]| concerns_none(&path, [&object(was[0], was[1]), &object(is[0], is[1])]);
        assert!(is(["a", "a"], ["b", "a"]));
        assert!(is(["a", "b"], ["b", "a"]));
        assert!(!is(["a", "a"], ["b", "b"]));
        assert!(!is(["a", "b"], ["c", "b"]));
        let joining = EditPath::parse("spec.kubeadmConfigSpec.joinConfiguration");
        assert!(!concerns_none(&joining, [&json!({}), &json!({})]));
    }
}
