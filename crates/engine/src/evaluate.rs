//! One request from beginning to end.

pub(crate) mod payload;
pub(crate) mod unanswered;

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::request::{Operation, Review};
use crate::admission::subject::{Subject, place_of};
use crate::catalog::place::Place;
use crate::checks::guards::{self, Guarded};
use crate::checks::misplaced;
use crate::checks::tag_delivery;
use crate::checks::{self, Checked};
use crate::evaluate::unanswered::unanswered;
use crate::json::document::Document;
use crate::json::splice::{self, Write};
use crate::json::{self, Malformed};
use crate::kube::cluster::{Cluster, LookupCause, LookupError};
use crate::kube::lookup::Lookups;
use crate::kube::stop::Stop;
use crate::propagation::metadata::{Differences, differences};
use crate::propagation::topology_opt_in;
use crate::report::change::{Action, Change};
use crate::report::finding::Finding;
use crate::report::messages::guards::refused_by;
use crate::report::messages::propagation as messages;
use crate::report::messages::tag_delivery::declared;
use crate::report::messages::{SettingValue, about, requests};
use crate::report::not_applicable::{NotApplicable, NotApplicableReason};
use crate::report::outcome::{Level, LogLine, Outcome, Rejection, Report};
use crate::report::shortening::short;
use crate::report::warnings;
use crate::settings::Stance;
use crate::settings::{Mode, OnConflict, Settings};
use crate::tags;

/// Decides one request.
///
/// The outcome is a function of the review, the settings and the objects that the cluster returns. Evaluating the
/// outcome's object again changes nothing.
pub fn evaluate(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> Outcome {
    if !matches!(review.operation, Operation::Create | Operation::Update) || !review.sub_resource.is_empty() {
        return Outcome::default();
    }
    let text = review.object.unwrap_or("null");
    if !text.starts_with('{') {
        let found = if text == "null" { requests::NO_OBJECT } else { requests::NOT_AN_OBJECT };
        return Outcome { rejection: Some(Rejection::unreadable(found)), ..Outcome::default() };
    }
    let is_controller = settings.cluster_api.controllers.contains(&*review.username);
    if is_controller && !(settings.cluster_api.self_check && may_be_checked(review)) {
        return Outcome::default();
    }
    let place = place_of(&review.kind);
    if place.is_none()
        && !is_controller
        && let Some(outcome) = tags::evaluate(review, text, settings, cluster)
    {
        return outcome;
    }
    if place.is_none()
        && !checks::concern(review, settings)
        && !topology_opt_in::concerns(&review.kind, &settings.cluster_api.opt_in)
    {
        return Outcome::default();
    }
    let subject = match Subject::read(place, review, text) {
        Ok(subject) => subject,
        Err(_) if is_controller => return Outcome::default(),
        Err(malformed) => return unreadable(review, &malformed),
    };
    let evaluation = Evaluation { subject: &subject, settings, lookups: Lookups::new(review, settings, cluster) };
    if is_controller { evaluation.self_check() } else { evaluation.decide() }
}

/// A self-check compares CREATEs and UPDATEs that change something for good.
fn may_be_checked(review: &Review<'_>) -> bool {
    let changes = |object: Option<&str>, old: Option<&str>| match (object, old) {
        (Some(object), Some(old)) => object != old && !differ_in_bookkeeping_only(object, old),
        _ => true,
    };
    review.operation == Operation::Create || (!review.dry_run && changes(review.object, review.old_object))
}

/// Whether two objects are the same but for `metadata.managedFields` and `metadata.resourceVersion`.
fn differ_in_bookkeeping_only(object: &str, old: &str) -> bool {
    let fields = |text| -> Option<Vec<(String, &str)>> {
        let mut all = Vec::new();
        for field in json::fields(text)? {
            if field.key == "metadata" {
                for field in json::fields(field.value)? {
                    if !["managedFields", "resourceVersion"].contains(&&*field.key) {
                        all.push((format!("metadata.{}", field.key), field.value));
                    }
                }
            } else {
                all.push((field.key.into_owned(), field.value));
            }
        }
        Some(all)
    };
    let (fields, old) = (fields(object), fields(old));
    fields.is_some() && fields == old
}

fn unreadable(review: &Review<'_>, malformed: &Malformed) -> Outcome {
    let message = requests::unreadable_object(&review.title(), malformed);
    Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() }
}

struct Evaluation<'a> {
    subject: &'a Subject<'a>,
    settings: &'a Settings,
    lookups: Lookups<'a>,
}

impl Evaluation<'_> {
    fn decide(&self) -> Outcome {
        let mut outcome = Outcome::default();
        let mut report = self.report();
        let mut above = None;
        let records = self.settings.mode == Mode::Mutate;
        let compared = match self.subject.place {
            Some(_) => self.compare(records),
            None => topology_opt_in::differences(self.subject, &self.settings.cluster_api.opt_in, records),
        };
        match compared {
            Ok(mut found) => {
                above = self.subject.place.map(|_| found.above());
                self.settle(found, &mut report, &mut outcome);
            }
            Err(Stop::NotApplicable(inert)) => report.inert = Some(inert),
            Err(Stop::Malformed(malformed)) => return unreadable(self.subject.review, &malformed),
            Err(Stop::Lookup(get, error)) => self.unanswered(get, error, &mut report, &mut outcome),
            Err(Stop::Unreadable { object, detail }) => {
                let error = LookupError { cause: LookupCause::Unreadable, detail };
                self.unanswered(object, error, &mut report, &mut outcome);
            }
        }
        if outcome.rejection.is_none()
            && let Err(malformed) = self
                .declare(&mut report, &mut outcome)
                .and_then(|()| self.check(above.as_ref(), &mut report, &mut outcome))
        {
            return unreadable(self.subject.review, &malformed);
        }
        let carried = above.map(|above| above.carried).unwrap_or_default();
        match misplaced::wrong_places(self.subject, &report, &carried, self.settings.cluster_api.version) {
            Ok((skipped, warnings)) => {
                report.skipped.extend(skipped);
                outcome.warnings.extend(warnings);
            }
            Err(malformed) => return unreadable(self.subject.review, &malformed),
        }
        outcome.warnings = warnings::capped(outcome.warnings);
        report.lookups = self.lookups.made();
        let says_something = self.subject.place.is_some()
            || report.rollout.is_some()
            || report.exempt.is_some()
            || !(report.findings.is_empty() && report.changes.is_empty() && report.drift.is_empty());
        outcome.report = Some(report).filter(|_| says_something);
        outcome
    }

    /// Compares a controller's write with the rules. Whatever comes of it, the write passes as it is.
    fn self_check(&self) -> Outcome {
        let Ok(found) = self.compare(false) else {
            return Outcome::default();
        };
        if found.changes.is_empty() {
            return Outcome::default();
        }
        let message = messages::controller_write_does_not_match(&self.subject.title());
        let drift: Vec<String> = found.changes.iter().map(|change| format!("{} {}", change.at, change.key)).collect();
        let log = vec![self.line(Level::Warning, message, [("drift", drift.join(", "))])];
        let report = Report {
            drift: found.changes,
            skipped: found.skipped.into_iter().collect(),
            lookups: self.lookups.made(),
            ..self.report()
        };
        Outcome { log, report: Some(report), ..Outcome::default() }
    }

    /// Holds the object against what is above it; `records` says whether the policy's own record counts.
    fn compare(&self, records: bool) -> Result<Differences, Stop> {
        let object = &self.subject.object;
        let own = |reason| Err(Stop::not_applicable(reason, ""));
        let knows_version = ["v1beta1", "v1beta2"].contains(&object.version());
        let is_cluster_apis =
            !matches!(self.subject.place, Some(Place::InfraMachine | Place::BootstrapConfig | Place::Node))
                && (self.subject.place != Some(Place::ControlPlane) || self.subject.is_kubeadm());
        if is_cluster_apis && !knows_version {
            return own(NotApplicableReason::UnknownApiVersion);
        }
        let keeps_fields = records && self.settings.cluster_api.fields && self.subject.place == Some(Place::Machine);
        if object.deleting && !keeps_fields {
            return own(NotApplicableReason::Deleting);
        }
        if object.has_paused_annotation() {
            return own(NotApplicableReason::Paused);
        }
        differences(self.subject, &self.settings.cluster_api, records, &self.lookups)
    }

    /// What becomes of the differences: written, left, or a reason to refuse.
    fn settle(&self, found: Differences, report: &mut Report, outcome: &mut Outcome) {
        report.skipped = found.skipped.into_iter().collect();
        let is_conflict = |change: &Change| change.action == Action::Restored;
        let (written, drift): (Vec<Change>, Vec<Change>) =
            found.changes.into_iter().partition(|change| match self.settings.mode {
                Mode::Verify => false,
                Mode::Mutate => !is_conflict(change) || self.settings.cluster_api.on_conflict == OnConflict::Restore,
            });
        if self.settings.mode == Mode::Verify && !drift.is_empty() {
            let setting = SettingValue { setting: "mode", value: "verify" };
            return self.refuse(messages::does_not_match, setting, drift, report, outcome);
        }
        if self.settings.cluster_api.on_conflict == OnConflict::Reject && !drift.is_empty() {
            let setting = SettingValue { setting: "clusterApi.onConflict", value: "reject" };
            return self.refuse(messages::edits_propagated_values, setting, drift, report, outcome);
        }
        let of_written = written.iter().map(|change| (change, false));
        let mut told: BTreeMap<u8, Vec<(&Change, bool)>> = BTreeMap::new();
        for (change, left) in of_written.chain(drift.iter().map(|change| (change, true))) {
            told.entry(warnings::rank(change)).or_default().push((change, left));
        }
        let mut conflicts = Vec::new();
        for (change, left) in told.into_values().flatten() {
            if is_conflict(change) {
                let sentence = if left { messages::left_edit } else { messages::restored_edit };
                let message = sentence(change.entry, &self.subject.title());
                conflicts.push(self.line(Level::Warning, message, attributes(change)));
            }
            outcome.warnings.extend(warnings::of_change(change, left));
        }
        outcome.log.extend(warnings::capped_lines(conflicts));
        if !written.is_empty() {
            self.write(&written, outcome);
        }
        report.changes = written;
        report.drift = drift;
    }

    /// Declares `spec.cloudTags` where the settings ask for it.
    fn declare(&self, report: &mut Report, outcome: &mut Outcome) -> Result<(), Malformed> {
        let declarations = tag_delivery::declarations(self.subject, self.settings)?;
        if declarations.is_empty() {
            return Ok(());
        }
        let writes: Vec<Write> = declarations.iter().map(|(_, change)| change.write()).collect();
        let object = Document::new(self.subject.review.object.unwrap_or_default());
        match splice::written(object.root(), &writes) {
            Ok(object) => outcome.object = Some(object),
            Err(error) => outcome.rejection = Some(Rejection::unwritable(&error)),
        }
        for (version, change) in declarations {
            let what = declared(&version);
            outcome.log.push(self.line(Level::Info, about(&self.subject.title(), &what), []));
            outcome.warnings.push(short(what));
            report.changes.push(change);
        }
        Ok(())
    }

    /// Looks at the object as it would be stored.
    fn check(&self, above: Option<&Differences>, report: &mut Report, outcome: &mut Outcome) -> Result<(), Malformed> {
        let (lookups, settings, drift) = (&self.lookups, self.settings, report.drift.as_slice());
        let check = |subject: &Subject<'_>| checks::check(&Guarded { subject, above, drift, lookups, settings });
        let Checked { findings: found, rollout } = match &outcome.object {
            Some(object) => check(&Subject::read(self.subject.place, self.subject.review, object.get())?)?,
            None => check(self.subject)?,
        };
        let refused: Vec<&Finding> = found.iter().filter(|finding| finding.stance == Stance::Reject).collect();
        let warned = || found.iter().filter(|finding| finding.stance == Stance::Warn);
        if !refused.is_empty() {
            // Nothing of what was going to be written is.
            *outcome = Outcome::default();
            report.drift.append(&mut report.changes);
        }
        let title = self.subject.title();
        let lines = warned().map(|finding| {
            let attributes = [("check", finding.check.to_owned()), ("at", finding.at.clone())];
            self.line(Level::Warning, about(&title, &finding.message), attributes)
        });
        outcome.log.extend(warnings::capped_lines(lines.collect()));
        let warnings = warned().map(|finding| short(finding.message.clone()));
        outcome.warnings.splice(0..0, warnings.collect::<Vec<_>>());
        if !refused.is_empty() {
            let told: Vec<String> = refused
                .iter()
                .map(|finding| {
                    let value = checks::refusing(finding.check, self.settings);
                    refused_by(&finding.message, SettingValue { setting: finding.check, value })
                })
                .collect();
            let message = about(&self.subject.title(), &told.join("; "));
            outcome.log.push(self.line(Level::Error, message.clone(), []));
            outcome.rejection = Some(Rejection::refused(message));
        }
        report.findings = found;
        report.rollout = rollout;
        Ok(())
    }

    fn write(&self, written: &[Change], outcome: &mut Outcome) {
        let writes: Vec<Write> = written.iter().map(Change::write).collect();
        let object = Document::new(self.subject.review.object.unwrap_or("{}"));
        match splice::written(object.root(), &writes) {
            Ok(object) => outcome.object = Some(object),
            Err(error) => {
                outcome.rejection = Some(Rejection::unwritable(&error));
                return;
            }
        }
        let message = match written.iter().filter(|change| change.action != Action::Recorded).count() {
            0 => messages::updated_record(&self.subject.title()),
            1 => messages::propagated_one(&self.subject.title()),
            count => messages::propagated(count, &self.subject.title()),
        };
        let rules: BTreeSet<&str> = written.iter().map(|change| change.rule.as_str()).collect();
        let rules = rules.into_iter().collect::<Vec<_>>().join("; ");
        outcome.log.push(self.line(Level::Info, message, [("rules", rules)]));
    }

    fn refuse(
        &self,
        sentence: fn(&str, SettingValue<'_>, &str) -> String,
        setting: SettingValue<'_>,
        drift: Vec<Change>,
        report: &mut Report,
        outcome: &mut Outcome,
    ) {
        let message = sentence(&self.subject.title(), setting, &warnings::differences(&drift));
        outcome.log.push(self.line(Level::Error, message.clone(), []));
        outcome.rejection = Some(Rejection::refused(message));
        report.drift = drift;
    }

    /// What becomes of a request when `get` has no answer.
    fn unanswered(&self, get: String, error: LookupError, report: &mut Report, outcome: &mut Outcome) {
        let missing = error.cause == LookupCause::NotFound;
        let (reaction, setting, reason) = if missing {
            (self.settings.lookup.on_missing, "lookup.onMissing", NotApplicableReason::ParentMissing)
        } else {
            (self.settings.lookup.on_failure, "lookup.onFailure", NotApplicableReason::LookupFailed)
        };
        unanswered(&self.subject.title(), &get, &error, reaction, setting, outcome);
        report.inert = Some(NotApplicable { reason, because: get });
    }

    fn report(&self) -> Report {
        Report {
            object: self.subject.title(),
            cluster_api: self.settings.cluster_api.version.to_string(),
            field_manager: self.subject.review.field_manager.as_deref().map(str::to_owned),
            exempt: guards::exemption(self.subject).filter(|reason| !reason.is_empty()).map(str::to_owned),
            ..Report::default()
        }
    }

    fn line<const N: usize>(&self, level: Level, message: String, attributes: [(&'static str, String); N]) -> LogLine {
        LogLine { level, message, attributes: attributes.to_vec() }
    }
}

fn attributes(change: &Change) -> [(&'static str, String); 4] {
    [
        ("at", change.at.clone()),
        ("key", change.key.clone()),
        ("rule", change.rule.clone()),
        ("source", change.source.clone()),
    ]
}
