//! The effect of an edit of each path: `EFFECTS`, by kind.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use metadata_propagation::{EFFECTS, Effect, EffectBlock, Given, KeyEdit, Row, Version};

/// The page: one table for each kind of object, the most severe effect first.
pub fn effects() -> Result<String> {
    let mut text = include_str!("effects.md").to_owned();
    let mut kinds: Vec<_> = EFFECTS.iter().map(|block| block.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let mut by_effect: BTreeMap<Effect, String> = BTreeMap::new();
        for block in EFFECTS.iter().filter(|block| block.kind == kind) {
            for row in block.rows {
                for (effect, cells) in of_row(block, row) {
                    writeln!(by_effect.entry(effect).or_default(), "| {effect} | {cells} |")?;
                }
            }
        }
        let rows: String = by_effect.into_values().rev().collect();
        writeln!(text, "\n## {kind}\n\n| effect | path | in v1beta1 | only |\n|---|---|---|---|\n{}", rows.trim_end())?;
    }
    Ok(text)
}

/// The effects of the edits in one row: of the path, of a removed entry, and of specific keys.
fn of_row(block: &EffectBlock, row: &Row) -> Vec<(Effect, String)> {
    let paths = |suffix: &str, edit: &str| {
        let of = |path: Option<String>| code(path.map(|path| path + suffix)) + edit;
        let [old, new] = row.paths(block);
        let old = if old == new { String::new() } else { of(old) };
        format!("{} | {old}", of(new))
    };
    let only = |given: Given, since: Version| {
        let until = row.until.map(|until| format!("before {until}"));
        let since = (since > Version::OLDEST_EDITION).then(|| format!("since {since}"));
        let conditions = [Some(given.to_string()).filter(|given| !given.is_empty()), since, until];
        conditions.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let of_path = format!("{} | {}", paths("", ""), only(block.condition(row), row.since));
    let mut effects = vec![(row.effect, of_path)];
    effects.extend(
        row.removed.map(|effect| {
            (effect, format!("{} | {}", paths("", ", an entry removed"), only(Given::Replicas, row.since)))
        }),
    );
    effects.extend(row.keys.iter().map(|key| {
        let edit = match key.edit {
            KeyEdit::Removed => " removed",
            KeyEdit::Changed => " changed",
        };
        (key.effect, format!("{} | {}", paths(&format!("[{}]", key.key), edit), only(key.given, key.since)))
    }));
    effects
}

fn code(path: Option<String>) -> String {
    path.map_or_else(|| "none".to_owned(), |path| format!("`{path}`"))
}
