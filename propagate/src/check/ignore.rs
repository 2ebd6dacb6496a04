//! Ignored findings: those that a comment, an annotation, propagate.toml or a baseline names.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use fleet::{Fleet, FleetObject, Locator, Severity};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::baseline::Baseline;
use crate::Failure;
use crate::checks::{Check, is_named};
use crate::config::IgnoredPaths;
use crate::output::report::{FindingEntry, Ignored, ReportedProblem, Where};

/// Ignores the findings of one object, in its own annotations.
pub(super) const ANNOTATION: &str = "metadata-propagation.plexsphere.com/ignore";

/// The prefix of a comment that ignores findings.
const COMMENT: &str = "propagate: ignore=";

/// Everything that ignores findings.
pub(super) struct Ignores {
    paths: Vec<Paths>,
    baseline: Option<Baseline>,
    /// By the number of the text.
    comments: BTreeMap<usize, Vec<Comment>>,
}

struct Paths {
    matcher: Gitignore,
    checks: Vec<String>,
    reason: String,
}

/// `# propagate: ignore=CHECK,CHECK -- reason`.
#[derive(Debug, PartialEq, Eq)]
struct Comment {
    /// In bytes of the text: a finding that begins here is ignored.
    scope: Range<usize>,
    checks: Vec<String>,
    reason: String,
    /// Where the comment is.
    at: usize,
    is_used: bool,
}

impl Ignores {
    /// The entries of propagate.toml and of a baseline, and the comments in all texts of a fleet, with warnings about
    /// comments that cannot be used.
    pub(super) fn of(
        config: &[IgnoredPaths],
        baseline: Option<Baseline>,
        fleet: &Fleet,
    ) -> Result<(Ignores, Vec<ReportedProblem>), Failure> {
        let paths = config.iter().map(Paths::of).collect::<Result<_, Failure>>()?;
        let (mut comments, mut problems) = (BTreeMap::new(), Vec::new());
        for (number, source) in fleet.sources().iter().enumerate().filter(|(_, source)| source.text.contains(COMMENT)) {
            let (found, wrong) = comments_of(&source.text, &source.documents());
            comments.insert(number, found);
            let mut locator = Locator::new(fleet.sources());
            problems.extend(wrong.into_iter().map(|(at, message)| ReportedProblem {
                severity: Severity::Warning,
                message,
                place: Where::of_position(fleet, (number, at), &mut locator),
            }));
        }
        Ok((Ignores { paths, baseline, comments }, problems))
    }

    /// Why a finding is ignored, if it is.
    pub(super) fn reason(&mut self, object: &FleetObject, entry: &FindingEntry) -> Option<Ignored> {
        let is_of = |checks: &[String]| checks.iter().any(|name| is_named(name, entry.check));
        let mut comments = self.comments.get_mut(&entry.place.source).into_iter().flatten();
        if let Some(comment) = comments.find(|it| it.scope.contains(&entry.place.span.start) && is_of(&it.checks)) {
            comment.is_used = true;
            return Some(Ignored::InSource(comment.reason.clone()));
        }
        if let Some(Ok((checks, reason))) = annotation(object)
            && is_of(&checks)
        {
            return Some(Ignored::InSource(reason));
        }
        let is_of_path = |paths: &&Paths| {
            let file = Path::new(&entry.place.file);
            let is_matched = |path: &Path| paths.matcher.matched(path, path != file).is_ignore();
            is_of(&paths.checks) && file.ancestors().any(is_matched)
        };
        if let Some(paths) = self.paths.iter().find(is_of_path) {
            return Some(Ignored::External(paths.reason.clone()));
        }
        self.baseline.as_mut()?.has(entry).then(|| Ignored::External("in the baseline".to_owned()))
    }

    /// The comments that ignore nothing.
    pub(super) fn unused(&self, fleet: &Fleet) -> Vec<ReportedProblem> {
        let mut locator = Locator::new(fleet.sources());
        let all = self.comments.iter().flat_map(|(source, comments)| comments.iter().map(move |it| (*source, it)));
        let unused = all.filter(|(_, comment)| !comment.is_used);
        let problems = unused.map(|(source, comment)| ReportedProblem {
            severity: Severity::Warning,
            message: format!(
                "the comment ignores `{}`, but there is no such finding here; remove it",
                comment.checks.join(",")
            ),
            place: Where::of_position(fleet, (source, comment.at), &mut locator),
        });
        problems.collect()
    }

    /// How many findings of the baseline no longer exist.
    pub(super) fn gone(&self) -> usize {
        self.baseline.as_ref().map_or(0, Baseline::gone)
    }
}

impl Comment {
    fn of((at, checks, reason): (usize, Vec<String>, String), scope: Range<usize>) -> Comment {
        Comment { scope, checks, reason, at, is_used: false }
    }
}

impl Paths {
    fn of(config: &IgnoredPaths) -> Result<Paths, Failure> {
        let mut builder = GitignoreBuilder::new(&config.folder);
        for path in &config.paths {
            let added = builder.add_line(None, path);
            added.map_err(|error| Failure(format!("propagate.toml: cannot use the path `{path}`: {error}")))?;
        }
        let matcher = builder.build().map_err(|error| Failure(format!("propagate.toml: {error}")))?;
        if let Some(name) = config.checks.iter().find(|name| !is_known(name)) {
            return Err(Failure(format!("propagate.toml: {}", unknown(name))));
        }
        if config.reason.trim().is_empty() {
            return Err(Failure("propagate.toml: an `ignore` needs a `reason`".to_owned()));
        }
        Ok(Paths { matcher, checks: config.checks.clone(), reason: config.reason.clone() })
    }
}

/// The checks and the reason in an object's annotation, or what is wrong with it; `None` if there is none.
pub(super) fn annotation(object: &FleetObject) -> Option<Result<(Vec<String>, String), String>> {
    if !object.json.contains(ANNOTATION) {
        return None;
    }
    let json = object.value();
    Some(parsed(json.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()?))
}

/// The checks and the reason of `CHECK,CHECK -- reason`.
///
/// # Errors
/// What is wrong with it.
fn parsed(text: &str) -> Result<(Vec<String>, String), String> {
    let (checks, reason) = text.split_once("--").unwrap_or((text, ""));
    let checks: Vec<String> = checks.split(',').map(|check| check.trim().to_owned()).collect();
    if let Some(name) = checks.iter().find(|name| !is_known(name)) {
        return Err(unknown(name));
    }
    match reason.trim() {
        "" => Err("a reason is required: write `CHECK -- reason`".to_owned()),
        reason => Ok((checks, reason.to_owned())),
    }
}

fn is_known(name: &str) -> bool {
    Check::all().iter().any(|check| is_named(name, check.id))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = Check::all().iter().map(|check| check.id).collect();
    format!("there is no check `{name}`; the checks are {}", names.join(", "))
}

/// The comments of a text, and what is wrong with some, with their positions.
///
/// A comment at the end of a line is about that line. One on its own line is about the next line that is not a comment;
/// before everything else in a document, it is about the whole document.
fn comments_of(text: &str, documents: &[Range<usize>]) -> (Vec<Comment>, Vec<(usize, String)>) {
    let (mut comments, mut wrong) = (Vec::new(), Vec::new());
    for document in documents {
        let mut waiting = Vec::new();
        let mut has_content = false;
        let mut at = document.start;
        for line in text.get(document.clone()).unwrap_or_default().split_inclusive('\n') {
            let (begin, end) = (at, at + line.len());
            at = end;
            let trimmed = line.trim();
            let is_content = !trimmed.is_empty() && !trimmed.starts_with('#') && !trimmed.starts_with("---");
            let found = line.split_once('#').and_then(|(before, rest)| {
                let rest = rest.trim_start().strip_prefix(COMMENT)?;
                Some((begin + before.len(), parsed(rest)))
            });
            let mut own = None;
            match found {
                Some((at, Ok((checks, reason)))) => own = Some((at, checks, reason)),
                Some((place, Err(message))) => wrong.push((place, message)),
                None => {}
            }
            if is_content {
                let of_line = waiting.drain(..).chain(own);
                comments.extend(of_line.map(|own| Comment::of(own, begin..end)));
                has_content = true;
            } else if let Some(own) = own {
                if has_content {
                    waiting.push(own);
                } else {
                    comments.push(Comment::of(own, document.clone()));
                }
            }
        }
    }
    (comments, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_about_its_line_the_next_or_the_document() {
        let text = "# propagate: ignore=drift -- all of it\na: 1 # propagate: ignore=misplaced -- this line\n# propagate: ignore=guards,illegal -- next\n# more\nb: 2\n---\nc: 3\n";
        let (comments, wrong) =
            comments_of(text, &[0..text.find("---").unwrap(), text.find("---").unwrap()..text.len()]);
        let found: Vec<(&str, String, &str)> =
            comments.iter().map(|it| (&text[it.scope.clone()], it.checks.join("+"), &*it.reason)).collect();
        let first = text.split("---").next().unwrap();
        let line = "a: 1 # propagate: ignore=misplaced -- this line\n";
        let expected = [
            (first, "drift".to_owned(), "all of it"),
            (line, "misplaced".to_owned(), "this line"),
            ("b: 2\n", "guards+illegal".to_owned(), "next"),
        ];
        assert_eq!((&*found, wrong), (&expected[..], Vec::new()));
    }

    #[test]
    fn a_comment_without_a_reason_or_with_an_unknown_check_ignores_nothing() {
        let text = "a: 1 # propagate: ignore=drift\nb: 2 # propagate: ignore=drfit -- x\n";
        let (comments, wrong) = comments_of(text, std::slice::from_ref(&(0..text.len())));
        let of_check = parsed("drfit -- x").unwrap_err();
        let of_reason = "a reason is required: write `CHECK -- reason`".to_owned();
        assert_eq!((comments, wrong), (Vec::new(), vec![(5, of_reason), (36, of_check)]));
    }
}
