//! Which labels become tags under each profile, and why the others do not.

use std::collections::BTreeMap;

use fleet::Value;
use metadata_propagation::tags::{CLOUD_TAG_PREFIX, Labels, PROFILES, Profile, SkippedLabel, Unit, cloud_tags};
use serde::Serialize;

use crate::marks::{Lines, Mark, Weight};
use crate::question::Matrix;

/// The answer.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Answer {
    marks: Vec<Mark>,
    profiles: Vec<Limits>,
    labels: Vec<Row>,
}

/// A profile, and how much of its limits the labels take.
#[derive(Debug, Serialize)]
struct Limits {
    name: &'static str,
    unit: String,
    key: usize,
    value: usize,
    tags: usize,
    /// The tags that the labels make.
    made: usize,
}

/// One label.
#[derive(Debug, Serialize)]
struct Row {
    key: String,
    value: String,
    tag: String,
    /// One for each profile.
    cells: Vec<Cell>,
}

/// One label under one profile.
#[derive(Debug, Serialize)]
struct Cell {
    /// In the unit of the profile, the prefix included.
    key: usize,
    value: usize,
    /// Why it is no tag; absent where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Asks every profile about every label.
pub(crate) fn matrix(question: &Matrix) -> Answer {
    let source = question.labels.source();
    let lines = Lines::of(&source);
    let problem = |message: String, at: std::ops::Range<usize>| {
        let place = lines.place(&source, at);
        let mark = Mark { text: source.name.clone(), place, severity: Weight::Error, message };
        Answer { marks: vec![mark], ..Answer::default() }
    };
    let value = match Value::read(&source) {
        Ok(value) => value,
        Err(none) => return problem(none.message, none.at..none.at),
    };
    let Ok(Some(read)) = serde_json::from_str::<Option<BTreeMap<String, serde_json::Value>>>(value.json())
        .map(|read| Some(read.unwrap_or_default()))
    else {
        return problem("not a map of keys and values".to_owned(), 0..0);
    };
    let mut labels = Labels::new();
    for (key, value_of_key) in read {
        let serde_json::Value::String(text) = value_of_key else {
            return problem(format!("the value of `{key}` is not a string"), value.locate(&format!("[{key}]")));
        };
        labels.insert(key, text);
    }
    let made: Vec<_> = PROFILES.iter().map(|profile| (profile, cloud_tags(profile, &labels))).collect();
    let profiles = made.iter().map(|(profile, made)| Limits {
        name: profile.name,
        unit: profile.unit.to_string(),
        key: profile.key,
        value: profile.value,
        tags: profile.tags,
        made: made.tags.len(),
    });
    let rows = labels.iter().map(|(key, value)| Row {
        key: key.clone(),
        value: value.clone(),
        tag: format!("{CLOUD_TAG_PREFIX}{key}"),
        cells: made
            .iter()
            .map(|(profile, made)| cell(profile, key, value, made.skipped.iter().find(|it| it.qualified_key == *key)))
            .collect(),
    });
    Answer { marks: Vec::new(), profiles: profiles.collect(), labels: rows.collect() }
}

fn cell(profile: &Profile, key: &str, value: &str, skipped: Option<&SkippedLabel>) -> Cell {
    let length = |text: &str| match profile.unit {
        Unit::Runes => text.chars().count(),
        Unit::Bytes => text.len(),
    };
    Cell {
        key: length(CLOUD_TAG_PREFIX) + length(key),
        value: length(value),
        reason: skipped.map(|skipped| skipped.reason.as_str()),
        message: skipped.map(SkippedLabel::sentence),
    }
}
