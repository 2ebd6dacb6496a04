//! docs/settings.md, from the JSON Schema: every setting with its type, default and meaning.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::fmt::Write as _;

use anyhow::{Context, Result};
use metadata_propagation::Settings;
use serde_json::{Map, Value, json};
use testkit::generated::{check, check_section};

const PAGE: &str = "docs/settings.md";

/// One setting.
struct Setting {
    /// Its path, `[]` for an element of a list and `<key>` for a value of a map.
    path: String,
    /// The words that it accepts, if any.
    words: Vec<Word>,
    /// The accepted values, for readers.
    takes: String,
    /// The default; `None` if the setting is required.
    default: Option<Value>,
    meaning: String,
}

/// A word that a setting accepts, and its meaning.
#[derive(Clone, PartialEq)]
struct Word(String, String);

/// A setting in the schema: its path, its schema and its default.
struct SettingField<'s> {
    path: String,
    schema: &'s Value,
    default: Option<Value>,
    meaning: String,
}

#[test]
fn the_schema_is_the_settings_types() -> Result<()> {
    let mut schema = schema()?;
    schema["type"] = json!(["object", "null"]);
    allow_null(&mut schema);
    check("docs/settings.schema.json", &(serde_json::to_string_pretty(&schema)? + "\n"))
}

/// Lets every field be null that may be absent, as a key without a value is in YAML.
fn allow_null(schema: &mut Value) {
    let choices = schema["oneOf"].as_array().into_iter().flatten().flat_map(properties);
    let choices: Vec<String> = choices.map(|(name, _)| name.clone()).collect();
    for choice in schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(own) = choice.get_mut("properties").and_then(Value::as_object_mut) {
            for other in &choices {
                own.entry(other.clone()).or_insert_with(|| json!({ "type": "null" }));
            }
        }
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if !required.contains(&json!(name)) {
            *property = or_null(property.take());
        }
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(allow_null),
        Value::Array(items) => items.iter_mut().for_each(allow_null),
        _ => {}
    }
}

fn or_null(mut property: Value) -> Value {
    let is_nullable = property["type"] == "null"
        || ["type", "anyOf"].iter().any(|list| {
            let takes = property[*list].as_array().into_iter().flatten();
            takes.into_iter().any(|one| *one == "null" || one["type"] == "null")
        });
    let Some(fields) = property.as_object_mut().filter(|_| !is_nullable) else { return property };
    let texts = ["default", "description"].map(|name| fields.remove_entry(name));
    let mut whole = Map::from_iter(texts.into_iter().flatten());
    whole.insert("anyOf".to_owned(), json!([property, { "type": "null" }]));
    Value::Object(whole)
}

fn schema() -> Result<Value> {
    Ok(serde_json::to_value(schemars::schema_for!(Settings))?)
}

#[test]
fn the_page_shows_every_setting() -> Result<()> {
    let schema = schema()?;
    for (section, _) in properties(&schema) {
        let mut table = "| setting | takes | default | meaning |\n|---|---|---|---|\n".to_owned();
        for setting in all(&schema)?.iter().filter(|setting| setting.path.split(['.', '[']).next() == Some(section)) {
            let default = setting.default.as_ref().map_or_else(|| "required".to_owned(), printed);
            writeln!(table, "| `{}` | {} | {default} | {} |", setting.path, setting.takes, setting.meaning)?;
        }
        check_section(PAGE, &format!("settings-{section}"), &table)?;
    }
    Ok(())
}

/// Settings that accept the same words share their rows.
#[test]
fn the_page_shows_what_the_words_mean() -> Result<()> {
    let schema = schema()?;
    let mut shared: Vec<(Vec<Word>, Vec<String>)> = Vec::new();
    for setting in all(&schema)?.into_iter().filter(|setting| !setting.words.is_empty()) {
        let path = format!("`{}`", setting.path);
        match shared.iter_mut().find(|(words, _)| *words == setting.words) {
            Some((_, paths)) => paths.push(path),
            None => shared.push((setting.words, vec![path])),
        }
    }
    let mut table = "| settings | values |\n|---|---|\n".to_owned();
    for (words, paths) in shared {
        let words: Vec<String> = words.iter().map(|Word(word, meaning)| format!("`{word}`: {meaning}")).collect();
        writeln!(table, "| {} | {} |", paths.join(", "), words.join("<br>"))?;
    }
    check_section(PAGE, "settings-values", &table)
}

#[test]
fn the_page_shows_the_defaults() -> Result<()> {
    let schema = schema()?;
    let mut defaults = json!({});
    for Setting { path, default, .. } in all(&schema)? {
        let default = default.filter(|default| !default.is_null());
        if let Some(default) = default.filter(|_| !path.contains(['[', '<'])) {
            let place = path.split('.').fold(&mut defaults, |place, step| &mut place[step]);
            *place = default;
        }
    }
    let text = testkit::to_yaml(&defaults)?;
    check_section(PAGE, "settings", &format!("```yaml settings\n{text}```\n"))
}

/// Every setting of the schema, in its order.
fn all(schema: &Value) -> Result<Vec<Setting>> {
    let mut settings = Vec::new();
    of_properties(schema, schema, "", &mut settings)?;
    Ok(settings)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn of_properties(root: &Value, schema: &Value, path: &str, settings: &mut Vec<Setting>) -> Result<()> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let required: Vec<&str> = required.collect();
    for (name, property) in properties(schema) {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let own = property["description"].as_str();
        let resolved = resolved(root, property)?;
        let meaning = own.or(resolved["description"].as_str()).unwrap_or_default().replace('\n', " ");
        let default = property.get("default").cloned();
        let default = default.or_else(|| (!required.contains(&&**name)).then_some(Value::Null));
        of_field(root, SettingField { path, schema: resolved, default, meaning }, settings)?;
    }
    Ok(())
}

/// The resolved schema, if it is a reference or may also be null.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> Result<&'s Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return root.pointer(reference.trim_start_matches('#')).with_context(|| reference.to_owned());
    }
    let mut choices = schema["anyOf"].as_array().into_iter().flatten();
    match choices.find(|choice| choice["type"] != "null") {
        Some(choice) => resolved(root, choice),
        None => Ok(schema),
    }
}

fn of_field(root: &Value, field: SettingField<'_>, settings: &mut Vec<Setting>) -> Result<()> {
    let SettingField { path, schema, default, meaning } = field;
    if schema["properties"].is_object() && default.as_ref().is_some_and(Value::is_object) {
        return of_properties(root, schema, &path, settings);
    }
    let words = words(schema);
    let element = |name: &str| -> Result<Option<&Value>> {
        schema.get(name).filter(|element| element.is_object()).map(|element| resolved(root, element)).transpose()
    };
    let (items, values) = (element("items")?, element("additionalProperties")?);
    let kinds = schema["type"].as_array().into_iter().flatten().chain([&schema["type"]]);
    let kind = kinds.filter_map(Value::as_str).find(|kind| *kind != "null");
    let takes = match (kind, items, values) {
        _ if !words.is_empty() => words.iter().map(|Word(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        (Some("array"), Some(items), _) => format!("list of {}s", items["type"].as_str().unwrap_or("object")),
        (Some("object"), _, Some(values)) => format!("map of {}s", values["type"].as_str().unwrap_or("object")),
        (Some(kind), ..) => kind.to_owned(),
        (None, ..) => "object, one of these".to_owned(),
    };
    settings.push(Setting { path: path.clone(), words, takes, default, meaning });
    if schema["properties"].is_object() {
        of_properties(root, schema, &path, settings)?;
    }
    for (below, element) in [(format!("{path}[]"), items), (format!("{path}.<key>"), values)] {
        if let Some(element) = element {
            of_properties(root, element, &below, settings)?;
        }
    }
    // Alternative objects, one of which is set: the description of each is next to its schema, not next to its field.
    for choice in schema["oneOf"].as_array().into_iter().flatten() {
        let described = choice["description"].clone();
        let mut choice = choice.clone();
        // One of them is set; none is required by itself.
        choice["required"] = Value::Null;
        for field in choice["properties"].as_object_mut().into_iter().flat_map(Map::values_mut) {
            field["description"] = described.clone();
        }
        of_properties(root, &choice, &path, settings)?;
    }
    Ok(())
}

fn words(schema: &Value) -> Vec<Word> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    choices.filter_map(|choice| Some(Word(text(&choice["const"])?, text(&choice["description"])?))).collect()
}

/// A default, for readers.
fn printed(default: &Value) -> String {
    match default {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(items) if !items.is_empty() => items.iter().map(printed).collect::<Vec<_>>().join(", "),
        other => format!("`{other}`"),
    }
}
