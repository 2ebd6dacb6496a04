//! Vectors: the results of Cluster API's own functions for generated fleets, written by `verification/conformance/functions`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::cluster::ApiServer;
use crate::deviations::{Deviations, EntryDeviation};
use crate::owned::RECORDS;
use crate::patch::patched;
use crate::request::request;
use crate::runner::EntryPoint;

/// One question, and Cluster API's answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Vector {
    /// An object as a user wrote it, and the metadata that it must have.
    Written(WrittenObject),
    /// A name, and the label value that is made of it.
    Formatted(Formatted),
    /// An UPDATE, and whether Machines stay.
    Classified(Classified),
}

/// An object as a user wrote it, its owners, and the metadata that it must have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenObject {
    /// Cluster API's function.
    pub function: String,
    /// Function and number.
    pub name: String,
    /// Kind of the object under review.
    pub kind: String,
    /// Its version.
    pub version: String,
    /// The version of its owners, if different.
    #[serde(default)]
    pub above: String,
    /// The policy's settings; absent for the defaults.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// The objects that can be read.
    pub cluster: Vec<Value>,
    /// The request, in the shape of a case's `review`.
    pub review: Value,
    /// Label and annotation maps, by path.
    pub expected: BTreeMap<String, BTreeMap<String, String>>,
    /// How the expected maps relate to the object's maps.
    pub relation: Relation,
    /// In-place mutable fields by path; null if Cluster API keeps the object's own value.
    #[serde(default)]
    pub fields: BTreeMap<String, Value>,
}

/// How an expected map relates to the object's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The expected map is the whole map.
    Equals,
    /// The object may have further keys.
    Overlays,
}

/// A name, and the label value that is made of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Formatted {
    /// Cluster API's function.
    pub function: String,
    /// The name.
    pub name: String,
    /// The label value.
    pub value: String,
}

/// An UPDATE, and whether Machines made from the old object are up to date with the new one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Classified {
    /// Cluster API's function.
    pub function: String,
    /// Function and number.
    pub name: String,
    /// Kind of the object.
    pub kind: String,
    /// Its version.
    pub version: String,
    /// What was edited.
    pub change: String,
    /// The object before.
    pub old: Value,
    /// The object after.
    pub new: Value,
    /// Whether Machines stay.
    pub up_to_date: bool,
}

/// All vectors, in the order of files and lines.
pub fn vectors() -> Result<Vec<Vector>> {
    let folder = crate::root().join("testdata/conformance");
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    paths.sort();
    let mut vectors = Vec::new();
    for path in paths {
        for (number, line) in BufReader::new(GzDecoder::new(File::open(&path)?)).lines().enumerate() {
            let vector = serde_json::from_str(&line?);
            vectors.push(vector.with_context(|| format!("{} line {}", path.display(), number + 1))?);
        }
    }
    Ok(vectors)
}

/// Function and kind.
pub type Topic = (String, String);

/// The results of all vectors.
#[derive(Debug, Default)]
pub struct Findings {
    /// Vectors by function and kind.
    pub counts: BTreeMap<Topic, VectorCount>,
    /// Differences from Cluster API that are not listed as deviations; and listed deviations that do not occur.
    pub differences: Vec<String>,
}

/// Vectors of one function and kind.
#[derive(Debug, Default)]
pub struct VectorCount {
    /// All.
    pub all: usize,
    /// Those that agree entry by entry.
    pub agreeing: usize,
    /// Those that agree except for listed deviations.
    pub deviating: usize,
}

/// Runs all vectors through an entry point.
pub fn ask(entry_point: &EntryPoint) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut deviations = Deviations::read()?;
    for vector in vectors()? {
        let (topic, name, differences) = vector.put_to(entry_point)?;
        let (function, kind) = &topic;
        let (listed, others): (Vec<_>, Vec<_>) = differences
            .into_iter()
            .partition(|difference| difference.untouched && deviations.list(function, kind, difference));
        findings.differences.extend(others.iter().map(|difference| format!("{name}: {}", difference.told())));
        let count = findings.counts.entry(topic).or_default();
        count.all += 1;
        count.agreeing += usize::from(listed.is_empty() && others.is_empty());
        count.deviating += usize::from(!listed.is_empty() && others.is_empty());
    }
    findings.differences.extend(deviations.unused().map(|line| format!("no vector deviates by: {line}")));
    Ok(findings)
}

impl Vector {
    /// Function and kind; the name; and where an entry point's answer differs from Cluster API's.
    fn put_to(self, entry_point: &EntryPoint) -> Result<(Topic, String, Vec<EntryDeviation>)> {
        let written = match self {
            Vector::Written(written) => written,
            Vector::Formatted(formatted) => formatted.written(),
            Vector::Classified(classified) => {
                let differences = classified.differences(entry_point).with_context(|| classified.name.clone())?;
                return Ok(((classified.function, classified.kind), classified.name, differences));
            }
        };
        let differences = written.differences(entry_point).with_context(|| written.name.clone())?;
        Ok(((written.function, written.kind), written.name, differences))
    }
}

impl Formatted {
    /// A Machine of a MachineSet with that name.
    fn written(self) -> WrittenObject {
        let metadata = json!({ "name": self.name, "namespace": "fleet", "uid": "set" });
        let owner = json!({
            "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": self.name, "uid": "set", "controller": true,
        });
        let object = |kind: &str, metadata: Value| {
            let spec = json!({ "clusterName": "c1" });
            json!({ "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec })
        };
        let machine = json!({ "name": "machine", "namespace": "fleet", "ownerReferences": [owner] });
        let labels = BTreeMap::from([("cluster.x-k8s.io/set-name".to_owned(), self.value)]);
        WrittenObject {
            function: self.function,
            name: self.name,
            kind: "Machine".to_owned(),
            version: "v1beta2".to_owned(),
            above: String::new(),
            settings: Map::new(),
            cluster: vec![
                object("MachineSet", metadata),
                object("Cluster", json!({ "name": "c1", "namespace": "fleet" })),
            ],
            review: json!({ "operation": "CREATE", "username": "alice", "object": object("Machine", machine) }),
            expected: BTreeMap::from([("metadata.labels".to_owned(), labels)]),
            relation: Relation::Equals,
            fields: BTreeMap::new(),
        }
    }
}

impl WrittenObject {
    /// Where an entry point's answer differs from Cluster API's. Keys that only the object has are kept on both sides.
    fn differences(&self, entry_point: &EntryPoint) -> Result<Vec<EntryDeviation>> {
        let request = request(self.review.clone());
        let cluster = ApiServer::new(self.cluster.clone(), Vec::new())?;
        let answer = entry_point(&request, &Value::Object(self.settings.clone()), &cluster)?;
        ensure!(answer.accepted, "refused: {:?}", answer.message);
        let object = &request["object"];
        let result = patched(object, &answer.patch)?;
        let mut differences = Vec::new();
        let mut overlays = false;
        for (map, expected) in &self.expected {
            let (own, found) = (entries(object, map)?, entries(&result, map)?);
            overlays |= own.keys().any(|key| !expected.contains_key(key));
            let keys: BTreeSet<&String> = own.keys().chain(expected.keys()).chain(found.keys()).collect();
            // What a Node gets and the record of it are written by different functions of Cluster API.
            let is_record = |key: &&String| RECORDS.contains(&(self.kind.as_str(), key.as_str()));
            for key in keys.into_iter().filter(|key| !is_record(key)) {
                let wanted = expected.get(key).or_else(|| own.get(key));
                if found.get(key) != wanted {
                    differences.push(EntryDeviation {
                        map: map.clone(),
                        key: key.clone(),
                        expected: wanted.cloned(),
                        found: found.get(key).cloned(),
                        untouched: found.get(key) == own.get(key),
                        inert: answer.report["inert"].clone(),
                    });
                }
            }
        }
        ensure!(overlays == (self.relation == Relation::Overlays), "the relation is not {:?}", self.relation);
        differences.extend(differing_fields(&self.fields, object, &result));
        Ok(differences)
    }
}

fn entries(object: &Value, path: &str) -> Result<BTreeMap<String, String>> {
    match object.pointer(&format!("/{}", path.replace('.', "/"))) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(map) => serde_json::from_value(map.clone()).with_context(|| path.to_owned()),
    }
}

impl Classified {
    /// Where an entry point's prediction differs from Cluster API's decision: at most one difference, named after the
    /// edit.
    fn differences(&self, entry_point: &EntryPoint) -> Result<Vec<EntryDeviation>> {
        let review = json!({ "operation": "UPDATE", "username": "alice", "object": self.new, "oldObject": self.old });
        let answer = entry_point(&request(review), &json!({}), &ApiServer::default())?;
        ensure!(answer.accepted, "refused: {:?}", answer.message);
        let edits = answer.report["rollout"]["edits"].as_array().cloned().unwrap_or_default();
        let replaced = edits
            .iter()
            .any(|edit| ["replaced when deleted", "rollout", "destructive"].map(Value::from).contains(&edit["effect"]));
        let is_unknown = edits.iter().any(|edit| edit["effect"] == "cannot tell");
        if replaced != self.up_to_date || (is_unknown && !replaced) {
            return Ok(Vec::new());
        }
        let told = |replaced: bool| Some(if replaced { "Machines are replaced" } else { "Machines stay" }.to_owned());
        Ok(vec![EntryDeviation {
            map: "rollout".to_owned(),
            key: self.change.clone(),
            expected: told(!self.up_to_date),
            found: told(replaced),
            untouched: true,
            inert: Value::Null,
        }])
    }
}

/// In-place mutable fields that differ from Cluster API's. If it sets none, and for list elements that it does not name, the
/// object's own values are kept.
fn differing_fields(fields: &BTreeMap<String, Value>, object: &Value, result: &Value) -> Vec<EntryDeviation> {
    let at = |object: &Value, path: &str| {
        object.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or_default()
    };
    let text = |value: Option<&Value>| value.map(Value::to_string);
    let mut differences = Vec::new();
    for (path, expected) in fields {
        let (own, found) = (elements(&at(object, path)), elements(&at(result, path)));
        let expected = elements(expected);
        for key in own.keys().chain(expected.keys()).chain(found.keys()).collect::<BTreeSet<_>>() {
            let wanted = expected.get(key).or_else(|| own.get(key));
            if found.get(key) != wanted {
                differences.push(EntryDeviation {
                    map: "fields".to_owned(),
                    key: format!("{path}{key}"),
                    expected: text(wanted),
                    found: text(found.get(key)),
                    untouched: found.get(key) == own.get(key),
                    inert: Value::Null,
                });
            }
        }
    }
    differences
}

/// List elements by their key, such as `[Ready]`; a value that is not a list is the only element.
fn elements(value: &Value) -> BTreeMap<String, Value> {
    match value {
        Value::Null => BTreeMap::new(),
        Value::Array(elements) => {
            let name = |element: &Value| {
                let names = ["conditionType", "key", "effect"].iter().filter_map(|name| element[name].as_str());
                format!("[{}]", names.collect::<Vec<_>>().join(" "))
            };
            elements.iter().map(|element| (name(element), element.clone())).collect()
        }
        other => BTreeMap::from([(String::new(), other.clone())]),
    }
}
