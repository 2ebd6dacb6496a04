//! The corpus through the page's function: the same answers as the engine gives.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use testkit::case::corpus;
use testkit::cluster::ApiServer;
use testkit::difference;
use testkit::runner::{admit, engine, engine_of_files};

/// The page can ask about writes of complete, named objects in a cluster that is always reachable.
fn can_be_asked(review: &Value, cluster: &ApiServer) -> bool {
    let object = &review["object"];
    let old = &review["oldObject"];
    let is_whole = |object: &Value| object["apiVersion"].is_string() && object["metadata"]["name"].is_string();
    let id = |object: &Value| json!([object["apiVersion"], object["kind"], object["metadata"]["name"]]);
    let is_named = object["metadata"]["name"] == review["name"]
        && object["metadata"]["namespace"].as_str().unwrap_or_default()
            == review["namespace"].as_str().unwrap_or_default();
    let is_written = match review["operation"].as_str() {
        Some("CREATE") => old.is_null(),
        Some("UPDATE") => is_whole(old) && id(old) == id(object),
        _ => false,
    };
    let has_no_parts = review["subResource"].as_str().unwrap_or_default().is_empty();
    cluster.is_always_in_reach() && is_whole(object) && is_named && is_written && has_no_parts
}

/// JSON that is also valid YAML: YAML does not allow some characters that JSON allows.
fn yaml(value: &Value) -> String {
    let escaped = |character: char| match character {
        '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => format!("\\u{:04x}", u32::from(character)),
        other => other.to_string(),
    };
    value.to_string().chars().map(escaped).collect()
}

/// Removes the host's wording, which differs from that of a fleet.
fn without_details(answer: &mut Value) {
    for line in answer["log"].as_array_mut().into_iter().flatten() {
        line.as_object_mut().map(|line| line.remove("detail"));
    }
}

/// The texts of the page for a review.
fn question(review: &Value, settings: &Value, cluster: &ApiServer) -> Value {
    let text = |name: &str, text: String| json!({ "name": name, "text": text });
    let stream: Vec<String> = cluster.objects().iter().map(yaml).collect();
    let old = if review["oldObject"].is_null() { String::new() } else { yaml(&review["oldObject"]) };
    json!({
        "ask": "edit",
        "old": text("old", old),
        "new": text("new", yaml(&review["object"])),
        "others": text("others", stream.join("\n---\n")),
        "settings": text("settings", yaml(settings)),
        "user": review["userInfo"]["username"],
        "groups": review["userInfo"]["groups"].as_array().cloned().unwrap_or_default(),
        "fieldManager": review["options"]["fieldManager"].as_str().unwrap_or_default(),
        "dryRun": review["dryRun"] == true,
    })
}

#[test]
fn the_page_answers_as_the_engine_does() -> Result<()> {
    let (mut same, mut differing, mut left_out) = (0, Vec::new(), 0);
    for case in corpus()? {
        let mut cluster = case.cluster.clone();
        for review in &case.reviews {
            let answer = engine(review, &case.settings, &cluster).with_context(|| case.name.clone())?;
            if can_be_asked(review, &cluster) {
                let of_files = engine_of_files(review, &case.settings, &cluster)?;
                let text = playground::answer(&question(review, &case.settings, &cluster).to_string());
                let told: Value = serde_json::from_str(&text)?;
                let write = &told["writes"][0];
                let mut found = json!({
                    "accepted": write["accepted"],
                    "code": write["code"],
                    "message": write["message"],
                    "patch": write["patch"],
                    "warnings": write["warnings"],
                    "report": write["report"],
                    "log": write["log"],
                });
                let mut expected = json!({ "code": null, "message": null, "warnings": [], "log": [] });
                let (Some(fields), Value::Object(stated)) =
                    (expected.as_object_mut(), serde_json::to_value(&of_files)?)
                else {
                    continue;
                };
                fields.extend(stated);
                [&mut found, &mut expected].into_iter().for_each(without_details);
                if found != expected {
                    differing.push(format!("{}\n{}", case.name, difference::values(&expected, &found)));
                }
                same += 1;
            } else {
                left_out += 1;
            }
            admit(review, &answer, &mut cluster)?;
        }
    }
    ensure!(
        differing.is_empty(),
        "{} differ, such as\n{}",
        differing.len(),
        differing.concat().get(..4000).unwrap_or(&differing.concat())
    );
    println!("{same} reviews asked, {left_out} cannot be asked on the page");
    ensure!(same > 800, "{same} asked, {left_out} left out");
    Ok(())
}
