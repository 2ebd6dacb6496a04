//! `make bench`: the policy and a no-op module of the same toolchain, in turn, a fresh instance for each request.
//!
//! What counts is the ratio; both modules see the same payload in the same run.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use testkit::cluster::{ApiServer, Host};
use testkit::module::{Exchange, Module};
use testkit::recorded::{LIFE, play};

const ROUNDS: usize = 400;

fn main() -> Result<()> {
    let policy = Module::policy()?;
    let noop = Module::read(&testkit::root().join("noop.wasm")).context("run `make bench`")?;
    println!("module size: policy {} KB, no-op {} KB\n", policy.bytes.len() / 1000, noop.bytes.len() / 1000);
    println!(
        "{:<48} {:>7} {:>5}   {:>9} {:>9} {:>6}   {:>6}",
        "review", "bytes", "gets", "policy µs", "no-op µs", "ratio", "as host"
    );
    for (name, request, settings, cluster) in scenarios()? {
        let payload = json!({ "request": request, "settings": settings }).to_string();
        let (host, gets) = canned(&policy, &payload, cluster)?;
        let measured = measure(&policy, &noop, &payload, &host, ROUNDS)?;
        let Measured { alone: [of_policy, of_noop], .. } = measured;
        let (alone, as_host) = measured.ratios();
        println!(
            "{name:<48} {:>7} {gets:>5}   {of_policy:>9.1} {of_noop:>9.1} {alone:>6.2}   {as_host:>6.2}",
            payload.len()
        );
    }
    recorded(&policy, &noop)
}

/// Every recorded review, in order, with default settings: the median of the ratios of single reviews.
fn recorded(policy: &Module, noop: &Module) -> Result<()> {
    let (mut alone, mut as_host, mut all_gets) = (Vec::new(), Vec::new(), 0);
    play(LIFE, |_, _, request, cluster| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let (host, gets) = canned(policy, &payload, cluster.clone())?;
        let ratios = measure(policy, noop, &payload, &host, 5)?.ratios();
        alone.push(ratios.0);
        as_host.push(ratios.1);
        all_gets += gets;
        Ok(())
    })?;
    let count = alone.len();
    println!(
        "\n{count} recorded reviews, {all_gets} gets: median ratio {:.2}, as host {:.2}",
        median(alone),
        median(as_host)
    );
    Ok(())
}

/// Medians in microseconds, of policy and no-op.
struct Measured {
    /// A fresh instance, the call, its response.
    alone: [f64; 2],
    /// The same with what Kubewarden's host does to every request besides: it parses the review, writes the payload,
    /// parses the response, and makes a patch of a mutated object.
    as_host: [f64; 2],
}

impl Measured {
    fn ratios(&self) -> (f64, f64) {
        let ratio = |[policy, noop]: [f64; 2]| policy / noop;
        (ratio(self.alone), ratio(self.as_host))
    }
}

fn measure(policy: &Module, noop: &Module, payload: &str, host: &Arc<dyn Host>, rounds: usize) -> Result<Measured> {
    let mut alone = [Vec::new(), Vec::new()];
    let mut as_host = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (index, module) in [policy, noop].into_iter().enumerate() {
            let start = Instant::now();
            let review: Value = serde_json::from_str(payload)?;
            let payload = review.to_string();
            let before = start.elapsed();
            let start = Instant::now();
            let response = module.call("validate", payload.as_bytes(), host)?.response;
            let call = start.elapsed();
            let start = Instant::now();
            let response: Value = serde_json::from_slice(&response)?;
            if let Some(mutated) = response.get("mutated_object") {
                serde_json::to_vec(&json_patch::diff(&review["request"]["object"], mutated))?;
            }
            let after = start.elapsed();
            let micros = |time: std::time::Duration| time.as_secs_f64() * 1e6;
            alone.get_mut(index).context("two modules")?.push(micros(call));
            as_host.get_mut(index).context("two modules")?.push(micros(before + call + after));
        }
    }
    Ok(Measured { alone: alone.map(median), as_host: as_host.map(median) })
}

/// A host that answers at once what the cluster would answer: the cluster's own time is not what is measured.
struct Canned(Vec<Exchange>);

impl Host for Canned {
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let answer = self.0.iter().find(|(known, _)| known == payload);
        answer.map_or(Err("not recorded".to_owned()), |(_, answer)| answer.clone())
    }
}

fn canned(policy: &Module, payload: &str, cluster: ApiServer) -> Result<(Arc<dyn Host>, usize)> {
    let cluster: Arc<dyn Host> = Arc::new(cluster);
    let gets = policy.call("validate", payload.as_bytes(), &cluster)?.gets;
    let count = gets.len();
    Ok((Arc::new(Canned(gets)), count))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

type Scenario = (&'static str, Value, Value, ApiServer);

/// Reviews of somebody who is no controller, so that everything is evaluated.
fn scenarios() -> Result<Vec<Scenario>> {
    let (mut large, mut at_that_time) = (Value::Null, ApiServer::default());
    let mut away = usize::MAX;
    play(LIFE, |_, _, request, cluster| {
        let anybody = request["userInfo"]["username"] == "system:serviceaccount:capd-system:capd-manager";
        let distance = request.to_string().len().abs_diff(14_000);
        if request["kind"]["kind"] == "Machine" && anybody && distance < away {
            (large, away, at_that_time) = (request.clone(), distance, cluster.clone());
        }
        Ok(())
    })?;
    let mut small = large.clone();
    for (path, fields) in [
        ("", ["oldObject", "requestKind", "requestResource"]),
        ("/object", ["status", "spec", ""]),
        ("/object/metadata", ["managedFields", "finalizers", "annotations"]),
    ] {
        let part = small.pointer_mut(path).and_then(Value::as_object_mut).context("a part of a review")?;
        fields.iter().for_each(|field| drop(part.remove(*field)));
    }
    small["object"]["spec"] = json!({ "clusterName": "c1" });
    small["object"]["metadata"]["annotations"] = large["object"]["metadata"]["annotations"].clone();
    small["operation"] = json!("CREATE");
    let read = |path: &str| -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(testkit::root().join(Path::new(path)))?)?)
    };
    let node = read("benches/node.json")?;
    let regexes = json!({ "clusterApi": { "node": {
        "additionalLabels": ["^team\\.example\\.com/", "\\.pool$"], "additionalAnnotations": ["^note-[a-z]{1,8}$"],
    } } });
    let nodes_machine = ApiServer::new(vec![read("benches/node-machine.json")?, cluster()], Vec::new())?;
    Ok(vec![
        ("Machine CREATE, nothing to change", small.clone(), json!({}), at_that_time.clone()),
        ("Machine CREATE, four keys added", without_four_labels(&small), json!({}), at_that_time.clone()),
        ("Machine UPDATE, nothing to change", large.clone(), json!({}), at_that_time.clone()),
        ("Machine UPDATE, four keys added", without_four_labels(&large), json!({}), at_that_time),
        ("Node with three expressions, three keys added", node, regexes, nodes_machine),
        composite("Composite, 10 labels, profile aws", 10),
        composite("Composite, 60 labels, profile aws", 60),
        composite("Composite, 1,000 labels, profile aws", 1000),
    ])
}

/// A new composite all of whose labels are opted in; what is over the cap of 50 is skipped and logged.
fn composite(name: &'static str, labels: usize) -> Scenario {
    let key = |number: usize| format!("team.example.com/label-{number:04}");
    let all: Map<String, Value> = (0..labels).map(|number| (key(number), json!("a value"))).collect();
    let definition = json!({ "scope": "project", "cloudTagPropagation": true });
    let definitions: Map<String, Value> = all.keys().map(|key| (key.clone(), definition.clone())).collect();
    let request = json!({
        "uid": "bench", "operation": "CREATE", "namespace": "team-a", "name": "vm-1",
        "kind": { "group": "blueprints.plexsphere.com", "version": "v1alpha1", "kind": "XAWSEC2Instance" },
        "userInfo": { "username": "alice" },
        "object": {
            "apiVersion": "blueprints.plexsphere.com/v1alpha1", "kind": "XAWSEC2Instance",
            "metadata": { "namespace": "team-a", "name": "vm-1", "labels": all },
            "spec": { "parameters": { "provider": "aws", "instanceType": "t3.small" } },
        },
    });
    let composites = json!([{
        "apiGroups": ["blueprints.plexsphere.com"], "provider": { "path": "spec.parameters.provider" },
    }]);
    let settings = json!({ "cloudTags": { "composites": composites, "definitions": definitions } });
    (name, request, settings, ApiServer::default())
}

fn cluster() -> Value {
    json!({ "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": { "namespace": "fleet", "name": "c1" }, "spec": {} })
}

fn without_four_labels(request: &Value) -> Value {
    let mut request = request.clone();
    for object in ["object", "oldObject"] {
        if let Some(labels) = request[object]["metadata"]["labels"].as_object_mut() {
            let keys: Vec<String> = labels.keys().take(4).cloned().collect();
            keys.iter().for_each(|key| {
                labels.remove(key);
            });
        }
    }
    request
}
