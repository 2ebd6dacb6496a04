//! The entry points' crates match facts: they do not search or split what the engine says.

use std::collections::BTreeSet;

use anyhow::Result;
use regex::Regex;

use crate::workspace;

/// The crates that print what the engine says.
const READERS: [&str; 7] =
    ["crates/cli/", "crates/fleet/", "crates/live/", "crates/model/", "crates/playground/", "crates/webhook/", "src/"];

#[test]
fn no_entry_point_searches_or_splits_a_sentence() -> Result<()> {
    let searches = Regex::new(
        r"\b(message|warning|warnings|sentence\(\)|difference\(\)|refusal\(\))\s*\.(contains|find|matches|split\w*|rsplit\w*|starts_with|ends_with|strip_\w+)\(",
    )?;
    let mut found = BTreeSet::new();
    for (file, text) in workspace()?.iter().filter(|(file, _)| READERS.iter().any(|of| file.starts_with(of))) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        found.extend(searches.find_iter(code).map(|call| format!("{file}: {}", call.as_str())));
    }
    assert_eq!(found, BTreeSet::new());
    Ok(())
}
