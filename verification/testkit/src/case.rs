//! The corpus: every case of `testdata/cases`, by topic. `BLESS=1` rewrites the expected answers; the change is then
//! reviewed like code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use cases::AnswerForm;
pub use cases::{Case, CaseDocument};
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

/// A document of the corpus: a case, or one for each of its versions.
pub(crate) struct CorpusDocument {
    /// Its file.
    file: PathBuf,
    pub(crate) document: CaseDocument,
}

/// All cases of the corpus, by name: their topic, which is a folder or a file, and the name of their document.
pub fn corpus() -> Result<Vec<Case>> {
    Ok(documents()?.into_iter().flat_map(|of| of.document.cases).collect())
}

/// The file of each case, relative to the repository.
pub fn files_of_cases() -> Result<BTreeMap<String, String>> {
    let of_document = |of: CorpusDocument| {
        Ok((of.name().to_owned(), of.file.strip_prefix(crate::root())?.to_string_lossy().into_owned()))
    };
    documents()?.into_iter().map(of_document).collect()
}

/// The documents of the corpus, by name.
pub(crate) fn documents() -> Result<Vec<CorpusDocument>> {
    let mut documents = BTreeMap::new();
    for file in files()? {
        for document in read(&file).with_context(|| file.display().to_string())? {
            let name = document.name().to_owned();
            let other = documents.insert(name.clone(), document);
            ensure!(other.is_none(), "two cases have the name {name}");
        }
    }
    Ok(documents.into_values().collect())
}

/// The files of the corpus: topics, and the files of those that are folders.
fn files() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for topic in sorted(&crate::root().join(CORPUS))? {
        if topic.is_dir() { files.append(&mut sorted(&topic)?) } else { files.push(topic) }
    }
    Ok(files)
}

fn read(file: &Path) -> Result<Vec<CorpusDocument>> {
    let relative = file.strip_prefix(crate::root().join(CORPUS))?.with_extension("");
    let topic = relative.iter().next().unwrap_or_default().to_string_lossy();
    let form = if WHOLE.contains(&&*topic) { AnswerForm::Whole } else { AnswerForm::Facts };
    let with_form = |mut document: CaseDocument| {
        ensure!(document.name.is_some(), "a case without a name");
        document.cases.iter_mut().for_each(|case| case.form = form);
        Ok(CorpusDocument { file: file.to_owned(), document })
    };
    CaseDocument::read(&topic, &fs::read_to_string(file)?, &json!({}))?.into_iter().map(with_form).collect()
}

impl CorpusDocument {
    /// Topic and case.
    pub(crate) fn name(&self) -> &str {
        self.document.cases.first().map_or("", |case| &case.name)
    }

    /// Rewrites its `expect`, and keeps the rest of its file unchanged.
    pub(crate) fn bless(&self, answers: &[Vec<Value>]) -> Result<()> {
        /// Other cases of the file are run at the same time.
        static WRITING: Mutex<()> = Mutex::new(());
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let text = fs::read_to_string(&self.file)?;
        Ok(fs::write(&self.file, self.document.with_expect(&text, answers)?)?)
    }
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
        for file in files()? {
            let (name, text) = (file.display().to_string(), fs::read_to_string(&file)?);
            let whole = fleet::Source { name: name.clone(), text };
            for range in whole.documents() {
                let text = whole.text[range].to_owned();
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
