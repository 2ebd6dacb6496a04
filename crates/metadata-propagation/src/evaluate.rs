//! One request from beginning to end, in four steps: [`gather`] the object and its role, `decide` what it must have, `apply`
//! the settings to the decision and check the result, and `render` the outcome. Each step is a function of the values of the
//! earlier ones.

mod applied;
mod apply;
mod apply_tags;
mod change_warning;
mod check;
mod decide;
pub(crate) mod inspect;
mod notices;
mod render;
mod role;
mod unanswered;

use std::cell::OnceCell;
use std::ops::ControlFlow;

use crate::evaluate::applied::{Admission, AppliedDecision, ComparedWith};
use crate::evaluate::check::CheckFindings;
use crate::evaluate::inspect::Listed;
use crate::evaluate::notices::Notices;
use crate::evaluate::role::Role;
use crate::fact::Fact;
use crate::json::{Document, Malformed, utf8};
use crate::report::messages::propagation::controller_write_does_not_match;
use crate::report::messages::requests as messages;
use crate::report::{LogLevel, MalformedObject, Outcome, Rejection};
use crate::settings::Settings;
use cluster_api::catalog::{Version, is_of_cluster_api};
use cluster_api::subject::Subject;
use kubernetes::{Answers, Call, Cluster, Lookups, Objects, Operation, Reads, Review, ReviewedObject, Stored};

/// Decides one request.
///
/// The outcome is a function of the review, the settings and the objects that the cluster returns. Evaluating the
/// outcome's object again changes nothing.
pub fn evaluate(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> Outcome {
    evaluate_objects(review, Objects::of(review), settings, cluster, None)
}

/// What [`evaluate`] and [`propagated()`](inspect::propagated) return, with one read of each object.
pub fn evaluate_and_list(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> (Outcome, Listed) {
    let mut listed = None;
    let outcome = evaluate_objects(review, Objects::of(review), settings, cluster, Some(&mut listed));
    (outcome, listed.unwrap_or_else(|| inspect::propagated(review, settings, cluster)))
}

/// Decides the request of a payload `{"request": …, "settings": …}`.
///
/// Every payload has an outcome: one that cannot be read is refused with the reason.
pub fn evaluate_payload(payload: &[u8], cluster: &dyn Cluster) -> Outcome {
    outcome_of(payload, cluster)
        .unwrap_or_else(|message| Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() })
}

fn outcome_of(payload: &[u8], cluster: &dyn Cluster) -> Result<Outcome, String> {
    let text = utf8(payload).map_err(|error| messages::not_utf8(error.valid_up_to()))?;
    let (call, objects) = Call::with_objects(text).map_err(|malformed| messages::unreadable_request(&malformed))?;
    let settings = Settings::from_json(call.settings).map_err(|error| messages::unusable_settings(&error))?;
    Ok(evaluate_objects(&call.review, objects, &settings, cluster, None))
}

/// Like [`evaluate`], for a request whose objects were already read, at least in part. If the evaluation reaches the
/// rules, `listed` is set to what the object must carry.
fn evaluate_objects(
    review: &Review<'_>,
    objects: Objects<'_>,
    settings: &Settings,
    cluster: &dyn Cluster,
    listed: Option<&mut Option<Listed>>,
) -> Outcome {
    let stored = Stored::new(objects.old);
    let (subject, role) = match gather(review, &objects.new, &stored, settings) {
        ControlFlow::Continue(gathered) => gathered,
        ControlFlow::Break(outcome) => return outcome,
    };
    let cached = Pass::new(Reads::Cached);
    let evaluation = Evaluation::new(&subject, role, settings, cluster, &cached);
    if is_by_controller(review, settings) {
        return evaluation.self_check();
    }
    let outcome = evaluation.run();
    if let Some(listed) = listed {
        let lookups = Lookups::new(&review.kind, settings, cluster, &cached.answers);
        *listed = Some(inspect::list(&subject, settings, &lookups));
    }
    if !acts_on_reads(&outcome) {
        return outcome;
    }
    let fresh = Pass::new(Reads::Fresh);
    if fresh.answers.confirm(&cached.answers, cluster) {
        return outcome.and_reads(fresh.answers.records());
    }
    Evaluation::new(&subject, role, settings, cluster, &fresh).run().after(outcome)
}

/// The object under review, what is stored of it, and what it is to this policy. Breaks with the outcome if nothing has to
/// be decided. Other objects are read when the decision needs them.
fn gather<'e>(
    review: &'e Review<'e>,
    object: &'e Document<'_>,
    stored: &'e Stored<'e>,
    settings: &'e Settings,
) -> ControlFlow<Outcome, (Subject<'e>, Role<'e>)> {
    if review.operation == Operation::Delete {
        let stored = stored.object().ok().flatten();
        let refusal = cloud_tags::refused_deletion(review, stored, &settings.cloud_tags);
        return ControlFlow::Break(Outcome { rejection: refusal.map(Rejection::refused), ..Outcome::default() });
    }
    if !matches!(review.operation, Operation::Create | Operation::Update) || !review.sub_resource.is_empty() {
        return ControlFlow::Break(Outcome::default());
    }
    let text = review.object.unwrap_or("null");
    if !text.starts_with('{') {
        let found = if text == "null" { messages::NO_OBJECT } else { messages::NOT_AN_OBJECT };
        let rejection = Some(Rejection::unreadable(found));
        return ControlFlow::Break(Outcome { rejection, ..Outcome::default() });
    }
    let is_controller = is_by_controller(review, settings);
    if is_controller && !(settings.cluster_api.self_check && review.changes_something()) {
        return ControlFlow::Break(Outcome::default());
    }
    let Some(role) = Role::of(review, settings) else { return ControlFlow::Break(Outcome::default()) };
    match ReviewedObject::read(review, object, stored) {
        Ok(object) => ControlFlow::Continue((Subject::new(role.place(), object), role)),
        Err(_) if is_controller => ControlFlow::Break(Outcome::default()),
        Err(malformed) => ControlFlow::Break(unreadable(review, &malformed)),
    }
}

/// Whether the request is that of a controller of Cluster API.
fn is_by_controller(review: &Review<'_>, settings: &Settings) -> bool {
    review.is_by_one_of(|name| settings.cluster_api.controllers.contains(name))
}

/// What one pass over a request writes and reads.
struct Pass {
    /// The text that is written, if any is.
    written: OnceCell<Document<'static>>,
    answers: Answers,
}

impl Pass {
    fn new(reads: Reads) -> Self {
        Pass { written: OnceCell::new(), answers: Answers::new(reads) }
    }
}

/// Whether an outcome writes or refuses, and an object was read for it.
fn acts_on_reads(outcome: &Outcome) -> bool {
    let refuses = || outcome.rejection.as_ref().is_some_and(|rejection| rejection.code == Rejection::REFUSED);
    let reads = outcome.report.as_ref().is_some_and(|report| !report.lookups.is_empty());
    reads && (outcome.object.is_some() || refuses())
}

/// The object under review and everything that the decision depends on. No stage changes it.
struct Evaluation<'e> {
    subject: &'e Subject<'e>,
    role: Role<'e>,
    settings: &'e Settings,
    lookups: Lookups<'e>,
    pass: &'e Pass,
    /// Kind, namespace and name.
    title: String,
}

impl<'e> Evaluation<'e> {
    fn new(
        subject: &'e Subject<'e>,
        role: Role<'e>,
        settings: &'e Settings,
        cluster: &'e dyn Cluster,
        pass: &'e Pass,
    ) -> Self {
        let lookups = Lookups::new(&subject.review.kind, settings, cluster, &pass.answers);
        Evaluation { subject, role, settings, lookups, pass, title: subject.title().to_string() }
    }

    fn run(&self) -> Outcome {
        self.stages().unwrap_or_else(|malformed| unreadable(self.subject.review, &malformed))
    }

    fn stages(&self) -> Result<Outcome, Malformed> {
        let mut applied = match self.decide() {
            Ok(decision) => self.apply(decision),
            Err(stop) => {
                let tagged = self.undecided_tags(&stop);
                self.with_undecided_tags(self.stopped(stop)?, tagged)
            }
        };
        let mut found = self.check(&applied)?;
        found.findings.splice(0..0, applied.take_findings());
        let applied = self.refuse(applied, &mut found);
        Ok(self.render(self.hints(), applied, found))
    }

    /// Compares a controller's write with the rules. The write is accepted unchanged in any case.
    pub(super) fn self_check(&self) -> Outcome {
        let Ok(differences) = self.compare(false) else {
            return Outcome::default();
        };
        if differences.changes.is_empty() {
            return Outcome::default();
        }
        let mut notices = Notices::default();
        let drift: Vec<String> =
            differences.changes.iter().map(|change| format!("{} {}", change.at, change.key)).collect();
        let message = controller_write_does_not_match(&self.title);
        notices.log(LogLevel::Warning, message, [("drift", drift.join(", "))]);
        let applied = AppliedDecision {
            admission: Admission::Accepted { drift: differences.changes.into_iter().map(|it| it.change).collect() },
            compared: ComparedWith::Sources { skipped: differences.skipped, source_keys: None },
            notices: Notices::default(),
        };
        self.render(notices, applied, CheckFindings::default())
    }

    /// Warnings about settings that may be mistakes: a controller that is not listed, a version that is not known.
    fn hints(&self) -> Notices {
        let mut notices = Notices::default();
        let review = self.subject.review;
        let manager = review.field_manager.as_deref().unwrap_or_default();
        if review.username.starts_with("system:serviceaccount:") && is_of_cluster_api(manager) {
            let fact = Fact::UnlistedController { account: (&*review.username).into(), manager: manager.into() };
            notices.warn(&self.title, fact, [("setting", "clusterApi.controllers".to_owned())]);
        }
        let version = self.settings.cluster_api.version;
        if version > Version::NEWEST && self.subject.place.is_some() {
            let message = messages::newer_version(version, Version::NEWEST);
            notices.log(LogLevel::Warning, message, [("setting", "clusterApi.version".to_owned())]);
        }
        notices
    }
}

fn unreadable(review: &Review<'_>, malformed: &Malformed) -> Outcome {
    let object = review.title();
    let message = messages::unreadable_object(&object, malformed);
    Outcome {
        rejection: Some(Rejection::unreadable(message).at(&*malformed.path)),
        malformed: Some(MalformedObject { object, problem: malformed.clone() }),
        ..Outcome::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubernetes::Manifests;

    #[test]
    fn what_cannot_be_read_is_refused_with_its_reason() {
        for (payload, expected) in [
            (&b"{\"a\":\"\xff\"}"[..], "cannot read the request: not UTF-8 at byte 6"),
            (b"{}", "cannot read the request: `request` is missing"),
            (
                br#"{"request":{"operation":"CREATE","userInfo":{}},"settings":{"mode":"x"}}"#,
                "cannot use the settings: mode: unknown value `x`, expected `mutate` or `verify`",
            ),
        ] {
            let outcome = evaluate_payload(payload, &Manifests::default());
            assert_eq!(outcome.rejection, Some(Rejection::unreadable(expected)));
        }
    }
}
