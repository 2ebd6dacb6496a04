//! What the checks that `make test` does not run found last, and whether that is still true of the code:
//! `testdata/results`, one file for each.

mod inputs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::fs;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use self::inputs::{digest, packages_below};
use crate::root;

/// A check, and what its result is about.
#[derive(Debug)]
pub struct ExpensiveCheck {
    /// Its name, also that of its file.
    pub name: &'static str,
    /// What runs it.
    pub command: &'static str,
    /// The folders of the packages that it runs or tests. Their sources are inputs, and so are those of the packages in this
    /// repository that they are made of.
    pub packages: &'static [&'static str],
    /// Other files and folders that it is about.
    pub files: &'static [&'static str],
}

const fn check(
    name: &'static str,
    command: &'static str,
    packages: &'static [&'static str],
    files: &'static [&'static str],
) -> ExpensiveCheck {
    ExpensiveCheck { name, command, packages, files }
}

/// The compiled policy: engine, tables and entry point. Comments and reordered code do not change it.
const MODULE: &str = "policy.wasm";

const CLUSTER: &[&str] = &[
    MODULE,
    "deploy",
    "verification/webhook/src",
    "verification/conformance/cluster",
    "verification/conformance/harness",
];

/// All of them.
#[rustfmt::skip]
pub const CHECKS: &[ExpensiveCheck] = &[
    check("conformance-cluster", "make conformance-cluster", &[], CLUSTER),
    check("conformance-plan", "make conformance-plan", &["propagate"], CLUSTER),
    check("conformance-cluster-v1.13", "make conformance-cluster CAPI=v1.13", &[], CLUSTER),
    check("conformance-cluster-v1.12", "make conformance-cluster CAPI=v1.12", &[], CLUSTER),
    check("conformance-cluster-v1.11", "make conformance-cluster CAPI=v1.11", &[], CLUSTER),
    check("conformance-crossplane", "make conformance-crossplane", &[],
        &[MODULE, "deploy", "verification/webhook/src", "verification/conformance/crossplane", "verification/conformance/harness", "examples/blueprints",
            "testdata/crossplane", "testdata/cases/tag-delivery-compositions", "testdata/cases/tag-delivery-types", "testdata/cases/tag-delivery-xrds"]),
    check("conformance-plan-tags", "make conformance-plan-tags", &["propagate"],
        &[MODULE, "deploy", "verification/webhook/src", "verification/conformance/crossplane", "verification/conformance/harness", "examples/blueprints",
            "propagate/tests/plan-tags"]),
    check("conformance-model", "make conformance-model", &[],
        &[MODULE, "deploy", "verification/webhook/src", "verification/model/src", "verification/conformance/model", "verification/conformance/harness"]),
    check("conformance-live", "make conformance-live", &["propagate", "propagate/live"],
        &["verification/conformance/live", "verification/conformance/harness"]),
    check("policy-server-test", "make policy-server-test", &[],
        &[MODULE, "deploy", "testdata/recorded", "verification/tools/policy-server"]),
    check("playground-test", "make playground-test", &["playground"], &["playground/web"]),
    check("mutants", "make mutants", &["crates/metadata-propagation"],
        &["verification/tasks/src/bin/mutants", "testdata/cases", "testdata/mutants.txt", "testdata/sequences"]),
    check("bench", "make bench", &[],
        &[MODULE, "verification/benches", "verification/noop-policy/src", "verification/ordinary-policy/src", "verification/tasks/src/bin/bench", "testdata/recorded"]),
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
    pub fn named(name: &str) -> Option<&'static Self> {
        CHECKS.iter().find(|check| check.name == name)
    }

    /// Its file, from the root.
    pub fn file(&self) -> String {
        format!("testdata/results/{}.json", self.name)
    }

    /// The files and folders that it is about. If one of them changes, the result is stale.
    pub fn inputs(&self) -> Result<BTreeSet<String>> {
        let mut inputs: BTreeSet<String> = self.files.iter().map(|file| (*file).to_owned()).collect();
        let mut packages: Vec<String> = self.packages.iter().map(|package| (*package).to_owned()).collect();
        while let Some(package) = packages.pop() {
            if inputs.insert(format!("{package}/src")) {
                packages.extend(packages_below(&package)?);
            }
        }
        Ok(inputs)
    }

    /// The digests of its inputs now. An input that does not exist has none.
    pub fn digests(&self) -> Result<BTreeMap<String, String>> {
        let mut digests = BTreeMap::new();
        for input in self.inputs()? {
            let path = root().join(&input);
            if path.exists() {
                let digest = digest(&path).with_context(|| input.clone())?;
                digests.insert(input, digest);
            }
        }
        Ok(digests)
    }

    /// What was recorded of it, if it was ever run.
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
    pub fn state(&self, now: &BTreeMap<String, String>) -> Freshness {
        let names: BTreeSet<&String> = now.keys().chain(self.inputs.keys()).collect();
        let changed: Vec<String> =
            names.into_iter().filter(|input| now.get(*input) != self.inputs.get(*input)).cloned().collect();
        if changed.is_empty() { Freshness::Current } else { Freshness::Stale(changed) }
    }

    /// The result after a run of some of its parts. They replace the parts of the same names; the others stay, which is
    /// possible only if they are about the same inputs and versions.
    pub fn with_parts(&self, run: Self) -> Option<Self> {
        if self.inputs != run.inputs || self.counted.versions != run.counted.versions {
            return None;
        }
        let mut parts = self.counted.parts.clone();
        parts.extend(run.counted.parts);
        Some(Self { seconds: self.seconds, counted: Counted { parts, ..run.counted }, ..run })
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
    fn a_result_is_stale_when_an_input_has_changed_or_is_missing_or_new() {
        let found = recorded(&[("x", "1"), ("y", "2")]);
        assert_eq!(found.state(&digests(&[("x", "1"), ("y", "2")])), Freshness::Current);
        assert_eq!(found.state(&digests(&[("x", "1"), ("y", "3")])), Freshness::Stale(vec!["y".to_owned()]));
        assert_eq!(
            found.state(&digests(&[("y", "2"), ("z", "1")])),
            Freshness::Stale(vec!["x".to_owned(), "z".to_owned()])
        );
    }

    #[test]
    fn a_run_of_some_parts_replaces_these_if_the_others_are_about_the_same_inputs() {
        let part = |comparisons| ResultPart { comparisons, differences: 0 };
        let run = |inputs, seconds, parts: &[(&str, u64)]| ResultFile {
            seconds,
            counted: Counted {
                parts: parts.iter().map(|(name, count)| ((*name).to_owned(), part(*count))).collect(),
                ..Counted::default()
            },
            ..recorded(inputs)
        };
        let whole = run(&[("x", "1")], 60, &[("a", 1), ("b", 2)]);
        assert_eq!(
            whole.with_parts(run(&[("x", "1")], 5, &[("b", 3)])),
            Some(run(&[("x", "1")], 60, &[("a", 1), ("b", 3)]))
        );
        assert_eq!(whole.with_parts(run(&[("x", "2")], 5, &[("b", 3)])), None);
    }

    #[test]
    fn the_sources_of_a_package_are_those_of_all_that_it_is_made_of() -> Result<()> {
        let inputs = check("a", "make a", &["playground"], &["deploy"]).inputs()?;
        let named: Vec<&str> = inputs.iter().map(String::as_str).collect();
        assert_eq!(
            named,
            [
                "crates/cloud-tags/src",
                "crates/cluster-api/src",
                "crates/kubernetes/src",
                "crates/metadata-propagation/src",
                "crates/raw-json/src",
                "crates/tag-delivery/src",
                "crates/tag-rules/src",
                "deploy",
                "playground/src",
                "propagate/composed-tags/src",
                "propagate/fleet/src",
                "propagate/topology/src",
            ]
        );
        Ok(())
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
    fn every_input_but_the_module_exists() -> Result<()> {
        for check in CHECKS {
            for input in check.inputs()? {
                assert!(input == MODULE || root().join(&input).exists(), "{}: {input}", check.name);
            }
        }
        Ok(())
    }
}
