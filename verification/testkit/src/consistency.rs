//! Checks that an answer's patch, report and log agree, so that a case need not state every value twice.

use anyhow::{Context, Result, ensure};
use metadata_propagation::tags::{CLOUD_TAG_PREFIX, INFRA_CLUSTERS, StrictProfile};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::difference;
use crate::owners::{MANAGED_FIELDS, only_owners_moved};
use crate::patch::patched;

/// Compares the parts of an answer with one another.
pub(crate) fn agrees(review: &Value, settings: &Value, answer: &Answer) -> Result<()> {
    let (object, report) = (&review["object"], &answer.report);
    let changes = entries(&report["changes"]);
    for change in changes.iter().chain(&entries(&report["drift"])) {
        let found = slot(&mut object.clone(), change)?.cloned().filter(|found| *found != json!({})).unwrap_or_default();
        ensure!(found == change["from"], "the report finds {} where {found} is: {change}", change["from"]);
    }
    if answer.accepted && object.is_object() {
        let mut told = object.clone();
        changes.iter().try_for_each(|change| write(&mut told, change))?;
        let mut written = patched(object, &answer.patch)?;
        let [before, after] = [&mut told, &mut written].map(take_managed_fields);
        let moved = changes.iter().map(|change| (text(change, "at"), text(change, "key")));
        only_owners_moved(&before.to_string(), &after.to_string(), moved)?;
        let (told, written) = (without_empty_maps(told), without_empty_maps(written));
        ensure!(
            told == written,
            "the patch does not do what the report tells\n{}",
            difference::values(&told, &written)
        );
    }
    if report["cloudTags"].is_object() {
        tags_stand(object, settings, report)?;
    }
    answer.log.iter().try_for_each(|line| is_reported(line, report).with_context(|| line.to_string()))
}

/// Field owners follow from the written values; the report does not include them.
fn take_managed_fields(object: &mut Value) -> Value {
    object.pointer_mut(MANAGED_FIELDS).map(Value::take).unwrap_or_default()
}

fn text<'a>(change: &'a Value, name: &str) -> &'a str {
    change[name].as_str().unwrap_or_default()
}

/// The tags in the report, own and forwarded, are all tags under the policy's prefix in the object, after all
/// drift is corrected.
fn tags_stand(object: &Value, settings: &Value, report: &Value) -> Result<()> {
    let mut object = object.clone();
    for name in ["changes", "drift"] {
        entries(&report[name]).iter().try_for_each(|change| write(&mut object, change))?;
    }
    let row = INFRA_CLUSTERS.iter().find(|row| object["kind"] == row.kind);
    let field = row.map_or("cloudTags", |row| row.field);
    let tags = object["spec"][field].as_object().cloned().unwrap_or_default();
    let profile = report["cloudTags"]["profile"].as_str().and_then(StrictProfile::named);
    let prefix = settings["cloudTags"]["prefix"].as_str().unwrap_or(CLOUD_TAG_PREFIX);
    let strict = profile.map_or(prefix.to_owned(), |profile| profile.spelling.prefix(prefix));
    let own = [prefix.to_lowercase(), strict.to_lowercase()];
    let is_own = |key: &str| own.iter().any(|prefix| key.to_lowercase().starts_with(prefix));
    let own: Map<String, Value> = tags.into_iter().filter(|(key, _)| is_own(key)).collect();
    let mut told = report["cloudTags"]["tags"].as_object().cloned().unwrap_or_default();
    told.extend(report["cloudTags"]["forwarded"].as_object().cloned().unwrap_or_default());
    let (told, own) = (json!(told), json!(own));
    ensure!(own == told, "`spec.{field}` is not what the report tells\n{}", difference::values(&told, &own));
    Ok(())
}

/// A log line about an entry, a finding or a tag has a counterpart in the report.
fn is_reported(line: &Value, report: &Value) -> Result<()> {
    let has = |list: &Value, names: &[(&str, &str)]| {
        entries(list).iter().any(|entry| names.iter().all(|(logged, reported)| line[*logged] == entry[*reported]))
    };
    let is = if line.get("check").is_some() {
        has(&report["findings"], &[("check", "check"), ("at", "at")])
    } else if line.get("registry").is_some() {
        let names = [("qualified_key", "qualifiedKey"), ("registry", "registry"), ("reason", "reason")];
        has(&report["cloudTags"]["ignoredDefinitions"], &names)
    } else if line.get("qualified_key").is_some() {
        let names =
            [("qualified_key", "qualifiedKey"), ("tag_key", "tagKey"), ("provider", "provider"), ("reason", "reason")];
        // A value that cannot be decoded is not skipped.
        let reason = report["cloudTags"]["notPropagating"].get(line["qualified_key"].as_str().unwrap_or_default());
        has(&report["cloudTags"]["skipped"], &names)
            || (line["reason"] == "not-a-string" && reason == line.get("reason"))
    } else if line.get("key").is_some() {
        let names = [("at", "at"), ("key", "key"), ("rule", "rule"), ("source", "source")];
        has(&report["changes"], &names) || has(&report["drift"], &names)
    } else {
        true
    };
    ensure!(is, "a log line about what the report does not tell");
    Ok(())
}

fn entries(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

/// Applies a reported change to an object.
fn write(object: &mut Value, change: &Value) -> Result<()> {
    let to = change.get("to").cloned();
    let key = change["key"].as_str().context("a change without a key")?.to_owned();
    let place = place(object, change)?;
    if place.is_null() {
        *place = json!({});
    }
    let fields = place.as_object_mut().context("a change of what is no map")?;
    match to {
        Some(value) => fields.insert(key, value),
        None => fields.remove(&key),
    };
    Ok(())
}

/// The value at the path of a reported change.
fn slot<'a>(object: &'a mut Value, change: &Value) -> Result<Option<&'a Value>> {
    let key = change["key"].as_str().context("a change without a key")?.to_owned();
    Ok(place(object, change)?.get(&key))
}

/// The map of a reported change, created if missing.
fn place<'a>(object: &'a mut Value, change: &Value) -> Result<&'a mut Value> {
    let at = change["at"].as_str().context("a change without a place")?;
    let mut place = object;
    for step in at.split('.') {
        let (name, index) =
            step.trim_end_matches(']').split_once('[').map_or((step, None), |(name, index)| (name, Some(index)));
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[name];
        if let Some(index) = index {
            place = place.get_mut(index.parse::<usize>()?).context("a change of no element")?;
        }
    }
    Ok(place)
}

/// Removes empty maps, and objects that contain only empty maps: they appear and disappear with their entries.
fn without_empty_maps(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, without_empty_maps(value)));
            Value::Object(fields.filter(|(_, value)| *value != json!({}) && !value.is_null()).collect())
        }
        Value::Array(elements) => elements.into_iter().map(without_empty_maps).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> (Value, Answer) {
        let review = json!({ "object": { "metadata": { "labels": { "a": "1" } }, "spec": { "list": [{}] } } });
        let answer = Answer {
            accepted: true,
            patch: vec![
                json!({ "op": "replace", "path": "/metadata/labels/a", "value": "2" }),
                json!({ "op": "add", "path": "/spec/list/0/labels", "value": { "b": "3" } }),
                json!({ "op": "add", "path": "/spec/cloudTags", "value": { "plexsphere:c": "4", "own": "5" } }),
            ],
            report: json!({
                "changes": [
                    { "at": "metadata.labels", "key": "a", "from": "1", "to": "2" },
                    { "at": "spec.list[0].labels", "key": "b", "to": "3" },
                    { "at": "spec.cloudTags", "key": "plexsphere:c", "to": "4" },
                    { "at": "spec.cloudTags", "key": "own", "to": "5" },
                ],
                "findings": [{ "check": "guards.x", "at": "spec" }],
                "cloudTags": {
                    "tags": { "plexsphere:c": "4" },
                    "skipped": [{ "qualifiedKey": "d", "tagKey": "plexsphere:d", "reason": "count-cap" }],
                    "ignoredDefinitions": [{ "qualifiedKey": "d", "registry": "r", "reason": "wider-scope" }],
                },
            }),
            log: vec![
                json!({ "check": "guards.x", "at": "spec" }),
                json!({ "at": "metadata.labels", "key": "a" }),
                json!({ "qualified_key": "d", "tag_key": "plexsphere:d", "reason": "count-cap" }),
                json!({ "qualified_key": "d", "registry": "r", "reason": "wider-scope" }),
            ],
            ..Answer::default()
        };
        (review, answer)
    }

    #[test]
    fn an_answer_that_agrees_with_itself_passes() {
        let (review, answer) = answer();
        agrees(&review, &json!({}), &answer).unwrap();
    }

    #[test]
    fn every_contradiction_is_noticed() {
        type Contradict = fn(&mut Answer);
        let contradictions: [(Contradict, &str); 9] = [
            (|answer| answer.report["changes"][0]["from"] = json!("0"), "the report finds \"0\" where \"1\" is"),
            (|answer| answer.report["changes"][0]["to"] = json!("3"), "the patch does not do what the report tells"),
            (|answer| drop(answer.patch.remove(1)), "the patch does not do what the report tells"),
            (|answer| answer.report["changes"][1]["at"] = json!("spec.list[1].labels"), "a change of no element"),
            (|answer| answer.report["cloudTags"]["tags"] = json!({}), "`spec.cloudTags` is not what the report tells"),
            (|answer| answer.log[0]["at"] = json!("status"), "a log line about what the report does not tell"),
            (|answer| answer.log[1]["key"] = json!("b"), "a log line about what the report does not tell"),
            (|answer| answer.log[2]["reason"] = json!("other"), "a log line about what the report does not tell"),
            (|answer| answer.log[3]["registry"] = json!("s"), "a log line about what the report does not tell"),
        ];
        for (contradict, expected) in contradictions {
            let (review, mut answer) = answer();
            contradict(&mut answer);
            let error = format!("{:#}", agrees(&review, &json!({}), &answer).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
