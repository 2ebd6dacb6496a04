//! What the API server refuses in objects of Cluster API's kubeadm providers: values that do not fit their schemas.
//!
//! Source: the CustomResourceDefinition of KubeadmControlPlane, without descriptions; `make conformance-vectors` writes it.

use std::sync::LazyLock;

use serde_json::Value;

use crate::fields::{get, text};
use crate::obstacle::TopologyRefusal;
use crate::schema::of_schema;

static V1BETA1: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("kubeadm/kubeadm-v1beta1.json")).unwrap_or_default());
static V1BETA2: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("kubeadm/kubeadm-v1beta2.json")).unwrap_or_default());

/// Why the API server refuses a KubeadmControlPlane, KubeadmConfigTemplate or KubeadmConfig; `None` for other kinds.
///
/// ```
/// use serde_json::json;
///
/// let object = json!({"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta2", "kind": "KubeadmConfigTemplate",
///     "spec": {"template": {"spec": {"files": []}}}});
/// let reason = topology::schema_refusal(&object).map(|refusal| refusal.to_string());
/// let expected = "`spec.template.spec.files` of KubeadmConfigTemplate: should have at least 1 items";
/// assert_eq!(reason.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn schema_refusal(object: &Value) -> Option<TopologyRefusal> {
    let [api_version, kind] = ["apiVersion", "kind"].map(|field| text(object, &[field]));
    let schema: &Value = match api_version.split_once('/')? {
        (group, _) if !group.ends_with("cluster.x-k8s.io") => return None,
        (_, "v1beta1") => &V1BETA1,
        (_, "v1beta2") => &V1BETA2,
        _ => return None,
    };
    let path: &[&str] = match kind {
        "KubeadmControlPlane" => &["spec", "kubeadmConfigSpec"],
        "KubeadmConfig" => &["spec"],
        "KubeadmConfigTemplate" => &["spec", "template", "spec"],
        _ => return None,
    };
    let found = of_schema(get(object, path)?, get(schema, &["properties", "kubeadmConfigSpec"])?, &path.join("."));
    let (path, reason) = found.first()?.split_once(": ")?;
    Some(TopologyRefusal::Object { kind: kind.to_owned(), path: path.to_owned(), reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_the_definitions_of_both_versions() {
        let object = |version: &str, extra: Value| {
            let spec = json!({"clusterConfiguration": {"apiServer": {"extraArgs": extra}}});
            json!({"apiVersion": format!("bootstrap.cluster.x-k8s.io/{version}"), "kind": "KubeadmConfig", "spec": spec})
        };
        let [map, list] = [json!({"v": "4"}), json!([{"name": "v", "value": "4"}])];
        let reason = |given: &str, kind: &str| {
            format!(
                "`spec.clusterConfiguration.apiServer.extraArgs` of KubeadmConfig: must be of type {kind}, not {given}"
            )
        };
        let cases = [
            (object("v1beta1", map.clone()), None),
            (object("v1beta1", list.clone()), Some(reason("array", "object"))),
            (object("v1beta2", list), None),
            (object("v1beta2", map), Some(reason("object", "array"))),
        ];
        for (object, expected) in cases {
            assert_eq!(schema_refusal(&object).map(|refusal| refusal.to_string()), expected, "{object}");
        }
    }
}
