//! Recorded AdmissionReviews, answered as the policy would have answered them with these settings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

use anstyle::Style;
use flate2::read::MultiGzDecoder;
use fleet::{Fleet, ObjectId};
use metadata_propagation::{
    Cluster, Get, LookupCause, LookupError, NotApplicableReason, Operation, Outcome, Review, Settings, evaluate,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::args::{CheckArgs, FailOn};
use crate::input::{self, Input};
use crate::output::text::count;
use crate::{Exit, Failure, output, settings};

const BOLD: Style = Style::new().bold();

/// What became of the requests.
#[derive(Default, Serialize)]
struct Answers {
    requests: Vec<Answer>,
    summary: Summary,
}

/// What would have become of one request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    file: String,
    /// Which one of the file, counted from 1.
    number: usize,
    operation: &'static str,
    object: String,
    user: String,
    verdict: Verdict,
    /// Why it is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    /// Why the object is not compared with what is above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compared: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Accepted,
    Changed,
    Rejected,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    requests: usize,
    accepted: usize,
    changed: usize,
    rejected: usize,
    warned: usize,
    not_compared: usize,
}

/// Answers every request of a file. Objects are as earlier requests stored them, and as the files have them.
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
        let read = text.as_ref().map_err(Clone::clone).and_then(|text| self::reviews(text));
        let read = read.map_err(|reason| Failure(format!("cannot read `{file}`: {reason}")))?;
        reviews.extend(read.into_iter().enumerate().map(|(index, review)| (&**file, index + 1, review)));
    }
    let answers = answers(&reviews, &settings, &input);
    output::write_plain(&args.output, &in_words(&answers, args.verbose), &answers, None)?;
    let is_unreadable = input::warn(&input);
    let Summary { requests, rejected, warned, .. } = answers.summary;
    Ok(match args.fail_on.unwrap_or_default() {
        _ if is_unreadable => Exit::Unreadable,
        _ if requests == 0 => Exit::Nothing,
        FailOn::Warn if rejected + warned > 0 => Exit::Found,
        FailOn::Reject if rejected > 0 => Exit::Found,
        _ => Exit::Clean,
    })
}

/// The text of a file, unpacked where it is packed with gzip.
fn text(file: &Path) -> Result<String, String> {
    if file.extension().is_none_or(|ending| ending != "gz") {
        return input::text(file);
    }
    let packed = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut text = String::new();
    MultiGzDecoder::new(packed).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// The requests of AdmissionReviews: one after the other, or in a list.
///
/// # Errors
/// When the text is no JSON, or one of them has no request or one of another shape than Kubernetes gives it.
fn reviews<'t>(text: &'t str) -> Result<Vec<Review<'t>>, String> {
    #[derive(Deserialize)]
    struct AdmissionReview<'a> {
        #[serde(borrow)]
        request: &'a RawValue,
    }
    let mut reviews: Vec<&'t RawValue> = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<&'t RawValue>() {
        let value = value.map_err(|error| error.to_string())?;
        match value.get().starts_with('[') {
            true => {
                reviews.extend(serde_json::from_str::<Vec<&'t RawValue>>(value.get()).map_err(|it| it.to_string())?)
            }
            false => reviews.push(value),
        }
    }
    let request = |(index, review): (usize, &'t RawValue)| {
        let number = index + 1;
        let review = serde_json::from_str::<AdmissionReview<'t>>(review.get());
        let review = review.map_err(|error| format!("review {number}: {error}"))?;
        Review::from_json(review.request.get()).map_err(|malformed| format!("review {number}: {malformed}"))
    };
    reviews.into_iter().enumerate().map(request).collect()
}

/// The name of a file, the number of a review in it, and its request.
type Recorded<'a> = (&'a str, usize, Review<'a>);

fn answers(reviews: &[Recorded<'_>], settings: &Settings, input: &Input) -> Answers {
    let mut past = Past::before(reviews, &input.fleet);
    let mut answers = Answers::default();
    for recorded in reviews {
        let (.., review) = recorded;
        let answer = answer(recorded, evaluate(review, settings, &past));
        past.apply(review);
        let Summary { requests, accepted, changed, rejected, warned, not_compared } = &mut answers.summary;
        *requests += 1;
        *match answer.verdict {
            Verdict::Accepted => accepted,
            Verdict::Changed => changed,
            Verdict::Rejected => rejected,
        } += 1;
        *warned += usize::from(!answer.warnings.is_empty());
        *not_compared += usize::from(answer.not_compared.is_some());
        answers.requests.push(answer);
    }
    answers
}

fn answer((file, number, review): &Recorded<'_>, outcome: Outcome) -> Answer {
    let Outcome { rejection, object, warnings, report, .. } = outcome;
    let report = report.unwrap_or_default();
    let verdict = match (&rejection, object) {
        (Some(_), _) => Verdict::Rejected,
        (None, Some(_)) => Verdict::Changed,
        (None, None) => Verdict::Accepted,
    };
    let operation = match review.operation {
        Operation::Create => "CREATE",
        Operation::Update => "UPDATE",
        Operation::Delete => "DELETE",
        Operation::Connect => "CONNECT",
    };
    let inert = report.inert.filter(|inert| inert.reason != NotApplicableReason::NoOwner);
    Answer {
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
    }
}

fn in_words(answers: &Answers, is_verbose: bool) -> String {
    let mut out = String::new();
    for answer in &answers.requests {
        let Answer { file, number, operation, object, user, verdict, message, warnings, changes, not_compared } =
            answer;
        let is_changed = *verdict == Verdict::Changed && is_verbose;
        if *verdict != Verdict::Rejected && warnings.is_empty() && !is_changed {
            continue;
        }
        let word = match verdict {
            Verdict::Accepted => "accepted",
            Verdict::Changed => "changed",
            Verdict::Rejected => "rejected",
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
        if let Some(reason) = not_compared {
            let _ = writeln!(out, "  not compared: {reason}");
        }
    }
    let Summary { requests, accepted, changed, rejected, warned, not_compared } = answers.summary;
    let besides = [(warned, "with warnings"), (not_compared, "not compared")];
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

/// The objects as they were stored when a request came.
struct Past<'a> {
    /// Version and text.
    stored: BTreeMap<ObjectId, (String, &'a str)>,
    fleet: &'a Fleet,
    deleted: BTreeSet<ObjectId>,
}

impl<'a> Past<'a> {
    /// Before the first request: what the first request about each object says that it was.
    fn before(reviews: &[Recorded<'a>], fleet: &'a Fleet) -> Past<'a> {
        let mut past = Past { stored: BTreeMap::new(), fleet, deleted: BTreeSet::new() };
        let mut known = BTreeSet::new();
        for (.., review) in reviews.iter().filter(|(.., review)| is_of_object(review)) {
            let Some(id) = id(review) else { continue };
            if known.insert(id.clone())
                && let Some(old) = review.old_object
            {
                past.stored.insert(id, (review.kind.version.to_string(), old));
            }
        }
        past
    }

    /// What a request stored, as it was stored then.
    fn apply(&mut self, review: &Review<'a>) {
        let Some(id) = id(review).filter(|_| is_of_object(review) && !review.dry_run) else { return };
        match (review.operation, review.object) {
            (Operation::Delete, _) => {
                self.stored.remove(&id);
                self.deleted.insert(id);
            }
            (_, Some(object)) if object.starts_with('{') => {
                self.deleted.remove(&id);
                self.stored.insert(id, (review.kind.version.to_string(), object));
            }
            _ => {}
        }
    }
}

impl Cluster for Past<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let (group, version) = get.api_version.rsplit_once('/').unwrap_or(("", &get.api_version));
        let id = ObjectId {
            group: group.to_owned(),
            kind: get.kind.clone(),
            namespace: get.namespace.clone().unwrap_or_default(),
            name: get.name.clone(),
        };
        let cause = match self.stored.get(&id) {
            Some((stored, object)) if stored == version => return Ok((*object).to_owned()),
            Some(_) => LookupCause::NotServed,
            None if self.deleted.contains(&id) => LookupCause::NotFound,
            None => return self.fleet.get(get),
        };
        Err(LookupError { cause, detail: get.to_string() })
    }
}

/// Whether a request is about a whole object, and not about what is derived from it.
fn is_of_object(review: &Review<'_>) -> bool {
    ["", "status"].contains(&&*review.sub_resource)
}

/// What the object of a request is called. The name of one that is created may be in the object only.
fn id(review: &Review<'_>) -> Option<ObjectId> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Head {
        metadata: Metadata,
    }
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Metadata {
        name: String,
        generate_name: String,
    }
    let head = |text: Option<&str>| serde_json::from_str::<Head>(text?).ok();
    let name = match &*review.name {
        "" => head(review.object)
            .map(|head| head.metadata)
            .map(|it| if it.name.is_empty() { it.generate_name } else { it.name })?,
        name => name.to_owned(),
    };
    Some(ObjectId {
        group: review.kind.group.to_string(),
        kind: review.kind.kind.to_string(),
        namespace: review.namespace.to_string(),
        name,
    })
}
