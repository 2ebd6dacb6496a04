//! The AdmissionRequest around an object: a case states what matters, and the rest is filled in, so that
//! every request has the fields that an API server sends.

pub use fleet::plural;
use serde_json::{Map, Value, json};

/// A whole AdmissionRequest. A text passes as it is.
///
/// Kind, resource, name and namespace follow from the object, or from the stored one where there is no other; the
/// user's groups from `username`, the options from the operation. What the review states, stays.
pub fn request(review: Value) -> Value {
    let Value::Object(mut request) = review else { return review };
    let operation = request.get("operation").and_then(Value::as_str).unwrap_or_default().to_owned();
    match &*operation {
        "CREATE" => fill(&mut request, "oldObject", Value::Null),
        "DELETE" => fill(&mut request, "object", Value::Null),
        _ => {}
    }
    let identified = ["object", "oldObject"].into_iter().filter_map(|name| request.get(name)).find(|it| it.is_object());
    let object = identified.cloned().unwrap_or_default();
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    fill(&mut request, "uid", json!("case"));
    fill(&mut request, "kind", json!({ "group": group, "version": version, "kind": object["kind"] }));
    let resource = resource(&request["kind"]);
    fill(&mut request, "resource", resource);
    for (of_request, name) in
        [("requestKind", "kind"), ("requestResource", "resource"), ("requestSubResource", "subResource")]
    {
        if let Some(value) = request.get(name).cloned() {
            fill(&mut request, of_request, value);
        }
    }
    if operation == "UPDATE" {
        for name in ["object", "oldObject"] {
            if let Some(object) = request.get_mut(name) {
                let own = std::mem::take(object);
                *object = managed(own);
            }
        }
    }
    for name in ["name", "namespace"] {
        if let Some(value) = object["metadata"][name].as_str() {
            fill(&mut request, name, json!(value));
        }
    }
    if let Some(username) = request.remove("username") {
        let groups = groups(username.as_str().unwrap_or_default());
        fill(&mut request, "userInfo", json!({ "username": username, "groups": groups }));
    }
    fill(&mut request, "dryRun", json!(false));
    fill(&mut request, "options", json!({}));
    if let Some(Value::Object(options)) = request.get_mut("options") {
        fill(options, "apiVersion", json!("meta.k8s.io/v1"));
        fill(options, "kind", json!(options_kind(&operation)));
    }
    Value::Object(request)
}

/// An object with managers, as every stored one has: where it states none, one who owns nothing that the policy writes.
/// A case about objects without any states `managedFields: []`.
pub fn managed(mut object: Value) -> Value {
    let managers = managed_fields(object["apiVersion"].as_str().unwrap_or_default());
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        fill(metadata, "managedFields", managers);
    }
    object
}

fn managed_fields(api_version: &str) -> Value {
    json!([{
        "manager": "manager",
        "operation": "Update",
        "apiVersion": api_version,
        "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": { "f:status": {} },
        "subresource": "status",
    }])
}

fn fill(fields: &mut Map<String, Value>, name: &str, value: Value) {
    fields.entry(name).or_insert(value);
}

fn resource(kind: &Value) -> Value {
    json!({
        "group": kind["group"],
        "version": kind["version"],
        "resource": plural(kind["kind"].as_str().unwrap_or_default()),
    })
}

/// The groups that every authenticated user, every service account and every kubelet is in.
fn groups(username: &str) -> Vec<String> {
    let mut groups = Vec::new();
    if let Some((namespace, _)) =
        username.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'))
    {
        groups.push("system:serviceaccounts".to_owned());
        groups.push(format!("system:serviceaccounts:{namespace}"));
    }
    if username.starts_with("system:node:") {
        groups.push("system:nodes".to_owned());
    }
    if !username.is_empty() {
        groups.push("system:authenticated".to_owned());
    }
    groups
}

fn options_kind(operation: &str) -> &'static str {
    match operation {
        "CREATE" => "CreateOptions",
        "DELETE" => "DeleteOptions",
        _ => "UpdateOptions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_becomes_a_whole_request() {
        let object = json!({
            "apiVersion": "cluster.x-k8s.io/v1beta2",
            "kind": "ClusterClass",
            "metadata": { "name": "small", "namespace": "fleet" },
        });
        let kind = json!({ "group": "cluster.x-k8s.io", "version": "v1beta2", "kind": "ClusterClass" });
        let resource = json!({ "group": "cluster.x-k8s.io", "version": "v1beta2", "resource": "clusterclasses" });
        let whole = json!({
            "uid": "case",
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": "small",
            "namespace": "fleet",
            "operation": "DELETE",
            "userInfo": {
                "username": "system:serviceaccount:capi-system:capi-manager",
                "groups": ["system:serviceaccounts", "system:serviceaccounts:capi-system", "system:authenticated"],
            },
            "object": null,
            "oldObject": object,
            "dryRun": false,
            "options": { "apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions", "propagationPolicy": "Background" },
        });
        let stated = json!({
            "operation": "DELETE",
            "username": "system:serviceaccount:capi-system:capi-manager",
            "oldObject": object,
            "options": { "propagationPolicy": "Background" },
        });
        assert_eq!(request(stated), whole);
        assert_eq!(request(whole.clone()), whole);
    }

    #[test]
    fn stored_objects_have_managers() {
        let object = |managed_fields: Option<Value>| {
            let mut object = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n" } });
            if let Some(managed_fields) = managed_fields {
                object["metadata"]["managedFields"] = managed_fields;
            }
            object
        };
        let stated = json!({ "operation": "UPDATE", "object": object(None), "oldObject": object(Some(json!([]))) });
        let request = request(stated);
        assert_eq!(request["object"], object(Some(managed_fields("v1"))));
        assert_eq!(request["oldObject"], object(Some(json!([]))));
    }

    #[test]
    fn a_registry_is_one_of_the_registries() {
        assert_eq!(plural("LabelRegistry"), "labelregistries");
    }
}
