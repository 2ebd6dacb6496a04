//! The results of a check.

use fleet::{FindingLevel, FleetObject};

/// What is wrong, where, why it matters, and what to do.
#[derive(Clone)]
pub(crate) struct InstallationFinding<'a> {
    pub(crate) level: FindingLevel,
    pub(crate) message: String,
    /// `None` if an object is missing.
    pub(crate) object: Option<&'a FleetObject>,
    /// A path in the object.
    pub(crate) at: String,
    pub(crate) why: &'static str,
    pub(crate) fix: String,
}

impl<'a> InstallationFinding<'a> {
    /// A finding about a path in an object.
    pub(crate) fn of(
        level: FindingLevel,
        (object, at): (&'a FleetObject, impl Into<String>),
        message: String,
        why: &'static str,
        fix: impl Into<String>,
    ) -> InstallationFinding<'a> {
        InstallationFinding { level, message, object: Some(object), at: at.into(), why, fix: fix.into() }
    }
}

/// The results of the checks, in their order.
#[derive(Default)]
pub(crate) struct CheckResults<'a> {
    /// The name of the check that runs.
    pub(crate) check: &'static str,
    pub(crate) passed: Vec<SubjectNote>,
    pub(crate) findings: Vec<(&'static str, InstallationFinding<'a>)>,
    pub(crate) not_examined: Vec<SubjectNote>,
}

/// A result of a check about a subject, other than a finding.
pub(crate) struct SubjectNote {
    pub(crate) check: &'static str,
    /// Kind and name of an object; empty if it is about all of them.
    pub(crate) subject: String,
    pub(crate) statement: String,
}

impl<'a> CheckResults<'a> {
    /// The findings about one subject; if there are none, the subject passes.
    pub(crate) fn judge(
        &mut self,
        subject: &str,
        findings: Vec<InstallationFinding<'a>>,
        passed: impl FnOnce() -> String,
    ) {
        let check = self.check;
        if findings.is_empty() {
            self.passed.push(SubjectNote { check, subject: subject.to_owned(), statement: passed() });
        }
        self.findings.extend(findings.into_iter().map(|finding| (check, finding)));
    }

    /// How many results there are so far.
    pub(crate) fn statement_count(&self) -> usize {
        self.passed.len() + self.findings.len() + self.not_examined.len()
    }

    /// A subject that cannot be checked.
    pub(crate) fn not_examined(&mut self, subject: &str, why: impl Into<String>) {
        self.not_examined.push(SubjectNote { check: self.check, subject: subject.to_owned(), statement: why.into() });
    }
}
