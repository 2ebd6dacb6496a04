//! `reviews FOLDER MODULE.wasm`: the input that `verification/tools/policy-server` gives to a real PolicyServer, and the expected
//! answers.
//!
//! - `policies.yml`: the policies of deploy/, as Kubewarden's controller writes them for a PolicyServer;
//! - `bad-settings.yml`: the same, with one more policy, whose settings are invalid;
//! - `api.json`: paths of a Kubernetes API and their responses, for the policies' reads;
//! - `canned.bin`, if the module can be run: its host calls and answers, for the module of `verification/canned-policy`;
//! - `reviews.jsonl`: a policy, a review, and the engine's answer in each line. The reviews are the recorded ones, and the
//!   creation of the objects of examples/blueprints.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

#[cfg(feature = "host")]
mod canned;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use metadata_propagation::GRANTS;
use serde_json::{Value, json};
use testkit::cluster::ApiServer;
use testkit::recorded::{LIFE, PEOPLE, SAMPLE, play, requests};
use testkit::request::{plural, request};
use testkit::runner::engine;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("usage: reviews FOLDER MODULE.wasm")?;
    let module = arguments.next().context("usage: reviews FOLDER MODULE.wasm")?.canonicalize()?;
    fs::create_dir_all(&folder)?;
    let deployed = policies()?;
    let mut configuration: BTreeMap<&str, Value> =
        deployed.iter().map(|(id, spec)| (id.as_str(), configured(spec, &module))).collect();
    fs::write(folder.join("policies.yml"), serde_json::to_string_pretty(&configuration)?)?;
    let mut bad = json!({ "settings": { "clusterApi": { "version": "newest" } } });
    bad["mode"] = json!("protect");
    configuration.insert("kw.cap.bad-settings", configured(&bad, &module));
    fs::write(folder.join("bad-settings.yml"), serde_json::to_string_pretty(&configuration)?)?;

    let cluster = cluster()?;
    fs::write(folder.join("api.json"), serde_json::to_string(&api(&cluster)?)?)?;
    let (mut lines, mut reviews) = (String::new(), Vec::new());
    for recorded in all_requests()? {
        for (id, spec) in deployed.iter().filter(|(_, spec)| is_sent(&recorded, spec)) {
            let mut request = recorded.clone();
            // Each review is one of its own: the module of `verification/canned-policy` finds its answer by the number.
            request["uid"] = json!(format!("canned-{:08}", reviews.len()));
            reviews.push((request.clone(), spec["settings"].clone()));
            let answer = engine(&request, &spec["settings"], &cluster)?;
            // In monitor mode a PolicyServer admits every request unchanged, whatever the policy answers.
            let decides = spec["mode"] != "monitor";
            let expected = json!({
                "accepted": answer.accepted || !decides,
                "message": answer.message.filter(|_| decides),
                "patch": if decides { answer.patch } else { Vec::new() },
                "warnings": answer.warnings,
                "report": answer.report,
            });
            let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request });
            lines.push_str(&json!({ "policy": id, "review": review, "expected": expected }).to_string());
            lines.push('\n');
        }
    }
    fs::write(folder.join("reviews.jsonl"), lines)?;
    #[cfg(feature = "host")]
    fs::write(folder.join("canned.bin"), canned::recorded(&module, &reviews, &cluster)?)?;
    Ok(())
}

/// The `spec` of each policy of deploy/, by its name in a PolicyServer.
fn policies() -> Result<BTreeMap<String, Value>> {
    let mut policies = BTreeMap::new();
    // The chart below deploy/ has templates, which are no manifests.
    for path in entries(&testkit::root().join("deploy"))?.iter().filter(|path| path.is_file()) {
        for object in objects(path)? {
            if object["kind"] == "ClusterAdmissionPolicy" {
                let name = object["metadata"]["name"].as_str().context("a policy without a name")?;
                policies.insert(format!("kw.cap.{name}"), object["spec"].clone());
            }
        }
    }
    Ok(policies)
}

/// A policy as the controller configures it in a PolicyServer. Cluster-wide policies have every host capability.
fn configured(spec: &Value, module: &Path) -> Value {
    json!({
        "module": format!("file://{}", module.display()),
        "policyMode": spec["mode"],
        "allowedToMutate": spec["mutating"].as_bool().unwrap_or_default(),
        "settings": spec["settings"],
        "contextAwareResources": spec["contextAwareResources"].as_array().cloned().unwrap_or_default(),
        "timeoutEvalSeconds": spec["timeoutEvalSeconds"].as_u64().unwrap_or(8),
        "hostCapabilities": ["*"],
    })
}

/// Whether a request matches the rules of a policy.
fn is_sent(request: &Value, spec: &Value) -> bool {
    let asked =
        |rule: &Value, list: &str, value: &Value| rule[list].as_array().is_some_and(|list| list.contains(value));
    let (resource, operation) = (&request["resource"], &request["operation"]);
    request["subResource"].is_null()
        && spec["rules"].as_array().into_iter().flatten().any(|rule| {
            asked(rule, "apiGroups", &resource["group"])
                && asked(rule, "apiVersions", &resource["version"])
                && asked(rule, "resources", &resource["resource"])
                && asked(rule, "operations", operation)
        })
}

/// The objects of a manifest, or of all manifests in a folder and its subfolders.
fn objects(path: &Path) -> Result<Vec<Value>> {
    if path.is_dir() {
        return entries(path)?.iter().map(|path| objects(path)).collect::<Result<Vec<_>>>().map(|found| found.concat());
    }
    if path.extension().is_none_or(|extension| extension != "yaml") {
        return Ok(Vec::new());
    }
    serde_saphyr::from_multiple(&fs::read_to_string(path)?).with_context(|| path.display().to_string())
}

/// What is in a folder, by ascending name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

/// The fleet before users change it.
fn cluster() -> Result<ApiServer> {
    let mut standing = ApiServer::default();
    for request in requests(PEOPLE.first().context("no life")?)? {
        standing.store(request["object"].clone());
    }
    Ok(standing)
}

fn all_requests() -> Result<Vec<Value>> {
    let mut all = requests(SAMPLE)?;
    for life in [LIFE, PEOPLE] {
        play(life, |_, _, request, _| {
            all.push(request.clone());
            Ok(())
        })?;
    }
    for object in objects(&testkit::root().join("examples/blueprints"))? {
        all.push(request(json!({ "operation": "CREATE", "username": "alice", "object": object })));
    }
    Ok(all)
}

/// The responses of a Kubernetes API about the objects of a cluster: the kinds that it serves, and each object by its
/// path. A kind without any object is served in every version.
fn api(cluster: &ApiServer) -> Result<BTreeMap<String, Value>> {
    let mut served: BTreeMap<String, BTreeSet<(String, bool)>> = BTreeMap::new();
    let mut paths = BTreeMap::new();
    for object in cluster.objects() {
        let (version, kind) = (object["apiVersion"].as_str(), object["kind"].as_str());
        let (version, kind) = (version.context("no apiVersion")?, kind.context("no kind")?);
        let metadata = &object["metadata"];
        let (namespace, name) = (metadata["namespace"].as_str(), metadata["name"].as_str().context("no name")?);
        served.entry(version.to_owned()).or_default().insert((kind.to_owned(), namespace.is_some()));
        let within = namespace.map(|namespace| format!("/namespaces/{namespace}")).unwrap_or_default();
        paths.insert(format!("{}{within}/{}/{name}", root(version), plural(kind)), object.clone());
    }
    for grant in GRANTS {
        if !cluster.objects().iter().any(|object| object["kind"] == grant.kind) {
            for version in grant.versions {
                let version = format!("{}/{version}", grant.group);
                served.entry(version).or_default().insert((grant.kind.to_owned(), grant.kind != "LabelRegistry"));
            }
        }
    }
    for (version, kinds) in served {
        let resources: Vec<Value> = kinds
            .iter()
            .map(|(kind, namespaced)| {
                json!({ "name": plural(kind), "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get"] })
            })
            .collect();
        let list =
            json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": resources });
        paths.insert(root(&version), list);
    }
    Ok(paths)
}

fn root(version: &str) -> String {
    if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") }
}
