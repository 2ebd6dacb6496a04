//! `make run`: objects go through the compiled policy one by one. First the path of one label, then the whole fleet, then
//! the tags of composites, then the recorded reviews of a real fleet.

mod fleet;
mod propagation_path;
mod tags;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::Module;
use testkit::patch::patched;
use testkit::recorded::{LIFE, play};
use testkit::request::request;

/// An object, as alice wrote it, and what the policy answered.
struct AnsweredObject {
    object: Value,
    answer: Answer,
}

fn main() -> Result<()> {
    let policy = Module::policy()?;
    let fleet = write(&policy, "examples/fleet.yaml", &json!({}))?;
    propagation_path::print(&fleet);
    println!("\nThe whole fleet of examples/fleet.yaml, written by alice: + added, - not propagated, ! warned about\n");
    fleet.iter().for_each(fleet::print);
    let settings = testkit::yaml("examples/composites-settings.yaml")?;
    println!("\nThe composites of examples/composites.yaml: + tag, - no tag, . not opted in\n");
    write(&policy, "examples/composites.yaml", &settings)?.iter().for_each(tags::print);
    recorded(&policy)
}

/// Creates the objects of a file one after the other, in a separate cluster.
fn write(policy: &Module, path: &str, settings: &Value) -> Result<Vec<AnsweredObject>> {
    let text = std::fs::read_to_string(testkit::root().join(path)).with_context(|| path.to_owned())?;
    let mut cluster = ApiServer::default();
    let mut written = Vec::new();
    for object in serde_saphyr::from_multiple::<Value>(&text)? {
        let request = request(json!({ "operation": "CREATE", "username": "alice", "object": object }));
        let answer = policy.validate(&request, settings, &cluster)?;
        if answer.accepted {
            cluster.store(patched(&object, &answer.patch)?);
        }
        written.push(AnsweredObject { object, answer });
    }
    Ok(written)
}

impl AnsweredObject {
    /// Kind, namespace and name, as reports write them.
    fn id(&self) -> String {
        let metadata = |field: &str| self.object.pointer(&format!("/metadata/{field}")).and_then(Value::as_str);
        let kind = self.object.get("kind").and_then(Value::as_str).unwrap_or_default();
        let namespace = metadata("namespace").map(|namespace| format!("{namespace}/")).unwrap_or_default();
        format!("{kind} {namespace}{}", metadata("name").unwrap_or_default())
    }

    /// A list of the report; empty where the report has none.
    fn list(&self, name: &str) -> &[Value] {
        self.answer.report.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A string field.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// What the policy changes in the writes of real controllers, which is nothing, and in all other writes.
fn recorded(policy: &Module) -> Result<()> {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    play(LIFE, |_, _, request, cluster| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let cluster: Arc<dyn ResourceHost> = Arc::new(cluster.clone());
        let call = policy.call("validate", payload.as_bytes(), &cluster)?;
        let response: Value = serde_json::from_slice(&call.response)?;
        let username = request.pointer("/userInfo/username").and_then(Value::as_str).unwrap_or_default();
        let controller = username.starts_with("system:serviceaccount:capi-");
        let answered = match (response.get("accepted"), response.get("mutated_object")) {
            (Some(Value::Bool(true)), None) => "accepted as they are",
            (Some(Value::Bool(true)), Some(_)) => "completed",
            _ => "refused",
        };
        *counts.entry((!controller, answered)).or_default() += 1;
        Ok(())
    })?;
    println!("\nReviews recorded from the life of a real fleet, in order\n");
    for ((others, answered), count) in counts {
        let writer = if others { "everybody else" } else { "Cluster API's controllers" };
        println!("  {count:>4} writes of {writer} {answered}");
    }
    Ok(())
}
