//! What the API server refuses in objects of Cluster API: values that do not fit the definitions of their kinds.
//!
//! Source: the CustomResourceDefinitions of Cluster, ClusterClass and KubeadmControlPlane, without descriptions;
//! `make conformance-vectors` writes them.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::fields::{get, text};
use crate::obstacle::TopologyRefusal;
use crate::schema::{SchemaViolation, of_schema, prune, unknown};

/// The schema of a kind's `spec` in one version.
struct KindDefinition {
    kind: &'static str,
    version: &'static str,
    /// As JSON.
    written: &'static str,
    /// The same, parsed when it is needed first.
    parsed: OnceLock<Value>,
}

const fn definition(kind: &'static str, version: &'static str, written: &'static str) -> KindDefinition {
    KindDefinition { kind, version, written, parsed: OnceLock::new() }
}

static DEFINITIONS: [KindDefinition; 6] = [
    definition("Cluster", "v1beta1", include_str!("definitions/cluster-v1beta1.json")),
    definition("Cluster", "v1beta2", include_str!("definitions/cluster-v1beta2.json")),
    definition("ClusterClass", "v1beta1", include_str!("definitions/clusterclass-v1beta1.json")),
    definition("ClusterClass", "v1beta2", include_str!("definitions/clusterclass-v1beta2.json")),
    definition("KubeadmControlPlane", "v1beta1", include_str!("definitions/kubeadm-v1beta1.json")),
    definition("KubeadmControlPlane", "v1beta2", include_str!("definitions/kubeadm-v1beta2.json")),
];

/// The schema of the `spec` of a kind in the version of an object.
fn schema(kind: &str, object: &Value) -> Option<&'static Value> {
    let (group, version) = text(object, &["apiVersion"]).split_once('/')?;
    definition_of(kind, version).filter(|_| group.ends_with("cluster.x-k8s.io"))
}

fn definition_of(kind: &str, version: &str) -> Option<&'static Value> {
    let of_kind = DEFINITIONS.iter().find(|of| (of.kind, of.version) == (kind, version))?;
    Some(of_kind.parsed.get_or_init(|| serde_json::from_str(of_kind.written).unwrap_or_default()))
}

/// The keywords of the schemas that classes have for variables.
pub(crate) fn schema_keywords() -> Option<&'static Value> {
    const PATH: [&str; 7] =
        ["properties", "variables", "items", "properties", "schema", "properties", "openAPIV3Schema"];
    get(definition_of("ClusterClass", "v1beta2")?, &PATH)
}

/// An object of Cluster API without the fields that its definition does not have, as the API server stores it.
///
/// ```
/// use serde_json::json;
///
/// let object = |spec| json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "spec": spec});
/// let written = object(json!({"paused": true, "reason": "a move"}));
/// assert_eq!(topology::pruned(&written), object(json!({"paused": true})));
/// ```
#[must_use]
pub fn pruned(object: &Value) -> Value {
    let mut object = object.clone();
    let (schema, path) = of_object(&object);
    let pointer = format!("/{}", path.join("/"));
    if let (Some(schema), Some(spec)) = (schema, object.pointer_mut(&pointer)) {
        prune(spec, schema);
    }
    object
}

/// The schema of what an object has at a path. A template has that of the object that is made from it.
fn of_object(object: &Value) -> (Option<&'static Value>, &'static [&'static str]) {
    let kubeadm = schema("KubeadmControlPlane", object);
    match text(object, &["kind"]) {
        "KubeadmControlPlaneTemplate" => (kubeadm, &["spec", "template", "spec"]),
        "KubeadmConfigTemplate" => (kubeadm.and_then(|it| get(it, &KUBEADM_CONFIG)), &["spec", "template", "spec"]),
        kind => (schema(kind, object), &["spec"]),
    }
}

/// Where the schema of a control plane has that of its KubeadmConfigs.
const KUBEADM_CONFIG: [&str; 2] = ["properties", "kubeadmConfigSpec"];

/// Why values of an object do not fit its definition, if it is known here. A null is as good as nothing, and the webhook of
/// Clusters writes defaults into a list of variables before it is checked.
///
/// ```
/// use serde_json::json;
///
/// let object = json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
///     "spec": {"topology": {"classRef": {"name": "c"}, "version": "v1.36.0", "controlPlane": {"replicas": 1.5}}}});
/// let found: Vec<String> = topology::definition_violations(&object).iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["spec.topology.controlPlane.replicas: must be of type integer, not number"]);
/// ```
#[must_use]
pub fn definition_violations(object: &Value) -> Vec<SchemaViolation<'_>> {
    let (schema, path) = of_object(object);
    let (Some(schema), Some(spec)) = (schema, get(object, path)) else { return Vec::new() };
    let mut found = of_schema(spec, schema, &path.join("."));
    let is_filled = |violation: &SchemaViolation| violation.at == "spec.topology.variables";
    found.retain(|it| {
        !it.part.is_some_and(|part| part.is_null() || part.as_array().is_some_and(Vec::is_empty) && is_filled(it))
    });
    found
}

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
    let kind = text(object, &["kind"]);
    let path: &[&str] = match kind {
        "KubeadmControlPlane" => &["spec", "kubeadmConfigSpec"],
        "KubeadmConfig" => &["spec"],
        "KubeadmConfigTemplate" => &["spec", "template", "spec"],
        _ => return None,
    };
    let of_kind = schema("KubeadmControlPlane", object)?;
    let schema = get(of_kind, &KUBEADM_CONFIG)?;
    let refused = |path, reason| TopologyRefusal::Object { kind: kind.to_owned(), path, reason };
    let found = get(object, path).and_then(|spec| of_schema(spec, schema, &path.join(".")).into_iter().next());
    if let Some(SchemaViolation { at, reason, .. }) = found {
        return Some(refused(at, reason));
    }
    let (path, schema): (&[&str], _) =
        if kind == "KubeadmControlPlane" { (&["spec"], of_kind) } else { (path, schema) };
    let unknown = unknown(get(object, path)?, schema, &path.join(".")).into_iter().next()?;
    Some(refused(unknown, "not specified in the schema".to_owned()))
}

/// Why the topology's controller cannot read the endpoint of an infrastructure cluster that it is about to write.
///
/// Source: `IgnorePaths` in internal/contract/infrastructure_cluster.go of Cluster API v1.14.
///
/// ```
/// use serde_json::json;
///
/// let object = json!({"kind": "DevCluster", "spec": {"controlPlaneEndpoint": "example.com:6443"}});
/// let reason = topology::endpoint_refusal(&object).map(|refusal| refusal.to_string());
/// let expected = "`spec.controlPlaneEndpoint` of DevCluster: must be of type object, not string";
/// assert_eq!(reason.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn endpoint_refusal(object: &Value) -> Option<TopologyRefusal> {
    let endpoint = json!({"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}});
    let found = of_schema(get(object, &["spec", "controlPlaneEndpoint"])?, &endpoint, "spec.controlPlaneEndpoint");
    let SchemaViolation { at, reason, .. } = found.into_iter().next()?;
    Some(TopologyRefusal::Object { kind: text(object, &["kind"]).to_owned(), path: at, reason })
}

#[cfg(test)]
mod tests {
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
