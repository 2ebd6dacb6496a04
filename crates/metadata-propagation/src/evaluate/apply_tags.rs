//! What is done about the tags that were decided: written, left as they are, or refused, and what is said about them.

use super::Evaluation;
use super::applied::{Admission, AppliedDecision, ComparedWith};
use super::apply::VERIFY;
use super::notices::Notices;
use crate::fact::Fact;
use crate::report::LogLevel;
use cloud_tags::fact::{CloudTagFact, Finding};
use cloud_tags::{
    IgnoredDefinition, IgnoredReason, Missing, NoTagReason, SkippedLabel, Tagged, UndecodedLabel, UnknownProvider,
    label_warning, messages,
};
use kubernetes::settings::Mode;
use kubernetes::{SettingValue, about};
use tag_rules::{OnMissingTag, OnRefused, TagSkipReason};

impl<'e> Evaluation<'e> {
    /// Writes tags, leaves them as they are, or refuses the request, with the notices about every label that does not become
    /// a tag.
    pub(super) fn apply_tags(&self, mut tagged: Tagged) -> AppliedDecision<'e> {
        let (changes, leaves_sources) = (std::mem::take(&mut tagged.changes), tagged.leaves_sources);
        let refuses = |missing: &mut Missing| missing.on_missing == OnMissingTag::Reject && !leaves_sources;
        let refusing: Vec<Missing> = tagged.missing.extract_if(.., refuses).collect();
        let mut applied = if !refusing.is_empty() {
            let reasons = refusing.iter().map(|missing| {
                let setting = SettingValue { setting: &missing.setting, value: "reject" };
                format!("{} ({setting})", missing.fact())
            });
            let reasons = reasons.collect::<Vec<_>>().join("; ");
            AppliedDecision::refused(about(&self.title, &reasons), changes)
        } else if self.settings.mode == Mode::Verify && self.subject.object.deleting {
            AppliedDecision::of(Admission::Accepted { drift: changes }, Notices::default())
        } else if self.settings.mode == Mode::Verify && !changes.is_empty() {
            self.refused_for(messages::do_not_match, VERIFY, changes)
        } else if changes.is_empty() {
            AppliedDecision::accepted(Notices::default())
        } else {
            let undone = changes.iter().filter(|change| tagged.undone.contains(&change.key));
            let warnings = undone.filter_map(label_warning::of_undone_tag).map(Fact::from).collect();
            let mut notices = Notices { warnings, log: Vec::new() };
            let profile = tagged.tags.profile.to_owned();
            notices.log(LogLevel::Info, messages::updated(&self.title), [("profile", profile)]);
            self.write(changes, Vec::new(), None, notices)
        };
        applied.notices.append(self.notices_of_tags(&tagged));
        let findings = tagged.findings.into_iter().map(Finding::widen).collect();
        AppliedDecision { compared: ComparedWith::Labels { tags: Box::new(tagged.tags), findings }, ..applied }
    }

    /// The notices about required tags, the provider, the cloud, definitions and labels.
    fn notices_of_tags(&self, tagged: &Tagged) -> Notices {
        let (mut notices, tags, touches_tags) = (Notices::default(), &tagged.tags, tagged.touches_tags);
        for missing in tagged.missing.iter().filter(|_| touches_tags) {
            let attributes = [("setting", missing.setting.clone()), ("required_key", missing.key.clone())];
            notices.warn(&self.title, missing.fact(), attributes);
        }
        if let Some(UnknownProvider { setting, provider, fact }) = &tagged.unknown_provider {
            let attributes =
                [("setting", setting.clone()), ("provider", provider.clone()), ("profile", tags.profile.to_owned())];
            notices.warn(&self.title, fact.clone(), attributes);
        }
        let warns = touches_tags && self.settings.cloud_tags.refused == OnRefused::Warn;
        if let Some(cloud) = tagged.cloud.filter(|_| warns) {
            notices.warnings.extend(label_warning::of_refused_tags(cloud, &tags.cloud).map(Fact::from));
        }
        // The finding about a seeded definition is logged itself.
        let is_logged = |ignored: &&IgnoredDefinition| touches_tags && ignored.reason != IgnoredReason::Seeded;
        for ignored in tags.ignored_definitions.iter().filter(is_logged) {
            let IgnoredDefinition { qualified_key, registry, reason, .. } = ignored;
            let attributes = [
                ("qualified_key", qualified_key.clone()),
                ("registry", registry.clone()),
                ("reason", reason.as_str().to_owned()),
            ];
            notices.log(LogLevel::Warning, about(&self.title, &messages::ignored_definition(ignored)), attributes);
        }
        for UndecodedLabel { qualified_key, tag_key, found } in &tagged.undecoded {
            let fact = CloudTagFact::UnusableAssignment { key: qualified_key.as_str().into(), found };
            let reason = NoTagReason::NotAString.as_str();
            let attributes = self.attributes_of_label(qualified_key, tag_key, tags.profile, reason);
            notices.log(LogLevel::Warning, about(&self.title, &fact.to_string()), attributes);
        }
        notices.append(self.notices_of_skipped_labels(&tags.skipped));
        notices
    }

    /// The notices about labels that do not become tags: first those that a user can fix, because many may exceed the
    /// number of tags.
    fn notices_of_skipped_labels(&self, skipped: &[SkippedLabel]) -> Notices {
        let mut notices = Notices::default();
        for skip in skipped {
            let attributes =
                self.attributes_of_label(&skip.qualified_key, &skip.tag_key, skip.provider, skip.reason.as_str());
            notices.log(LogLevel::Warning, messages::LABEL_NOT_ADDED.to_owned(), attributes);
        }
        for reason in TagSkipReason::STRICT.into_iter().chain(TagSkipReason::ALL) {
            let of_reason = skipped.iter().filter(|skip| skip.reason == reason);
            notices.warnings.extend(of_reason.map(|skip| skip.fact().into()));
        }
        notices
    }

    /// What is logged about a label that does not become a tag.
    fn attributes_of_label(
        &self,
        qualified_key: &str,
        tag_key: &str,
        provider: &str,
        reason: &str,
    ) -> [(&'static str, String); 5] {
        [
            ("provisioned_resource", self.subject.full_name()),
            ("qualified_key", qualified_key.to_owned()),
            ("tag_key", tag_key.to_owned()),
            ("provider", provider.to_owned()),
            ("reason", reason.to_owned()),
        ]
    }
}
