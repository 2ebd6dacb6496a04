//! What `propagate doctor` prints.

use std::fmt::Write;

use annotate_snippets::{Group, Level as Severities, Renderer};
use fleet::{FindingLevel, Fleet, FleetObject, Locator, count};
use serde::Serialize;

use super::checks::INSTALLATION_CHECKS;
use super::finding::{CheckResults, SubjectNote};
use crate::output::report::{ObjectRef, Where};
use crate::output::text::{found, level, snippet};
use crate::style::BOLD;

/// The results of all checks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstallationReport {
    checks: Vec<CheckedSubjects>,
    pub(crate) findings: Vec<ReportedFinding>,
    summary: DoctorSummary,
}

/// One check: which subjects pass, and which could not be examined.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckedSubjects {
    check: &'static str,
    about: &'static str,
    findings: usize,
    passed: Vec<Statement>,
    not_examined: Vec<Statement>,
}

/// A result for some subjects.
#[derive(Serialize)]
struct Statement {
    statement: String,
    /// Kinds and names; none if it is about the check as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
}

/// One finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportedFinding {
    pub(crate) level: FindingLevel,
    check: &'static str,
    message: String,
    why: &'static str,
    fix: String,
    /// Absent if an object is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<ObjectRef>,
    at: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Where>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct DoctorSummary {
    checks: usize,
    errors: usize,
    warnings: usize,
    passed: usize,
    not_examined: usize,
}

impl InstallationReport {
    pub(crate) fn of(results: CheckResults<'_>, fleet: &Fleet) -> InstallationReport {
        let CheckResults { passed, findings, not_examined, .. } = results;
        let mut summary = DoctorSummary::default();
        let checks = INSTALLATION_CHECKS.iter().map(|check| CheckedSubjects {
            check: check.name,
            about: check.about,
            findings: findings.iter().filter(|(name, _)| *name == check.name).count(),
            passed: statements(&passed, check.name),
            not_examined: statements(&not_examined, check.name),
        });
        let is_shown = |it: &CheckedSubjects| it.findings > 0 || !it.passed.is_empty() || !it.not_examined.is_empty();
        let checks: Vec<CheckedSubjects> = checks.filter(is_shown).collect();
        summary.checks = checks.len();
        summary.passed = checks.iter().map(|checked| checked.passed.len()).sum();
        summary.not_examined = checks.iter().map(|checked| checked.not_examined.len()).sum();
        let mut locator = Locator::new(fleet.sources());
        let findings = findings.into_iter().map(|(check, finding)| {
            match finding.level {
                FindingLevel::Error => summary.errors += 1,
                FindingLevel::Warning => summary.warnings += 1,
                FindingLevel::Note => {}
            }
            let place = |object: &FleetObject| Where::of(fleet, locator.locate(&object.origin, &finding.at, &[]));
            let place = finding.object.map(place);
            ReportedFinding {
                level: finding.level,
                check,
                message: finding.message,
                why: finding.why,
                fix: finding.fix,
                object: finding.object.map(ObjectRef::from),
                at: finding.at,
                place,
            }
        });
        let findings = findings.collect();
        InstallationReport { checks, findings, summary }
    }

    /// Findings first, then a line for what passes and for what could not be examined.
    pub(crate) fn text(&self, fleet: &Fleet) -> String {
        let mut out = String::new();
        for entry in &self.findings {
            let mut group = Group::with_title(level(entry.level).primary_title(&entry.message).id(entry.check));
            let label =
                entry.object.as_ref().map(|object| format!("{} {}", object.title, entry.at)).unwrap_or_default();
            if let Some(snippet) = entry.place.as_ref().and_then(|place| snippet(fleet, place, label.trim_end())) {
                group = group.element(snippet);
            }
            let group =
                group.element(Severities::NOTE.message(entry.why)).element(Severities::HELP.message(&entry.fix));
            let _ = writeln!(out, "{}\n", Renderer::styled().render(&[group]));
        }
        type Statements = fn(&CheckedSubjects) -> &[Statement];
        let lists: [(&str, Statements); 2] = [("ok", |it| &it.passed), ("skipped", |it| &it.not_examined)];
        for (word, list) in lists {
            for checked in &self.checks {
                for Statement { statement, subjects } in list(checked) {
                    let subjects = joined(subjects);
                    let _ = writeln!(out, "{BOLD}{word}{BOLD:#}[{}]: {subjects}{statement}", checked.check);
                }
            }
        }
        let DoctorSummary { checks, errors, warnings, passed, not_examined } = &self.summary;
        let found = found(*errors, *warnings);
        let _ = writeln!(out, "\n{}: {found}; {passed} passed, {not_examined} skipped", count(*checks, "check"));
        out
    }
}

/// The results of a check, each statement once.
fn statements(notes: &[SubjectNote], name: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for SubjectNote { subject, statement, .. } in notes.iter().filter(|note| note.check == name) {
        let subject = Some(subject.clone()).filter(|subject| !subject.is_empty());
        match statements.iter_mut().find(|known| known.statement == *statement) {
            Some(known) => known.subjects.extend(subject.filter(|subject| !known.subjects.contains(subject))),
            None => {
                statements.push(Statement { statement: statement.clone(), subjects: subject.into_iter().collect() })
            }
        }
    }
    statements
}

/// Subjects before a statement; those of one kind have their kind once.
fn joined(subjects: &[String]) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for (kind, name) in subjects.iter().filter_map(|subject| subject.split_once(' ')) {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => kinds.push((kind, vec![name])),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, names)| format!("{kind} {}", names.join(", "))).collect();
    if kinds.is_empty() { String::new() } else { format!("{}: ", kinds.join(", ")) }
}
