//! The corpus: every case of `testdata/cases`, by topic. `BLESS=1` rewrites the expected answers; the change is then
//! reviewed like code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cases::AnswerForm;
pub use cases::Case;
use serde_json::{Value, json};

/// The topics that state the whole answer. Together they cover every kind of content in a report.
const WHOLE: &[&str] = &[
    "beyond-cluster-api",
    "conflict",
    "controllers",
    "guards-adoption",
    "lookup",
    "rollout-stance",
    "rollout-topology-owned",
    "tags-composites",
    "tags-nested",
    "tags-required",
    "tags-verify",
    "worked-example",
];

const CORPUS: &str = "testdata/cases";

/// All cases of the corpus, by name: folder and file name without extension.
///
/// # Errors
/// When a file cannot be read or is no case.
pub fn corpus() -> Result<Vec<Case>> {
    let root = crate::root().join(CORPUS);
    let mut cases = Vec::new();
    for topic in sorted(&root)? {
        for path in sorted(&topic)? {
            cases.push(read(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(cases)
}

fn read(path: &Path) -> Result<Case> {
    let parts = [path.parent().and_then(Path::file_name), path.file_stem()];
    let [topic, name] = parts.map(|part| part.unwrap_or_default().to_string_lossy());
    let mut case = Case::read(&format!("{topic}/{name}"), &fs::read_to_string(path)?, &json!({}))?;
    case.form = if WHOLE.contains(&&*topic) { AnswerForm::Whole } else { AnswerForm::Facts };
    Ok(case)
}

/// Rewrites the `expect` of a case's file, and keeps the rest unchanged.
///
/// # Errors
/// When the file cannot be written.
pub fn bless(case: &Case, answers: &[Value]) -> Result<()> {
    let path = crate::root().join(CORPUS).join(format!("{}.yaml", case.name));
    let text = fs::read_to_string(&path)?;
    let yaml = serde_yaml_ng::to_string(&json!({ "expect": case.of_file(answers) }))?;
    Ok(fs::write(&path, case.with_expect(&text, answers, &quoted(&yaml))?)?)
}

/// Block style; words that kubectl reads as booleans, but YAML 1.2 does not, are quoted.
fn quoted(yaml: &str) -> String {
    let line = |line: &str| {
        let is_word = |word: &str| ["y", "n", "yes", "no", "on", "off"].contains(&&*word.to_ascii_lowercase());
        match line.rsplit_once(' ').filter(|(_, word)| is_word(word)) {
            Some((before, word)) if before.ends_with([':', '-']) => format!("{before} '{word}'\n"),
            _ => format!("{line}\n"),
        }
    };
    yaml.lines().map(line).collect()
}

pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::answer::Answer;
    use crate::runner::walk;

    #[test]
    fn words_that_are_booleans_to_kubectl_are_quoted() {
        let yaml = "expect:\n  note: n\n  list:\n  - yes\n  - 'no'\n  - of no\n  x: Yes\n";
        let expected = "expect:\n  note: 'n'\n  list:\n  - 'yes'\n  - 'no'\n  - of no\n  x: 'Yes'\n";
        assert_eq!(quoted(yaml), expected);
    }

    #[test]
    fn every_case_means_the_same_in_yaml_1_1_and_1_2() -> Result<()> {
        let root = crate::root().join(CORPUS);
        for topic in sorted(&root)? {
            for path in sorted(&topic)? {
                let (name, text) = (path.display().to_string(), fs::read_to_string(&path)?);
                let newer: Value = serde_yaml_ng::from_str(&text)?;
                let json = fleet::to_json(&fleet::Source { name: name.clone(), text });
                let (message, older) =
                    json.map_or_else(|(message, _)| (message, None), |json| (String::new(), Some(json)));
                assert_eq!(message, "", "{name}");
                assert_eq!(serde_json::from_str::<Value>(&older.unwrap_or_default())?, newer, "{name}");
            }
        }
        Ok(())
    }

    /// The names of the fields in each list of the report, and in the log.
    fn content(answer: &Answer) -> BTreeSet<String> {
        let mut content = BTreeSet::new();
        let mut add = |list: &str, entry: &Value| {
            let fields: Vec<&str> = entry.as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
            content.insert(format!("{list}: {}", fields.join(" ")));
        };
        for (name, value) in answer.report.as_object().into_iter().flatten() {
            match value {
                Value::Array(entries) => entries.iter().for_each(|entry| add(name, entry)),
                value => add(name, value),
            }
        }
        answer.log.iter().for_each(|line| add("log", line));
        content
    }

    #[test]
    fn the_topics_that_state_whole_answers_have_every_kind_of_content() -> anyhow::Result<()> {
        let (mut stated, mut all) = (BTreeSet::new(), BTreeSet::new());
        walk(|case, _, answer| {
            all.append(&mut content(answer));
            if WHOLE.iter().any(|topic| case.name.starts_with(&format!("{topic}/"))) {
                stated.append(&mut content(answer));
            }
            Ok(())
        })?;
        assert_eq!(all.difference(&stated).collect::<Vec<_>>(), Vec::<&String>::new());
        Ok(())
    }
}
