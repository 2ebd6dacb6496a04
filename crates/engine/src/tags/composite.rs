//! A composite held against its labels.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane;
use super::field::{FIELD, Field, Held, without_empty_map};
use super::labels::{ASSIGNMENTS, Assigned};
use super::provider::{UnknownProvider, provider};
use super::registry::{REGISTRY, definitions};
use super::required::{Missing, missing};
use super::rules::TagRules;
use super::transform::{Labels, Transformed, cloud_tags};
use super::verdicts::verdicts;
use crate::admission::request::Operation;
use crate::admission::subject::Subject;
use crate::catalog::grants::{LABELS, REGISTRY_MASKS};
use crate::json::Malformed;
use crate::json::document::Json;
use crate::kube::lookup::Lookups;
use crate::kube::query::{ObjectName, ObjectQuery};
use crate::kube::stop::Stop;
use crate::report::change::{Change, Value};
use crate::report::not_applicable::NotApplicableReason;
use crate::report::tags::TagReport;
use crate::settings::{Composites, Definition, Mode, SEEDED, Settings, listed};

/// A composite, and what the settings say about it.
pub(crate) struct Composite<'a, 'e> {
    pub(crate) subject: &'a Subject<'e>,
    pub(crate) composites: &'e Composites,
    pub(crate) settings: &'e Settings,
    pub(crate) lookups: &'a Lookups<'e>,
}

/// What differs from the labels of a composite, and what they make.
pub(crate) struct Tagged {
    pub(crate) changes: Vec<Change>,
    /// The keys of those changes that undo what this request writes.
    pub(crate) undone: BTreeSet<String>,
    /// Told where the request is news.
    pub(crate) unknown_provider: Option<UnknownProvider>,
    /// Required tags that the composite does not have.
    pub(crate) missing: Vec<Missing>,
    /// Whether the request leaves what tags are made from as it is stored.
    pub(crate) leaves_sources: bool,
    /// Whether the request, or the policy, writes tags or what they are made from.
    pub(crate) is_news: bool,
    /// The provider whose own interface the tags were held against.
    pub(crate) cloud: Option<&'static str>,
    pub(crate) tags: TagReport,
}

/// What tags are made from.
struct Sources<'e> {
    assigned: Assigned,
    provider: Option<&'e str>,
}

/// What labels make.
struct Made {
    rules: TagRules,
    transformed: Transformed,
    /// The labels that are not meant to be tags, and why.
    not_propagating: BTreeMap<String, &'static str>,
}

impl<'e> Composite<'_, 'e> {
    /// Holds `spec.cloudTags` against the tags that the labels make.
    ///
    /// # Errors
    /// When nothing is to be stamped, the registry could not be read, or the composite has another shape.
    pub(crate) fn decide(&self) -> Result<Tagged, Stop> {
        let object = &self.subject.object;
        let not_applicable = |reason| Err(Stop::not_applicable(reason, ""));
        if object.deleting {
            return not_applicable(NotApplicableReason::Deleting);
        }
        if crossplane::is_claim(self.subject, self.composites)? {
            return not_applicable(NotApplicableReason::Claim);
        }
        let is_nested = crossplane::is_nested(self.subject, &self.settings.cloud_tags);
        let assigned = Assigned::read(object).map_err(|malformed| self.unusable(malformed, is_nested))?;
        if assigned.is_adopted() {
            return not_applicable(NotApplicableReason::Adopted);
        }
        let provider = provider(self.composites, &self.subject.review.kind.kind, object)?;
        let now = Sources { assigned, provider };
        let before = if is_nested { self.stored_sources() } else { None };
        let definitions = self.definitions(&now.assigned, before.as_ref().map(|before| &before.assigned))?;
        let opts_in = |key: &str| definitions.get(key).is_some_and(|definition| definition.cloud_tag_propagation);
        if let Some(malformed) = now.assigned.unusable(opts_in) {
            return Err(self.unusable(malformed, is_nested));
        }
        let before = before.map(|before| self.made(&before, &definitions).transformed.tags);
        let keeps = is_nested.then(|| before.unwrap_or_default());
        Ok(self.tagged(provider, self.made(&now, &definitions), keeps.as_ref())?)
    }

    /// What the labels make.
    fn made(&self, sources: &Sources<'_>, definitions: &BTreeMap<String, Definition>) -> Made {
        let (labels, not_propagating) = propagating(&sources.assigned, definitions);
        let rules = TagRules::of(&self.settings.cloud_tags, sources.provider.unwrap_or_default());
        Made { rules, transformed: cloud_tags(rules, &labels), not_propagating }
    }

    /// What differs from it. A composite that another one composes keeps what its parent's Composition forwards: of the
    /// policy's own entries only those go that its labels made before, `nested`, and make no more.
    fn tagged(
        &self,
        provider: Option<&'e str>,
        made: Made,
        nested: Option<&BTreeMap<String, String>>,
    ) -> Result<Tagged, Malformed> {
        let (settings, subject) = (&self.settings.cloud_tags, self.subject);
        let Made { rules, transformed, not_propagating } = made;
        let field = Field::read(subject, settings)?;
        let is_left_over = |key: &str, value: Json<'_>| {
            nested.is_none_or(|before| {
                let made = before.get(key);
                made.is_some_and(|made| value.as_str() == Some(made)) && field.stored(key) == Some(value)
            })
        };
        let Held { mut changes, undone, kept } = field.held_to(&transformed, is_left_over);
        if transformed.tags.is_empty() && nested.is_none() && self.settings.mode == Mode::Mutate && field.is_empty_map()
        {
            changes.push(without_empty_map());
        }
        let required = &settings.required;
        let missing = missing(required, rules, &transformed, |key| kept.contains_key(key), &not_propagating);
        let cloud = rules.cloud(provider.unwrap_or_default());
        let is_news = !(changes.is_empty() && leaves_tags_as_stored(subject, self.composites).unwrap_or(false));
        let propagates = !(transformed.tags.is_empty() && transformed.skipped.is_empty());
        let is_unknown = is_news && propagates && !TagRules::are_known(settings, provider.unwrap_or_default());
        let unknown_provider = is_unknown.then(|| {
            let kind = &subject.review.kind.kind;
            UnknownProvider::new(settings, self.composites, kind, provider, rules.name())
        });
        let tags = TagReport {
            provider: provider.map(str::to_owned),
            profile: rules.name(),
            cloud: verdicts(cloud, &field.as_written(&transformed.tags, &kept)),
            headroom: rules.most() - transformed.tags.len(),
            tags: transformed.tags,
            forwarded: kept.iter().map(|(key, value)| ((*key).to_owned(), Value::json(value.text()))).collect(),
            missing: missing.iter().map(|missing| (missing.key.clone(), missing.reason)).collect(),
            skipped: transformed.skipped,
            not_propagating,
        };
        Ok(Tagged {
            changes,
            undone,
            unknown_provider,
            missing,
            leaves_sources: leaves_sources_as_stored(subject, self.composites).unwrap_or(false),
            is_news,
            cloud: cloud.map(|cloud| cloud.provider),
            tags,
        })
    }

    /// What follows from assignments that cannot be used: whoever writes them is refused. Crossplane is not, which
    /// carries on what it finds in a claim or in a parent's Composition, nor is a write that leaves them as they are stored.
    fn unusable(&self, malformed: Malformed, is_nested: bool) -> Stop {
        let Subject { review, object, .. } = self.subject;
        let old = self.subject.old().ok().flatten();
        let is_stored = review.operation == Operation::Update
            && old.is_some_and(|old| old.annotations.get(ASSIGNMENTS) == object.annotations.get(ASSIGNMENTS));
        if is_stored || is_nested || crossplane::is_of_claim(self.subject).unwrap_or(false) {
            Stop::not_applicable(NotApplicableReason::UnusableAssignments, malformed.to_string())
        } else {
            Stop::Malformed(malformed)
        }
    }

    /// What the tags of the stored object were made from, as far as it can be read.
    fn stored_sources(&self) -> Option<Sources<'e>> {
        let old = self.subject.old().ok().flatten()?;
        let provider = provider(self.composites, &self.subject.review.kind.kind, old).ok()?;
        Some(Sources { assigned: Assigned::read(old).ok()?, provider })
    }

    /// The definitions of all that is assigned, and was before.
    fn definitions(&self, now: &Assigned, before: Option<&Assigned>) -> Result<BTreeMap<String, Definition>, Stop> {
        // Where there is no label, no definition makes a tag of it.
        if now.is_empty() && before.is_none_or(Assigned::is_empty) {
            return Ok(BTreeMap::new());
        }
        let is_assigned = |key: &str| now.contains(key) || before.is_some_and(|before| before.contains(key));
        let Some(reference) = &self.settings.cloud_tags.registry else {
            let known = self.settings.cloud_tags.definitions.iter();
            let wanted = known.filter(|(key, _)| is_assigned(key));
            return Ok(wanted.map(|(key, definition)| (key.clone(), *definition)).collect());
        };
        let query = ObjectQuery {
            group: LABELS,
            version: None,
            object: ObjectName { kind: REGISTRY, namespace: "", name: &reference.name },
            uid: "",
            masks: REGISTRY_MASKS,
        };
        let registry = self.lookups.parent(&query)?;
        definitions(&registry.object, is_assigned)
            .map_err(|problems| Stop::unreadable(registry.name.to_string(), &listed(&problems)))
    }
}

/// Whether an UPDATE leaves the tags of a composite, and all that they are made from, as they are stored.
///
/// # Errors
/// When the composite or the stored one has another shape than Kubernetes gives it.
pub(crate) fn leaves_tags_as_stored(subject: &Subject<'_>, composites: &Composites) -> Result<bool, Malformed> {
    let Some(old) = subject.old()? else { return Ok(false) };
    Ok(leaves_sources_as_stored(subject, composites)? && subject.object.spec.get(FIELD)? == old.spec.get(FIELD)?)
}

/// Whether an UPDATE leaves what the tags of a composite are made from as it is stored.
fn leaves_sources_as_stored(subject: &Subject<'_>, composites: &Composites) -> Result<bool, Malformed> {
    let (Some(old), object) = (subject.old()?, &subject.object) else { return Ok(false) };
    let kind = &*subject.review.kind.kind;
    Ok(object.labels == old.labels
        && object.annotations == old.annotations
        && provider(composites, kind, object)? == provider(composites, kind, old)?)
}

/// The labels that their definitions let become tags, and why the others do not.
fn propagating(
    assigned: &Assigned,
    definitions: &BTreeMap<String, Definition>,
) -> (Labels, BTreeMap<String, &'static str>) {
    let (mut labels, mut others) = (Labels::new(), BTreeMap::new());
    for (key, value) in &assigned.labels {
        let reason = match definitions.get(key) {
            Some(definition) if definition.cloud_tag_propagation => {
                labels.insert(key.clone(), value.clone());
                continue;
            }
            _ if SEEDED.contains(&key.as_str()) => "seeded",
            Some(_) => "not-opted-in",
            None => "not-defined",
        };
        others.insert(key.clone(), reason);
    }
    others.extend(assigned.not_strings.keys().map(|key| (key.clone(), "not-a-string")));
    (labels, others)
}
