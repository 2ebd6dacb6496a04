//! Reviews recorded from Cluster API's real controllers, replayed in order through the compiled module.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::Module;
use testkit::recorded::{LIFE, PEOPLE, play};

/// How many of the recorded reviews are controllers' writes.
const CONTROLLERS: usize = 825;

#[test]
fn no_write_of_a_controller_is_changed_refused_or_looked_up() -> Result<()> {
    let policy = Module::policy()?;
    let mut controllers = 0;
    let mut check = |request: &Value, cluster: &ApiServer| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let cluster: Arc<dyn ResourceHost> = Arc::new(cluster.clone());
        let call = policy.call("validate", payload.as_bytes(), &cluster)?;
        let username = request["userInfo"]["username"].as_str().unwrap_or_default();
        if username.starts_with("system:serviceaccount:capi-") {
            controllers += 1;
            let response: Value = serde_json::from_slice(&call.response)?;
            ensure!(response == json!({ "accepted": true }), "{username}: {response}");
            ensure!(call.gets.is_empty() && call.log.is_empty(), "{username}: a controller's write costs host calls");
        }
        Ok(())
    };
    for life in [LIFE, PEOPLE] {
        play(life, |_, _, request, cluster| check(request, cluster))?;
    }
    assert_eq!(controllers, CONTROLLERS);
    Ok(())
}

/// What the policy does when users edit, pause, move and delete, write by write. Writes that it does not change are not
/// listed.
#[test]
fn what_people_write_is_answered_as_listed() -> Result<()> {
    let policy = Module::policy()?;
    let mut listed = "# What the policy does to writes of people, in order. See README.md.\n".to_owned();
    play(PEOPLE, |file, number, request, cluster| {
        let answer = policy.validate(request, &json!({}), cluster)?;
        if !answer.accepted {
            bail!("refused: {:?}", answer.message);
        }
        if !answer.patch.is_empty() || !answer.warnings.is_empty() {
            listed.push_str(&told(file, number, request, &answer));
            // Restored entries have a warning with the same text.
            if answer.patch.is_empty() {
                listed.push_str(&format!("warned: {}", answer.warnings.join("; ")));
            }
            listed.push('\n');
        }
        Ok(())
    })?;
    let path = testkit::root().join("testdata/recorded/people.txt");
    if std::env::var_os("BLESS").is_some() {
        return Ok(std::fs::write(path, listed)?);
    }
    assert_eq!(std::fs::read_to_string(path)?, listed, "`make bless` writes testdata/recorded/people.txt");
    Ok(())
}

/// An object written by a controller is complete, no matter who writes next: the controller follows the rules itself.
///
/// The exceptions are writes based on an older read of the parent, where the policy adds the key early. They are listed
/// one by one; a listed exception that no longer occurs fails, and every key that was added early must be present after
/// a later write of the controller itself.
#[test]
fn what_controllers_write_is_complete_as_anybodys_write() -> Result<()> {
    let policy = Module::policy()?;
    let anybody = json!({ "clusterApi": { "controllers": [] } });
    let (mut found, mut early) = (Vec::new(), Vec::new());
    play(LIFE, |file, number, request, cluster| {
        let answer = policy.validate(request, &anybody, cluster)?;
        ensure!(answer.accepted, "{:?}", answer.message);
        let object = answer.report["object"].clone();
        if request["dryRun"] != true {
            early.retain(|(of, at, to): &(Value, String, Value)| {
                *of != object || request["object"].pointer(at) != Some(to)
            });
        }
        for change in answer.report["changes"].as_array().into_iter().flatten() {
            let text = |name: &str| change[name].as_str().unwrap_or_default();
            let (map, key) = (text("at").replace('.', "/"), text("key").replace('/', "~1"));
            early.push((object.clone(), format!("/{map}/{key}"), change["to"].clone()));
        }
        if !answer.patch.is_empty() {
            found.push(told(file, number, request, &answer));
        }
        Ok(())
    })?;
    let listed = std::fs::read_to_string(testkit::root().join("testdata/recorded/exceptions.txt"))?;
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(found, listed, "testdata/recorded/exceptions.txt differs from what the policy changes");
    assert_eq!(early, Vec::new(), "added early, and never written by a controller");
    Ok(())
}

fn told(file: &str, number: usize, request: &Value, answer: &Answer) -> String {
    let username = request["userInfo"]["username"].as_str().unwrap_or_default();
    let writer = username.rsplit(':').next().unwrap_or_default();
    let changes = answer.report["changes"].as_array().into_iter().flatten();
    let changes: Vec<String> = changes
        .map(|change| format!("{} {} {}", change["action"], change["at"], change["key"]).replace('"', ""))
        .collect();
    let (operation, object) = (&request["operation"], &answer.report["object"]);
    format!("{file} {number} {operation} {object} by {writer}: {}", changes.join(", ")).replace('"', "")
}
