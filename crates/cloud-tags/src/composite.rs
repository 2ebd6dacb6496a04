//! A composite, compared with its labels.

use std::collections::{BTreeMap, BTreeSet};

use super::as_stored::{self, as_stored};
use super::crossplane::{self, AppliedEntries, Forwarding};
use super::field::{Held, TagsField, has_stored, leaves_as_stored};
use super::kept_tags::UnreadTags;
use super::kept_tags::{KeptTags, NestedTags};
use super::label_sources::{LabelSources, Merged, names_of_owners};
use super::labels::Assigned;
use super::provider::{UnknownProvider, provider};
use super::registry::{AssignedKeys, Definitions, definitions_of};
use super::tagged::missing;
use super::tagged::{Made, Tagged, UndecodedLabel};
use crate::fact::{CloudTagFact, Finding};
use crate::json::Malformed;
use kubernetes::settings::{Mode, Stance};
use kubernetes::{Change, ChangeRule, Lookups, NotApplicableReason, Operation, ReviewedObject, Stop, StoredTags};
use tag_rules::keys::{ASSIGNMENTS, ORIGIN};
use tag_rules::{CloudTags, Composites, Definition, TagRules, TagSettings};

/// The field for the tags, below `spec`.
const FIELD: &str = "cloudTags";

/// A composite, and its entry in the settings.
pub struct Composite<'a, 'e> {
    pub subject: &'a ReviewedObject<'e>,
    pub composites: &'e Composites,
    pub settings: TagSettings<'e>,
    pub lookups: &'a Lookups<'e>,
}

/// What tags are made from.
struct TagSources<'e> {
    assigned: Assigned,
    provider: Option<&'e str>,
}

/// What is said beside the differences.
#[derive(Default)]
struct TagNotices {
    undecoded: Vec<UndecodedLabel>,
    unknown_provider: Option<UnknownProvider>,
    findings: Vec<Finding>,
}

impl<'e> Composite<'_, 'e> {
    /// Compares `spec.cloudTags` with the tags for the labels.
    ///
    /// # Errors
    /// When there is nothing to set, the registry could not be read, or the composite does not have the structure of a
    /// Kubernetes object.
    pub fn decide(&self) -> Result<Tagged, Stop> {
        let object = &self.subject.object;
        if object.deleting {
            return Err(Stop::not_applicable(NotApplicableReason::Deleting, ""));
        }
        if crossplane::is_claim(self.subject, self.composites)? {
            return Err(Stop::not_applicable(NotApplicableReason::Claim, ""));
        }
        let forwarding = crossplane::forwarding(self.subject, self.settings.cloud_tags, self.lookups)?;
        let assigned = match Assigned::read(object) {
            Ok(assigned) => assigned,
            Err(malformed) => {
                let finding = unusable_finding(&malformed);
                let stop = self.unusable(malformed);
                let is_left = forwarding != Forwarding::Written && matches!(stop, Stop::NotApplicable(_));
                let stripped =
                    if is_left { self.as_stored(StoredTags::UnusableAssignments, vec![finding]) } else { None };
                return stripped.ok_or(stop);
            }
        };
        if assigned.is_adopted() {
            return Err(Stop::not_applicable(NotApplicableReason::Adopted, ""));
        }
        let tags = &self.settings.cloud_tags;
        let others = LabelSources::read(object, self.subject.namespace(), tags, self.lookups)?;
        let provider = self.provider();
        let is_nested = forwarding != Forwarding::Nothing;
        let before = if is_nested { self.stored_sources() } else { None };
        let definitions = self.definitions(&assigned, &others, before.as_ref().map(|before| &before.assigned))?;
        let applied = AppliedEntries::of(self.subject, forwarding, FIELD);
        let before = before.map(|before| {
            let assigned = others.merge(before.assigned, tags, &definitions.counting).assigned;
            self.tags_before(&TagSources { assigned, ..before }, &definitions.counting, &applied)
        });
        let nested = NestedTags { forwarding, applied, before: is_nested.then(|| before.unwrap_or_default()) };
        let Merged { assigned, sources } = others.merge(assigned, tags, &definitions.counting);
        let now = TagSources { assigned, provider };
        let mut tagged = self.tagged(&now, &nested, &definitions, &sources)?;
        tagged.tags.ignored_definitions = definitions.ignored;
        Ok(tagged)
    }

    /// The differences if the labels could not be compared: whoever writes a composite adds no tags then, except
    /// Crossplane, which forwards those of a parent or copies those of a composite to its claim. `None` if there are
    /// none.
    pub fn undecided(&self, stop: &Stop) -> Option<Tagged> {
        let is_adopted = matches!(stop, Stop::NotApplicable(it) if it.reason == NotApplicableReason::Adopted);
        let is_copied = || {
            crossplane::is_written_claim(self.subject, self.settings.cloud_tags, self.composites)
                || crossplane::forwarding(self.subject, self.settings.cloud_tags, self.lookups)
                    .is_ok_and(|forwarding| forwarding == Forwarding::Written)
        };
        let is_deleting = matches!(stop, Stop::NotApplicable(it) if it.reason == NotApplicableReason::Deleting);
        let reason = if is_deleting { StoredTags::Deleting } else { as_stored::reason(stop, StoredTags::Adopted)? };
        if is_adopted || !is_copied() { self.as_stored(reason, Vec::new()) } else { None }
    }

    /// The differences of a composite whose labels set no tags.
    fn as_stored(&self, reason: StoredTags, findings: Vec<Finding>) -> Option<Tagged> {
        as_stored(self.subject, self.settings.cloud_tags, FIELD, self.provider(), reason, &BTreeMap::new(), findings)
    }

    /// The tags for the labels of the stored object. A label that is not opted in may have been, before its definition
    /// changed. The others are only known to be the labels' if Crossplane's own apply shows which tags the parent
    /// forwards.
    fn tags_before(
        &self,
        before: &TagSources<'e>,
        definitions: &BTreeMap<String, Definition>,
        applied: &AppliedEntries<'_>,
    ) -> BTreeMap<String, String> {
        let settings = &self.settings.cloud_tags;
        let rules = TagRules::of(settings, before.provider.unwrap_or_default());
        let Made { transformed, not_propagating, .. } =
            Made::of(&before.assigned, definitions, &settings.prefix, rules, None, &BTreeSet::new());
        let mut tags = transformed.tags;
        if applied.is_known {
            for (key, value) in before.assigned.labels.iter().filter(|(key, _)| not_propagating.contains_key(*key)) {
                let tag_key = rules.tag_key_below(&settings.prefix, key);
                if rules.refusal(key, &tag_key, value).is_none() {
                    tags.entry(tag_key).or_insert_with(|| value.clone());
                }
            }
        }
        tags
    }

    /// The differences. A nested composite keeps what its parent's Composition forwards.
    fn tagged(
        &self,
        now: &TagSources<'e>,
        nested: &NestedTags<'e>,
        found: &Definitions<'_>,
        sources: &BTreeMap<String, String>,
    ) -> Result<Tagged, Stop> {
        let (settings, definitions) = (&self.settings.cloud_tags, &*found.counting);
        let provider = now.provider.unwrap_or_default();
        let rules = TagRules::of(settings, provider);
        let field = self.field(rules.joins(provider))?;
        let unread = UnreadTags::of(found, &settings.prefix, rules);
        let kept = KeptTags { field: &field, nested, unread: &unread };
        let restores = kept.restored();
        let others = if rules.is_strict() {
            let forwarded = field.others(|key, value| !kept.is_left_over(key, value));
            forwarded.into_iter().chain(restores.keys().copied()).collect()
        } else {
            BTreeSet::new()
        };
        let mut made = Made::of(&now.assigned, definitions, &settings.prefix, rules, None, &others);
        let mut held = field.held_to(&made.transformed, &restores, |key, value| kept.is_left_over(key, value));
        unread.explain(&mut held.changes);
        name_sources(&mut held.changes, sources);
        let is_alone = made.transformed.tags.is_empty() && nested.before.is_none();
        if is_alone && self.settings.mode == Mode::Mutate && field.is_empty_map() {
            held.changes.push(field.without_empty_map());
        }
        found.explain(&mut made.not_propagating);
        let has = |key: &str| held.kept.contains_key(key);
        let missing = missing(settings, rules, &made.transformed, has, &made.not_propagating);
        let leaves_sources = self.leaves_sources_as_stored(definitions);
        let leaves_tags = leaves_sources && leaves_as_stored(self.subject, FIELD).unwrap_or(false);
        let touches_tags = !(held.changes.is_empty() && leaves_tags);
        let notices =
            if touches_tags { self.notices(now, found, &made, &held, &unread) } else { TagNotices::default() };
        let TagNotices { undecoded, unknown_provider, findings } = notices;
        Ok(Tagged {
            undecoded,
            unknown_provider,
            leaves_sources,
            findings,
            touches_tags,
            cloud: rules.cloud(provider).map(|cloud| cloud.provider),
            tags: made.report(now.provider, &field, &held, &missing),
            missing,
            changes: held.changes,
            undone: held.undone,
        })
    }

    fn field(&self, is_joined: bool) -> Result<TagsField<'_, 'e>, Stop> {
        match TagsField::read(self.subject, FIELD, self.settings.cloud_tags, is_joined) {
            Err(malformed) if leaves_as_stored(self.subject, FIELD).unwrap_or(false) => {
                Err(Stop::not_applicable(NotApplicableReason::UnusableTags, malformed))
            }
            read => Ok(read?),
        }
    }

    /// What is said about a composite whose tags, or what they are made from, are written.
    fn notices(
        &self,
        now: &TagSources<'e>,
        found: &Definitions<'_>,
        made: &Made,
        held: &Held<'e>,
        unread: &UnreadTags,
    ) -> TagNotices {
        let (settings, definitions, rules) = (&self.settings.cloud_tags, &*found.counting, made.rules);
        let propagates = !(made.transformed.tags.is_empty() && made.transformed.skipped.is_empty());
        let is_unknown = propagates && !TagRules::are_known(settings, now.provider.unwrap_or_default());
        let unknown_provider = is_unknown
            .then(|| UnknownProvider::new(settings, self.composites, self.subject, now.provider, rules.name()));
        let misspelled = held.kept.keys().find(|key| !unread.has(key) && !rules.spells(&settings.prefix, key));
        let misspelled = misspelled.map(|key| misspelled_finding(key, rules));
        let findings = now.assigned.findings(definitions).into_iter().chain(found.findings(settings)).chain(misspelled);
        let undecoded = UndecodedLabel::all(&now.assigned, definitions, &settings.prefix, rules);
        TagNotices { undecoded, unknown_provider, findings: findings.collect() }
    }

    /// How the policy reacts to assignments that cannot be used: a user who writes them is refused. Crossplane is not,
    /// because it copies what it finds in a claim or in a parent's Composition; neither is a write that does not change
    /// them.
    fn unusable(&self, malformed: Malformed) -> Stop {
        let ReviewedObject { review, object, .. } = self.subject;
        let old = self.subject.old().ok().flatten();
        let is_stored = review.operation == Operation::Update
            && old.is_some_and(|old| old.annotations.get(ASSIGNMENTS) == object.annotations.get(ASSIGNMENTS));
        if is_stored || crossplane::is_copied(self.subject, self.settings.cloud_tags) {
            Stop::not_applicable(NotApplicableReason::UnusableAssignments, malformed)
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
        let required = self.settings.cloud_tags.required.iter().map(|required| &*required.key);
        let required: BTreeSet<&str> = required.collect();
        let counts = |key: &str| key == ORIGIN || definitions.contains_key(key) || required.contains(key);
        leaves_sources_as_stored(self.subject, self.composites, self.settings.cloud_tags, counts).unwrap_or(false)
    }

    /// The definitions of all keys that are assigned, or were before.
    fn definitions(
        &self,
        now: &Assigned,
        others: &LabelSources<'_>,
        before: Option<&Assigned>,
    ) -> Result<Definitions<'e>, Stop> {
        let assigned = || [now].into_iter().chain(before).flat_map(Assigned::keys);
        let mut keys = others.keys();
        // Without labels, no definition sets a tag.
        if keys.is_empty() && assigned().next().is_none() {
            return Ok(Definitions::default());
        }
        // Definitions in the settings are known; of those in objects only these keys count. The old value of a label
        // counts too when it is removed: only labels with a definition matter.
        if self.settings.cloud_tags.registry.is_some() {
            let old = self.subject.old().ok().flatten();
            keys.extend(assigned().chain(old.into_iter().flat_map(|old| old.labels.keys())));
        }
        let tags = self.settings.cloud_tags;
        let rules = TagRules::of(tags, self.provider().unwrap_or_default());
        let is_tagged = |key: &str| has_stored(self.subject, FIELD, &rules.tag_key_below(&tags.prefix, key));
        definitions_of(tags, self.lookups, &AssignedKeys { all: keys, is_tagged: &is_tagged }, &others.belonging)
    }

    fn provider(&self) -> Option<&'e str> {
        provider(self.composites, &self.subject.review.kind.kind, &self.subject.object)
    }
}

/// Names the objects that have the labels, where they are not the composite's own.
fn name_sources(changes: &mut [Change], sources: &BTreeMap<String, String>) {
    for change in changes {
        if let ChangeRule::Label(label) = &change.rule
            && let Some(object) = sources.get(label)
        {
            change.rule = ChangeRule::LabelOf { label: label.clone(), object: object.clone() };
        }
    }
}

/// The finding about assignments that cannot be used.
fn unusable_finding(malformed: &Malformed) -> Finding {
    Finding {
        check: "cloudTags",
        at: format!("metadata.annotations[{ASSIGNMENTS}]"),
        message: CloudTagFact::UnusableAssignments { problem: malformed.clone().into() },
        stance: Stance::Warn,
    }
}

/// The finding about a tag that a parent forwards in the spelling of its own profile. It cannot be respelled, because
/// spellings replace several characters by one; a label can.
fn misspelled_finding(tag: &str, rules: TagRules) -> Finding {
    Finding {
        check: "cloudTags.profiles",
        at: format!("spec.{FIELD}"),
        message: CloudTagFact::ForwardedSpelling { tag: tag.into(), profile: rules.name().into() },
        stance: Stance::Warn,
    }
}

/// Whether an UPDATE changes neither the tags of a composite, nor anything that they may be made from. Which labels the
/// registry defines is not known here, so all of them count.
pub fn leaves_tags_as_stored(
    subject: &ReviewedObject<'_>,
    composites: &Composites,
    settings: &CloudTags,
) -> Result<bool, Malformed> {
    Ok(leaves_sources_as_stored(subject, composites, settings, |_| true)? && leaves_as_stored(subject, FIELD)?)
}

/// Whether an UPDATE does not change what the tags of a composite are made from: the labels that count, the
/// assignments, the provider, and the names of the tenant, the domain and the project.
fn leaves_sources_as_stored(
    subject: &ReviewedObject<'_>,
    composites: &Composites,
    settings: &CloudTags,
    counts: impl Fn(&str) -> bool,
) -> Result<bool, Malformed> {
    let (Some(old), object) = (subject.old()?, &subject.object) else { return Ok(false) };
    let kind = &*subject.review.kind.kind;
    let keys = object.labels.iter().chain(old.labels.iter()).map(|(key, _)| key);
    let differs = |key: &str| counts(key) && object.labels.get(key) != old.labels.get(key);
    Ok(object.annotations.get(ASSIGNMENTS) == old.annotations.get(ASSIGNMENTS)
        && provider(composites, kind, object) == provider(composites, kind, old)
        && names_of_owners(object, settings) == names_of_owners(old, settings)
        && (object.labels == old.labels || !keys.into_iter().any(differs)))
}
