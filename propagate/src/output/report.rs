//! The results of a check, for printing.

use std::borrow::Cow;
use std::ops::Range;

use fleet::{FindingLevel, Fleet, FleetObject, Locator, ObjectFinding, Severity, SourceSpan};
use metadata_propagation::TagDelivery;
use serde::Serialize;

use crate::checks::help_of;
use crate::rendered_files::RenderedFiles;

/// All results.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckReport {
    pub(crate) findings: Vec<FindingEntry>,
    /// Findings that are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignored: Vec<IgnoredEntry>,
    pub(crate) not_compared: Vec<NotCompared>,
    /// Objects that could be checked if something else was among the files or in the settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_checked: Vec<NotChecked>,
    /// Every object that is not checked; empty unless the reader asks for them.
    #[serde(skip)]
    pub(crate) unchecked: Vec<UncheckedObject>,
    pub(crate) problems: Vec<ReportedProblem>,
    /// The directories and files whose objects were checked separately; none if all were checked together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roots: Vec<String>,
    pub(crate) summary: FindingSummary,
}

/// The numbers of the results.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindingSummary {
    pub(crate) objects: usize,
    /// Those that the policy checks.
    pub(crate) checked: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) notes: usize,
    /// Notes about what is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) cannot_tell: usize,
    /// Documents and files.
    pub(crate) unreadable: usize,
    /// Documents that are not objects, and objects that are defined twice.
    pub(crate) skipped: usize,
    /// Objects that were not compared with their sources.
    pub(crate) not_compared: usize,
    /// Findings that are ignored.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) ignored: usize,
    /// Findings of the baseline that no longer exist.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) gone: usize,
}

/// One finding.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindingEntry {
    pub(crate) level: FindingLevel,
    pub(crate) check: &'static str,
    /// The code of the fact.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) reason: &'static str,
    /// The resource of a Composition that it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) resource: String,
    /// What happens to its cloud tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<TagDelivery>,
    pub(crate) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) help: Cow<'static, str>,
    pub(crate) object: ObjectRef,
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) place: Where,
}

/// A finding that is ignored, and why.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct IgnoredEntry {
    #[serde(flatten)]
    pub(crate) entry: FindingEntry,
    #[serde(flatten)]
    pub(crate) ignored: Ignored,
}

/// What ignores a finding.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", content = "reason", rename_all = "camelCase")]
pub(crate) enum Ignored {
    /// A comment or an annotation.
    InSource(String),
    /// propagate.toml or a baseline.
    External(String),
}

/// An object that was not compared.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NotCompared {
    pub(crate) object: ObjectRef,
    pub(crate) reason: String,
    #[serde(flatten)]
    pub(crate) place: Where,
}

/// An object that is not checked.
#[derive(Debug)]
pub(crate) struct UncheckedObject {
    pub(crate) object: ObjectRef,
    pub(crate) reason: String,
    pub(crate) place: Where,
}

/// Objects that are not checked, or not against everything.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NotChecked {
    /// The root that it is about, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<String>,
    /// What is missing, and for how many objects.
    pub(crate) message: String,
    /// The settings with which they are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<String>,
    #[serde(flatten)]
    pub(crate) place: Where,
}

impl NotChecked {
    /// What is missing in which root, and the settings.
    pub(crate) fn whole(&self) -> String {
        let root = self.root.as_ref().map(|root| format!("{root}: ")).unwrap_or_default();
        let settings = self.settings.as_ref().map(|settings| format!("\n{settings}")).unwrap_or_default();
        format!("{root}{}{settings}", self.message)
    }
}

/// What is wrong with a document or a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedProblem {
    pub(crate) severity: Severity,
    pub(crate) message: String,
    #[serde(flatten)]
    pub(crate) place: Where,
}

/// An object by its name.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectRef {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) namespace: String,
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) title: String,
}

/// A place in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Where {
    pub(crate) file: String,
    /// Absent if the file itself cannot be read.
    #[serde(flatten)]
    pub(crate) position: Option<LineColumn>,
    #[serde(skip)]
    pub(crate) source: usize,
    #[serde(skip)]
    pub(crate) span: Range<usize>,
    /// For a place in what is rendered: where that is written.
    #[serde(skip)]
    pub(crate) written: Option<WrittenPlace>,
}

/// Where a rendered object is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenPlace {
    /// The file, or else the kustomization of the folder.
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    /// The folder that is rendered.
    pub(crate) folder: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct LineColumn {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl CheckReport {
    /// Says where rendered objects are written.
    pub(crate) fn resolve(&mut self, files: &RenderedFiles) {
        let findings = self.findings.iter_mut().map(|it| (&mut it.place, &it.object));
        let not_compared = self.not_compared.iter_mut().map(|it| (&mut it.place, &it.object));
        let unchecked = self.unchecked.iter_mut().map(|it| (&mut it.place, &it.object));
        let ignored = self.ignored.iter_mut().map(|it| (&mut it.entry.place, &it.entry.object));
        for (place, object) in findings.chain(not_compared).chain(unchecked).chain(ignored) {
            files.resolve(place, &object.kind, &object.name);
        }
        let problems = self.problems.iter_mut().map(|it| &mut it.place);
        for place in problems.chain(self.not_checked.iter_mut().map(|it| &mut it.place)) {
            files.resolve(place, "", "");
        }
    }

    pub(crate) fn finding(&mut self, entry: FindingEntry) {
        match entry.level {
            FindingLevel::Error => self.summary.errors += 1,
            FindingLevel::Warning => self.summary.warnings += 1,
            FindingLevel::Note => self.summary.notes += 1,
        }
        self.summary.cannot_tell += usize::from(entry.is_unknown());
        self.findings.push(entry);
    }

    pub(crate) fn ignored(&mut self, entry: IgnoredEntry) {
        self.summary.ignored += 1;
        self.ignored.push(entry);
    }

    pub(crate) fn problem(&mut self, problem: ReportedProblem) {
        self.summary.unreadable += usize::from(problem.severity == Severity::Error);
        self.problems.push(problem);
    }
}

impl Ignored {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Ignored::InSource(reason) | Ignored::External(reason) => reason,
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl FindingEntry {
    /// Whether it says what is not known.
    pub(crate) fn is_unknown(&self) -> bool {
        self.verdict == Some(TagDelivery::CannotTell)
    }

    pub(crate) fn new(object: &FleetObject, finding: ObjectFinding, place: Where) -> FindingEntry {
        let help = help_of(&finding);
        let ObjectFinding { level, check, message, at, verdict, resource, reason, .. } = finding;
        FindingEntry { level, check, reason, resource, verdict, message, help, object: object.into(), at, place }
    }
}

impl From<&FleetObject> for ObjectRef {
    fn from(object: &FleetObject) -> ObjectRef {
        ObjectRef {
            api_version: object.api_version(),
            kind: object.id.kind.clone(),
            namespace: object.id.namespace.clone(),
            name: object.id.name.clone(),
            title: object.id.to_string(),
        }
    }
}

impl From<&&FleetObject> for ObjectRef {
    fn from(object: &&FleetObject) -> ObjectRef {
        (*object).into()
    }
}

impl Where {
    /// File, line and column of a place that exists.
    pub(crate) fn existing(&self) -> (&str, Option<LineColumn>) {
        match &self.written {
            Some(written) => (&written.file, written.line.map(|line| LineColumn { line, column: 1 })),
            None => (&self.file, self.position),
        }
    }

    pub(crate) fn of(fleet: &Fleet, SourceSpan { source, span, position, .. }: SourceSpan) -> Where {
        let file = fleet.sources().get(source).map(|source| source.name.clone()).unwrap_or_default();
        let position = Some(LineColumn { line: position.line, column: position.column });
        Where { file, position, source, span, written: None }
    }

    /// Where an object begins.
    pub(crate) fn of_object(fleet: &Fleet, object: &FleetObject, locator: &mut Locator<'_>) -> Where {
        Where::of(fleet, locator.locate(&object.origin, "", &[]))
    }

    /// A position in a text.
    pub(crate) fn of_position(fleet: &Fleet, (source, at): (usize, usize), locator: &mut Locator<'_>) -> Where {
        let position = locator.position(source, at);
        Where::of(fleet, SourceSpan { source, span: at..at, position, is_exact: true })
    }

    /// A whole file.
    pub(crate) fn file(file: impl Into<String>) -> Where {
        Where { file: file.into(), ..Where::default() }
    }
}

/// `file:line:column`.
impl std::fmt::Display for Where {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(WrittenPlace { file, line, folder }) = &self.written {
            return match line {
                Some(line) => write!(f, "{file}:{line}"),
                None => write!(f, "rendered from {folder}"),
            };
        }
        f.write_str(&self.file)?;
        match self.position {
            Some(LineColumn { line, column }) => write!(f, ":{line}:{column}"),
            None => Ok(()),
        }
    }
}
