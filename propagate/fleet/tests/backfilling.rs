//! What stored objects lack, and nothing else, is in the patches.

use fleet::{Backfill, Fleet, Means, Source};
use metadata_propagation::Settings;
use serde_json::Value;

fn fleet(text: String) -> Fleet {
    Fleet::read(vec![Source { name: "a.yaml".to_owned(), text }])
}

/// What server-side apply makes of maps and whole lists.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Afterwards nothing is lacking.
#[test]
fn patched_objects_lack_nothing() -> anyhow::Result<()> {
    for (name, settings, refused) in [
        ("examples/fleet.yaml", None, &[][..]),
        ("examples/composites.yaml", Some("examples/composites-settings.yaml"), &["XOpenStackInstance checkout/shop"]),
    ] {
        let read = |name: &str| std::fs::read_to_string(testkit::root().join(name));
        let settings = match settings {
            Some(settings) => serde_saphyr::from_str::<Value>(&read(settings)?)?.to_string(),
            None => "{}".to_owned(),
        };
        let settings = Settings::from_json(&settings)?;
        let before = fleet(read(name)?);
        let backfill = Backfill::of(&before, &settings, Means::Apply);
        let told: Vec<String> = backfill.refused.iter().map(|refused| refused.id.to_string()).collect();
        assert_eq!(told, refused);
        assert!(backfill.steps.len() > 2);
        let mut after = String::new();
        for object in before.objects() {
            let mut value: Value = serde_json::from_str(&object.json)?;
            for patch in backfill.steps.iter().filter(|patch| patch.id == object.id) {
                merge(&mut value, &serde_saphyr::from_str(&patch.text)?);
            }
            after += &format!("---\n{value}\n");
        }
        assert_eq!(Backfill::of(&fleet(after), &settings, Means::Apply).steps, [], "{name}");
    }
    Ok(())
}
