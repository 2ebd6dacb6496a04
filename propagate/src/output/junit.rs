//! JUnit: a suite for each file, a test case for each finding.

use std::collections::BTreeMap;

use fleet::Severity;
use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};

use super::report::{CheckReport, IgnoredEntry, Where};
use crate::Failure;
use crate::args::FailOn;

/// The report as XML. Findings that do not count for `fail_on` are test cases that succeed, with the finding as their output. A
/// report without findings has one test case that succeeds.
pub(crate) fn junit(report: &CheckReport, fail_on: FailOn) -> Result<Vec<u8>, Failure> {
    let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
    let mut add = |file: &str, case: TestCase| {
        suites.entry(file.to_owned()).or_insert_with(|| TestSuite::new(file)).add_test_case(case);
    };
    for problem in report.problems.iter().filter(|problem| problem.severity == Severity::Error) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(format!("{}: {}", problem.place, problem.message)).set_type("document");
        add(&problem.place.file, TestCase::new("document", status));
    }
    for entry in &report.findings {
        let message = format!("{}: {}", entry.place, entry.message);
        let mut case = TestCase::new(entry.object.title.clone(), TestCaseStatus::success());
        if fail_on.counts(entry) {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(message).set_type(entry.check);
            case.status = status;
        } else {
            case.set_system_out(message);
        }
        add(&entry.place.file, case);
    }
    for IgnoredEntry { entry, ignored } in &report.ignored {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("{}: {}: {}", entry.place, entry.message, ignored.reason())).set_type(entry.check);
        add(&entry.place.file, TestCase::new(entry.object.title.clone(), status));
    }
    let mut skip = |place: &Where, name: &str, message: &str| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("{place}: {message}")).set_type("skipped");
        add(&place.file, TestCase::new(name.to_owned(), status));
    };
    for problem in report.problems.iter().filter(|problem| problem.severity == Severity::Note) {
        skip(&problem.place, "document", &problem.message);
    }
    for it in &report.not_compared {
        skip(&it.place, &it.object.title, &it.reason);
    }
    for it in &report.not_checked {
        skip(&it.place, "not checked", &it.message);
    }
    if report.findings.is_empty() && report.ignored.is_empty() && report.summary.unreadable == 0 {
        let case = TestCase::new(fleet::count(report.summary.checked, "object"), TestCaseStatus::success());
        add("propagate", case);
    }
    written(suites)
}

/// One case, by its file.
pub(crate) enum Ran<'a> {
    Passed(&'a str),
    /// With the differences.
    Failed(&'a str, String),
    /// With the reason.
    Unreadable(&'a str, &'a str),
}

/// Cases as XML: a test case for each, with its name in the file if it has one, in a suite for each file.
pub(crate) fn cases<'a>(cases: impl Iterator<Item = (Option<String>, Ran<'a>)>) -> Result<Vec<u8>, Failure> {
    let mut suites = BTreeMap::new();
    for (name, case) in cases {
        let (file, status) = match case {
            Ran::Passed(file) => (file, TestCaseStatus::success()),
            Ran::Failed(file, differences) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message("the answer differs").set_type("case").set_description(differences);
                (file, status)
            }
            Ran::Unreadable(file, reason) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(reason).set_type("document");
                (file, status)
            }
        };
        let suite = suites.entry(file.to_owned()).or_insert_with(|| TestSuite::new(file));
        suite.add_test_case(TestCase::new(name.unwrap_or_else(|| "expect".to_owned()), status));
    }
    written(suites)
}

fn written(suites: BTreeMap<String, TestSuite>) -> Result<Vec<u8>, Failure> {
    let mut junit = JunitReport::new("propagate");
    junit.add_test_suites(suites.into_values());
    let mut xml = Vec::new();
    junit.serialize(&mut xml).map_err(|error| Failure(error.to_string()))?;
    Ok(xml)
}
