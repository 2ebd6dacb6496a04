//! `propagate test`: cases, each with the expected answer of the policy.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cases::{Case, CaseDocument, CaseFault, Difference};
use fleet::{Position, count};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::TestArgs;
use crate::output::junit::{self, Ran};
use crate::style::{BOLD, ERROR};
use crate::{Exit, Failure, file, input, output, settings};

/// The results of the cases.
#[derive(Serialize)]
struct CaseResults {
    cases: Vec<Tested>,
    summary: CaseSummary,
}

/// The result of one case.
#[derive(Serialize)]
struct Tested {
    file: String,
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    /// If it is a case for several.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(flatten)]
    verdict: CaseOutcome,
}

#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
enum CaseOutcome {
    Passed,
    Failed {
        differences: Vec<Difference>,
    },
    /// It was not run.
    Unreadable {
        message: String,
        #[serde(flatten)]
        at: Option<At>,
    },
}

/// The position in the file.
#[derive(Serialize)]
struct At {
    line: usize,
    column: usize,
}

#[derive(Default, Serialize)]
struct CaseSummary {
    cases: usize,
    passed: usize,
    failed: usize,
    unreadable: usize,
}

/// Runs every case of the paths, or writes the actual answers into their files.
pub(crate) fn run(args: &TestArgs) -> Result<Exit, Failure> {
    let settings = match &args.settings {
        Some(file) => settings::json(file)?,
        None => json!({}),
    };
    let here = [PathBuf::from(".")];
    let paths = if args.paths.is_empty() { &here } else { &*args.paths };
    let (files, unreadable) = input::files(paths);
    let mut cases: Vec<Tested> = files.par_iter().flat_map_iter(|file| tested(file, &settings, args.write)).collect();
    let of_folder = |(file, message)| Tested {
        file,
        case: None,
        version: None,
        verdict: CaseOutcome::Unreadable { message, at: None },
    };
    cases.extend(unreadable.into_iter().map(of_folder));
    let mut summary = CaseSummary { cases: cases.len(), ..CaseSummary::default() };
    for case in &cases {
        *match case.verdict {
            CaseOutcome::Passed => &mut summary.passed,
            CaseOutcome::Failed { .. } => &mut summary.failed,
            CaseOutcome::Unreadable { .. } => &mut summary.unreadable,
        } += 1;
    }
    let results = CaseResults { cases, summary };
    let words = if args.write { written(&results) } else { in_words(&results) };
    output::write_plain(&args.output, &words, &results, Some(&|| junit::cases(results.cases.iter().map(ran))))?;
    Ok(match results.summary {
        CaseSummary { unreadable: 1.., .. } => Exit::Unreadable,
        CaseSummary { cases: 0, .. } => Exit::Nothing,
        CaseSummary { failed: 1.., .. } if !args.write => Exit::Found,
        _ => Exit::Clean,
    })
}

/// Runs the cases of a file. If they are to be written and an answer differs, the answers are written into the file.
fn tested(file: &Path, settings: &Value, is_written: bool) -> Vec<Tested> {
    let run = || {
        let mut text = file::text(file).map_err(|message| CaseFault { message, at: None })?;
        let mut results = Vec::new();
        let mut is_changed = false;
        for document in CaseDocument::read(&file::name(file), &text, settings)? {
            let answers = document.cases.iter().map(Case::answers).collect::<Result<Vec<_>, _>>()?;
            let compared = document
                .cases
                .iter()
                .zip(&answers)
                .map(|(case, answers)| (document.name.clone(), case.version.clone(), case.differences(answers)));
            let compared: Vec<_> = compared.collect();
            if is_written && compared.iter().any(|(.., differences)| !differences.is_empty()) {
                text = document.with_expect(&text, &answers)?;
                is_changed = true;
            }
            results.extend(compared);
        }
        if is_changed {
            let is_stdin = file.as_os_str() == "-";
            let written = if is_stdin { Err(ErrorKind::Unsupported.into()) } else { std::fs::write(file, text) };
            written.map_err(|error| CaseFault { message: format!("cannot write it: {error}"), at: None })?;
        }
        Ok::<_, CaseFault>(results)
    };
    let name = || file::name(file);
    match run() {
        Ok(results) => {
            let of_case = |(case, version, differences): (_, _, Vec<Difference>)| {
                let is_passed = differences.is_empty();
                let verdict = if is_passed { CaseOutcome::Passed } else { CaseOutcome::Failed { differences } };
                Tested { file: name(), case, version, verdict }
            };
            results.into_iter().map(of_case).collect()
        }
        Err(CaseFault { message, at }) => {
            let at = at.map(|Position { line, column }| At { line, column });
            vec![Tested { file: name(), case: None, version: None, verdict: CaseOutcome::Unreadable { message, at } }]
        }
    }
}

/// The names of the files that were written, and what could not be read.
fn written(results: &CaseResults) -> String {
    let mut out = String::new();
    for Tested { file, verdict, .. } in &results.cases {
        let _ = match verdict {
            CaseOutcome::Passed => Ok(()),
            CaseOutcome::Failed { .. } if out.lines().last() == Some(file) => Ok(()),
            CaseOutcome::Failed { .. } => writeln!(out, "{file}"),
            CaseOutcome::Unreadable { message, at } => unreadable(&mut out, file, message, at.as_ref()),
        };
    }
    out
}

fn in_words(results: &CaseResults) -> String {
    let mut out = String::new();
    for tested in &results.cases {
        let _ = match &tested.verdict {
            CaseOutcome::Passed => Ok(()),
            CaseOutcome::Failed { differences } => {
                writeln!(out, "{BOLD}failed{BOLD:#} {}\n{}", tested.title(), differing(differences))
            }
            CaseOutcome::Unreadable { message, at } => unreadable(&mut out, &tested.file, message, at.as_ref()),
        };
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let CaseSummary { cases, passed, failed, unreadable } = results.summary;
    let besides = [(failed, "failed"), (unreadable, "unreadable")];
    let besides = besides.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!(", {number} {what}"));
    let _ = writeln!(out, "{}: {passed} passed{}", count(cases, "case"), besides.collect::<String>());
    out
}

fn unreadable(out: &mut String, file: &str, message: &str, at: Option<&At>) -> std::fmt::Result {
    let at = at.map(|At { line, column }| format!(":{line}:{column}")).unwrap_or_default();
    writeln!(out, "{ERROR}error{ERROR:#}: {file}{at}: {message}")
}

/// A line for each difference.
fn differing(differences: &[Difference]) -> String {
    if let [Difference { at, expected: None, .. }] = differences
        && at == "expect"
    {
        return "  `expect` is missing: write it, or let `propagate test --write` write it".to_owned();
    }
    let value = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
    let line = |Difference { at, expected, found }: &Difference| {
        format!("  {at}: expected {}, got {}", value(expected), value(found))
    };
    differences.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A case as a JUnit test case, with its name in the file.
fn ran(tested: &Tested) -> (Option<String>, Ran<'_>) {
    let file = &tested.file;
    let ran = match &tested.verdict {
        CaseOutcome::Passed => Ran::Passed(file),
        CaseOutcome::Failed { differences } => Ran::Failed(file, differing(differences)),
        CaseOutcome::Unreadable { message, .. } => Ran::Unreadable(file, message),
    };
    let name = match (&tested.case, &tested.version) {
        (Some(case), Some(version)) => Some(format!("{case} ({version})")),
        (case, version) => case.clone().or_else(|| version.clone()),
    };
    (name, ran)
}

impl Tested {
    /// The file, with the name of the case and its version if it has them.
    fn title(&self) -> String {
        let case = self.case.as_ref().map(|case| format!(": {case}")).unwrap_or_default();
        let version = self.version.as_ref().map(|version| format!(" ({version})")).unwrap_or_default();
        format!("{}{case}{version}", self.file)
    }
}
