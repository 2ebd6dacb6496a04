//! docs/troubleshooting.md quotes messages as the engine prints them.

use std::collections::BTreeSet;

use anyhow::Result;

use documents::messages::messages;
use documents::read;

const PAGE: &str = "docs/troubleshooting.md";

/// The texts between double backticks.
fn explained() -> Result<BTreeSet<String>> {
    Ok(read(PAGE)?.split("``").skip(1).step_by(2).map(|span| span.trim().to_owned()).collect())
}

#[test]
fn every_entry_is_a_sentence() -> Result<()> {
    let sentences: Vec<String> = messages()?.into_iter().map(|message| message.text).collect();
    assert!(sentences.len() > 100, "only {} sentences were found", sentences.len());
    let explained = explained()?;
    assert!(explained.len() > 30, "only {} entries were found", explained.len());
    // An entry may be a part of a sentence, or consist of two: its subject and the statement about it.
    let quotes = |entry: &str, sentence: &str| {
        let mut clauses = sentence.split([':', '…']).chain(sentence.split([':', ';', '…']));
        entry.contains(sentence) || clauses.any(|clause| clause.trim() == entry)
    };
    let stale: Vec<String> =
        explained.into_iter().filter(|entry| !sentences.iter().any(|sentence| quotes(entry, sentence))).collect();
    assert_eq!(stale, Vec::<String>::new(), "no sentence of the engine, in {PAGE}");
    Ok(())
}
