//! `docs/settings.schema.json` and the policy accept and reject the same settings.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use jsonschema::Validator;
use metadata_propagation::Settings;
use serde_json::{Value, json};
use testkit::case::corpus;

use documents::policies::policies;
use documents::{blocks, documents, read};

/// Maps with user-defined keys.
const MAPS: [&str; 4] = ["apiVersions", "byKind", "definitions", "profiles"];

/// What `registry.byScope`, `from` of a definition and `required` need of these is not in the schema: only the policy says
/// so.
const ONLY_READ: [&str; 3] = ["/cloudTags/belongsTo", "/cloudTags/definitions", "/cloudTags/sources"];

/// Settings of the corpus that together contain every field that any case sets.
fn samples() -> Result<Vec<Value>> {
    let (mut known, mut samples) = (BTreeSet::new(), Vec::new());
    for case in corpus()? {
        let mut found = Vec::new();
        pointers(&case.settings, "", &mut found);
        let before = known.len();
        known.extend(found.iter().map(|pointer| field(pointer)));
        if known.len() > before {
            samples.push(case.settings);
        }
    }
    Ok(samples)
}

/// The field that a pointer leads to, regardless of list indexes and map keys.
fn field(pointer: &str) -> String {
    let (mut field, mut last) = (String::new(), "");
    for step in pointer.split('/').skip(1) {
        let is_free = MAPS.contains(&last) || step.parse::<usize>().is_ok();
        field.extend(["/", if is_free { "*" } else { step }]);
        last = step;
    }
    field
}

fn schema() -> Result<Validator> {
    Ok(jsonschema::draft202012::new(&serde_json::from_str(&read("docs/settings.schema.json")?)?)?)
}

/// The JSON pointers of a value and of everything in it.
fn pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| pointers(value, &format!("{path}/{key}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{path}/{index}"), found));
        }
        _ => {}
    }
}

/// Every change of one value of a sample: its pointer and the changed settings.
fn changed(sample: &Value, change: impl Fn(&mut Value) -> bool) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    pointers(sample, "", &mut all);
    let change = |pointer: String| {
        let mut settings = sample.clone();
        let is_changed = settings.pointer_mut(&pointer).is_some_and(&change);
        is_changed.then_some((pointer, settings))
    };
    all.into_iter().filter_map(change).collect()
}

/// The words that are allowed as values of settings.
fn words(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            found.extend(fields.get("const").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| words(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| words(value, found)),
        _ => {}
    }
}

/// The non-default values of a setting with a fixed choice: the other words, or the other boolean.
fn others(pointer: &str, default: &Value, words: &BTreeSet<String>) -> Vec<Value> {
    let all = words.iter().map(|word| json!(word)).chain([json!(true), json!(false)]);
    let is_taken = |value: &Value| {
        let steps = pointer.split('/').skip(1).collect::<Vec<_>>();
        let settings = steps.into_iter().rev().fold(value.clone(), |value, step| json!({ step: value }));
        value != default && Settings::from_json(&settings.to_string()).is_ok()
    };
    all.filter(is_taken).collect()
}

#[test]
fn every_value_of_every_setting_has_a_case() -> Result<()> {
    let corpus = corpus()?;
    let defaults = serde_json::to_value(Settings::default())?;
    let mut all = BTreeSet::new();
    words(&serde_json::to_value(schemars::schema_for!(Settings))?, &mut all);
    let mut settings = Vec::new();
    pointers(&defaults, "", &mut settings);
    settings.retain(|pointer| !field(pointer).contains('*'));
    let (mut missing, mut count) = (Vec::new(), 0);
    for pointer in settings {
        let default = defaults.pointer(&pointer).context(pointer.clone())?;
        if default.as_object().is_some_and(|fields| !fields.is_empty()) {
            continue;
        }
        let set: Vec<&Value> = corpus.iter().filter_map(|case| case.settings.pointer(&pointer)).collect();
        if set.iter().all(|value| *value == default) {
            missing.push(pointer.clone());
        }
        for value in others(&pointer, default, &all) {
            count += 1;
            if !set.contains(&&value) {
                missing.push(format!("{pointer} = {value}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(count > 20, "{count} values");
    Ok(())
}

#[test]
fn what_is_written_is_what_is_read() -> Result<()> {
    for case in corpus()? {
        let read = serde_json::to_value(Settings::from_json(&case.settings.to_string())?)?;
        let mut written = Vec::new();
        pointers(&case.settings, "", &mut written);
        for pointer in written {
            // An object and list elements may omit fields.
            let stated = |settings: &Value| match settings.pointer(&pointer) {
                Some(Value::Object(_)) => None,
                Some(Value::Array(items)) => Some(json!(items.len())),
                value => value.cloned(),
            };
            assert_eq!(stated(&read), stated(&case.settings), "{}: {pointer}", case.name);
        }
    }
    Ok(())
}

/// Settings that are shown, deployed or evaluated somewhere, each with its location.
fn shown() -> Result<Vec<(String, Value)>> {
    let mut shown: Vec<_> = corpus()?.into_iter().map(|case| (case.name, case.settings)).collect();
    shown.push(("defaults".to_owned(), serde_json::to_value(Settings::default())?));
    shown.extend(samples()?.into_iter().map(|sample| ("sample".to_owned(), sample)));
    for document in documents()? {
        for block in blocks(&document)?.0.into_iter().filter(|block| block.kind == "yaml settings") {
            shown.push((block.at, serde_saphyr::from_str(&block.text)?));
        }
    }
    shown.extend(policies()?.into_iter().map(|(name, spec)| (format!("deploy/{name}"), spec["settings"].clone())));
    Ok(shown)
}

#[test]
fn settings_that_are_shown_fit_the_schema_and_are_read() -> Result<()> {
    let schema = schema()?;
    for (place, settings) in shown()? {
        Settings::validate(&settings.to_string()).with_context(|| place.clone())?;
        assert_eq!(schema.validate(&settings).map_err(|error| error.to_string()), Ok(()), "{place}");
    }
    Ok(())
}

#[test]
fn a_value_of_another_type_is_refused_by_both() -> Result<()> {
    let schema = schema()?;
    let mut refused = 0;
    for sample in samples()? {
        for other in [
            json!(true),
            json!(7),
            json!(-1.5),
            json!("no-such-word"),
            json!([]),
            json!({}),
            json!([7]),
            json!({ "a": 7 }),
        ] {
            let is_other_type = |value: &Value| std::mem::discriminant(value) != std::mem::discriminant(&other);
            let replace = |value: &mut Value| {
                // A string in place of a string is not covered: only the policy decides whether it is valid.
                let replaces = is_other_type(value) || value.is_array() || value.is_object();
                *value = other.clone();
                replaces
            };
            for (pointer, settings) in changed(&sample, replace) {
                if ONLY_READ.contains(&&*pointer) && other == json!({}) {
                    continue;
                }
                let read = Settings::from_json(&settings.to_string());
                assert_eq!(read.is_ok(), schema.is_valid(&settings), "{pointer} = {other}: {read:?}");
                refused += usize::from(read.is_err());
            }
        }
    }
    assert!(refused > 500, "{refused} refused");
    Ok(())
}

#[test]
fn an_unknown_field_an_unknown_word_and_a_missing_field_are_refused_by_both() -> Result<()> {
    let schema = schema()?;
    let add = |value: &mut Value| {
        value.as_object_mut().is_some_and(|map| map.insert("No.such".to_owned(), json!("v1")).is_none())
    };
    let misspell = |value: &mut Value| {
        let words = ["verify", "warn", "accept", "ignore", "reject", "declare", "domain"];
        let is_word = value.as_str().is_some_and(|text| words.contains(&text));
        *value = json!("no-such-word");
        is_word
    };
    let remove = |value: &mut Value| {
        value.as_object_mut().is_some_and(|map| {
            let required = ["apiGroups", "provider", "scope", "name"].into_iter().find(|name| map.contains_key(*name));
            required.and_then(|name| map.remove(name)).is_some()
        })
    };
    let mut refused = 0;
    for sample in samples()? {
        let settings =
            changed(&sample, add).into_iter().chain(changed(&sample, misspell)).chain(changed(&sample, remove));
        for (pointer, settings) in settings {
            let read = Settings::from_json(&settings.to_string());
            // Maps have user-defined keys.
            assert_eq!(read.is_ok(), schema.is_valid(&settings), "{pointer}: {settings}");
            refused += usize::from(read.is_err());
        }
    }
    assert!(refused > 50, "{refused} refused");
    Ok(())
}

/// A form may write null for an omitted field, and so does YAML for a key without a value.
#[test]
fn a_field_that_is_null_is_absent_and_an_entry_that_is_null_is_refused() -> Result<()> {
    let meant = |settings: &Value| {
        let read = Settings::from_json(&settings.to_string()).ok();
        read.map(serde_json::to_value).transpose()
    };
    let nothing = |value: &mut Value| {
        *value = Value::Null;
        true
    };
    let schema = schema()?;
    for sample in samples()? {
        for (pointer, settings) in changed(&sample, nothing) {
            if !ONLY_READ.iter().any(|part| pointer.starts_with(part)) {
                assert_eq!(meant(&settings)?.is_some(), schema.is_valid(&settings), "{pointer}");
            }
            let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
            let mut absent = settings.clone();
            let Some(fields) = absent.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            fields.remove(name);
            let is_entry = parent.rsplit('/').next().is_some_and(|map| MAPS.contains(&map));
            let expected = if is_entry { None } else { meant(&absent)? };
            assert_eq!(meant(&settings)?, expected, "{pointer}");
        }
    }
    Ok(())
}

/// The description of a setting in an editor.
#[test]
fn every_setting_is_described() -> Result<()> {
    let schema = serde_json::to_value(schemars::schema_for!(Settings))?;
    let types = schema["$defs"].as_object().context("$defs")?.values().chain([&schema]);
    for fields in types.filter_map(|of_type| of_type["properties"].as_object()) {
        for (name, field) in fields {
            assert!(field["description"].is_string(), "{name}");
        }
    }
    Ok(())
}
