//! Comments, messages and pages are written in plain words: `PHRASES` lists forbidden phrases and their replacements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use regex::Regex;

/// A phrase, as a regular expression for whole words in any case, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    // Propagation.
    (r"arriv(e|es|ed|ing)", "propagates to, reaches, takes effect"),
    (r"travel(s|led|ed)?", "propagates"),
    (r"goes? nowhere", "is not propagated"),
    (r"comes? to", "propagates to, reaches"),
    (r"(is|are|was|were) brought|brings?", "is set, adds, restores, has"),
    (r"(label|key|tag)('s|s') way|the way of (a|one|the) \w+", "propagation path"),
    (r"stronger places?", "source with higher precedence"),
    (r"neighbou?rs?", "the label alone, the other rows"),
    // Prediction.
    (r"foretold|foretells?", "predicted"),
    (r"foresees?|foreseen|foresight", "predicts, prediction"),
    (r"what follows", "effects, what it leads to"),
    (r"becomes? of|comes? of", "happens to, is done about, effect, result"),
    // Messages and reports.
    (r"(is|are|be|was|were|been) told|told apart", "is reported, is known, is distinguished"),
    (r"tells? \w+( \w+)* apart", "distinguishes"),
    (r"(has|have) (its|their) say", "decides, reports"),
    (r"no news", "is not logged"),
    (r"hears? of|heard of|knows? of", "is reported to, knows about"),
    // Checks.
    (r"held (to|against)", "is checked against, is compared with"),
    (r"holds? (it|them|\w+ \w+|\w+ \w+ \w+) to (it|them|that|what)", "compares with, checks against"),
    (r"look(s|ed)? at", "checks, reads"),
    (r"left in peace", "is ignored"),
    (r"nobody looked", "is not verified"),
    // Places.
    (r"stands? (in|on|at|here|there|above|below|beside|behind|before|between|alone|under|nowhere)", "is in, is set in"),
    (r"(what|it|they|everything) stands?", "what is, what is kept"),
    (r"stood", "was, was stored"),
    (r"(an)?other shapes? than", "does not have the structure of, is not a map"),
    // Evaluation.
    (r"(is|are|was|were) played|plays", "is evaluated, is simulated, runs"),
    // People and frequency.
    (r"whoever", "the user who, callers, no matter who"),
    (r"hardly|in company|for want of", "rarely, next to, because there is no"),
    // Amounts and exceptions.
    (r"so many", "a number of"),
    (r"apart( from)?", "except, separate, different"),
    (r"(its|the) writer's own", "belongs to the user"),
    // The repository.
    (r"(a|the|every|each|other|thin|no|any|policy's) doors?", "entry point"),
    (r"(lower|higher|every|a|the) rooms?|rooms of|house of", "modules"),
    (r"(some|all|the|these|five|clusters'|of|compares?) lives", "scenarios"),
    // American spelling, as in Kubernetes' own documentation.
    (r"behaviours?|colou(r|rs|red)|favou?rite|favour\w*|honour\w*", "behavior, color, favor, honor"),
    (
        r"catalogues?|dialogues?|grey|artefacts?|licen[c]es?|defence",
        "catalog, dialog, gray, artifact, license, defense",
    ),
    (r"(label|model|signal|total)l(ed|ing)", "labeled, modeled, signaled"),
    (
        r"(optim|serial|normal|initial|summar|recogn|organ|minim|maxim|author|custom|final|real)is(e|es|ed|ing|ation)",
        "-ize",
    ),
    (r"analys(e|es|ed|ing)", "analyze"),
];

/// Files of other formats are data.
const EXTENSIONS: [&str; 12] = ["rs", "go", "js", "mjs", "css", "html", "md", "sh", "yml", "yaml", "toml", "bats"];

/// This file contains the phrases itself. Cases and recorded objects are data, and quote the engine's output.
fn is_prose(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_written = EXTENSIONS.contains(&extension) || path == "Makefile";
    is_written && path != "tests/documents/words.rs" && (!path.starts_with("testdata/") || extension == "md")
}

/// The tracked files with prose in them.
fn files() -> Result<Vec<String>> {
    let output = Command::new("git").arg("-C").arg(testkit::root()).args(["ls-files", "-s"]).output().context("git")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout)?;
    // `MODE HASH STAGE<TAB>PATH`; a symbolic link has mode 120000.
    let files = listed.lines().filter(|line| !line.starts_with("120000")).filter_map(|line| line.split_once('\t'));
    let files = files.map(|(_, path)| path.to_owned()).filter(|path| is_prose(path));
    // A removed file stays listed until its removal is staged.
    Ok(files.filter(|path| testkit::root().join(path).exists()).collect())
}

/// The prose of a file on one line, because phrases may wrap, and the start of each line in it.
#[derive(Debug, Default, PartialEq)]
struct Prose {
    text: String,
    lines: BTreeMap<usize, usize>,
}

impl Prose {
    fn push(&mut self, text: &str, line: usize) {
        for (number, text) in (line..).zip(text.lines()) {
            let text =
                text.trim().trim_start_matches(['/', '!', '#', '*', '>', '-', '|']).trim_end_matches('\\').trim();
            if !text.is_empty() {
                self.lines.insert(self.text.len(), number);
                self.text.extend([text, " "]);
            }
        }
    }

    /// Comments, and literals of several words. Identifiers are not prose.
    fn of_code(code: &str) -> Self {
        let (mut prose, mut line, mut rest) = (Self::default(), 1, code);
        while let Some(at) = rest.find(['/', '"', '\'', '`', 'r']) {
            line += rest[..at].matches('\n').count();
            rest = &rest[at..];
            let length = token(rest);
            let token = &rest[..length];
            if token.starts_with("//") || token.starts_with("/*") || token.contains(' ') && token.len() > 4 {
                prose.push(token, line);
            }
            line += token.matches('\n').count();
            rest = &rest[length..];
        }
        prose
    }

    fn of(path: &str, text: &str) -> Self {
        if [".rs", ".go", ".js", ".mjs"].iter().any(|extension| path.ends_with(extension)) {
            return Self::of_code(text);
        }
        let mut prose = Self::default();
        prose.push(text, 1);
        prose
    }

    fn line(&self, at: usize) -> usize {
        self.lines.range(..=at).next_back().map_or(1, |(_, line)| *line)
    }
}

/// The length of the comment or literal at the start of a text, otherwise of its first character.
fn token(text: &str) -> usize {
    let until = |begin: usize, end: &str| text[begin..].find(end).map_or(text.len(), |at| begin + at + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until(2, "*/");
    }
    if text.starts_with("r#\"") {
        return until(3, "\"#");
    }
    if text.starts_with('`') {
        return until(1, "`");
    }
    if let Some(literal) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = literal.find(|char| {
            let ends = char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        return end.map_or(text.len(), |at| at + 2);
    }
    // A character literal, so that `'"'` does not open a string. Lifetimes have no second quote.
    let mut chars = text.char_indices().skip(1);
    let escaped = text.starts_with("'\\");
    let end = chars.nth(if escaped { 2 } else { 1 });
    match end {
        Some((at, '\'')) if text.starts_with('\'') => at + 1,
        _ => 1,
    }
}

#[test]
fn prose_is_written_in_plain_words() -> Result<()> {
    let whole = |phrases: &str| Regex::new(&format!(r"(?i)\b(?:{phrases})\b"));
    let each: Vec<(Regex, &str)> =
        PHRASES.iter().map(|(phrase, instead)| Ok((whole(phrase)?, *instead))).collect::<Result<_>>()?;
    let any = whole(&PHRASES.iter().map(|(phrase, _)| format!("(?:{phrase})")).collect::<Vec<_>>().join("|"))?;
    let (mut found, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for path in files()? {
        let text = fs::read_to_string(testkit::root().join(&path)).with_context(|| path.clone())?;
        let prose = Prose::of(&path, &text);
        for phrase in any.find_iter(&prose.text) {
            let row = each.iter().zip(PHRASES).find(|((regex, _), _)| regex.is_match(phrase.as_str()));
            let ((_, instead), (pattern, _)) = row.context("a phrase of no row")?;
            found.push(format!("{path}:{}: `{}`; write: {instead}", prose.line(phrase.start()), phrase.as_str()));
            *counts.entry(pattern).or_default() += 1;
        }
    }
    let counts: Vec<String> = counts.iter().map(|(pattern, count)| format!("{count:5} {pattern}")).collect();
    assert!(found.is_empty(), "{}\n\n{}\n{:5} in all", found.join("\n"), counts.join("\n"), found.len());
    Ok(())
}

#[test]
fn prose_of_code_is_its_comments_and_sentences() {
    let code = "/// Why it\n/// stands.\nlet door = '\"'; // here\nlet told = \"a \\\"b\\\" \\\n    c\"; f(\"door\")";
    let expected = Prose {
        text: r#"Why it stands. here "a \"b\" c" "#.to_owned(),
        lines: [(0, 1), (7, 2), (15, 3), (20, 4), (29, 5)].into(),
    };
    assert_eq!(Prose::of_code(code), expected);
}
