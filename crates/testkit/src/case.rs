//! The case format: one YAML file is one case, its name the fact that it states.
//!
//! ```yaml
//! # Free text: why this is so.
//! settings: {}          # the policy's settings; the defaults where absent
//! cluster: []           # objects as the API server holds them, in the version they are written in
//! fresh:                # what changed since the host cached it, by kind and name: merged onto the object (RFC 7386), null
//!   MachineSet ms: {}   # where it is gone. Reads past the cache find it so, cached ones find what stands in `cluster`
//! failures:             # gets that fail, by apiVersion and kind; `only: cached` or `only: fresh` where one of them does not
//!   - { get: cluster.x-k8s.io/v1beta2 MachineSet, cause: forbidden, text: "what the host says" }
//! review:               # an AdmissionRequest; what follows from the object and the operation may be left out
//!   operation: CREATE
//!   username: alice     # short for userInfo
//!   object: {}
//! expect: {}            # the answer: all of it, or its facts, see the module `facts`
//! ```
//!
//! A chain has `steps`, a list of reviews, and as many answers in `expect`. What a step stores, the next one finds in
//! the cluster. `BLESS=1` rewrites `expect`; the change is then reviewed like code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::cluster::{ApiServer, Failure};
use crate::facts::stated;
use crate::request::request;

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Folder and file name without extension.
    pub name: String,
    /// The settings, as JSON.
    pub settings: Value,
    /// The cluster before the first step.
    pub cluster: ApiServer,
    /// AdmissionRequests, in order.
    pub reviews: Vec<Value>,
    /// What is expected of the answers, one for each review; empty while a new case was never blessed.
    pub expect: Vec<Value>,
    /// Whether the answers stand in a list.
    chain: bool,
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    settings: Option<Value>,
    #[serde(default)]
    cluster: Vec<Value>,
    #[serde(default)]
    fresh: BTreeMap<String, Value>,
    #[serde(default)]
    failures: Vec<Failure>,
    #[serde(default)]
    review: Option<Value>,
    #[serde(default)]
    steps: Option<Vec<Value>>,
    #[serde(default)]
    expect: Option<Value>,
}

impl Case {
    /// All cases of the corpus, by name.
    ///
    /// # Errors
    /// When a file cannot be read or is no case.
    pub fn corpus() -> Result<Vec<Case>> {
        let root = crate::root().join("testdata/cases");
        let mut cases = Vec::new();
        for topic in sorted(&root)? {
            for path in sorted(&topic)? {
                cases.push(Case::read(&path).with_context(|| path.display().to_string())?);
            }
        }
        Ok(cases)
    }

    fn read(path: &Path) -> Result<Case> {
        let file: File = serde_yaml_ng::from_str(&fs::read_to_string(path)?)?;
        let (reviews, chain) = match (file.review, file.steps) {
            (Some(review), None) => (vec![review], false),
            (None, Some(steps)) => (steps, true),
            _ => bail!("a case has either `review` or `steps`"),
        };
        let expect = match file.expect {
            None => Vec::new(),
            Some(answers) if chain => serde_json::from_value(answers)?,
            Some(answer) => vec![answer],
        };
        let mut cluster = ApiServer::new(file.cluster, file.failures)?;
        file.fresh.iter().try_for_each(|(of, change)| cluster.change(of, change))?;
        let parts = [path.parent().and_then(Path::file_name), path.file_stem()];
        let parts: Vec<_> = parts.into_iter().flatten().map(|part| part.to_string_lossy()).collect();
        Ok(Case {
            name: parts.join("/"),
            settings: file.settings.unwrap_or_else(|| json!({})),
            cluster,
            reviews: reviews.into_iter().map(request).collect(),
            expect,
            chain,
            path: path.to_owned(),
        })
    }

    /// What this case states of an answer.
    ///
    /// # Errors
    /// When the answer cannot be written.
    pub fn stated(&self, answer: &Answer) -> Result<Value> {
        let topic = self.name.split('/').next().unwrap_or_default();
        Ok(stated(topic, &self.settings, answer)?)
    }

    /// Rewrites the file's `expect`, which stands last, and leaves the rest as it is.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn bless(&self, answers: &[Value]) -> Result<()> {
        let text = fs::read_to_string(&self.path)?;
        let kept = match text.find("\nexpect:") {
            Some(at) => text.get(..=at).unwrap_or(&text).to_owned(),
            None => format!("{}\n", text.trim_end()),
        };
        let answers = if self.chain { json!(answers) } else { json!(answers.first()) };
        let expect = serde_yaml_ng::to_string(&json!({ "expect": answers }))?;
        Ok(fs::write(&self.path, kept + &expect)?)
    }
}

pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
