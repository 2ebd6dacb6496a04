//! What is done about a request when something it needs cannot be read: another object, or labels that are already
//! stored.

use std::collections::BTreeMap;

use super::Evaluation;
use super::applied::{Admission, AppliedDecision};
use super::notices::Notices;
use super::role::Role;
use crate::fact::Fact;
use crate::json::Malformed;
use crate::report::messages::lookups as messages;
use crate::report::{LogLevel, MalformedObject, Rejection};
use cloud_tags::fact::CloudTagFact;
use cloud_tags::{Composite, Infrastructure, Tagged, composite, infrastructure};
use cluster_api::parents::naming_cluster;
use cluster_api::propagation::metadata::leaves_owned_as_stored;
use kubernetes::settings::Reaction;
use kubernetes::{LookupCause, LookupFailed, NotApplicable, NotApplicableReason, Operation, SettingValue, Stop, about};
use tag_rules::InfraCluster;

impl<'e> Evaluation<'e> {
    /// What is done about a request that is not compared.
    pub(super) fn stopped(&self, stop: Stop) -> Result<AppliedDecision<'e>, Malformed> {
        let (lookup, tags) = (&self.settings.lookup, &self.settings.cloud_tags);
        let of_parent = |failed: &LookupFailed| match failed.error.cause {
            LookupCause::NotFound => (lookup.on_missing, "lookup.onMissing"),
            _ => (lookup.on_failure, "lookup.onFailure"),
        };
        let (failed, (reaction, setting), reason) = match stop {
            Stop::NotApplicable(inert) => return Ok(self.not_applicable(inert)),
            Stop::Malformed(malformed) => return Err(malformed),
            Stop::LookupFailed(failed) => {
                let (how, reason) = (of_parent(&failed), failed.reason());
                (failed, how, reason)
            }
            Stop::RegistryFailed(failed) => {
                let how = (tags.on_registry_failure, "cloudTags.onRegistryFailure");
                (failed, how, NotApplicableReason::RegistryUnavailable)
            }
            Stop::SourceFailed(failed) => {
                let reason = failed.reason();
                (failed, (tags.sources.on_failure, "cloudTags.sources.onFailure"), reason)
            }
        };
        Ok(self.react(failed, reaction, setting, reason))
    }

    /// The cloud tags that a request newly writes although its labels are not compared: nobody vouches for them.
    pub(super) fn undecided_tags(&self, stop: &Stop) -> Option<Tagged> {
        let Evaluation { subject, settings, lookups, .. } = self;
        let settings = settings.of_tags();
        match self.role {
            Role::Composite(composites) => Composite { subject, composites, settings, lookups }.undecided(stop),
            Role::Infrastructure(row) => {
                infrastructure::undecided(subject, row, settings, stop, &self.tags_of_a_paused_copy(row, stop))
            }
            _ => None,
        }
    }

    /// The tags for the labels of the Cluster, if a new infrastructure cluster is paused: `clusterctl move` creates it
    /// with them.
    fn tags_of_a_paused_copy(&self, row: &'static InfraCluster, stop: &Stop) -> BTreeMap<String, String> {
        let Evaluation { subject, settings, lookups, .. } = self;
        let is_paused = matches!(stop, Stop::NotApplicable(it) if it.reason == NotApplicableReason::Paused);
        let tags = || {
            let cluster = &naming_cluster(subject, lookups).ok().filter(|cluster| !cluster.object.deleting)?;
            let settings = settings.of_tags();
            let tagged = Infrastructure { subject, cluster, row, settings, lookups }.decide().ok()?;
            Some(tagged.tags.tags)
        };
        let is_copy = is_paused && subject.review.operation == Operation::Create;
        is_copy.then(tags).flatten().unwrap_or_default()
    }

    /// Removes such tags, unless the request is refused.
    pub(super) fn with_undecided_tags(
        &self,
        stopped: AppliedDecision<'e>,
        tagged: Option<Tagged>,
    ) -> AppliedDecision<'e> {
        let Some(tagged) = tagged.filter(|_| !stopped.admission.is_refused()) else { return stopped };
        let (mut applied, mut notices) = (self.apply_tags(tagged), stopped.notices);
        notices.append(applied.notices);
        applied.notices = notices;
        applied
    }

    /// Something could not be read: accepts, warns or refuses. A missing object is not logged if the request is accepted.
    fn react(
        &self,
        LookupFailed { query, error, problem }: LookupFailed,
        reaction: Reaction,
        setting: &'static str,
        reason: NotApplicableReason,
    ) -> AppliedDecision<'e> {
        let title = &self.title;
        let is_missing = error.cause == LookupCause::NotFound;
        let fact = Fact::Unread { object: query.clone(), cause: error.cause };
        let message = fact.to_string();
        let (mut notices, mut rejection) = (Notices::default(), None);
        if self.leaves_owned_as_stored() {
            if !is_missing {
                let message = about(title, &messages::passes_unread(&message));
                notices.log(LogLevel::Warning, message, [("detail", error.detail)]);
            }
        } else {
            if !is_missing || reaction != Reaction::Accept {
                let level = if reaction == Reaction::Reject { LogLevel::Error } else { LogLevel::Warning };
                let attributes = [("setting", setting.to_owned()), ("detail", error.detail.clone())];
                notices.log(level, about(title, &message), attributes);
            }
            match reaction {
                Reaction::Accept => {}
                Reaction::Warn => notices.warnings.push(fact),
                Reaction::Reject => {
                    let setting = SettingValue { setting, value: "reject" };
                    rejection = Some(if is_missing {
                        Rejection::refused(messages::refused_missing(title, &message, setting))
                    } else {
                        Rejection::unavailable(messages::refused_failure(title, &message, &error.detail, setting))
                    });
                }
            }
        }
        let malformed = problem.map(|problem| MalformedObject { object: query.clone(), problem });
        let inert = NotApplicable { reason, because: query.into() };
        let admission = Admission::Undecided { inert, rejection, malformed };
        AppliedDecision::of(admission, notices)
    }

    /// Accepts. That nothing is done is reported if there is something to fix.
    fn not_applicable(&self, inert: NotApplicable) -> AppliedDecision<'e> {
        let mut notices = Notices::default();
        if matches!(inert.reason, NotApplicableReason::UnusableAssignments | NotApplicableReason::UnusableTags) {
            let problem = inert.because.clone();
            notices.warn(&self.title, CloudTagFact::UnusableAssignments { problem }, []);
        }
        let admission = Admission::Undecided { inert, rejection: None, malformed: None };
        AppliedDecision::of(admission, notices)
    }

    /// Whether the request needs no answer: an object that is being deleted needs no labels, and a write that changes
    /// nothing that the policy owns has the same result with any answer. A registry counts until it is gone.
    fn leaves_owned_as_stored(&self) -> bool {
        let subject = self.subject;
        let leaves = match self.role {
            role if subject.object.deleting && !matches!(role, Role::Registry) => Ok(true),
            Role::Composite(composites) => {
                composite::leaves_tags_as_stored(subject, composites, &self.settings.cloud_tags)
            }
            Role::Infrastructure(row) => infrastructure::leaves_tags_as_stored(subject, row),
            _ => leaves_owned_as_stored(subject),
        };
        // What cannot be read is treated as changed.
        leaves.unwrap_or(false)
    }
}
