//! Classes and edits of `testdata/topology`. `BLESS=1` writes what is expected.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use topology::{Before, Desired, Inputs, Obstacle, StoredDefaults, desired, differences, stored_defaults};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/topology")
}

fn yaml(text: &str) -> Option<Value> {
    serde_saphyr::from_str(text).ok()
}

fn computed(vector: &Value, stored: &StoredDefaults, before: Before<'_>) -> Result<Desired, Obstacle> {
    let templates = vector["templates"].as_array().cloned().unwrap_or_default();
    let find = |reference: &Value| {
        let is_meant = |it: &&Value| {
            it.get("kind") == reference.get("kind") && it.pointer("/metadata/name") == reference.get("name")
        };
        templates.iter().find(is_meant).cloned()
    };
    desired(Inputs { cluster: &vector["cluster"], class: &vector["class"], templates: &find, stored, before, yaml })
}

/// One line for each field that differs.
fn lines(vector: &Value, edit: &Value) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let stored = stored_defaults(&vector["cluster"], &vector["class"]);
    let mut edited = vector.clone();
    json_patch::patch(&mut edited, &serde_json::from_value::<json_patch::Patch>(edit["patch"].clone())?)?;
    let before = computed(vector, &stored, Before::default()).map_err(|obstacle| obstacle.to_string())?;
    let existing = Before { cluster: Some(&vector["cluster"]), class: Some(&vector["class"]), versions: None };
    let after = match computed(&edited, &stored, existing) {
        Ok(after) => after,
        Err(obstacle) => return Ok(vec![obstacle.to_string()]),
    };
    let mut lines = Vec::new();
    for part in differences(&before, &after) {
        let owner = format!("{}: {}", part.owner, part.kind);
        lines.extend(part.gap.map(|gap| format!("{owner}: cannot tell: {gap}")));
        lines.extend(part.because.into_iter().map(|cause| {
            let path = cause.path();
            let [from, to] = [cause.from, cause.to].map(|value| value.unwrap_or_default().to_string());
            let variables = cause.variables.iter().map(|it| format!("variable {it}"));
            let by: Vec<String> = variables.chain(cause.patch.map(|it| format!("patch {it}"))).collect();
            format!("{owner} {path}: {from} → {to} [{}]", by.join(", "))
        }));
    }
    Ok(lines)
}

#[test]
fn objects_and_edits_are_as_expected() -> Outcome {
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        // Other files have the answers of Cluster API's own reconciler, for plans.
        if path.extension().is_none_or(|extension| extension != "yaml") || !path.with_extension("expected").exists() {
            continue;
        }
        let vector: Value = serde_saphyr::from_str(&fs::read_to_string(&path)?)?;
        let made = computed(&vector, &StoredDefaults::default(), Before::default())
            .map_err(|obstacle| obstacle.to_string())?;
        let objects: Vec<Value> = made.parts.into_iter().map(|part| part.object).collect();
        let mut edits = BTreeMap::new();
        for edit in vector["edits"].as_array().into_iter().flatten() {
            edits.insert(edit["title"].as_str().unwrap_or_default().to_owned(), lines(&vector, edit)?);
        }
        let found = serde_saphyr::to_string(&json!({ "objects": objects, "edits": edits }))?;
        let expected = path.with_extension("expected");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &found)?;
        }
        assert_eq!(found, fs::read_to_string(&expected)?, "{}", path.display());
    }
    Ok(())
}
