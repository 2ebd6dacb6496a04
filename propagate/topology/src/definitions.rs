//! What the API server refuses in objects of Cluster API: values that do not fit the definitions of their kinds.
//!
//! Source: the CustomResourceDefinitions of Cluster API's own groups, without descriptions; `make conformance-vectors` writes
//! them. What several fields have is written there once, and referred to by its number.

mod unknown;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

pub use self::unknown::{UnknownField, is_newer, unknown_fields};
use crate::fields::{get, list, set, text};
use crate::object_path::{ObjectPath, ObjectStep, VisitedPath};
use crate::obstacle::TopologyRefusal;
use crate::schema::{
    IS_DURATION, SchemaViolation, WHOLE, has_empty_list, is_keyed, of_schema, prune, schema_of, unknown,
};

/// The schema of a kind in one version.
#[derive(Default)]
struct KindDefinition {
    /// That of `spec`.
    written: Value,
    /// That of an object, when it is needed first.
    expanded: OnceLock<Value>,
}

/// All kinds by names such as `Cluster.cluster.x-k8s.io/v1beta2`, and what their schemas share.
struct Definitions {
    kinds: BTreeMap<String, KindDefinition>,
    shared: Vec<Value>,
}

fn definitions() -> &'static Definitions {
    static PARSED: OnceLock<Definitions> = OnceLock::new();
    PARSED.get_or_init(|| {
        let written: Value = serde_json::from_str(include_str!("definitions/cluster-api.json")).unwrap_or_default();
        let kinds = written.get("kinds").and_then(Value::as_object).into_iter().flatten();
        let definition = |written: &Value| KindDefinition { written: written.clone(), ..KindDefinition::default() };
        Definitions {
            kinds: kinds.map(|(name, written)| (name.clone(), definition(written))).collect(),
            shared: list(&written, &["shared"]).to_vec(),
        }
    })
}

/// A schema with what it refers to.
fn expanded(schema: &Value, shared: &[Value]) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let number = fields.get("$ref").and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    if let Some(schema) = number.and_then(|number| shared.get(number)) {
        return expanded(schema, shared);
    }
    let of_field = |(name, of): (&String, &Value)| {
        let mut of = expanded(of, shared);
        if DURATIONS.contains(&&**name) {
            set(&mut of, &["x-kubernetes-validations"], duration_rules());
        }
        (name.clone(), of)
    };
    fields.iter().map(of_field).collect::<Map<_, _>>().into()
}

/// Texts of v1beta1 that are durations: the conversion to v1beta2, where they are seconds and at least 0, reads them.
///
/// Source: fields of type `metav1.Duration` in api/core/v1beta1, api/bootstrap/kubeadm/v1beta1 and
/// api/controlplane/kubeadm/v1beta1 of Cluster API v1.14. Other fields do not have these names.
const DURATIONS: [&str; 9] = [
    "minHealthyPeriod",
    "nodeDeletionTimeout",
    "nodeDrainTimeout",
    "nodeStartupTimeout",
    "nodeVolumeDetachTimeout",
    "retryPeriod",
    "timeout",
    "timeoutForControlPlane",
    "ttl",
];

fn duration_rules() -> Value {
    json!([{"rule": IS_DURATION, "message": "must be a duration that is not negative, such as `10m`"}])
}

/// Whether the definition of a kind is known in some version.
pub fn has_definition(group: &str, kind: &str) -> bool {
    let name = format!("{kind}.{group}/");
    definitions().kinds.range(name.clone()..).next().is_some_and(|(first, _)| first.starts_with(&name))
}

/// The schema of the `spec` of an object in its version.
fn schema(object: &Value) -> Option<&'static Value> {
    get(of_object(object)?, &SPEC)
}

const SPEC: [&str; 2] = ["properties", "spec"];

fn of_object(object: &Value) -> Option<&'static Value> {
    of_kind(text(object, &["kind"]), text(object, &["apiVersion"]))
}

/// The schema of a kind in a version.
fn of_kind(kind: &str, api_version: &str) -> Option<&'static Value> {
    let Definitions { kinds, shared } = definitions();
    let of_kind = kinds.get(&format!("{kind}.{api_version}"))?;
    Some(of_kind.expanded.get_or_init(|| whole(&expanded(&of_kind.written, shared))))
}

/// The schema of an object, by that of its `spec`. What `status` has is not checked.
///
/// Source: `ObjectMeta` in k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
fn whole(spec: &Value) -> Value {
    const METADATA: [&str; 15] = [
        "annotations",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    ];
    let any = || json!({"x-kubernetes-preserve-unknown-fields": true});
    let metadata: Map<String, Value> = METADATA.iter().map(|name| ((*name).to_owned(), any())).collect();
    json!({"properties": {"apiVersion": {}, "kind": {}, "metadata": {"properties": metadata}, "spec": spec, "status": any()}})
}

/// The keywords of the schemas that classes have for variables.
pub(crate) fn schema_keywords() -> Option<&'static Value> {
    const PATH: [&str; 7] =
        ["properties", "variables", "items", "properties", "schema", "properties", "openAPIV3Schema"];
    get(get(of_kind("ClusterClass", "cluster.x-k8s.io/v1beta2")?, &SPEC)?, &PATH)
}

/// An object of Cluster API without the fields that its definition does not have, as the API server stores it. Most have none,
/// and are not copied.
///
/// ```
/// use serde_json::json;
///
/// let object = |spec| json!({"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "spec": spec});
/// let written = object(json!({"paused": true, "reason": "a move"}));
/// assert_eq!(*topology::pruned(&written), object(json!({"paused": true})));
/// ```
pub fn pruned(object: &Value) -> Cow<'_, Value> {
    without(object, false)
}

/// The same without lists that server-side apply removes with their last element.
pub fn applied(object: &Value) -> Cow<'_, Value> {
    without(object, true)
}

fn without(object: &Value, drops_empty: bool) -> Cow<'_, Value> {
    let of_spec = schema(object).zip(object.get("spec"));
    let differs = |(schema, spec): &(&'static Value, &Value)| {
        drops_empty && has_empty_list(spec) || !unknown(spec, schema, WHOLE).is_empty()
    };
    let Some((schema, _)) = of_spec.filter(differs) else { return Cow::Borrowed(object) };
    let mut object = object.clone();
    if let Some(spec) = object.get_mut("spec") {
        prune(spec, schema, drops_empty);
    }
    Cow::Owned(object)
}

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
pub fn definition_violations(object: &Value) -> Vec<SchemaViolation<'_>> {
    let (Some(schema), Some(spec)) = (schema(object), get(object, &["spec"])) else { return Vec::new() };
    let mut found = of_schema(spec, schema, VisitedPath::Value(&["spec"]));
    let is_filled = |violation: &SchemaViolation| violation.at.fields().eq(["spec", "topology", "variables"]);
    found.retain(|it| {
        !it.part.is_some_and(|part| part.is_null() || part.as_array().is_some_and(Vec::is_empty) && is_filled(it))
    });
    found
}

/// Whether a list has keys: server-side apply removes it with the last element of whoever applies it, instead of leaving it
/// empty.
///
/// Source: `removeItemsWithSchema` in typed/remove.go of sigs.k8s.io/structured-merge-diff.
///
/// ```
/// use serde_json::json;
/// use topology::{ObjectPath, is_keyed_list};
///
/// let is_keyed = |kind: &str, group: &str, path: &str| {
///     is_keyed_list(&json!({"apiVersion": format!("{group}/v1beta2"), "kind": kind}), &ObjectPath::parse(path))
/// };
/// assert!(is_keyed("Cluster", "cluster.x-k8s.io", "spec.topology.workers.machinePools"));
/// assert!(!is_keyed("KubeadmConfig", "bootstrap.cluster.x-k8s.io", "spec.files"));
/// ```
pub fn is_keyed_list(object: &Value, at: &ObjectPath) -> bool {
    let of_step = |schema: &'static Value, step: &ObjectStep| match step {
        ObjectStep::Field(field) => schema_of(schema, field),
        ObjectStep::Entry(_) => get(schema, &["items"]),
    };
    let schema = of_object(object).and_then(|schema| at.steps.iter().try_fold(schema, of_step));
    schema.is_some_and(is_keyed)
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
pub fn schema_refusal(object: &Value) -> Option<TopologyRefusal> {
    let kind = text(object, &["kind"]);
    let path: &[&str] = match kind {
        "KubeadmControlPlane" => &["spec", "kubeadmConfigSpec"],
        "KubeadmConfig" => &["spec"],
        "KubeadmConfigTemplate" => &["spec", "template", "spec"],
        _ => return None,
    };
    let of_kind = schema(object)?;
    let of_path = path.iter().skip(1).try_fold(of_kind, |schema, field| get(schema, &["properties", field]))?;
    let refused = |at: ObjectPath, reason: String| TopologyRefusal::object(kind, at.to_string(), reason);
    let found =
        get(object, path).and_then(|spec| of_schema(spec, of_path, VisitedPath::Value(path)).into_iter().next());
    if let Some(SchemaViolation { at, reason, .. }) = found {
        return Some(refused(at, reason));
    }
    let unknown = unknown(get(object, &["spec"])?, of_kind, VisitedPath::Value(&["spec"])).into_iter().next()?;
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
pub fn endpoint_refusal(object: &Value) -> Option<TopologyRefusal> {
    let endpoint = json!({"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}});
    let found = of_schema(
        get(object, &["spec", "controlPlaneEndpoint"])?,
        &endpoint,
        VisitedPath::Value(&["spec", "controlPlaneEndpoint"]),
    );
    let SchemaViolation { at, reason, .. } = found.into_iter().next()?;
    Some(TopologyRefusal::object(text(object, &["kind"]), at.to_string(), reason))
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
