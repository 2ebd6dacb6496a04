//! Labels and taints with which a kubelet registers its Node, as set in the bootstrap template of a node group.

use std::collections::BTreeMap;

use fleet::Member;
use serde_json::Value;

use super::keys::{self, Taint};
use super::templates::Templates;

/// What a kubelet sets on its Node.
#[derive(Default)]
pub(crate) struct Registered {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) taints: Vec<Taint>,
}

/// What the kubelets of a node group set; `None` if its template is missing, is not one of kubeadm, or has placeholders
/// that are filled in on the machine.
pub(crate) fn registered(templates: &Templates<'_>, group: &Member, object: &Value) -> Option<Registered> {
    const CONFIGURATION: &str = "/spec/template/spec/joinConfiguration/nodeRegistration";
    let template = templates.at(group, object, "/spec/template/spec/bootstrap/configRef")?;
    if template.id.kind != "KubeadmConfigTemplate" {
        return None;
    }
    let template = template.completed();
    let registration = template.pointer(CONFIGURATION).unwrap_or(&Value::Null);
    Some(Registered {
        labels: labels(registration.get("kubeletExtraArgs"))?,
        taints: taints(registration.get("taints")),
    })
}

/// Taints in the format of Kubernetes objects.
pub(crate) fn taints(list: Option<&Value>) -> Vec<Taint> {
    let taints = list.and_then(Value::as_array).into_iter().flatten();
    let text = |taint: &Value, field: &str| taint.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let taint = |taint| Taint { key: text(taint, "key"), value: text(taint, "value"), effect: text(taint, "effect") };
    taints.map(taint).collect()
}

/// The labels of the kubelet's flag: a map in v1beta1, a list of names and values in v1beta2.
fn labels(arguments: Option<&Value>) -> Option<BTreeMap<String, String>> {
    const FLAG: &str = "node-labels";
    let value = match arguments {
        Some(Value::Array(arguments)) => {
            let flag = arguments.iter().rev().find(|argument| argument.get("name").is_some_and(|name| name == FLAG));
            flag.and_then(|flag| flag.get("value"))
        }
        Some(arguments) => arguments.get(FLAG),
        None => None,
    };
    match value.and_then(Value::as_str).unwrap_or_default() {
        "" => Some(BTreeMap::new()),
        value => keys::labels(value).into_iter().map(Result::ok).collect(),
    }
}
