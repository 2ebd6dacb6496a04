//! docs/troubleshooting.md contains every message of the engine, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::documents::read;

const PAGE: &str = "docs/troubleshooting.md";

/// The files with sentences that are not in a folder `messages`.
const FILES: &[&str] = &[
    "cloud-tags/src/messages.rs",
    "facts/src/fact.rs",
    "kube/src/answers.rs",
    "kube/src/cluster.rs",
    "kube/src/lookup.rs",
    "kube/src/request.rs",
    "tag-delivery/src/messages.rs",
];

/// The folders with sentences.
const FOLDERS: &[&str] = &["cluster-api/src/messages", "engine/src/report/messages", "facts/src/messages"];

fn files() -> Result<Vec<PathBuf>> {
    let crates = testkit::root().join("crates");
    let mut files: Vec<PathBuf> = FILES.iter().map(|file| crates.join(file)).collect();
    for folder in FOLDERS {
        for entry in fs::read_dir(crates.join(folder))? {
            files.push(entry?.path());
        }
    }
    Ok(files)
}

/// The texts of the sentences in modules of messages and of facts, with `…` for inserted values. Single words, such as `added`,
/// are parts of sentences; texts without words only join others.
fn sentences() -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for path in files()? {
        let tokens: TokenStream = fs::read_to_string(&path)?.parse().map_err(|error| anyhow!("{error}"))?;
        texts(tokens, &mut found).with_context(|| path.display().to_string())?;
    }
    found.retain(|text| text.contains(' ') && has_words(text));
    Ok(found)
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// The string literals of a file, without those of attributes (comments are some) and of tests.
fn texts(tokens: TokenStream, found: &mut BTreeSet<String>) -> Result<()> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                // The attribute, `#[…]` or `#![…]`, and the tests behind `#[cfg(test)]`.
                tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                let attribute = tokens.next_if(
                    |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket),
                );
                if attribute.is_some_and(|attribute| attribute.to_string().replace(' ', "") == "[cfg(test)]") {
                    tokens.by_ref().find(|token| matches!(token, TokenTree::Group(_)));
                }
            }
            TokenTree::Group(group) => texts(group.stream(), found)?,
            TokenTree::Literal(literal) => found.extend(text(&literal.to_string())?),
            _ => {}
        }
    }
    Ok(())
}

/// The text of a string literal, with each `{…}` replaced by `…`.
fn text(literal: &str) -> Result<Option<String>> {
    let Some(inner) = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return Ok(None) };
    let (mut said, mut rest) = (String::new(), inner.chars().peekable());
    while let Some(char) = rest.next() {
        match char {
            '\\' => match rest.next().context("a lone backslash")? {
                '\n' => while rest.next_if(|char| char.is_whitespace()).is_some() {},
                escaped @ ('"' | '\\' | '\'') => said.push(escaped),
                other => return Err(anyhow!("what is \\{other}?")),
            },
            '{' => {
                rest.by_ref().find(|char| *char == '}').context("a lone brace")?;
                said.push('…');
            }
            other => said.push(other),
        }
    }
    Ok(Some(said.trim().to_owned()))
}

/// The texts between double backticks.
fn explained() -> Result<BTreeSet<String>> {
    Ok(read(PAGE)?.split("``").skip(1).step_by(2).map(|span| span.trim().to_owned()).collect())
}

#[test]
fn every_sentence_has_its_entry() -> Result<()> {
    let (sentences, explained) = (sentences()?, explained()?);
    let missing: Vec<&String> =
        sentences.iter().filter(|sentence| !explained.iter().any(|entry| entry.contains(&**sentence))).collect();
    assert_eq!(missing, Vec::<&String>::new(), "add them to {PAGE}");
    assert!(sentences.len() > 100, "only {} sentences were found", sentences.len());
    Ok(())
}

#[test]
fn every_entry_is_a_sentence() -> Result<()> {
    let sentences = sentences()?;
    // An entry may consist of two sentences: its subject and the statement about it, or `cannot read` and the reason.
    let stale: Vec<String> = explained()?
        .into_iter()
        .filter(|entry| {
            entry != "cannot read" && has_words(entry) && !sentences.iter().any(|sentence| entry.contains(&**sentence))
        })
        .collect();
    assert_eq!(stale, Vec::<String>::new(), "no sentence of the engine, in {PAGE}");
    Ok(())
}
