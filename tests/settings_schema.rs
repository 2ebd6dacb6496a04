//! `settings.schema.json` and the policy take the same settings, and refuse the same.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use jsonschema::Validator;
use metadata_propagation::Settings;
use serde_json::{Value, json};
use testkit::case::Case;

use self::documents::{blocks, documents, read};

#[path = "shared/documents.rs"]
mod documents;

/// All that can be set, and nothing as it is by default.
const ALL: &str = r#"{
    "mode": "verify",
    "lookup": { "onMissing": "warn", "onFailure": "accept", "apiVersions": { "A.b": "v1" } },
    "clusterApi": {
        "version": "v1.10", "controllers": ["a"], "selfCheck": true, "onConflict": "reject", "fields": false,
        "taints": true, "rollout": "ignore",
        "optIn": { "clusterToTopology": ["b"], "machineToInfra": ["c"], "poolToMachine": true },
        "node": { "additionalLabels": ["d"], "additionalAnnotations": ["e"] }
    },
    "guards": {
        "selectorLabels": "warn", "selectorChange": "ignore", "adoption": "warn", "reservedKeys": "reject",
        "templateKeys": "ignore", "nodeUnreachable": "reject"
    },
    "cloudTags": {
        "composites": [
            { "apiGroups": ["a.b"], "provider": { "path": "spec.provider" }, "claimKinds": ["C"] },
            { "apiGroups": ["c.d"], "provider": { "fixed": "aws" } },
            { "apiGroups": ["e.f"], "provider": { "byKind": { "X": "aws" } } }
        ],
        "definitions": { "team": { "scope": "domain", "cloudTagPropagation": true } },
        "onRegistryFailure": "warn", "xrds": "declare", "compositions": "ignore"
    }
}"#;

/// All that can be set: `registry` stands instead of `definitions`.
fn samples() -> Result<Vec<Value>> {
    let all: Value = serde_json::from_str(ALL)?;
    let mut registry = all.clone();
    registry["cloudTags"]["definitions"] = json!({});
    registry["cloudTags"]["registry"] = json!({ "name": "default" });
    Ok(vec![all, registry])
}

fn schema() -> Result<Validator> {
    Ok(jsonschema::draft202012::new(&serde_json::from_str(&read("settings.schema.json")?)?)?)
}

/// The JSON pointers of a value and of all that is in it.
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

/// Every change of one value of a sample: its pointer, what it is, and the settings.
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

#[test]
fn the_samples_are_all_that_can_be_set() -> Result<()> {
    let mut set = BTreeSet::new();
    for sample in samples()? {
        let mut found = Vec::new();
        pointers(&sample, "", &mut found);
        set.extend(found);
    }
    let defaults = serde_json::to_value(Settings::default())?;
    let mut expected = Vec::new();
    pointers(&defaults, "", &mut expected);
    expected.retain(|pointer| !set.contains(pointer) && !pointer.contains("/controllers/"));
    assert_eq!(expected, Vec::<String>::new());
    Ok(())
}

/// Settings that are shown, deployed or evaluated somewhere, each with its place.
fn shown() -> Result<Vec<(String, Value)>> {
    let mut shown: Vec<_> = Case::corpus()?.into_iter().map(|case| (case.name, case.settings)).collect();
    shown.push(("defaults".to_owned(), serde_json::to_value(Settings::default())?));
    shown.extend(samples()?.into_iter().map(|sample| ("sample".to_owned(), sample)));
    for document in documents()? {
        for block in blocks(&document)?.0.into_iter().filter(|block| block.kind == "yaml settings") {
            shown.push((block.at, serde_yaml_ng::from_str(&block.text)?));
        }
    }
    for entry in fs::read_dir(testkit::root().join("deploy"))? {
        let name = format!("deploy/{}", entry?.file_name().to_string_lossy());
        let text = read(&name)?;
        if text.contains("kind: ClusterAdmissionPolicy") {
            let manifest: Value = serde_yaml_ng::from_str(&text)?;
            shown.push((name, manifest["spec"]["settings"].clone()));
        }
    }
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
                // A text for a text is another matter: whether it makes sense, only the policy says.
                let replaces = is_other_type(value) || value.is_array() || value.is_object();
                *value = other.clone();
                replaces
            };
            for (pointer, settings) in changed(&sample, replace) {
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
            // Maps have keys of the user's own.
            assert_eq!(read.is_ok(), schema.is_valid(&settings), "{pointer}: {settings}");
            refused += usize::from(read.is_err());
        }
    }
    assert!(refused > 50, "{refused} refused");
    Ok(())
}

/// A form may write null for a field that it leaves out. The schema does not offer it.
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
    for sample in samples()? {
        for (pointer, settings) in changed(&sample, nothing) {
            let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
            let mut absent = settings.clone();
            let Some(fields) = absent.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            fields.remove(name);
            let is_entry = ["/byKind", "/apiVersions", "/definitions"].iter().any(|map| parent.ends_with(map));
            let expected = if is_entry { None } else { meant(&absent)? };
            assert_eq!(meant(&settings)?, expected, "{pointer}");
        }
    }
    Ok(())
}

/// What stands beside a setting in an editor.
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
