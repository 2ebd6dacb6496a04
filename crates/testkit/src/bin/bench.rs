//! `make bench`: the policy and a no-op module of the same toolchain, in turn, a fresh instance for each request.
//!
//! What counts is the ratio; both modules see the same payload in the same run.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::cluster::{ApiServer, Host};
use testkit::module::Module;
use testkit::recorded::play;

const ROUNDS: usize = 400;

fn main() -> Result<()> {
    let policy = Module::policy()?;
    let noop = Module::read(&testkit::root().join("noop.wasm")).context("run `make bench`")?;
    println!("module size: policy {} KB, no-op {} KB\n", policy.bytes.len() / 1000, noop.bytes.len() / 1000);
    println!("{:<56} {:>7} {:>9} {:>9} {:>6} {:>5}", "review", "bytes", "policy µs", "no-op µs", "ratio", "gets");
    for (name, request, settings, cluster) in scenarios()? {
        let payload = json!({ "request": request, "settings": settings }).to_string();
        let (host, gets) = canned(&policy, &payload, cluster)?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (module, times) in [&policy, &noop].into_iter().zip(&mut times) {
                times.push(time(module, &payload, &host)?);
            }
        }
        let [of_policy, of_noop] = times.map(median);
        let ratio = of_policy / of_noop;
        println!("{name:<56} {:>7} {of_policy:>9.1} {of_noop:>9.1} {ratio:>6.2} {gets:>5}", payload.len());
    }
    recorded(&policy, &noop)
}

/// Every recorded review, in order, with default settings: the median of the ratios of single reviews.
fn recorded(policy: &Module, noop: &Module) -> Result<()> {
    let (mut ratios, mut sums, mut gets) = (Vec::new(), [0.0, 0.0], 0);
    play(|_, _, request, cluster| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let (host, count) = canned(policy, &payload, cluster.clone())?;
        gets += count;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..5 {
            for (module, times) in [policy, noop].into_iter().zip(&mut times) {
                times.push(time(module, &payload, &host)?);
            }
        }
        let [of_policy, of_noop] = times.map(median);
        ratios.push(of_policy / of_noop);
        sums[0] += of_policy;
        sums[1] += of_noop;
        Ok(())
    })?;
    let count = ratios.len();
    println!(
        "\n{count} recorded reviews: median ratio {:.2}, ratio of sums {:.2}, {gets} gets",
        median(ratios),
        sums[0] / sums[1]
    );
    Ok(())
}

/// A host that answers at once what the cluster would answer: the cluster's own time is not what is measured.
struct Canned(Vec<(Vec<u8>, Result<Vec<u8>, String>)>);

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

fn time(module: &Module, payload: &str, cluster: &Arc<dyn Host>) -> Result<f64> {
    let start = Instant::now();
    module.call("validate", payload.as_bytes(), cluster)?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

type Scenario = (&'static str, Value, Value, ApiServer);

/// Reviews of somebody who is no controller, so that everything is evaluated.
fn scenarios() -> Result<Vec<Scenario>> {
    let (mut large, mut at_that_time) = (Value::Null, ApiServer::default());
    play(|_, _, request, cluster| {
        let size = request.to_string().len();
        let anybody = request["userInfo"]["username"] == "system:serviceaccount:capd-system:capd-manager";
        if large.is_null() && request["kind"]["kind"] == "Machine" && anybody && size > 13_000 {
            large = request.clone();
            at_that_time = cluster.clone();
        }
        Ok(())
    })?;
    let mut small = large.clone();
    if let Some(request) = small.as_object_mut() {
        request.remove("oldObject");
    }
    for field in ["managedFields", "finalizers"] {
        if let Some(metadata) = small["object"]["metadata"].as_object_mut() {
            metadata.remove(field);
        }
    }
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
        ("Machine, nothing to change", small.clone(), json!({}), at_that_time.clone()),
        ("Machine, four keys added", without_four_labels(&small), json!({}), at_that_time.clone()),
        ("Machine UPDATE, nothing to change", large.clone(), json!({}), at_that_time.clone()),
        ("Machine UPDATE, four keys added", without_four_labels(&large), json!({}), at_that_time),
        ("Node with three expressions, three keys added", node, regexes, nodes_machine),
    ])
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
