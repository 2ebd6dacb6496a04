//! Recorded AdmissionReviews and audit logs, answered as the policy would have answered them with these settings.

mod audit;
mod past;
mod read;

use std::fmt::Write;
use std::path::PathBuf;

use metadata_propagation::{NotApplicableReason, Operation, Outcome, Review, Settings, concerns, evaluate};
use serde::Serialize;

use self::audit::Event;
use self::past::{Past, id};
use self::read::{Recorded, RecordedRequest, recorded, text};
use fleet::count;

use crate::args::{CheckArgs, FailOn};
use crate::input::{self, Input};
use crate::style::BOLD;
use crate::{Exit, Failure, output, settings};

/// The maximum number of events that are listed as not evaluated without `--verbose`.
const NAMED: usize = 5;

/// The results for the requests.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewAnswers {
    requests: Vec<JudgedRequest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_judged: Vec<UnjudgedWrite>,
    summary: ReviewsSummary,
}

/// The result for one request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JudgedRequest {
    file: String,
    /// Its number in the file, from 1.
    number: usize,
    operation: &'static str,
    object: String,
    user: String,
    verdict: RequestOutcome,
    /// Why it is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    /// Why the object is not compared with its sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compared: Option<String>,
    /// It is an update, and no earlier request contains the object: what it changes is not known.
    #[serde(skip_serializing_if = "is_false")]
    without_stored: bool,
}

/// A write that cannot be evaluated.
#[derive(Serialize)]
struct UnjudgedWrite {
    file: String,
    number: usize,
    verb: String,
    /// Resource and name.
    object: String,
    user: String,
    reason: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum RequestOutcome {
    Accepted,
    Changed,
    Rejected,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReviewsSummary {
    requests: usize,
    accepted: usize,
    changed: usize,
    rejected: usize,
    warned: usize,
    not_compared: usize,
    #[serde(skip_serializing_if = "is_zero")]
    without_stored: usize,
    /// Writes that cannot be evaluated.
    #[serde(skip_serializing_if = "is_zero")]
    not_judged: usize,
    /// Writes in an audit log of objects that the policy does not handle.
    #[serde(skip_serializing_if = "is_zero")]
    other_kinds: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_false(it: &bool) -> bool {
    !*it
}

/// Answers every request of a file. Objects are in the state after earlier requests, or as in the files.
///
/// # Errors
/// When the settings or the file cannot be used, or nothing can be printed.
pub(super) fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let settings = settings::read(args.sources.settings.as_deref())?;
    let is_alone = args.paths.is_empty() && args.sources.filename.is_empty();
    let paths = if is_alone { Vec::new() } else { args.sources.paths(&args.paths) };
    let input = input::read(&paths, &args.sources);
    let read = |file: &PathBuf| (file.display().to_string(), text(file));
    let files: Vec<(String, Result<String, String>)> = args.reviews.iter().map(read).collect();
    let mut reviews = Vec::new();
    for (file, text) in &files {
        let read = text.as_ref().map_err(Clone::clone).and_then(|text| recorded(file, text));
        reviews.extend(read.map_err(|reason| Failure(format!("cannot read `{file}`: {reason}")))?);
    }
    let answers = answers(&reviews, &settings, &input);
    output::write_plain(&args.output, &in_words(&answers, args.verbose), &answers, None)?;
    let is_unreadable = input::warn(&input);
    let ReviewsSummary { requests, rejected, warned, not_judged, .. } = answers.summary;
    Ok(match args.fail_on.unwrap_or_default() {
        _ if is_unreadable => Exit::Unreadable,
        _ if requests + not_judged == 0 => Exit::Nothing,
        FailOn::Warning if rejected + warned > 0 => Exit::Found,
        FailOn::Error if rejected > 0 => Exit::Found,
        _ => Exit::Clean,
    })
}

fn answers(reviews: &[Recorded<'_>], settings: &Settings, input: &Input) -> ReviewAnswers {
    let requests = reviews.iter().filter_map(|recorded| match &recorded.request {
        RecordedRequest::Review(review) => Some(&**review),
        RecordedRequest::Event(_) => None,
    });
    let mut past = Past::before(requests, &input.fleet);
    let mut answers = ReviewAnswers::default();
    for recorded in reviews {
        match &recorded.request {
            RecordedRequest::Review(review) => {
                answers.add(answer(recorded, review, evaluate(review, settings, &past)));
                past.apply(review);
            }
            RecordedRequest::Event(event) => {
                answers.add_event(recorded, event, settings, &past);
                event.apply(&mut past);
            }
        }
    }
    answers
}

impl ReviewAnswers {
    fn add(&mut self, answer: JudgedRequest) {
        let ReviewsSummary { requests, accepted, changed, rejected, warned, not_compared, without_stored, .. } =
            &mut self.summary;
        *requests += 1;
        *match answer.verdict {
            RequestOutcome::Accepted => accepted,
            RequestOutcome::Changed => changed,
            RequestOutcome::Rejected => rejected,
        } += 1;
        *warned += usize::from(!answer.warnings.is_empty());
        *not_compared += usize::from(answer.not_compared.is_some());
        *without_stored += usize::from(answer.without_stored);
        self.requests.push(answer);
    }

    /// Evaluates a write of an audit log, if it contains the whole object, and the policy reads such objects.
    fn add_event(&mut self, recorded: &Recorded<'_>, event: &Event<'_>, settings: &Settings, past: &Past<'_>) {
        match event.request(past) {
            Ok(audit::AuditRequest { review, .. }) if !concerns(&review, settings) => self.summary.other_kinds += 1,
            Ok(audit::AuditRequest { review, is_without_stored }) => {
                let answer = answer(recorded, &review, evaluate(&review, settings, past));
                self.add(JudgedRequest { without_stored: is_without_stored, ..answer });
            }
            Err(_) if event.kind(past).is_some_and(|review| !concerns(&review, settings)) => {
                self.summary.other_kinds += 1;
            }
            Err(left) => {
                self.summary.not_judged += 1;
                self.not_judged.push(UnjudgedWrite {
                    file: recorded.file.to_owned(),
                    number: recorded.number,
                    verb: event.verb.clone(),
                    object: event.subject(),
                    user: event.username().to_owned(),
                    reason: left.reason(),
                });
            }
        }
    }
}

fn answer(Recorded { file, number, .. }: &Recorded<'_>, review: &Review<'_>, outcome: Outcome) -> JudgedRequest {
    let Outcome { rejection, object, warnings, report, .. } = outcome;
    let report = report.unwrap_or_default();
    let verdict = match (&rejection, object) {
        (Some(_), _) => RequestOutcome::Rejected,
        (None, Some(_)) => RequestOutcome::Changed,
        (None, None) => RequestOutcome::Accepted,
    };
    let operation = match review.operation {
        Operation::Create => "CREATE",
        Operation::Update => "UPDATE",
        Operation::Delete => "DELETE",
        Operation::Connect => "CONNECT",
    };
    let inert = report.inert.filter(|inert| inert.reason != NotApplicableReason::NoOwner);
    JudgedRequest {
        file: (*file).to_owned(),
        number: *number,
        operation,
        object: id(review).map_or_else(String::new, |id| id.to_string()),
        user: review.username.to_string(),
        verdict,
        message: rejection.map(|rejection| rejection.message),
        warnings,
        changes: report.changes.iter().map(|change| change.difference()).collect(),
        not_compared: inert.map(|inert| inert.to_string()),
        without_stored: false,
    }
}

fn in_words(answers: &ReviewAnswers, is_verbose: bool) -> String {
    let mut out = String::new();
    for answer in &answers.requests {
        let JudgedRequest { file, number, operation, object, user, verdict, message, warnings, changes, .. } = answer;
        let is_changed = *verdict == RequestOutcome::Changed && is_verbose;
        if *verdict != RequestOutcome::Rejected && warnings.is_empty() && !is_changed {
            continue;
        }
        let word = match verdict {
            RequestOutcome::Accepted => "accepted",
            RequestOutcome::Changed => "changed",
            RequestOutcome::Rejected => "rejected",
        };
        let by = if user.is_empty() { String::new() } else { format!(" by {user}") };
        let _ = writeln!(out, "{BOLD}{word}{BOLD:#} {file} {number}: {operation} {object}{by}");
        if let Some(message) = message {
            let _ = writeln!(out, "  error: {message}");
        }
        for warning in warnings {
            let _ = writeln!(out, "  warning: {warning}");
        }
        for change in changes.iter().filter(|_| is_verbose) {
            let _ = writeln!(out, "  {change}");
        }
        if let Some(reason) = &answer.not_compared {
            let _ = writeln!(out, "  skipped: {reason}");
        }
        if answer.without_stored {
            let _ = writeln!(out, "  the edit is not checked: no earlier request contains the object");
        }
    }
    let named = if is_verbose { answers.not_judged.len() } else { NAMED };
    for UnjudgedWrite { file, number, verb, object, user, reason } in answers.not_judged.iter().take(named) {
        let _ = writeln!(out, "{BOLD}skipped{BOLD:#} {file} {number}: {verb} {object} by {user}: {reason}");
    }
    if answers.not_judged.len() > named {
        let more = answers.not_judged.len() - named;
        let _ = writeln!(out, "{more} more skipped; `--verbose` prints all");
    }
    let ReviewsSummary { requests, accepted, changed, rejected, warned, not_compared, .. } = answers.summary;
    let ReviewsSummary { without_stored, not_judged, other_kinds, .. } = answers.summary;
    let besides = [
        (warned, "with warnings"),
        (not_compared, "with a skipped object"),
        (without_stored, "without the stored object"),
        (not_judged, "skipped"),
        (other_kinds, "of other kinds"),
    ];
    let besides = besides.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("; {number} {what}"));
    if !out.is_empty() {
        out.push('\n');
    }
    let requests = count(requests, "request");
    let besides: String = besides.collect();
    let _ =
        writeln!(out, "{requests}: {accepted} accepted as they are, {changed} changed, {rejected} rejected{besides}");
    out
}
