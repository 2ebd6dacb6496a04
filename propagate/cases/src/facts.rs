//! What a case states of an answer: its data, without the sentences around them.
//!
//! ```yaml
//! accepted: true
//! patch: []                 # RFC 6902
//! warnings: []              # in full, in order
//! code: 403                 # of a refusal, and its `message`
//! report: null              # there is none: no rule was asked
//! clusterApi: v1.6          # where the settings name a version
//! inert: paused, Cluster fleet/c1
//! exempt: why
//! fieldManager: kubectl
//! changes:                  # by place and key: what happens, the rule's source in the table, the object it comes from
//!   metadata.labels: { team: "added, .spec.template.metadata.labels, MachineSet fleet/ms" }
//! drift: {}                 # the same, with the value by the rules
//! findings: ["warn guards.reservedKeys spec.template.metadata.labels cluster.x-k8s.io/role"]
//! rollout: { spec.template.spec.version: "rollout, Cluster fleet/c1" } # with the Cluster that says so already, if one does
//! approved: why             # and `approvedOn`: the Cluster, where it is not the object itself
//! skipped:                  # by source, and map and key: the reason
//!   MachineSet fleet/ms .spec.template.metadata: { labels team: "overridden, blue" }
//! cloudTags: { profile: aws, provider: aws, skipped: { a b: "key-character-class, plexsphere:a b" } } # and `refused`: what
//!                           # the cloud itself does not take, and by which rule; `ignoredDefinitions`: the reason, the
//!                           # object, and the one that counts
//! lookups: [cluster.x-k8s.io/v1beta2 MachineSet fleet/ms]
//! log: 2 warning, 1 info
//! ```
//!
//! What is absent is not there: every field is compared. Values, tags and the attributes of log lines are left out; the
//! patch has the values.
//!
//! A case that states `report` as a mapping, or `log` as a list, states [whole](Form::Whole) answers. The newest version of
//! Cluster API is left out of both forms.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::fault::CaseFault;

/// What a case states of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Its data, without the sentences of report and log.
    Facts,
    /// Report and log as they are.
    Whole,
}

impl AnswerForm {
    /// The form of what a case expects.
    pub fn of(expect: &[Value]) -> AnswerForm {
        let is_whole = |answer: &Value| answer["report"].is_object() || answer["log"].is_array();
        if expect.iter().any(is_whole) { AnswerForm::Whole } else { AnswerForm::Facts }
    }

    /// What a case of this form states of an answer.
    pub fn stated(self, settings: &Value, answer: &Answer) -> Result<Value, CaseFault> {
        let mut stated = serde_json::to_value(answer).map_err(|error| CaseFault::of("answer", error))?;
        let Value::Object(fields) = &mut stated else { return Ok(stated) };
        if self == AnswerForm::Whole {
            if let (false, Some(Value::Object(report))) = (names_version(settings), fields.get_mut("report")) {
                report.remove("clusterApi");
            }
        } else {
            let report = fields.remove("report").unwrap_or_default();
            fields.append(&mut facts(&report, settings));
            let log = levels(&answer.log);
            fields.remove("log");
            keep(fields, "log", json!(log));
        }
        Ok(stated)
    }
}

/// Whether the version of Cluster API is the case's own. Otherwise it is the newest one, which every edition would change.
fn names_version(settings: &Value) -> bool {
    settings["clusterApi"]["version"].is_string()
}

/// The data of a report.
fn facts(report: &Value, settings: &Value) -> Map<String, Value> {
    let mut facts = Map::new();
    if report.is_null() {
        facts.insert("report".to_owned(), Value::Null);
        return facts;
    }
    if names_version(settings) {
        keep(&mut facts, "clusterApi", report["clusterApi"].clone());
    }
    for name in ["exempt", "fieldManager"] {
        keep(&mut facts, name, report[name].clone());
    }
    let inert = &report["inert"];
    keep(&mut facts, "inert", json!(words(&[text(&inert["reason"]), text(&inert["because"])])));
    for name in ["changes", "drift"] {
        let entries = list(&report[name]).iter().map(|entry| {
            // What is written is in the patch; what differs is nowhere else.
            let value = if name == "drift" { plain(&entry["to"]) } else { String::new() };
            let what = words(&[text(&entry["action"]), &value, by(entry), text(&entry["source"])]);
            (text(&entry["at"]), text(&entry["key"]).to_owned(), what)
        });
        keep(&mut facts, name, grouped(entries));
    }
    let findings = list(&report["findings"]).iter().map(|finding| {
        let (at, message) = (text(&finding["at"]), text(&finding["message"]));
        let subject = quoted(message).find(|quoted| *quoted != at).unwrap_or_default();
        [text(&finding["stance"]), text(&finding["check"]), at, subject].join(" ").trim_end().to_owned()
    });
    keep(&mut facts, "findings", findings.collect());
    let edits = list(&report["rollout"]["edits"]).iter();
    let edit = |edit: &'_ Value| words(&[text(&edit["effect"]), text(&edit["setOn"])]);
    keep(&mut facts, "rollout", json!(by_key(edits.map(|it| (text(&it["at"]), edit(it))))));
    keep(&mut facts, "approved", report["rollout"]["approved"].clone());
    keep(&mut facts, "approvedOn", report["rollout"]["approvedOn"].clone());
    let skipped = list(&report["skipped"]).iter().map(|skip| {
        let entry = [text(&skip["map"]), text(&skip["key"])].join(" ");
        (text(&skip["from"]), entry, words(&[text(&skip["reason"]), &plain(&skip["value"])]))
    });
    keep(&mut facts, "skipped", grouped(skipped));
    keep(&mut facts, "cloudTags", cloud_tags(&report["cloudTags"]));
    let lookups = list(&report["lookups"]).iter().map(|lookup| {
        let answered = if lookup["result"] == "found" { "" } else { "no answer" };
        json!(words(&[text(&lookup["get"]), answered]))
    });
    keep(&mut facts, "lookups", lookups.collect());
    facts
}

/// Which profile judged a composite's labels, and what it refused.
fn cloud_tags(report: &Value) -> Value {
    let mut facts = Map::new();
    for name in ["profile", "provider", "forwarded", "missing", "notPropagating"] {
        keep(&mut facts, name, report[name].clone());
    }
    let skipped = list(&report["skipped"])
        .iter()
        .map(|skip| (text(&skip["qualifiedKey"]), words(&[text(&skip["reason"]), text(&skip["tagKey"])])));
    keep(&mut facts, "skipped", json!(by_key(skipped)));
    let ignored = list(&report["ignoredDefinitions"]).iter().map(|ignored| {
        let what = words(&[text(&ignored["reason"]), text(&ignored["registry"]), text(&ignored["counts"])]);
        (text(&ignored["qualifiedKey"]), what)
    });
    keep(&mut facts, "ignoredDefinitions", json!(by_key(ignored)));
    let verdicts = report["cloud"].as_object().into_iter().flatten();
    let refused =
        verdicts.filter_map(|(key, verdict)| Some((key.as_str(), text(verdict).strip_prefix("refused: ")?.to_owned())));
    keep(&mut facts, "refused", json!(by_key(refused)));
    Value::Object(facts)
}

/// How many lines there are of each level, in the order in which the levels first appear.
fn levels(log: &[Value]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for line in log {
        let level = text(&line["level"]);
        match counts.iter_mut().find(|(known, _)| *known == level) {
            Some((_, count)) => *count += 1,
            None => counts.push((level, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(level, count)| format!("{count} {level}")).collect();
    counts.join(", ")
}

/// Adds what is not empty.
fn keep(facts: &mut Map<String, Value>, name: &str, value: Value) {
    if ![json!(null), json!(""), json!([]), json!({})].contains(&value) {
        facts.insert(name.to_owned(), value);
    }
}

fn grouped<'a>(entries: impl Iterator<Item = (&'a str, String, String)>) -> Value {
    let mut groups: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for (group, key, what) in entries {
        groups.entry(group).or_default().push((key, what));
    }
    groups.into_iter().map(|(group, entries)| (group, json!(by_key(entries.into_iter())))).collect()
}

/// Two facts about one key are listed side by side.
fn by_key<K: Into<String>>(entries: impl Iterator<Item = (K, String)>) -> BTreeMap<String, String> {
    let mut keys: BTreeMap<String, String> = BTreeMap::new();
    for (key, what) in entries {
        let known = keys.entry(key.into()).or_default();
        *known = words(&[known, &what]);
    }
    keys
}

/// Where a rule takes an entry from: the first of what its text quotes, except the key itself.
fn by(change: &Value) -> &str {
    let (rule, key) = (text(&change["rule"]), text(&change["key"]));
    quoted(rule).find(|quoted| *quoted != key).unwrap_or_default()
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn words(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(", ")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A string as it is, anything else as JSON; nothing for what is absent.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_stated_without_the_sentences_around_them() {
        let report = json!({
            "object": "MachineSet fleet/ms",
            "clusterApi": "v1.14",
            "exempt": "a reason",
            "inert": { "reason": "paused", "because": "Cluster fleet/c1" },
            "changes": [
                { "at": "metadata.labels", "key": "team", "action": "restored", "from": "blue", "to": "red",
                  "rule": "`.spec.template.metadata.labels` => `Machine.labels`", "source": "MachineSet fleet/ms" },
                { "at": "metadata.labels", "key": "set", "action": "added", "to": "ms",
                  "rule": "`set` is forced below `MachineSet.metadata`", "source": "MachineSet fleet/ms" },
            ],
            "drift": [
                { "at": "spec", "key": "minReadySeconds", "action": "added", "to": 5, "rule": "`A` => `B`", "source": "C" },
            ],
            "findings": [
                { "at": "spec.selector", "check": "guards.x", "stance": "warn", "message": "`spec.selector` loses `team`" },
            ],
            "rollout": { "edits": [{ "at": "spec.version", "effect": "rollout" }], "approved": "ticket 7" },
            "skipped": [
                { "from": "MachineSet fleet/ms", "map": "labels", "key": "a", "reason": "overridden", "value": "1" },
                { "from": "MachineSet fleet/ms", "map": "labels", "key": "a", "reason": "forced" },
            ],
            "cloudTags": {
                "profile": "aws",
                "tags": { "plexsphere:a": "1" },
                "skipped": [{ "qualifiedKey": "b", "tagKey": "plexsphere:b", "reason": "count-cap" }],
            },
            "lookups": [
                { "get": "cluster.x-k8s.io/v1beta2 Cluster fleet/c1", "result": "found" },
                { "get": "cluster.x-k8s.io/v1beta2 Cluster fleet/c2", "result": "not found" },
            ],
        });
        let log = ["warning", "info", "warning"].map(|level| json!({ "level": level, "message": "a sentence" }));
        let answer = Answer { accepted: true, report, log: log.into(), ..Answer::default() };
        let facts = json!({
            "accepted": true,
            "patch": [],
            "exempt": "a reason",
            "inert": "paused, Cluster fleet/c1",
            "changes": { "metadata.labels": {
                "set": "added, MachineSet.metadata, MachineSet fleet/ms",
                "team": "restored, .spec.template.metadata.labels, MachineSet fleet/ms",
            } },
            "drift": { "spec": { "minReadySeconds": "added, 5, A, C" } },
            "findings": ["warn guards.x spec.selector team"],
            "rollout": { "spec.version": "rollout" },
            "approved": "ticket 7",
            "skipped": { "MachineSet fleet/ms": { "labels a": "overridden, 1, forced" } },
            "cloudTags": { "profile": "aws", "skipped": { "b": "count-cap, plexsphere:b" } },
            "lookups": [
                "cluster.x-k8s.io/v1beta2 Cluster fleet/c1",
                "cluster.x-k8s.io/v1beta2 Cluster fleet/c2, no answer",
            ],
            "log": "2 warning, 1 info",
        });
        assert_eq!(AnswerForm::Facts.stated(&json!({}), &answer).unwrap(), facts);
        let silent = Answer::default();
        let nothing = json!({ "accepted": false, "patch": [], "report": null });
        assert_eq!(AnswerForm::Facts.stated(&json!({}), &silent).unwrap(), nothing);
        let versioned = json!({ "clusterApi": { "version": "v1.14" } });
        assert_eq!(AnswerForm::Whole.stated(&versioned, &answer).unwrap(), json!(answer));
        let mut unversioned = answer.clone();
        unversioned.report.as_object_mut().unwrap().remove("clusterApi");
        assert_eq!(AnswerForm::Whole.stated(&json!({}), &answer).unwrap(), json!(unversioned));
    }
}
