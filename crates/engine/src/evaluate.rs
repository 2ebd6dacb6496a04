//! One request from beginning to end. Each stage is a function of the values of the earlier ones: what is decided about
//! the object, what is done about it, what the checks find, and the outcome.

mod answer;
mod check;
mod decide;
pub(crate) mod inspect;
pub(crate) mod payload;
mod role;
mod said;
mod self_check;
mod settle;
mod settled;
mod unanswered;

use std::cell::OnceCell;

use crate::evaluate::inspect::Listed;
use crate::evaluate::role::Role;
use crate::evaluate::said::Said;
use crate::json::Malformed;
use crate::json::document::Document;
use crate::report::messages::requests as messages;
use crate::report::outcome::{LogLevel, MalformedObject, Outcome, Rejection};
use crate::settings::Settings;
use cloud_tags::registry_write;
use cluster_api::catalog::appliers::is_of_cluster_api;
use cluster_api::catalog::version::Version;
use cluster_api::subject::Subject;
use facts::messages::about;
use facts::stop::Stop;
use kube::answers::{Answers, ReadBudget, Reads};
use kube::cluster::Cluster;
use kube::lookup::Lookups;
use kube::object::Object;
use kube::request::{Objects, Operation, Review};
use kube::subject::{ReviewedObject, Stored};

/// Decides one request.
///
/// The outcome is a function of the review, the settings and the objects that the cluster returns. Evaluating the
/// outcome's object again changes nothing.
///
/// ```
/// use metadata_propagation::{Manifests, Review, Settings, evaluate};
///
/// // A Deployment is of no kind that has rules.
/// let review = Review::from_json(r#"{
///     "operation": "CREATE", "userInfo": {}, "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
///     "object": {"metadata": {"name": "web"}}}"#)?;
/// let outcome = evaluate(&review, &Settings::default(), &Manifests::default());
/// assert_eq!((outcome.object, outcome.rejection), (None, None));
/// # Ok::<(), metadata_propagation::Malformed>(())
/// ```
pub fn evaluate(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> Outcome {
    evaluate_objects(review, Objects::of(review), settings, cluster, None)
}

/// What [`evaluate`] and [`propagated()`](inspect::propagated) return, with one read of each object.
///
/// ```
/// use metadata_propagation::{Manifests, Review, Settings, evaluate_and_list};
///
/// let review = Review::from_json(r#"{
///     "operation": "CREATE", "userInfo": {}, "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
///     "object": {"metadata": {"name": "web"}}}"#)?;
/// let (outcome, entries) = evaluate_and_list(&review, &Settings::default(), &Manifests::default());
/// assert_eq!((outcome.object, entries.map_err(|_| "unknown")?.len()), (None, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate_and_list(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> (Outcome, Listed) {
    let mut listed = None;
    let outcome = evaluate_objects(review, Objects::of(review), settings, cluster, Some(&mut listed));
    (outcome, listed.unwrap_or_else(|| inspect::propagated(review, settings, cluster)))
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
    if review.operation == Operation::Delete {
        let stored = objects.old.as_ref().and_then(|old| Object::read(old).ok());
        let refusal = registry_write::refused_deletion(review, stored.as_ref(), &settings.cloud_tags);
        return Outcome { rejection: refusal.map(Rejection::refused), ..Outcome::default() };
    }
    if !matches!(review.operation, Operation::Create | Operation::Update) || !review.sub_resource.is_empty() {
        return Outcome::default();
    }
    let text = review.object.unwrap_or("null");
    if !text.starts_with('{') {
        let found = if text == "null" { messages::NO_OBJECT } else { messages::NOT_AN_OBJECT };
        return Outcome { rejection: Some(Rejection::unreadable(found)), ..Outcome::default() };
    }
    let is_controller = review.is_by_one_of(|name| settings.cluster_api.controllers.contains(name));
    if is_controller && !(settings.cluster_api.self_check && review.changes_something()) {
        return Outcome::default();
    }
    let Some(role) = Role::of(review, settings) else { return Outcome::default() };
    let stored = Stored::new(objects.old);
    let subject = match ReviewedObject::read(review, &objects.new, &stored) {
        Ok(object) => Subject::new(role.place(), object),
        Err(_) if is_controller => return Outcome::default(),
        Err(malformed) => return unreadable(review, &malformed),
    };
    let (budget, fresh_budget) = (ReadBudget::whole(), ReadBudget::whole());
    let cached = Pass::new(Reads::Cached, &budget);
    let evaluation = Evaluation::new(&subject, role, settings, cluster, &cached);
    if is_controller {
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
    let fresh = Pass::new(Reads::Fresh, &fresh_budget);
    if fresh.answers.confirm(&cached.answers, cluster) {
        return outcome.and_reads(fresh.answers.records());
    }
    Evaluation::new(&subject, role, settings, cluster, &fresh).run().after(outcome)
}

/// What one pass over a request writes and reads.
struct Pass<'b> {
    /// The text that is written, if any is.
    written: OnceCell<Document<'static>>,
    answers: Answers<'b>,
}

impl<'b> Pass<'b> {
    fn new(reads: Reads, budget: &'b ReadBudget) -> Self {
        Pass { written: OnceCell::new(), answers: Answers::new(reads, budget) }
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
    pass: &'e Pass<'e>,
    /// Kind, namespace and name.
    title: String,
}

impl<'e> Evaluation<'e> {
    fn new(
        subject: &'e Subject<'e>,
        role: Role<'e>,
        settings: &'e Settings,
        cluster: &'e dyn Cluster,
        pass: &'e Pass<'e>,
    ) -> Self {
        let lookups = Lookups::new(&subject.review.kind, settings, cluster, &pass.answers);
        Evaluation { subject, role, settings, lookups, pass, title: subject.title().to_string() }
    }

    fn run(&self) -> Outcome {
        self.stages().unwrap_or_else(|malformed| unreadable(self.subject.review, &malformed))
    }

    /// # Errors
    /// When the object does not have the structure of a Kubernetes object.
    fn stages(&self) -> Result<Outcome, Malformed> {
        let settled = match self.decide() {
            Ok(decision) => self.settle(decision),
            Err(Stop::NotApplicable(inert)) => self.not_applicable(inert),
            Err(Stop::LookupFailed(failed)) => self.unanswered(failed),
            Err(Stop::RegistryFailed(failed)) => self.unregistered(failed),
            Err(Stop::SourceFailed(failed)) => self.without_source(failed),
            Err(Stop::Malformed(malformed)) => return Err(malformed),
        };
        let found = self.check(&settled)?;
        Ok(self.answer(self.hints(), settled, found))
    }

    /// Warnings about settings that may be mistakes: a controller that is not listed, a version that is not known.
    fn hints(&self) -> Said {
        let mut said = Said::default();
        let review = self.subject.review;
        let manager = review.field_manager.as_deref().unwrap_or_default();
        if review.username.starts_with("system:serviceaccount:") && is_of_cluster_api(manager) {
            let message = messages::unlisted_controller(&review.username, manager);
            said.log(
                LogLevel::Warning,
                about(&self.title, &message),
                [("setting", "clusterApi.controllers".to_owned())],
            );
            said.warn(message);
        }
        let version = self.settings.cluster_api.version;
        if version > Version::NEWEST && self.subject.place.is_some() {
            let message = messages::newer_version(version, Version::NEWEST);
            said.log(LogLevel::Warning, message, [("setting", "clusterApi.version".to_owned())]);
        }
        said
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
