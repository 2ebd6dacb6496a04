//! A composite, compared with its labels.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane::{self, Forwarding};
use super::field::{TagsField, leaves_as_stored};
use super::labels::{Assigned, ORIGIN};
use super::provider::{UnknownProvider, provider};
use super::registry::{Definitions, definitions_of};
use super::required::missing;
use super::rules::TagRules;
use super::tagged::{Made, Tagged};
use crate::json::Malformed;
use crate::json::document::Json;
use crate::messages;
use facts::fact::Fact;
use facts::finding::Finding;
use facts::not_applicable::NotApplicableReason;
use facts::stop::Stop;
use kube::lookup::Lookups;
use kube::request::Operation;
use kube::subject::ReviewedObject;
use setting_types::{Mode, Stance};
use tag_rules::TagSettings;
use tag_rules::keys::ASSIGNMENTS;
use tag_rules::{Composites, Definition};

/// The field for the tags, below `spec`.
const FIELD: &str = "cloudTags";

/// A composite, and its entry in the settings.
pub struct Composite<'a, 'e> {
    /// The composite.
    pub subject: &'a ReviewedObject<'e>,
    /// Its entry in the settings.
    pub composites: &'e Composites,
    /// The settings.
    pub settings: TagSettings<'e>,
    /// How other objects are read.
    pub lookups: &'a Lookups<'e>,
}

/// What tags are made from.
struct TagSources<'e> {
    assigned: Assigned,
    provider: Option<&'e str>,
}

impl<'e> Composite<'_, 'e> {
    /// Compares `spec.cloudTags` with the tags for the labels.
    ///
    /// # Errors
    /// When there is nothing to set, the registry could not be read, or the composite does not have the structure of a
    /// Kubernetes object.
    pub fn decide(&self) -> Result<Tagged, Stop> {
        let object = &self.subject.object;
        let not_applicable = |reason| Err(Stop::not_applicable(reason, ""));
        if object.deleting {
            return not_applicable(NotApplicableReason::Deleting);
        }
        if crossplane::is_claim(self.subject, self.composites)? {
            return not_applicable(NotApplicableReason::Claim);
        }
        let forwarding = crossplane::forwarding(self.subject, &self.settings.cloud_tags);
        let assigned = match Assigned::read(object) {
            Ok(assigned) => assigned,
            Err(malformed) => {
                let finding = unusable_finding(&malformed);
                let stop = self.unusable(malformed);
                let is_left = forwarding != Forwarding::Written && matches!(stop, Stop::NotApplicable(_));
                let stripped = if is_left { self.as_stored(messages::UNUSABLE, vec![finding]) } else { None };
                return stripped.ok_or(stop);
            }
        };
        if assigned.is_adopted() {
            return self
                .as_stored(messages::ADOPTED_STAYS, Vec::new())
                .ok_or_else(|| Stop::not_applicable(NotApplicableReason::Adopted, ""));
        }
        let provider = provider(self.composites, &self.subject.review.kind.kind, object);
        let now = TagSources { assigned, provider };
        let is_nested = forwarding != Forwarding::Nothing;
        let before = if is_nested { self.stored_sources() } else { None };
        let Definitions { counting: definitions, ignored } =
            self.definitions(&now.assigned, before.as_ref().map(|before| &before.assigned))?;
        let before = before.map(|before| self.tags_before(&before, &definitions));
        let keeps = is_nested.then(|| before.unwrap_or_default());
        let mut tagged = self.tagged(&now, forwarding, keeps.as_ref(), &definitions)?;
        tagged.tags.ignored_definitions = ignored;
        Ok(tagged)
    }

    /// The differences of a composite whose labels set no tags: of the policy's own entries it keeps those that are
    /// stored, and nothing is added. `None` if there are none, or if the review is not about a write.
    fn as_stored(&self, rule: &'static str, findings: Vec<Finding>) -> Option<Tagged> {
        let (settings, subject) = (&self.settings.cloud_tags, self.subject);
        let field = TagsField::read(subject, FIELD, settings).ok().filter(|_| !subject.review.username.is_empty())?;
        let provider = provider(self.composites, &subject.review.kind.kind, &subject.object);
        let rules = TagRules::of(settings, provider.unwrap_or_default());
        let (assigned, definitions) = (Assigned::default(), BTreeMap::new());
        let made = Made::of(&assigned, &definitions, &settings.prefix, rules, None, &BTreeSet::new());
        let restores = field.own_edited().into_iter().filter(|(key, _)| field.has(key)).collect();
        let mut held = field.held_to(&made.transformed, &restores, |key, value| field.stored(key) != Some(value));
        for change in &mut held.changes {
            change.rule = rule.into();
        }
        let is_changed = !held.changes.is_empty();
        is_changed.then(|| Tagged {
            unknown_provider: None,
            missing: Vec::new(),
            leaves_sources: true,
            findings,
            touches_tags: true,
            cloud: None,
            tags: made.report(provider, &field, &held, &[]),
            changes: held.changes,
            undone: held.undone,
        })
    }

    /// The tags for the labels of the stored object. A label that is not opted in may have been, before its definition
    /// changed. The others are only known to be the labels' if Crossplane's own apply shows which tags the parent
    /// forwards.
    fn tags_before(
        &self,
        before: &TagSources<'e>,
        definitions: &BTreeMap<String, Definition>,
    ) -> BTreeMap<String, String> {
        let settings = &self.settings.cloud_tags;
        let rules = TagRules::of(settings, before.provider.unwrap_or_default());
        let Made { transformed, not_propagating, .. } =
            Made::of(&before.assigned, definitions, &settings.prefix, rules, None, &BTreeSet::new());
        let mut tags = transformed.tags;
        if crossplane::is_applied_by_composition(self.subject) {
            for (key, value) in before.assigned.labels.iter().filter(|(key, _)| not_propagating.contains_key(*key)) {
                let tag_key = rules.tag_key_below(&settings.prefix, key);
                if rules.refusal(key, &tag_key, value).is_none() {
                    tags.entry(tag_key).or_insert_with(|| value.clone());
                }
            }
        }
        tags
    }

    /// The differences. A nested composite keeps what its parent's Composition forwards: of the policy's own entries
    /// only those are removed that its labels set before, `nested`, that they no longer set, and that the parent's
    /// Composition does not set. Somebody else's write changes none of what is forwarded.
    fn tagged(
        &self,
        now: &TagSources<'e>,
        forwarding: Forwarding,
        nested: Option<&BTreeMap<String, String>>,
        definitions: &BTreeMap<String, Definition>,
    ) -> Result<Tagged, Stop> {
        let (settings, subject) = (&self.settings.cloud_tags, self.subject);
        let field = match TagsField::read(subject, FIELD, settings) {
            Err(malformed) if leaves_as_stored(subject, FIELD).unwrap_or(false) => {
                return Err(Stop::not_applicable(NotApplicableReason::UnusableTags, malformed.to_string()));
            }
            read => read?,
        };
        let was_made = |key: &str, value: Json<'_>| {
            nested.and_then(|before| before.get(key)).is_some_and(|made| value.as_str() == Some(made))
                && !crossplane::is_set_by_composition(subject, FIELD, key)
        };
        let is_left_over = |key: &str, value: Json<'_>| match forwarding {
            Forwarding::Nothing => true,
            Forwarding::Stored => field.stored(key) != Some(value) || was_made(key, value),
            Forwarding::Written => field.stored(key) == Some(value) && was_made(key, value),
        };
        let restores = match forwarding {
            Forwarding::Stored => {
                field.own_edited().into_iter().filter(|(key, value)| !was_made(key, *value)).collect()
            }
            Forwarding::Nothing | Forwarding::Written => BTreeMap::new(),
        };
        let provider = now.provider;
        let rules = TagRules::of(settings, provider.unwrap_or_default());
        let is_forwarded = |key: &str, value| !is_left_over(key, value);
        let others = if rules.counts_others() {
            field.others(is_forwarded).into_iter().chain(restores.keys().copied()).collect()
        } else {
            BTreeSet::new()
        };
        let made = Made::of(&now.assigned, definitions, &settings.prefix, rules, None, &others);
        let transformed = &made.transformed;
        let mut held = field.held_to(transformed, &restores, is_left_over);
        let is_alone = transformed.tags.is_empty() && nested.is_none();
        if is_alone && self.settings.mode == Mode::Mutate && field.is_empty_map() {
            held.changes.push(field.without_empty_map());
        }
        let has = |key: &str| held.kept.contains_key(key);
        let missing = missing(settings, rules, transformed, has, &made.not_propagating);
        let leaves_sources = self.leaves_sources_as_stored(definitions);
        let leaves_tags = leaves_sources && leaves_as_stored(subject, FIELD).unwrap_or(false);
        let touches_tags = !(held.changes.is_empty() && leaves_tags);
        let propagates = !(transformed.tags.is_empty() && transformed.skipped.is_empty());
        let is_unknown = touches_tags && propagates && !TagRules::are_known(settings, provider.unwrap_or_default());
        let unknown_provider =
            is_unknown.then(|| UnknownProvider::new(settings, self.composites, subject, provider, rules.name()));
        Ok(Tagged {
            unknown_provider,
            leaves_sources,
            findings: if touches_tags { now.assigned.findings(definitions) } else { Vec::new() },
            touches_tags,
            cloud: rules.cloud(provider.unwrap_or_default()).map(|cloud| cloud.provider),
            tags: made.report(provider, &field, &held, &missing),
            missing,
            changes: held.changes,
            undone: held.undone,
        })
    }

    /// How the policy reacts to assignments that cannot be used: a user who writes them is refused. Crossplane is not,
    /// because it copies what it finds in a claim or in a parent's Composition; neither is a write that does not change
    /// them.
    fn unusable(&self, malformed: Malformed) -> Stop {
        let ReviewedObject { review, object, .. } = self.subject;
        let old = self.subject.old().ok().flatten();
        let is_stored = review.operation == Operation::Update
            && old.is_some_and(|old| old.annotations.get(ASSIGNMENTS) == object.annotations.get(ASSIGNMENTS));
        if is_stored || crossplane::is_copied(self.subject, &self.settings.cloud_tags) {
            Stop::not_applicable(NotApplicableReason::UnusableAssignments, malformed.to_string())
        } else {
            Stop::Malformed(malformed)
        }
    }

    /// What the tags of the stored object were made from, as far as it can be read.
    fn stored_sources(&self) -> Option<TagSources<'e>> {
        let old = self.subject.old().ok().flatten()?;
        let provider = provider(self.composites, &self.subject.review.kind.kind, old);
        Some(TagSources { assigned: Assigned::read(old).ok()?, provider })
    }

    /// Whether the request does not change what tags are made from. Only labels that the registry defines or the
    /// settings require count: a pause, or a label of a tool, is not a new tag.
    fn leaves_sources_as_stored(&self, definitions: &BTreeMap<String, Definition>) -> bool {
        let required = &self.settings.cloud_tags.required;
        let counts = |key: &str| {
            key == ORIGIN || definitions.contains_key(key) || required.iter().any(|required| &*required.key == key)
        };
        leaves_sources_as_stored(self.subject, self.composites, counts).unwrap_or(false)
    }

    /// The definitions of all keys that are assigned, or were before.
    fn definitions(&self, now: &Assigned, before: Option<&Assigned>) -> Result<Definitions<'e>, Stop> {
        // Without labels, no definition sets a tag.
        if now.is_empty() && before.is_none_or(Assigned::is_empty) {
            return Ok(Definitions::default());
        }
        // The old value of a label counts too when it is removed: only labels with a definition matter.
        let old = self.subject.old().ok().flatten();
        let is_assigned = |key: &str| {
            now.contains(key)
                || before.is_some_and(|before| before.contains(key))
                || old.is_some_and(|old| old.labels.contains_key(key))
        };
        definitions_of(&self.settings.cloud_tags, self.lookups, is_assigned)
    }
}

/// The finding about assignments that cannot be used.
fn unusable_finding(malformed: &Malformed) -> Finding {
    Finding {
        check: "cloudTags",
        at: format!("metadata.annotations[{ASSIGNMENTS}]"),
        message: Fact::UnusableAssignments { problem: malformed.to_string() },
        stance: Stance::Warn,
        verdict: None,
    }
}

/// Whether an UPDATE changes neither the tags of a composite, nor anything that they may be made from. Which labels the
/// registry defines is not known here, so all of them count.
///
/// # Errors
/// When the composite or the stored one does not have the structure of a Kubernetes object.
pub fn leaves_tags_as_stored(subject: &ReviewedObject<'_>, composites: &Composites) -> Result<bool, Malformed> {
    Ok(leaves_sources_as_stored(subject, composites, |_| true)? && leaves_as_stored(subject, FIELD)?)
}

/// Whether an UPDATE does not change what the tags of a composite are made from: the labels that count, the
/// assignments, and the provider.
fn leaves_sources_as_stored(
    subject: &ReviewedObject<'_>,
    composites: &Composites,
    counts: impl Fn(&str) -> bool,
) -> Result<bool, Malformed> {
    let (Some(old), object) = (subject.old()?, &subject.object) else { return Ok(false) };
    let kind = &*subject.review.kind.kind;
    let keys = object.labels.iter().chain(old.labels.iter()).map(|(key, _)| key);
    let differs = |key: &str| counts(key) && object.labels.get(key) != old.labels.get(key);
    Ok(object.annotations.get(ASSIGNMENTS) == old.annotations.get(ASSIGNMENTS)
        && provider(composites, kind, object) == provider(composites, kind, old)
        && (object.labels == old.labels || !keys.into_iter().any(differs)))
}
