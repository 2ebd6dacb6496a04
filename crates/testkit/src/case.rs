//! The corpus: every case of `testdata/cases`, by topic. `BLESS=1` rewrites the expected answers; the change is then
//! reviewed like code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cases::AnswerForm;
pub use cases::{Case, CaseFile};
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
    Ok(files()?.into_iter().flat_map(|file| file.cases).collect())
}

/// The files of the corpus.
pub(crate) fn files() -> Result<Vec<CaseFile>> {
    let root = crate::root().join(CORPUS);
    let mut files = Vec::new();
    for topic in sorted(&root)? {
        for path in sorted(&topic)? {
            files.push(read(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(files)
}

fn read(path: &Path) -> Result<CaseFile> {
    let parts = [path.parent().and_then(Path::file_name), path.file_stem()];
    let [topic, name] = parts.map(|part| part.unwrap_or_default().to_string_lossy());
    let mut file = CaseFile::read(&format!("{topic}/{name}"), &fs::read_to_string(path)?, &json!({}))?;
    for case in &mut file.cases {
        case.form = if WHOLE.contains(&&*topic) { AnswerForm::Whole } else { AnswerForm::Facts };
    }
    Ok(file)
}

/// Rewrites the `expect` of a file, and keeps the rest unchanged.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn bless(file: &CaseFile, answers: &[Vec<Value>]) -> Result<()> {
    let path = crate::root().join(CORPUS).join(format!("{}.yaml", file.name()));
    let text = fs::read_to_string(&path)?;
    Ok(fs::write(&path, file.with_expect(&text, answers)?)?)
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
    fn every_case_means_the_same_in_yaml_1_1_and_1_2() -> Result<()> {
        let root = crate::root().join(CORPUS);
        for topic in sorted(&root)? {
            for path in sorted(&topic)? {
                let (name, text) = (path.display().to_string(), fs::read_to_string(&path)?);
                let newest = serde_saphyr::options! { strict_booleans: true };
                let newer: Value = serde_saphyr::from_str_with_options(&text, newest)?;
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
