//! Which labels become tags under each profile, why the others do not, and how the cloud API validates them.

use std::collections::BTreeMap;

use fleet::ValueText;
use metadata_propagation::tags::{
    CLOUDS, CloudVerdict, Labels, Length, PROFILES, STRICT_PROFILES, TagRules, Transformed, Unit, cloud_tags, verdicts,
};
use serde::Serialize;

use crate::marks::{LineStarts, Mark, Weight};
use crate::question::Matrix;

/// The answer.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MatrixAnswer {
    marks: Vec<Mark>,
    /// The specification's profiles.
    specified: Vec<Column>,
    /// The strict profiles.
    strict: Vec<Column>,
    labels: Labels,
}

/// A profile, how much of its limits the labels use, and the result for each label.
#[derive(Debug, Serialize)]
struct Column {
    name: &'static str,
    unit: &'static str,
    key: usize,
    value: usize,
    tags: usize,
    /// The number of tags made from the labels.
    made: usize,
    /// One for each label, in their order.
    cells: Vec<Cell>,
}

/// One label under one profile.
#[derive(Debug, Serialize)]
struct Cell {
    tag: String,
    /// Lengths as the limits count them.
    key: usize,
    value: usize,
    /// Why it is not a tag; absent if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// How the cloud's own API validates the tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    cloud: Option<CloudVerdict>,
}

/// Evaluates every label under every profile.
pub(crate) fn matrix(question: &Matrix) -> MatrixAnswer {
    let source = question.labels.source();
    let lines = LineStarts::of(&source);
    let problem = |message: String, at: std::ops::Range<usize>| {
        let place = lines.place(&source, at);
        let mark = Mark { text: source.name.clone(), place, severity: Weight::Error, message };
        MatrixAnswer { marks: vec![mark], ..MatrixAnswer::default() }
    };
    let value = match ValueText::read(&source) {
        Ok(value) => value,
        Err(none) => return problem(none.message, none.at..none.at),
    };
    let Ok(read) = serde_json::from_str::<Option<BTreeMap<String, serde_json::Value>>>(value.json()) else {
        return problem("not a map of keys and values".to_owned(), 0..0);
    };
    let mut labels = Labels::new();
    for (key, value_of_key) in read.unwrap_or_default() {
        let serde_json::Value::String(text) = value_of_key else {
            return problem(format!("the value of `{key}` is not a string"), value.locate(&format!("[{key}]")));
        };
        labels.insert(key, text);
    }
    let specified = PROFILES.iter().map(|profile| {
        let length = match profile.unit {
            Unit::Runes => Length::Runes,
            Unit::Bytes => Length::Bytes,
        };
        column(TagRules::from(profile), profile.name, length(profile.key), length(profile.value), &labels)
    });
    let strict = STRICT_PROFILES.iter().map(|profile| {
        let rules = TagRules::Strict { profile, reserve: 0 };
        column(rules, profile.cloud.provider, profile.cloud.key.length, profile.cloud.value.length, &labels)
    });
    MatrixAnswer { marks: Vec::new(), specified: specified.collect(), strict: strict.collect(), labels: labels.clone() }
}

fn column(rules: TagRules, provider: &str, key: Length, value: Length, labels: &Labels) -> Column {
    let Transformed { tags, skipped, .. } = cloud_tags(rules, labels);
    let cloud = CLOUDS.iter().find(|cloud| cloud.provider == provider);
    let verdicts = verdicts(cloud, &tags.iter().map(|(key, value)| (&**key, Some(&**value))).collect());
    let cell = |(qualified_key, text): (&String, &String)| {
        let tag = rules.tag_key(qualified_key);
        let skipped = skipped.iter().find(|label| label.qualified_key == *qualified_key);
        Cell {
            key: length(key, &tag),
            value: length(value, text),
            reason: skipped.map(|skipped| skipped.reason.as_str()),
            message: skipped.map(|skipped| skipped.fact().to_string()),
            cloud: verdicts.get(&tag).copied().filter(|_| skipped.is_none()),
            tag,
        }
    };
    Column {
        name: rules.name(),
        unit: if matches!(key, Length::Bytes(_)) { "bytes" } else { "characters" },
        key: most(key),
        value: most(value),
        tags: rules.most(),
        made: tags.len(),
        cells: labels.iter().map(cell).collect(),
    }
}

/// The length of a text; for a key with a prefix, the length of its name part.
fn length(of: Length, text: &str) -> usize {
    match of {
        Length::Runes(_) => text.chars().count(),
        Length::Bytes(_) => text.len(),
        Length::Prefixed { .. } => text.split_once('/').map_or(text, |(_, name)| name).len(),
    }
}

fn most(length: Length) -> usize {
    match length {
        Length::Runes(most) | Length::Bytes(most) | Length::Prefixed { name: most, .. } => most,
    }
}
