//! What is done about what was decided: written, left as it is, or refused.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Evaluation;
use super::applied::{Admission, AppliedDecision, ComparedWith};
use super::change_warning::{self, ChangeHandling};
use super::check::CheckFindings;
use super::decide::Decision;
use super::notices::{Notices, line};
use crate::checks::refusing;
use crate::fact::{Fact, Finding};
use crate::json::{Write, splice};
use crate::report::messages::propagation as messages;
use crate::report::shortening::capped_lines;
use crate::report::{LogLevel, Rejection};
use cloud_tags::{RegistryWrite, messages as tag_messages};
use cluster_api::fact::ClusterApiFact;
use cluster_api::propagation::metadata::Differences;
use cluster_api::propagation::owned_path::OwnedChange;
use cluster_api::propagation::ownership::Ownership;
use cluster_api::settings::OnConflict;
use cluster_api::skipped::{SkipReason, Skipped, of_illegal};
use cluster_api::{guards, rollout};
use kubernetes::settings::{Mode, Stance, listed};
use kubernetes::{Action, Change, MapKind, Mentioned, MentionedKeys, SettingValue, SourceObject, about};
use tag_delivery::tag_finding::TagFinding;

/// A sentence that refuses an object because of its differences.
pub(super) type Refusal = fn(&str, SettingValue<'_>, &str) -> String;

pub(super) const VERIFY: SettingValue<'_> = SettingValue { setting: "mode", value: "verify" };

impl<'e> Evaluation<'e> {
    /// Writes what was decided, leaves it as it is, or refuses the request.
    pub(super) fn apply(&self, decision: Decision<'e>) -> AppliedDecision<'e> {
        match decision {
            Decision::Propagated(Differences { changes, skipped, source_keys }) => {
                let without_template = self.keys_without_template(&changes, &skipped);
                let mut applied = self.apply_changes(changes);
                applied.notices.warnings.extend(without_template);
                applied.notices.append(self.notices_of_illegal_entries(&skipped));
                let source_keys = self.subject.place.map(|_| source_keys);
                AppliedDecision { compared: ComparedWith::Sources { skipped, source_keys }, ..applied }
            }
            Decision::Tagged(tagged) => self.apply_tags(*tagged),
            Decision::Declared(declarations) => self.declare(declarations),
            Decision::Registry(RegistryWrite { problems, .. }) if !problems.is_empty() => {
                AppliedDecision::refused(tag_messages::unusable_registry(&self.title, &listed(&problems)), Vec::new())
            }
            Decision::Registry(RegistryWrite { effects, .. }) => {
                let mut notices = Notices::default();
                effects.into_iter().for_each(|effect| notices.warn(&self.title, effect, []));
                AppliedDecision::accepted(notices)
            }
        }
    }

    /// Refuses the request if a finding does: nothing is written, and notices about writing are dropped. Why nothing was
    /// decided is kept, because it may be the reason for the refusal.
    pub(super) fn refuse(&self, applied: AppliedDecision<'e>, found: &mut CheckFindings) -> AppliedDecision<'e> {
        let Some(message) = self.refusal(&found.findings) else { return applied };
        let AppliedDecision { admission, compared, notices } = applied;
        let notices = if admission.inert().is_some() { notices } else { Notices::default() };
        let admission = admission.refused_by_check(Rejection::refused(message.clone()));
        found.refusal = Some(message);
        AppliedDecision { admission, compared, notices }
    }

    /// Why the findings refuse the request, and how to make the edit anyway; `None` if they do not.
    fn refusal(&self, findings: &[Finding]) -> Option<String> {
        let refusing = findings.iter().filter(|finding| finding.stance == Stance::Reject).map(|finding| {
            let value = refusing(finding.check, self.settings);
            format!("{} ({})", finding.message, SettingValue { setting: finding.check, value: &value })
        });
        let mut refusals: Vec<String> = refusing.collect();
        if refusals.is_empty() {
            return None;
        }
        refusals.extend(guards::way_out(findings, self.subject, self.settings.of_cluster_api()));
        refusals.extend(rollout::way_out(findings, self.subject, self.settings.of_cluster_api()));
        Some(about(&self.title, &refusals.join("; ")))
    }

    fn apply_changes(&self, changes: Vec<OwnedChange>) -> AppliedDecision<'e> {
        let is_conflict = |change: &Change| change.action == Action::Restored;
        let on_conflict = self.settings.cluster_api.on_conflict;
        let is_left = |change: &mut OwnedChange| match self.settings.mode {
            Mode::Verify => true,
            Mode::Mutate => is_conflict(change) && on_conflict != OnConflict::Restore,
        };
        let mut written = changes;
        let mut drift: Vec<Change> = written.extract_if(.., is_left).map(|it| it.change).collect();
        if self.settings.mode == Mode::Verify && !drift.is_empty() {
            return self.refused_for(messages::does_not_match, VERIFY, drift);
        }
        if on_conflict == OnConflict::Reject && !drift.is_empty() {
            let setting = SettingValue { setting: "clusterApi.onConflict", value: "reject" };
            return self.refused_for(messages::edits_propagated_values, setting, drift);
        }
        let ownership = written.iter().any(OwnedChange::moves_owners).then(|| Ownership::of(self.subject));
        let ownership = ownership.as_ref();
        let is_left = ownership.map(|it| it.left_to_cluster_api(&written)).unwrap_or_default();
        let mut indices = 0..;
        let is_left = |_: &mut OwnedChange| indices.next().is_some_and(|index| is_left.contains(&index));
        let left: Vec<Change> = written.extract_if(.., is_left).map(|it| it.change).collect();
        let handled = written.iter().map(|it| (&it.change, ChangeHandling::Written));
        let handled = handled.chain(drift.iter().map(|change| (change, ChangeHandling::Left)));
        let notices = self
            .notices_of_changes(handled.chain(left.iter().map(|change| (change, ChangeHandling::LeftToClusterApi))));
        drift.extend(left);
        if written.is_empty() {
            return AppliedDecision::of(Admission::Accepted { drift }, notices);
        }
        let owners = ownership.and_then(|it| it.write(&written));
        let mut applied = self.write(written.into_iter().map(|it| it.change).collect(), drift, owners, notices);
        if let Admission::Written { changes, .. } = &applied.admission {
            let message = match changes.iter().filter(|change| change.action != Action::Recorded).count() {
                0 => messages::updated_record(&self.title),
                1 => messages::propagated_one(&self.title),
                count => messages::propagated(count, &self.title),
            };
            let mut rules: Vec<Cow<'_, str>> = changes.iter().map(|change| change.rule.text()).collect();
            // Many changes have few rules, and those of one map have the same: there is little to sort.
            rules.dedup();
            rules.sort_unstable();
            rules.dedup();
            applied.notices.log(LogLevel::Info, message, [("rules", rules.join("; "))]);
        }
        applied
    }

    /// The notices about changes, the most important first, and about each edit of a propagated value.
    fn notices_of_changes<'c>(&self, handled: impl Iterator<Item = (&'c Change, ChangeHandling)>) -> Notices {
        let mut by_rank: BTreeMap<u8, Vec<(&Change, ChangeHandling)>> = BTreeMap::new();
        for (change, handling) in handled {
            by_rank.entry(change_warning::rank(change)).or_default().push((change, handling));
        }
        let (mut notices, mut conflicts) = (Notices::default(), Vec::new());
        for (change, handling) in by_rank.into_values().flatten() {
            if change.action == Action::Restored {
                let sentence =
                    if handling == ChangeHandling::Written { messages::restored_edit } else { messages::left_edit };
                conflicts.push(line(
                    LogLevel::Warning,
                    sentence(change.entry.as_str(), &self.title),
                    attributes(change),
                ));
            }
            notices.warnings.extend(change_warning::of_change(change, handling));
        }
        notices.log = capped_lines(conflicts);
        notices
    }

    /// The warning about keys that this write sets on a control plane, and that its machine template does not get.
    fn keys_without_template(&self, changes: &[OwnedChange], skipped: &[Skipped]) -> Option<Fact> {
        let without = skipped.iter().filter(|skip| skip.reason == SkipReason::NoMachineInfrastructure);
        let keys: BTreeSet<(MapKind, &str)> = without.filter_map(|skip| Some((skip.map()?, &*skip.key))).collect();
        let written: BTreeSet<(MapKind, &str)> =
            changes.iter().filter_map(|change| Some((change.entry.map()?, &*change.key))).collect();
        let old = self.subject.old().ok().flatten();
        let is_new = |(map, key): &(MapKind, &str)| {
            let stored = old.map(|old| old.top_level(*map).get(key));
            written.contains(&(*map, *key)) || stored != Some(self.subject.object.top_level(*map).get(key))
        };
        MentionedKeys::some(keys.into_iter().filter(is_new).map(|(_, key)| key))
            .map(|keys| ClusterApiFact::NoMachineInfrastructure { keys }.into())
    }

    /// The notices about entries that the API server would reject.
    fn notices_of_illegal_entries(&self, skipped: &[Skipped]) -> Notices {
        let warnings: Vec<Fact> = of_illegal(skipped).into_iter().map(Fact::from).collect();
        let of_fact = |fact: &Fact| line(LogLevel::Warning, about(&self.title, &fact.to_string()), []);
        Notices { log: capped_lines(warnings.iter().map(of_fact).collect()), warnings }
    }

    fn declare(&self, declarations: Vec<(String, Change)>) -> AppliedDecision<'e> {
        let (versions, changes): (Vec<String>, Vec<Change>) = declarations.into_iter().unzip();
        if changes.is_empty() {
            return AppliedDecision::accepted(Notices::default());
        }
        let mut notices = Notices::default();
        for version in versions {
            let fact = Fact::from(TagFinding::declared(Mentioned(version)));
            notices.log(LogLevel::Info, about(&self.title, &fact.to_string()), []);
            notices.warnings.push(fact);
        }
        self.write(changes, Vec::new(), None, notices)
    }

    /// Writes changes into the object, together with their `owners`, and leaves the differences in `drift`. `notices`
    /// are about that. An object that cannot be written is refused.
    pub(super) fn write(
        &self,
        changes: Vec<Change>,
        mut drift: Vec<Change>,
        owners: Option<Write<'_>>,
        notices: Notices,
    ) -> AppliedDecision<'e> {
        let writes: Vec<Write<'_>> = changes.iter().map(Change::write).chain(owners).collect();
        match splice(self.subject.object.root, &writes) {
            Ok(object) => AppliedDecision::of(Admission::Written { object, changes, drift }, notices),
            Err(error) => {
                drift.splice(0..0, changes);
                let admission = Admission::Refused { rejection: Rejection::unwritable(&error), drift };
                AppliedDecision::of(admission, Notices::default())
            }
        }
    }

    /// The settings refuse the differences.
    pub(super) fn refused_for(
        &self,
        sentence: Refusal,
        setting: SettingValue<'_>,
        drift: Vec<Change>,
    ) -> AppliedDecision<'e> {
        let message = sentence(&self.title, setting, &change_warning::differences(&drift));
        AppliedDecision::refused(message, drift)
    }
}

fn attributes(change: &Change) -> [(&'static str, String); 4] {
    [
        ("at", change.at.to_string()),
        ("key", change.key.clone()),
        ("rule", change.rule.to_string()),
        ("source", change.source.as_ref().map(SourceObject::to_string).unwrap_or_default()),
    ]
}
