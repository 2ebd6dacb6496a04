//! What becomes of what was decided: written, left, or a reason to refuse.

use std::collections::{BTreeMap, BTreeSet};

use super::decide::Decision;
use super::{Evaluation, line};
use crate::checks::Checked;
use crate::json::document::Document;
use crate::json::splice::{Write, splice};
use crate::propagation::metadata::{Above, Differences};
use crate::propagation::ownership::Ownership;
use crate::report::change::{Action, Change};
use crate::report::illegal::of_illegal;
use crate::report::messages::propagation as messages;
use crate::report::messages::{SettingValue, about, cloud_tags, tag_delivery};
use crate::report::outcome::{Level, Outcome, Rejection};
use crate::report::shortening::short;
use crate::report::tags::{IgnoredDefinition, TagSkipReason};
use crate::report::warnings::{self, Fate};
use crate::settings::{Mode, OnConflict, OnMissingTag, OnRefused, listed};
use crate::tags::provider::UnknownProvider;
use crate::tags::registry_write::RegistryWrite;
use crate::tags::required::Missing;
use crate::tags::tagged::Tagged;

/// A sentence that refuses an object for what differs in it.
type Refusal = fn(&str, SettingValue<'_>, &str) -> String;

const VERIFY: SettingValue<'_> = SettingValue { setting: "mode", value: "verify" };

impl<'e> Evaluation<'e> {
    /// Writes, leaves or refuses what was decided. What comes from above is returned, where it is known.
    pub(super) fn settle(&mut self, decision: Decision<'e>) -> Option<Above<'e>> {
        match decision {
            Decision::Propagated(Differences { changes, skipped, above }) => {
                self.report.skipped = skipped;
                self.settle_propagated(changes);
                self.tell_of_illegal_entries();
                self.subject.place.map(|_| above)
            }
            Decision::Tagged(tagged) => {
                self.settle_tags(*tagged);
                None
            }
            Decision::Declared(declarations) => {
                self.declare(declarations);
                None
            }
            Decision::Registry(RegistryWrite { problems, effects }) => {
                for effect in effects {
                    self.log(Level::Warning, about(&self.report.object, &effect), []);
                    self.outcome.warnings.push(short(effect));
                }
                if !problems.is_empty() {
                    self.refuse(cloud_tags::unusable_registry(&self.report.object, &listed(&problems)));
                }
                None
            }
        }
    }

    fn settle_propagated(&mut self, changes: Vec<Change>) {
        let is_conflict = |change: &Change| change.action == Action::Restored;
        let on_conflict = self.settings.cluster_api.on_conflict;
        let (written, drift): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(|change| match self.settings.mode {
                Mode::Verify => false,
                Mode::Mutate => !is_conflict(change) || on_conflict == OnConflict::Restore,
            });
        if self.settings.mode == Mode::Verify && !drift.is_empty() {
            return self.refuse_drift(messages::does_not_match, VERIFY, drift);
        }
        if on_conflict == OnConflict::Reject && !drift.is_empty() {
            let setting = SettingValue { setting: "clusterApi.onConflict", value: "reject" };
            return self.refuse_drift(messages::edits_propagated_values, setting, drift);
        }
        let ownership = written.iter().any(Change::moves_owners).then(|| Ownership::of(self.subject));
        let ownership = ownership.as_ref();
        let may_write = |change: &Change| !is_conflict(change) || ownership.is_none_or(|it| it.may_restore(change));
        let (written, left): (Vec<Change>, Vec<Change>) = written.into_iter().partition(may_write);
        let fates = [(&written, Fate::Written), (&drift, Fate::Left), (&left, Fate::LeftToClusterApi)];
        let mut by_rank: BTreeMap<u8, Vec<(&Change, Fate)>> = BTreeMap::new();
        for (change, fate) in fates.into_iter().flat_map(|(changes, fate)| changes.iter().map(move |it| (it, fate))) {
            by_rank.entry(warnings::rank(change)).or_default().push((change, fate));
        }
        let mut conflicts = Vec::new();
        for (change, fate) in by_rank.into_values().flatten() {
            if is_conflict(change) {
                let sentence = if fate == Fate::Written { messages::restored_edit } else { messages::left_edit };
                let message = sentence(change.entry, &self.report.object);
                conflicts.push(line(Level::Warning, message, attributes(change)));
            }
            self.outcome.warnings.extend(warnings::of_change(change, fate));
        }
        self.outcome.log.extend(warnings::capped_lines(conflicts));
        if !written.is_empty() && self.write(&written, ownership.and_then(|it| it.write(&written))) {
            let title = &self.report.object;
            let message = match written.iter().filter(|change| change.action != Action::Recorded).count() {
                0 => messages::updated_record(title),
                1 => messages::propagated_one(title),
                count => messages::propagated(count, title),
            };
            let rules: BTreeSet<&str> = written.iter().map(|change| &*change.rule).collect();
            let rules = rules.into_iter().collect::<Vec<_>>().join("; ");
            self.log(Level::Info, message, [("rules", rules)]);
        }
        self.report.changes = written;
        self.report.drift = [drift, left].concat();
    }

    /// Warns of entries that the API server would refuse.
    fn tell_of_illegal_entries(&mut self) {
        let sentences = of_illegal(&self.report.skipped);
        let lines = sentences.iter().map(|(message, _)| line(Level::Warning, about(&self.report.object, message), []));
        let lines = warnings::capped_lines(lines.collect());
        self.outcome.log.extend(lines);
        self.outcome.warnings.extend(sentences.into_iter().map(|(_, warning)| warning));
    }

    /// Tells besides of every label that is no tag.
    fn settle_tags(&mut self, tagged: Tagged) {
        let Tagged { changes, undone, unknown_provider, missing, leaves_sources, is_news, findings, cloud, tags } =
            tagged;
        let refuses = |missing: &Missing| missing.on_missing == OnMissingTag::Reject && !leaves_sources;
        let (refusing, missing): (Vec<Missing>, Vec<Missing>) = missing.into_iter().partition(refuses);
        if !refusing.is_empty() {
            let reasons = refusing.iter().map(|Missing { key, reason, setting, .. }| {
                cloud_tags::refused_without(key, reason, SettingValue { setting, value: "reject" })
            });
            let reasons = reasons.collect::<Vec<_>>().join("; ");
            self.refuse(about(&self.report.object, &reasons));
            self.report.drift = changes;
        } else if self.settings.mode == Mode::Verify && !changes.is_empty() {
            self.refuse_drift(cloud_tags::do_not_match, VERIFY, changes);
        } else if !changes.is_empty() && self.write(&changes, None) {
            let undone = changes.iter().filter(|change| undone.contains(&change.key));
            self.outcome.warnings.extend(undone.filter_map(warnings::of_undone_tag));
            let message = cloud_tags::updated(&self.report.object);
            self.log(Level::Info, message, [("profile", tags.profile.to_owned())]);
            self.report.changes = changes;
        }
        for Missing { key, reason, setting, .. } in missing.iter().filter(|_| is_news) {
            let message = cloud_tags::missing(key, reason);
            self.outcome.warnings.push(short(message.clone()));
            let attributes = [("setting", setting.clone()), ("required_key", key.clone())];
            self.log(Level::Warning, about(&self.report.object, &message), attributes);
        }
        if let Some(UnknownProvider { setting, provider, message }) = unknown_provider {
            self.outcome.warnings.push(short(message.clone()));
            let profile = tags.profile.to_owned();
            let attributes = [("setting", setting), ("provider", provider), ("profile", profile)];
            self.log(Level::Warning, about(&self.report.object, &message), attributes);
        }
        if let Some(cloud) = cloud.filter(|_| is_news && self.settings.cloud_tags.refused == OnRefused::Warn) {
            self.outcome.warnings.extend(warnings::of_refused_tags(cloud, &tags.cloud));
        }
        for ignored in tags.ignored_definitions.iter().filter(|_| is_news) {
            let IgnoredDefinition { qualified_key, registry, reason, .. } = ignored;
            let message = cloud_tags::ignored_definition(ignored);
            let attributes = [
                ("qualified_key", qualified_key.clone()),
                ("registry", registry.clone()),
                ("reason", reason.as_str().to_owned()),
            ];
            self.log(Level::Warning, about(&self.report.object, &message), attributes);
        }
        for skip in &tags.skipped {
            let attributes = [
                ("provisioned_resource", self.subject.full_name()),
                ("qualified_key", skip.qualified_key.clone()),
                ("tag_key", skip.tag_key.clone()),
                ("provider", skip.provider.to_owned()),
                ("reason", skip.reason.as_str().to_owned()),
            ];
            self.log(Level::Warning, cloud_tags::LABEL_NOT_ADDED.to_owned(), attributes);
        }
        // What somebody can mend comes first: over the cap there may be many.
        for reason in TagSkipReason::STRICT.into_iter().chain(TagSkipReason::ALL) {
            let of_reason = tags.skipped.iter().filter(|skip| skip.reason == reason);
            let reserve = self.settings.cloud_tags.reserve.into();
            self.outcome.warnings.extend(of_reason.map(|skip| warnings::of_skipped_label(skip, reserve)));
        }
        self.report.cloud_tags = Some(tags);
        if !findings.is_empty() {
            self.report_findings(Checked { findings, rollout: None });
        }
    }

    fn declare(&mut self, declarations: Vec<(String, Change)>) {
        let (versions, changes): (Vec<String>, Vec<Change>) = declarations.into_iter().unzip();
        if changes.is_empty() || !self.write(&changes, None) {
            return;
        }
        for version in versions {
            let what = tag_delivery::declared(&version);
            self.log(Level::Info, about(&self.report.object, &what), []);
            self.outcome.warnings.push(short(what));
        }
        self.report.changes = changes;
    }

    /// Writes changes into the object, and their `owners` with them; false where it cannot be written, which refuses the
    /// request.
    fn write(&mut self, changes: &[Change], owners: Option<Write>) -> bool {
        let writes: Vec<Write> = changes.iter().map(Change::write).chain(owners).collect();
        match splice(self.subject.object.root, &writes) {
            Ok(object) => {
                self.pass.written.get_or_init(|| Document::new(object.clone()));
                self.outcome.object = Some(object);
                true
            }
            Err(error) => {
                self.outcome = Outcome { rejection: Some(Rejection::unwritable(&error)), ..Outcome::default() };
                false
            }
        }
    }

    fn refuse_drift(&mut self, sentence: Refusal, setting: SettingValue<'_>, drift: Vec<Change>) {
        self.refuse(sentence(&self.report.object, setting, &warnings::differences(&drift)));
        self.report.drift = drift;
    }
}

fn attributes(change: &Change) -> [(&'static str, String); 4] {
    [
        ("at", change.at.to_string()),
        ("key", change.key.clone()),
        ("rule", change.rule.to_string()),
        ("source", change.source.to_string()),
    ]
}
