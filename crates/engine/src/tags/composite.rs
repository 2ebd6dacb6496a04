//! A composite held against its labels.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane;
use super::field::{FIELD, Field, Held, without_empty_map};
use super::labels::{ASSIGNMENTS, Assigned};
use super::provider::{UnknownProvider, provider};
use super::registry::{REGISTRY, definitions};
use super::transform::{Labels, Transformed, cloud_tags};
use crate::admission::request::Operation;
use crate::admission::subject::Subject;
use crate::catalog::grants::{LABELS, REGISTRY_MASKS};
use crate::catalog::profiles::Profile;
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
    /// Told where this request writes tags, or what they are made from.
    pub(crate) unknown_provider: Option<UnknownProvider>,
    pub(crate) tags: TagReport,
}

/// What tags are made from.
struct Sources<'e> {
    assigned: Assigned,
    provider: Option<&'e str>,
}

impl<'e> Composite<'_, 'e> {
    /// Holds `spec.cloudTags` against the tags that the labels make.
    ///
    /// A composite that another one composes also keeps what its parent's Composition forwards: of the policy's own
    /// entries only those go that its labels made before and make no more.
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
        let sources = Sources { assigned, provider };
        let stored = if is_nested { self.stored_sources() } else { None };
        let definitions = self.definitions(&sources.assigned, stored.as_ref().map(|stored| &stored.assigned))?;
        let opts_in = |key: &str| definitions.get(key).is_some_and(|definition| definition.cloud_tag_propagation);
        if let Some(malformed) = sources.assigned.unusable(opts_in) {
            return Err(self.unusable(malformed, is_nested));
        }
        let (labels, not_propagating) = propagating(&sources.assigned, &definitions);
        let profile = Profile::of(provider.unwrap_or_default());
        let Transformed { tags, skipped } = cloud_tags(profile, &labels);
        let made_before = stored.map(|stored| {
            let (labels, _) = propagating(&stored.assigned, &definitions);
            cloud_tags(Profile::of(stored.provider.unwrap_or_default()), &labels).tags
        });
        let field = Field::read(self.subject)?;
        let is_left_over = |key: &str, value: Json<'_>| {
            let made = made_before.as_ref().and_then(|made| made.get(key));
            made.is_some_and(|made| value.as_str() == Some(made)) && field.stored(key) == Some(value)
        };
        let Held { mut changes, undone } = field.held_to(&tags, |key, value| !is_nested || is_left_over(key, value));
        if tags.is_empty() && !is_nested && self.settings.mode == Mode::Mutate && field.is_empty_map() {
            changes.push(without_empty_map());
        }
        let is_forwarded = |(key, value): &(&str, Json<'_>)| !tags.contains_key(*key) && !is_left_over(key, *value);
        let forwarded = field.own().filter(|_| is_nested).filter(is_forwarded);
        let forwarded = forwarded.map(|(key, value)| (key.to_owned(), Value::json(value.text()))).collect();
        let is_told = !labels.is_empty()
            && Profile::named(provider.unwrap_or_default()).is_none()
            && !(changes.is_empty() && leaves_tags_as_stored(self.subject, self.composites).unwrap_or(false));
        let unknown_provider = is_told.then(|| {
            let kind = &self.subject.review.kind.kind;
            UnknownProvider::new(&self.settings.cloud_tags, self.composites, kind, provider, profile.name)
        });
        let provider = provider.map(str::to_owned);
        let tags = TagReport { provider, profile: profile.name, tags, forwarded, skipped, not_propagating };
        Ok(Tagged { changes, undone, unknown_provider, tags })
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
    let (Some(old), object) = (subject.old()?, &subject.object) else { return Ok(false) };
    let kind = &*subject.review.kind.kind;
    Ok(object.labels == old.labels
        && object.annotations == old.annotations
        && object.spec.get(FIELD)? == old.spec.get(FIELD)?
        && provider(composites, kind, object)? == provider(composites, kind, old)?)
}

/// The labels that their definitions let become tags, and why the others do not.
fn propagating(assigned: &Assigned, definitions: &BTreeMap<String, Definition>) -> (Labels, BTreeMap<String, String>) {
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
        others.insert(key.clone(), reason.to_owned());
    }
    others.extend(assigned.not_strings.keys().map(|key| (key.clone(), "not-a-string".to_owned())));
    (labels, others)
}
