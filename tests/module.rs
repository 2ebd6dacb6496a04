//! The compiled module as a Kubewarden host sees it: its imports, its size, and that every payload gets an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use kubewarden_policy_sdk::host_capabilities::kubernetes::GetResourceRequest;
use kubewarden_policy_sdk::response::ValidationResponse;
use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use serde_json::{Value, json};
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::Module;
use wasmparser::{Parser, Payload};

/// Bytes: a PolicyServer compiles a module of this size within two seconds, once, when it starts.
const LARGEST: usize = 4_000_000;

fn call(function: &str, payload: &[u8]) -> Result<Value> {
    let nothing: Arc<dyn ResourceHost> = Arc::new(ApiServer::default());
    Ok(serde_json::from_slice(&Module::policy()?.call(function, payload, &nothing)?.response)?)
}

fn refused(payload: &[u8]) -> Result<String> {
    let response = call("validate", payload)?;
    let typed: ValidationResponse = serde_json::from_value(response)?;
    assert!(!typed.accepted);
    assert_eq!(typed.code, Some(400));
    typed.message.context("a refusal gives its reason")
}

fn request(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut request = json!({
        "uid": "1",
        "operation": "CREATE",
        "kind": { "group": "cluster.x-k8s.io", "version": "v1beta2", "kind": "Machine" },
        "userInfo": { "username": "alice" },
        "object": { "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine", "metadata": { "name": "m" } },
    });
    change(&mut request);
    json!({ "request": request, "settings": {} }).to_string().into_bytes()
}

/// A request for a new Machine of a MachineSet whose template has these labels, and the cluster with that MachineSet.
#[expect(clippy::indexing_slicing, reason = "assigning to what is absent in a JSON value adds it")]
fn of_machine_set(labels: &Value, change: impl FnOnce(&mut Value)) -> Result<(Vec<u8>, Arc<dyn ResourceHost>)> {
    let machine_set = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "metadata": { "namespace": "fleet", "name": "ms" },
        "spec": { "template": { "metadata": { "labels": labels } } },
    });
    let payload = request(|request| {
        request["namespace"] = json!("fleet");
        request["object"]["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": "ms", "controller": true,
        }]);
        change(request);
    });
    Ok((payload, Arc::new(ApiServer::new(vec![machine_set], Vec::new())?)))
}

#[test]
fn the_module_imports_wapc_only() -> Result<()> {
    let module = Module::policy()?;
    let mut modules = Vec::new();
    for payload in Parser::new(0).parse_all(&module.bytes) {
        if let Payload::ImportSection(imports) = payload? {
            for import in imports.into_imports() {
                modules.push(import?.module.to_owned());
            }
        }
    }
    assert!(!modules.is_empty());
    let wasi = std::env::var("TARGET").is_ok_and(|target| target.contains("wasi"));
    modules.retain(|name| name != "wapc" && !(wasi && name == "wasi_snapshot_preview1"));
    assert_eq!(modules, Vec::<String>::new());
    Ok(())
}

#[test]
fn the_module_has_at_most_four_megabytes() -> Result<()> {
    let size = Module::policy()?.bytes.len();
    assert!(size <= LARGEST, "{size} bytes");
    Ok(())
}

/// Two builds of one source are identical only if they contain no build paths: verification/scripts/reproducible.sh.
#[test]
fn the_module_names_no_folder_of_the_machine_that_built_it() -> Result<()> {
    let module = Module::policy()?;
    let text = String::from_utf8_lossy(&module.bytes);
    assert!(text.contains("/crates/"), "the module names no file at all");
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))?;
    let root = testkit::root().canonicalize()?;
    for folder in [format!("{home}/registry"), root.join("crates").to_string_lossy().into_owned()] {
        assert!(!text.contains(&folder), "{folder}");
    }
    Ok(())
}

#[test]
fn the_protocol_is_v1() -> Result<()> {
    let sdk = kubewarden_policy_sdk::protocol_version_guest(&[]).map_err(|error| anyhow::anyhow!("{error}"))?;
    assert_eq!(call("protocol_version", b"")?, serde_json::from_slice::<Value>(&sdk)?);
    Ok(())
}

#[test]
fn what_the_module_asks_of_the_host_is_the_sdks_request() -> Result<()> {
    let (payload, cluster) = of_machine_set(&json!({}), |_| {})?;
    let gets = Module::policy()?.call("validate", &payload, &cluster)?.gets;
    assert!(!gets.is_empty());
    for (asked, _) in gets {
        let typed: GetResourceRequest = serde_json::from_slice(&asked)?;
        let mut asked: Value = serde_json::from_slice(&asked)?;
        // The SDK uses a set, while the module may use a list.
        asked["field_masks"].as_array_mut().context("no masks")?.sort_by_key(Value::to_string);
        assert_eq!(asked, serde_json::to_value(typed)?);
    }
    Ok(())
}

#[test]
fn payloads_that_are_no_json_get_an_answer() -> Result<()> {
    assert_eq!(
        refused(b"not json")?,
        "cannot read the request: `payload` is not JSON: expected ident at line 1 column 2"
    );
    assert_eq!(
        refused(b"")?,
        "cannot read the request: `payload` is not JSON: EOF while parsing a value at line 1 column 0"
    );
    assert_eq!(refused(b"{\"request\":\xff}")?, "cannot read the request: not UTF-8 at byte 11");
    assert_eq!(refused(b"{}")?, "cannot read the request: `request` is missing");
    assert_eq!(refused(b"[]")?, "cannot read the request: `payload` has no object `request`");
    assert_eq!(refused(b"{\"request\":[]}")?, "cannot read the request: `payload` has no object `request`");
    Ok(())
}

#[test]
fn requests_without_a_user_get_an_answer() -> Result<()> {
    for user in [None, Some(Value::Null)] {
        let payload = request(|request| match &user {
            Some(user) => request["userInfo"] = user.clone(),
            None => drop(request.as_object_mut().unwrap().remove("userInfo")),
        });
        assert_eq!(refused(&payload)?, "cannot read the request: `request.userInfo` is missing");
    }
    let payload = request(|request| request["userInfo"]["username"] = json!(7));
    assert_eq!(refused(&payload)?, "cannot read the request: `request.userInfo.username` is not a string");
    Ok(())
}

#[test]
fn objects_of_another_shape_name_path_and_culprit() -> Result<()> {
    for (object, expected) in [
        (json!("text"), "`object` is not an object"),
        (json!([1]), "`object` is not an object"),
        (Value::Null, "the request has no `object`"),
        (json!({ "metadata": [] }), "cannot read Machine: `metadata` is not an object"),
        (json!({ "metadata": { "labels": ["a"] } }), "cannot read Machine: `metadata.labels` is not a map of strings"),
        (
            json!({ "metadata": { "labels": { "a": "1", "b": 2 } } }),
            "cannot read Machine: `metadata.labels` is not a map of strings: the value of `b` is not a string",
        ),
        (
            json!({ "metadata": { "ownerReferences": {} } }),
            "cannot read Machine: `metadata.ownerReferences` is not a list",
        ),
        (
            json!({ "metadata": { "ownerReferences": ["a"] } }),
            "cannot read Machine: `metadata.ownerReferences[0]` is not an object",
        ),
    ] {
        assert_eq!(refused(&request(|request| request["object"] = object.clone()))?, expected, "{object}");
    }
    Ok(())
}

#[test]
fn unknown_operations_get_an_answer_and_unknown_kinds_pass() -> Result<()> {
    let message = refused(&request(|request| request["operation"] = json!("PATCH")))?;
    assert_eq!(
        message,
        "cannot read the request: `request.operation` is `PATCH`: must be `CREATE`, `UPDATE`, `DELETE` or `CONNECT`"
    );
    let payload = request(|request| request["kind"] = json!({ "group": "", "version": "v1", "kind": "Pod" }));
    assert_eq!(call("validate", &payload)?, json!({ "accepted": true }));
    Ok(())
}

#[test]
fn objects_of_two_and_of_sixteen_megabytes_are_completed_like_any_other() -> Result<()> {
    let policy = Module::policy()?;
    for length in [2_000_000, 16_000_000] {
        let ballast = "x".repeat(length);
        let (payload, cluster) = of_machine_set(&json!({ "team": "red" }), |request| {
            request["object"]["metadata"]["annotations"] = json!({ "ballast": ballast });
        })?;
        let response = policy.call("validate", &payload, &cluster)?.response;
        let object = &serde_json::from_slice::<Value>(&response)?["mutated_object"];
        assert_eq!(object["metadata"]["labels"], json!({ "cluster.x-k8s.io/set-name": "ms", "team": "red" }));
        assert_eq!(object["metadata"]["annotations"]["ballast"].as_str().map(str::len), Some(length));
    }
    Ok(())
}

/// The largest payload that is read, and one byte more.
#[test]
fn a_request_over_sixteen_mebibytes_is_refused_with_an_answer() -> Result<()> {
    let length = request(|_| {}).len() + r#","annotations":{"b":""}"#.len();
    let of = |bytes: usize| {
        let ballast = "x".repeat(bytes - length);
        request(|request| request["object"]["metadata"]["annotations"] = json!({ "b": ballast }))
    };
    let (largest, larger) = (of(16 << 20), of((16 << 20) + 1));
    assert_eq!((largest.len(), larger.len()), (16_777_216, 16_777_217));
    assert_eq!(call("validate", &largest)?["accepted"], true);
    let message = "cannot read the request: it has 16777217 bytes; the policy reads at most 16777216";
    assert_eq!(refused(&larger)?, message);
    Ok(())
}

/// Ten thousand labels to be added: the output takes far more memory than the request has bytes.
#[test]
fn ten_thousand_labels_are_added() -> Result<()> {
    let labels: BTreeMap<String, &str> = (0..10_000).map(|number| (format!("example.com/l{number}"), "x")).collect();
    let (payload, cluster) = of_machine_set(&json!(labels), |_| {})?;
    let response = Module::policy()?.call("validate", &payload, &cluster)?.response;
    let object = &serde_json::from_slice::<Value>(&response)?["mutated_object"];
    assert_eq!(object["metadata"]["labels"].as_object().map(serde_json::Map::len), Some(10_001));
    Ok(())
}

/// A PolicyServer takes reviews of 2 MB, and etcd objects of 1.5 MiB: eight label registries, each read twice, which are all that
/// an evaluation reads. Kubewarden's host, and this one, let it have 256 MiB.
#[test]
fn the_largest_review_with_the_largest_reads_is_answered() -> Result<()> {
    let definitions = |registry: usize| -> Value {
        let opted_in = json!({ "scope": "platform", "cloudTagPropagation": true });
        (0..18_000).map(|number| (format!("platform/k-{registry}-{number}"), opted_in.clone())).collect()
    };
    let registries: Vec<Value> = (0..8)
        .map(|number| {
            json!({
                "apiVersion": "labels.plexsphere.com/v1alpha1", "kind": "LabelRegistry",
                "metadata": { "name": format!("r{number}") }, "spec": { "definitions": definitions(number) },
            })
        })
        .collect();
    let names: Vec<&Value> = registries.iter().map(|registry| &registry["metadata"]["name"]).collect();
    let composites = json!([{ "apiGroups": ["example.com"], "provider": { "fixed": "aws" } }]);
    let settings = json!({ "cloudTags": { "composites": composites, "registry": { "names": names } } });
    let composite = |labels: Value| {
        json!({
            "apiVersion": "example.com/v1", "kind": "XBucket",
            "metadata": { "name": "b", "labels": labels, "annotations": { "ballast": "x".repeat(950_000) } },
        })
    };
    let request = json!({
        "uid": "1", "operation": "UPDATE", "userInfo": { "username": "alice" },
        "kind": { "group": "example.com", "version": "v1", "kind": "XBucket" },
        "object": composite(json!({ "platform/k-7-17999": "a" })), "oldObject": composite(json!({})),
    });
    let payload = json!({ "request": request, "settings": settings }).to_string();
    let sizes: Vec<usize> = registries.iter().map(|registry| registry.to_string().len()).collect();
    let cluster: Arc<dyn ResourceHost> = Arc::new(ApiServer::new(registries, Vec::new())?);
    let call = Module::policy()?.call("validate", payload.as_bytes(), &cluster)?;
    let response: Value = serde_json::from_slice(&call.response)?;
    let tags = &response["mutated_object"]["spec"]["cloudTags"];
    assert_eq!(*tags, json!({ "plexsphere:platform/k-7-17999": "a" }));
    assert_eq!(call.gets.len(), 16);
    let is_large = payload.len() > 1_900_000 && sizes.iter().all(|size| *size > 1_200_000);
    assert!(is_large, "{} {sizes:?}", payload.len());
    Ok(())
}

#[test]
fn deeply_nested_objects_get_an_answer() -> Result<()> {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let payload = request(|request| request["object"]["spec"] = json!("DEEP"));
    let payload = String::from_utf8(payload)?.replace("\"DEEP\"", &deep);
    let response = call("validate", payload.as_bytes())?;
    assert!(response["accepted"].is_boolean(), "{response}");
    Ok(())
}

#[test]
fn settings_are_judged_and_never_fail_as_a_call() -> Result<()> {
    for (settings, message) in [
        ("{}", None),
        ("null", None),
        (r#"{"clusterApi":{"node":{"additionalLabels":["^team/"]}}}"#, None),
        ("[]", Some("settings: expected an object, found a list")),
        (
            r#"{"modus":1,"lookup":{"onMissing":"ignore"}}"#,
            Some(
                "lookup.onMissing: unknown value `ignore`, expected one of `accept`, `warn`, `reject`; \
                 modus: unknown field, expected one of `mode`, `lookup`, `clusterApi`, `guards`, `cloudTags`",
            ),
        ),
    ] {
        let verdict: SettingsValidationResponse =
            serde_json::from_value(call("validate_settings", settings.as_bytes())?)?;
        assert_eq!((verdict.valid, verdict.message.as_deref()), (message.is_none(), message), "{settings}");
    }
    Ok(())
}

#[test]
fn settings_that_cannot_be_used_refuse_the_request() -> Result<()> {
    let payload = json!({ "request": {
        "operation": "CREATE", "kind": {}, "userInfo": {}, "object": {},
    }, "settings": { "mode": "both" } });
    assert_eq!(
        refused(payload.to_string().as_bytes())?,
        "cannot use the settings: mode: unknown value `both`, expected `mutate` or `verify`"
    );
    Ok(())
}
