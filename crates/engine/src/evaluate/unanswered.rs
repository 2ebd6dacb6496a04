//! What becomes of a request when what it needs cannot be read: another object, or labels that are stored already.

use super::Evaluation;
use super::role::Role;
use crate::kube::cluster::LookupCause;
use crate::kube::stop::LookupFailed;
use crate::propagation::untouched;
use crate::report::messages::{SettingValue, about, cloud_tags, lookups as messages};
use crate::report::not_applicable::{NotApplicable, NotApplicableReason};
use crate::report::outcome::{Level, Rejection};
use crate::report::shortening::{first_that_elides, short};
use crate::settings::Reaction;
use crate::tags::{composite, infrastructure};

impl Evaluation<'_> {
    /// An object above could not be had: accepts, warns or refuses, as the settings say.
    pub(super) fn unanswered(&mut self, failed: LookupFailed) {
        let lookup = &self.settings.lookup;
        let (reaction, setting, reason) = if failed.error.cause == LookupCause::NotFound {
            (lookup.on_missing, "lookup.onMissing", NotApplicableReason::ParentMissing)
        } else {
            (lookup.on_failure, "lookup.onFailure", NotApplicableReason::LookupFailed)
        };
        self.react(failed, reaction, setting, reason);
    }

    /// The same of the label registry.
    pub(super) fn unregistered(&mut self, failed: LookupFailed) {
        let reaction = self.settings.cloud_tags.on_registry_failure;
        self.react(failed, reaction, "cloudTags.onRegistryFailure", NotApplicableReason::RegistryUnavailable);
    }

    /// That an object does not exist is no news where it is accepted.
    fn react(
        &mut self,
        LookupFailed { query, error }: LookupFailed,
        reaction: Reaction,
        setting: &'static str,
        reason: NotApplicableReason,
    ) {
        let is_missing = error.cause == LookupCause::NotFound;
        let message = messages::cannot_read(&query, &error.cause.to_string());
        if self.leaves_owned_as_stored() {
            if !is_missing {
                let message = about(&self.report.object, &messages::passes_unread(&message));
                self.log(Level::Warning, message, [("detail", error.detail)]);
            }
            self.report.inert = Some(NotApplicable { reason, because: query });
            return;
        }
        let title = &self.report.object;
        if !is_missing || reaction != Reaction::Accept {
            let level = if reaction == Reaction::Reject { Level::Error } else { Level::Warning };
            let message = about(title, &message);
            self.log(level, message, [("setting", setting.to_owned()), ("detail", error.detail.clone())]);
        }
        match reaction {
            Reaction::Accept => {}
            Reaction::Warn => self.outcome.warnings.push(short(message)),
            Reaction::Reject => {
                let (title, setting) = (&self.report.object, SettingValue { setting, value: "reject" });
                self.outcome.rejection = Some(if is_missing {
                    Rejection::refused(messages::refused_missing(title, &message, setting))
                } else {
                    Rejection::unavailable(messages::refused_failure(title, &message, &error.detail, setting))
                });
            }
        }
        self.report.inert = Some(NotApplicable { reason, because: query });
    }

    /// Accepts. That nothing is done is told where somebody has something to mend.
    pub(super) fn not_applicable(&mut self, inert: NotApplicable) {
        let in_short = match inert.reason {
            NotApplicableReason::UnusableAssignments => Some(cloud_tags::LEFT_ALONE),
            NotApplicableReason::UnusableTags => Some(cloud_tags::NO_MAP_LEFT_ALONE),
            _ => None,
        };
        if let Some(in_short) = in_short {
            let message = cloud_tags::left_alone(&inert.because);
            self.log(Level::Warning, about(&self.report.object, &message), []);
            self.outcome.warnings.push(first_that_elides([message, in_short.to_owned()]));
        }
        self.report.inert = Some(inert);
    }

    /// Whether nobody has to wait for an answer: what is being deleted needs no labels, and a write that leaves all that
    /// the policy owns as it is stored changes nothing that an answer could say.
    fn leaves_owned_as_stored(&self) -> bool {
        let subject = self.subject;
        let leaves = match self.role {
            _ if subject.object.deleting => Ok(true),
            Role::Composite(composites) => composite::leaves_tags_as_stored(subject, composites),
            Role::Infrastructure(row) => infrastructure::leaves_tags_as_stored(subject, row),
            _ => untouched::leaves_owned_as_stored(subject),
        };
        // What cannot be read is not as it was.
        leaves.unwrap_or(false)
    }
}
