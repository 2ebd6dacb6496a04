//! What the checks that `make test` does not run found last, and whether that is still true of the code:
//! `testdata/results`, one file for each.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::root;

/// A check, and what its result is about.
#[derive(Debug)]
pub struct ExpensiveCheck {
    /// Its name, also that of its file.
    pub name: &'static str,
    /// What runs it.
    pub command: &'static str,
    /// The files and folders that it is about. If one of them changes, the result is stale.
    pub inputs: &'static [&'static str],
}

const fn check(name: &'static str, command: &'static str, inputs: &'static [&'static str]) -> ExpensiveCheck {
    ExpensiveCheck { name, command, inputs }
}

/// The compiled policy: engine, tables and entry point.
const MODULE: &str = "policy.wasm";

const CLUSTER: &[&str] = &[
    MODULE,
    "deploy",
    "crates/webhook/src",
    "crates/cli/src",
    "crates/fleet/src",
    "conformance/cluster",
    "conformance/harness",
];

/// All of them.
#[rustfmt::skip]
pub const CHECKS: &[ExpensiveCheck] = &[
    check("conformance-cluster", "make conformance-cluster", CLUSTER),
    check("conformance-cluster-v1.13", "make conformance-cluster CAPI=v1.13", CLUSTER),
    check("conformance-cluster-v1.12", "make conformance-cluster CAPI=v1.12", CLUSTER),
    check("conformance-cluster-v1.11", "make conformance-cluster CAPI=v1.11", CLUSTER),
    check("conformance-crossplane", "make conformance-crossplane",
        &[MODULE, "deploy", "crates/webhook/src", "conformance/crossplane", "conformance/harness", "testdata/crossplane"]),
    check("conformance-model", "make conformance-model",
        &[MODULE, "deploy", "crates/webhook/src", "crates/model/src", "conformance/model", "conformance/harness"]),
    check("conformance-live", "make conformance-live",
        &[MODULE, "crates/cli/src", "crates/fleet/src", "crates/live/src", "conformance/live", "conformance/harness"]),
    check("policy-server-test", "make policy-server-test", &[MODULE, "deploy", "tools/policy-server"]),
    check("playground-test", "make playground-test", &[MODULE, "crates/fleet/src", "crates/playground"]),
    check("mutants", "make mutants", &[MODULE]),
    check("bench", "make bench", &[MODULE, "benches", "crates/tasks/src/bin/bench"]),
];

/// What a run counted: the program that runs a check writes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The versions of other programs, by name.
    pub versions: BTreeMap<String, String>,
    /// The scenarios, crates or kinds of comparisons, by name.
    pub parts: BTreeMap<String, ResultPart>,
}

/// A part of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPart {
    /// How much was compared.
    pub comparisons: u64,
    /// How much of it differs.
    pub differences: u64,
}

/// The result of a check, as its file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultFile {
    /// The day of the run.
    pub date: String,
    /// The commit that was checked out, and whether its files had been changed.
    pub commit: String,
    /// How long it took.
    pub seconds: u64,
    /// The digest of each input.
    pub inputs: BTreeMap<String, String>,
    /// What it counted.
    #[serde(flatten)]
    pub counted: Counted,
}

/// Whether a result is still true.
#[derive(Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Every input is as it was.
    Current,
    /// These inputs have changed, or are missing.
    Stale(Vec<String>),
}

impl ExpensiveCheck {
    /// The check of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.name == name)
    }

    /// Its file, from the root.
    #[must_use]
    pub fn file(&self) -> String {
        format!("testdata/results/{}.json", self.name)
    }

    /// The digests of its inputs now. An input that does not exist has none.
    ///
    /// # Errors
    /// When an input cannot be read.
    pub fn digests(&self) -> Result<BTreeMap<String, String>> {
        let mut digests = BTreeMap::new();
        for input in self.inputs {
            let path = root().join(input);
            if path.exists() {
                digests.insert((*input).to_owned(), digest(&path).with_context(|| (*input).to_owned())?);
            }
        }
        Ok(digests)
    }

    /// What was recorded of it, if it was ever run.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn recorded(&self) -> Result<Option<ResultFile>> {
        let path = root().join(self.file());
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path)?;
        Ok(Some(serde_json::from_str(&text).with_context(|| self.file())?))
    }
}

impl ResultFile {
    /// Whether it is still true, by the digests of the inputs now.
    #[must_use]
    pub fn state(&self, check: &ExpensiveCheck, now: &BTreeMap<String, String>) -> Freshness {
        let differs = |input: &&&str| {
            let digest = now.get(**input);
            digest.is_none() || digest != self.inputs.get(**input)
        };
        let changed: Vec<String> = check.inputs.iter().filter(differs).map(|input| (*input).to_owned()).collect();
        if changed.is_empty() { Freshness::Current } else { Freshness::Stale(changed) }
    }
}

/// What was counted, in one line.
impl Display for Counted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sum = |of: fn(&ResultPart) -> u64| self.parts.values().map(of).sum::<u64>();
        let (comparisons, differences) = (sum(|part| part.comparisons), sum(|part| part.differences));
        write!(f, "{comparisons} comparisons, {differences} differences")?;
        if self.parts.len() < 2 || differences == 0 {
            return Ok(());
        }
        let differing = self.parts.iter().filter(|(_, part)| part.differences > 0);
        let named: Vec<String> = differing.map(|(name, part)| format!("{name} {}", part.differences)).collect();
        write!(f, " ({})", named.join(", "))
    }
}

/// The claims about all checks, as a table for the documentation. Each names its commit: what was true of that commit
/// stays true of it.
///
/// # Errors
/// When a file cannot be read.
pub fn claims() -> Result<String> {
    let mut table = "| check | parts | result | with | as of |\n|---|---:|---|---|---|\n".to_owned();
    for check in CHECKS {
        let row = match check.recorded()? {
            None => "| | not recorded | | |".to_owned(),
            Some(found) => {
                let versions: Vec<String> =
                    found.counted.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
                let parts = found.counted.parts.len();
                format!("| {parts} | {} | {} | {}, {} |", found.counted, versions.join(", "), found.commit, found.date)
            }
        };
        table.push_str(&format!("| `{}` {row}\n", check.command));
    }
    Ok(table)
}

/// The digest of a file, or of the files of a folder and their names. Documents say what a program does, and are no part
/// of it.
fn digest(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    add(path, &mut hash)?;
    Ok(format!("sha256:{:x}", hash.finalize()))
}

fn add(path: &Path, hash: &mut Sha256) -> Result<()> {
    if !path.is_dir() {
        let content = fs::read(path)?;
        hash.update(content.len().to_le_bytes());
        hash.update(content);
        return Ok(());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let generated = name.starts_with('.') || name == "target" || name == "node_modules";
        if !generated && !name.ends_with(".md") {
            names.push(name);
        }
    }
    names.sort();
    for name in names {
        hash.update(name.as_bytes());
        hash.update([0]);
        add(&path.join(name), hash)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(inputs: &[(&str, &str)]) -> ResultFile {
        ResultFile {
            date: "2026-11-24".to_owned(),
            commit: "0c93fb83".to_owned(),
            seconds: 60,
            inputs: digests(inputs),
            counted: Counted::default(),
        }
    }

    fn digests(inputs: &[(&str, &str)]) -> BTreeMap<String, String> {
        inputs.iter().map(|(name, digest)| ((*name).to_owned(), (*digest).to_owned())).collect()
    }

    #[test]
    fn a_result_is_stale_when_an_input_has_changed_or_is_missing() {
        let check = check("a", "make a", &["x", "y"]);
        let found = recorded(&[("x", "1"), ("y", "2")]);
        assert_eq!(found.state(&check, &digests(&[("x", "1"), ("y", "2")])), Freshness::Current);
        assert_eq!(found.state(&check, &digests(&[("x", "1"), ("y", "3")])), Freshness::Stale(vec!["y".to_owned()]));
        assert_eq!(found.state(&check, &digests(&[("y", "2")])), Freshness::Stale(vec!["x".to_owned()]));
    }

    #[test]
    fn parts_with_differences_are_named() {
        let part = |comparisons, differences| ResultPart { comparisons, differences };
        let mut counted = Counted { parts: BTreeMap::from([("whole".to_owned(), part(10, 0))]), ..Counted::default() };
        assert_eq!(counted.to_string(), "10 comparisons, 0 differences");
        counted.parts.insert("provider".to_owned(), part(5, 2));
        assert_eq!(counted.to_string(), "15 comparisons, 2 differences (provider 2)");
    }

    #[test]
    fn a_folder_has_another_digest_when_a_file_has_another_name_or_content() -> Result<()> {
        let folder = tempfolder("digests")?;
        let mut seen = vec![digest(&folder)?];
        for (name, content) in [("a", "1"), ("a", "2"), ("b", "2")] {
            fs::write(folder.join(name), content)?;
            seen.push(digest(&folder)?);
        }
        let distinct: std::collections::BTreeSet<_> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len());
        fs::write(folder.join("README.md"), "about it")?;
        assert_eq!(Some(digest(&folder)?), seen.pop());
        Ok(())
    }

    fn tempfolder(name: &str) -> Result<std::path::PathBuf> {
        let folder = std::env::temp_dir().join(format!("testkit-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    #[test]
    fn every_input_but_the_module_exists() {
        for check in CHECKS {
            for input in check.inputs {
                assert!(*input == MODULE || root().join(input).exists(), "{}: {input}", check.name);
            }
        }
    }
}
