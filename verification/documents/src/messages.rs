//! The sentences of the engine, from its source: string literals, with the documentation of the item that has them.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The folder of the sentences, and other files that have some.
const FOLDER: &str = "crates/metadata-propagation/src/report/messages";
const FILES: [&str; 18] = [
    "crates/cloud-tags/src/fact.rs",
    "crates/cloud-tags/src/messages.rs",
    "crates/cloud-tags/src/tag_reason.rs",
    "crates/cluster-api/src/fact.rs",
    "crates/cluster-api/src/guards/reserved_keys.rs",
    "crates/cluster-api/src/skipped.rs",
    "crates/cluster-api/src/waiver.rs",
    "crates/kubernetes/src/cluster.rs",
    "crates/kubernetes/src/decision/change_reason.rs",
    "crates/kubernetes/src/decision/change_rule.rs",
    "crates/kubernetes/src/decision/not_applicable.rs",
    "crates/kubernetes/src/lookup.rs",
    "crates/metadata-propagation/src/fact.rs",
    "crates/tag-delivery/src/fault.rs",
    "crates/tag-delivery/src/messages.rs",
    "crates/tag-delivery/src/path_problem.rs",
    "crates/tag-delivery/src/tag_finding.rs",
    "crates/tag-rules/src/refusal.rs",
];

/// A sentence, with `…` for inserted values.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What the file of the sentence is about.
    pub topic: String,
    /// The sentence.
    pub text: String,
    /// The documentation of the constant, function or variant that has it.
    pub meaning: String,
}

/// All sentences. Single words, such as `added`, are parts of sentences; texts without words only join others.
pub fn messages() -> Result<Vec<Message>> {
    let root = testkit::root();
    let mut paths = FILES.map(|file| root.join(file)).to_vec();
    for entry in fs::read_dir(root.join(FOLDER))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let source = fs::read_to_string(&path)?;
        let tokens: TokenStream = source.parse().map_err(|error| anyhow!("{error}"))?;
        let topic = source.lines().map_while(|line| line.strip_prefix("//! ")).collect::<Vec<_>>().join(" ");
        let mut texts = Texts::default();
        texts.collect(tokens, "").with_context(|| path.display().to_string())?;
        let is_sentence = |text: &str| text.contains(' ') && text.contains(char::is_alphabetic);
        let texts = texts.found.into_iter().filter(|(text, _)| is_sentence(text));
        found.extend(texts.map(|(text, meaning)| Message { topic: topic.clone(), text, meaning }));
    }
    Ok(found)
}

/// The string literals of a file, each with its documentation, without those of other attributes and of tests.
#[derive(Default)]
struct Texts {
    found: Vec<(String, String)>,
    /// The documentation of variants, such as `Fact::Unread`, whose texts may be in a `match`.
    variants: BTreeMap<String, String>,
    /// The enum that is read.
    of: String,
    /// The name before this one, and the variant that was named last.
    before: String,
    named: String,
}

impl Texts {
    fn collect(&mut self, tokens: TokenStream, outer: &str) -> Result<()> {
        let mut tokens = tokens.into_iter().peekable();
        let mut own = String::new();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                    let attribute = tokens.next_if(
                        |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket),
                    );
                    let Some(TokenTree::Group(attribute)) = attribute else { continue };
                    let name = attribute.stream().to_string().replace(' ', "");
                    if name == "cfg(test)" {
                        tokens.by_ref().find(|token| matches!(token, TokenTree::Group(_)));
                    } else if name.starts_with("doc=")
                        && let Some(TokenTree::Literal(line)) = attribute.stream().into_iter().last()
                    {
                        let line = text(&line.to_string())?.unwrap_or_default();
                        own = if own.is_empty() { line } else { format!("{own} {line}") };
                    }
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if self.before == "enum" {
                        self.of.clone_from(&name);
                    } else if !own.is_empty() && name.starts_with(char::is_uppercase) {
                        let variant = format!("{}::{name}", self.of);
                        self.variants.entry(variant).or_insert_with(|| own.clone());
                    }
                    let variant = format!("{}::{name}", self.before);
                    if self.variants.contains_key(&variant) {
                        self.named = variant;
                    }
                    self.before = name;
                }
                TokenTree::Group(group) => {
                    self.collect(group.stream(), if own.is_empty() { outer } else { &own })?;
                    // The body of a function or of a block ends its item.
                    if group.delimiter() == Delimiter::Brace && outer.is_empty() && !is_variant(tokens.peek()) {
                        own.clear();
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => own.clear(),
                TokenTree::Literal(literal) => {
                    let own = if own.is_empty() { outer } else { &own };
                    let meaning = if own.is_empty() { self.variants.get(&self.named).map_or("", |of| of) } else { own };
                    self.found.extend(text(&literal.to_string())?.map(|text| (text, meaning.to_owned())));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a literal follows the braces of a variant, as in the table of facts.
fn is_variant(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Literal(_)))
}

/// The text of a string literal, with each `{…}` replaced by `…`.
fn text(literal: &str) -> Result<Option<String>> {
    let Some(inner) = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return Ok(None) };
    let (mut sentence, mut rest) = (String::new(), inner.chars().peekable());
    while let Some(char) = rest.next() {
        match char {
            '\\' => match rest.next().context("a lone backslash")? {
                '\n' => while rest.next_if(|char| char.is_whitespace()).is_some() {},
                escaped @ ('"' | '\\' | '\'') => sentence.push(escaped),
                other => return Err(anyhow!("what is \\{other}?")),
            },
            '{' => {
                rest.by_ref().find(|char| *char == '}').context("a lone brace")?;
                sentence.push('…');
            }
            other => sentence.push(other),
        }
    }
    Ok(Some(sentence.trim().to_owned()))
}
