//! Requests for composites and for the label registry, from beginning to end.

use super::composite::{Composite, Found};
use super::registry;
use crate::admission::request::Review;
use crate::admission::subject::Subject;
use crate::catalog::grants::LABELS;
use crate::evaluate::unanswered::unanswered;
use crate::json::Malformed;
use crate::json::document::Document;
use crate::json::splice;
use crate::kube::cluster::{Cluster, LookupCause, LookupError};
use crate::kube::lookup::Lookups;
use crate::kube::stop::Stop;
use crate::report::change::{Action, Change};
use crate::report::messages::requests::unreadable_object;
use crate::report::messages::{SettingValue, cloud_tags as messages};
use crate::report::not_applicable::{NotApplicable, NotApplicableReason};
use crate::report::outcome::{Level, LogLine, Outcome, Rejection, Report};
use crate::report::shortening::short;
use crate::report::tags::TagSkipReason;
use crate::report::warnings;
use crate::settings::{Mode, Settings};

/// Decides a request for a composite or a LabelRegistry; `None` where the object is neither.
pub(crate) fn evaluate(review: &Review<'_>, text: &str, settings: &Settings, cluster: &dyn Cluster) -> Option<Outcome> {
    let group = &*review.kind.group;
    let is_registry = group == LABELS && review.kind.kind == registry::REGISTRY;
    let composites = &settings.cloud_tags.composites;
    let of = composites.iter().find(|composites| composites.api_groups.iter().any(|known| known == group));
    if !is_registry && of.is_none() {
        return None;
    }
    let subject = match Subject::read(None, review, text) {
        Ok(subject) => subject,
        Err(malformed) => return Some(unreadable(review, &malformed)),
    };
    let Some(of) = of else { return Some(judge_registry(&subject)) };
    let lookups = Lookups::new(review, settings, cluster);
    Some(decide(&Composite { subject, of, settings: &settings.cloud_tags, lookups }, settings.mode))
}

/// A LabelRegistry is refused when composites could not use it.
fn judge_registry(subject: &Subject<'_>) -> Outcome {
    if subject.object.deleting {
        return Outcome::default();
    }
    let problems = match registry::definitions(&subject.object) {
        Ok(definitions) => registry::problems(definitions.as_ref()),
        Err(malformed) => vec![malformed],
    };
    if problems.is_empty() {
        return Outcome::default();
    }
    let problems: Vec<String> = problems.iter().map(Malformed::to_string).collect();
    refused(messages::unusable_registry(&subject.title(), &problems.join("; ")))
}

fn decide(composite: &Composite<'_>, mode: Mode) -> Outcome {
    let subject = &composite.subject;
    let mut outcome = Outcome::default();
    let mut report = Report {
        object: subject.title(),
        field_manager: subject.review.field_manager.as_deref().map(str::to_owned),
        ..Report::default()
    };
    match composite.compare() {
        Ok(found) => settle(subject, found, mode, &mut report, &mut outcome),
        Err(Stop::NotApplicable(inert)) => report.inert = Some(inert),
        Err(Stop::Malformed(malformed)) => return unreadable(subject.review, &malformed),
        Err(Stop::Lookup(get, error)) => unread(composite, get, &error, &mut report, &mut outcome),
        Err(Stop::Unreadable { object, detail }) => {
            let error = LookupError { cause: LookupCause::Unreadable, detail };
            unread(composite, object, &error, &mut report, &mut outcome);
        }
    }
    report.lookups = composite.lookups.made();
    outcome.warnings = warnings::capped(outcome.warnings);
    outcome.report = Some(report);
    outcome
}

/// Writes the tags, or refuses what differs; tells of every label that is no tag.
fn settle(subject: &Subject<'_>, found: Found, mode: Mode, report: &mut Report, outcome: &mut Outcome) {
    let Found { changes, writes, tags } = found;
    if mode == Mode::Verify && !changes.is_empty() {
        let setting = SettingValue { setting: "mode", value: "verify" };
        let message = messages::do_not_match(&subject.title(), setting, &warnings::differences(&changes));
        *outcome = refused(message);
        report.drift = changes;
    } else if !changes.is_empty() {
        let document = Document::new(subject.review.object.unwrap_or("{}"));
        match splice::written(document.root(), &writes) {
            Ok(object) => outcome.object = Some(object),
            Err(error) => {
                outcome.rejection = Some(Rejection::unwritable(&error));
                return;
            }
        }
        outcome.warnings.extend(changes.iter().filter_map(of_edit));
        let message = messages::updated(&subject.title());
        let attributes = vec![("profile", tags.profile.to_owned())];
        outcome.log.push(LogLine { level: Level::Info, message, attributes });
        report.changes = changes;
    }
    for skip in &tags.skipped {
        let attributes = vec![
            ("provisioned_resource", subject.full_name()),
            ("qualified_key", skip.qualified_key.clone()),
            ("tag_key", skip.tag_key.clone()),
            ("provider", skip.provider.to_owned()),
            ("reason", skip.reason.as_str().to_owned()),
        ];
        outcome.log.push(LogLine { level: Level::Warning, message: messages::LABEL_NOT_ADDED.to_owned(), attributes });
    }
    // What somebody can mend comes first: over the cap there may be many.
    for reason in TagSkipReason::ALL {
        let of_reason = tags.skipped.iter().filter(|skip| skip.reason == reason);
        outcome.warnings.extend(of_reason.map(warnings::of_skipped_label));
    }
    report.cloud_tags = Some(tags);
}

/// The warning for a tag that this request edits. One that it leaves out comes back without a word: a client that
/// writes whole objects does not know of it.
fn of_edit(change: &Change) -> Option<String> {
    let is_edit = change.action == Action::Restored && change.from.is_some();
    is_edit.then(|| short(messages::restored(&change.key)))
}

/// What becomes of a composite when the registry has no answer.
fn unread(composite: &Composite<'_>, get: String, error: &LookupError, report: &mut Report, outcome: &mut Outcome) {
    let reaction = composite.settings.on_registry_failure;
    unanswered(&composite.subject.title(), &get, error, reaction, "cloudTags.onRegistryFailure", outcome);
    report.inert = Some(NotApplicable { reason: NotApplicableReason::RegistryUnavailable, because: get });
}

fn refused(message: String) -> Outcome {
    let line = LogLine { level: Level::Error, message: message.clone(), attributes: Vec::new() };
    Outcome { rejection: Some(Rejection::refused(message)), log: vec![line], ..Outcome::default() }
}

fn unreadable(review: &Review<'_>, malformed: &Malformed) -> Outcome {
    let message = unreadable_object(&review.title(), malformed);
    Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() }
}
