//! What the webhook of ClusterClasses refuses in names.
//!
//! Source: `validateNamingStrategies` in core/webhooks/admission/clusterclass.go of Cluster API.

use serde_json::{Value, json};

use crate::fields::{get, infrastructure_naming, list, text};
use crate::obstacle::TopologyRefusal;
use crate::template::name_of;

/// What is refused, whatever its Clusters are.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let of_class = |path: String, reason: String| TopologyRefusal::object("ClusterClass", path, reason);
    let mut found = Vec::new();
    let mut name = |holder: &Value, at: &str, data: Value| {
        for field in ["naming", "namingStrategy"] {
            let template = text(holder, &[field, "template"]);
            if let Some(reason) = (!template.is_empty()).then(|| invalid(template, data.clone())).flatten() {
                found.push(of_class(format!("{at}.{field}.template"), reason));
            }
        }
    };
    name(&infrastructure_naming(class), "spec.infrastructure", json!({}));
    name(get(class, &["spec", "controlPlane"]).unwrap_or(&Value::Null), "spec.controlPlane", json!({}));
    for (kind, builtin) in [("machineDeployments", "machineDeployment"), ("machinePools", "machinePool")] {
        for workers in list(class, &["spec", "workers", kind]) {
            let at = format!("spec.workers.{kind}[{}]", text(workers, &["class"]));
            name(workers, &at, json!({ builtin: {"topologyName": "topology"} }));
        }
    }
    found
}

/// Why a template makes no name.
fn invalid(template: &str, mut data: Value) -> Option<String> {
    crate::fields::set(&mut data, &["cluster", "name"], json!("cluster"));
    crate::fields::set(&mut data, &["random"], json!("x7k2p"));
    let name = match name_of(template, &data) {
        Ok(name) => name,
        Err(error) => return Some(error.to_string()),
    };
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    (!name.split('.').all(is_label)).then(|| format!("`{name}` is no name of an object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_webhook_admits() {
        let class = |control_plane: Value, template: &str| {
            let workers = json!([{"class": "worker", "naming": {"template": template}}]);
            json!({"spec": {"controlPlane": control_plane, "workers": {"machineDeployments": workers}}})
        };
        let at = "`spec.workers.machineDeployments[worker].naming.template` of ClusterClass";
        let cases = [
            (class(json!({}), "{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}"), None),
            (class(json!({}), "{{ .nothing }}"), Some(format!("{at}: map has no entry for key: nothing"))),
            (class(json!({}), "{{ .cluster.name }}-"), Some(format!("{at}: `cluster-` is no name of an object"))),
        ];
        for (class, expected) in cases {
            let found: Vec<String> = refusals(&class).iter().map(ToString::to_string).collect();
            assert_eq!(found, Vec::from_iter(expected), "{class}");
        }
    }
}
