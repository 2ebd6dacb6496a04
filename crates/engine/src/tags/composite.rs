//! A composite held against its labels.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use super::labels::{assignments, is_adopted};
use super::registry::{REGISTRY, definitions};
use super::transform::{CLOUD_TAG_PREFIX, Labels, cloud_tags};
use crate::admission::subject::Subject;
use crate::catalog::grants::{LABELS, REGISTRY_MASKS};
use crate::catalog::profiles::Profile;
use crate::json::Malformed;
use crate::json::document::Json;
use crate::json::path::Path;
use crate::kube::lookup::Lookups;
use crate::kube::object::Object;
use crate::kube::query::{ObjectName, ObjectQuery};
use crate::kube::stop::Stop;
use crate::report::change::{Action, Change, Value};
use crate::report::messages::cloud_tags as messages;
use crate::report::not_applicable::NotApplicableReason;
use crate::report::tags::TagReport;
use crate::settings::{CloudTags, Composites, Definition, Provider, SEEDED, listed};

/// The field that carries the tags, below `spec`.
const FIELD: &str = "cloudTags";

/// A composite, and what the settings say about it.
pub(crate) struct Composite<'a, 'e> {
    pub(crate) subject: &'a Subject<'e>,
    pub(crate) composites: &'e Composites,
    pub(crate) settings: &'e CloudTags,
    pub(crate) lookups: &'a Lookups<'e>,
}

/// What differs from the labels of a composite, and what they make.
pub(crate) struct Tagged {
    pub(crate) changes: Vec<Change>,
    pub(crate) tags: TagReport,
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
        if self.is_claim()? {
            return not_applicable(NotApplicableReason::Claim);
        }
        let assigned = assignments(object)?;
        if is_adopted(&assigned) {
            return not_applicable(NotApplicableReason::Adopted);
        }
        let provider = provider(self.composites, &self.subject.review.kind.kind, object)?;
        let (labels, not_propagating) = self.propagating(&assigned)?;
        let profile = Profile::of(provider.unwrap_or_default());
        let transformed = cloud_tags(profile, &labels);
        let changes = self.changes(&transformed.tags)?;
        let tags = TagReport {
            provider: provider.map(str::to_owned),
            profile: profile.name,
            tags: transformed.tags,
            skipped: transformed.skipped,
            not_propagating,
        };
        Ok(Tagged { changes, tags })
    }

    /// A composite refers to its resources, a claim to its composite.
    fn is_claim(&self) -> Result<bool, Malformed> {
        let kind = &*self.subject.review.kind.kind;
        let is_listed = self.composites.claim_kinds.iter().any(|known| known == kind);
        Ok(is_listed || !self.subject.object.spec.get("resourceRef")?.is_null())
    }

    /// The labels that are meant to be tags, and why the others are not.
    fn propagating(&self, assigned: &Labels) -> Result<(Labels, BTreeMap<String, String>), Stop> {
        // Where there is no label, no definition makes a tag of it.
        if assigned.is_empty() {
            return Ok(Default::default());
        }
        let Some(reference) = &self.settings.registry else {
            return Ok(propagating(assigned, &self.settings.definitions));
        };
        let query = ObjectQuery {
            group: LABELS,
            version: None,
            object: ObjectName { kind: REGISTRY, namespace: "", name: &reference.name },
            uid: "",
            masks: REGISTRY_MASKS,
        };
        let registry = self.lookups.parent(&query)?;
        let definitions = definitions(&registry.object, |key| assigned.contains_key(key))
            .map_err(|problems| Stop::unreadable(registry.name.to_string(), &listed(&problems)))?;
        Ok(propagating(assigned, &definitions))
    }

    /// What differs from `tags`: entries under our prefix only, and no map that would be empty.
    fn changes(&self, tags: &BTreeMap<String, String>) -> Result<Vec<Change>, Malformed> {
        let field = self.subject.object.spec.get(FIELD)?;
        let present: BTreeMap<&str, Json<'_>> = field.fields()?.collect();
        // What is stored tells an edit from news; where it cannot be read, everything is news.
        let stored: LazyCell<BTreeMap<&str, Json<'_>>, _> = LazyCell::new(|| {
            let stored = self.subject.old().ok().flatten().and_then(|old| old.spec.get(FIELD).ok());
            stored.and_then(Json::as_fields).into_iter().flatten().collect()
        });
        let mut changes = Vec::new();
        for (key, value) in tags {
            let holds = |field: &Json<'_>| field.as_str() == Some(value);
            let from = present.get(&**key);
            if from.is_some_and(holds) {
                continue;
            }
            let action = match from {
                _ if stored.get(&**key).is_some_and(holds) => Action::Restored,
                Some(_) => Action::Changed,
                None => Action::Added,
            };
            let qualified_key = key.strip_prefix(CLOUD_TAG_PREFIX).unwrap_or(key);
            let rule = messages::propagates(qualified_key);
            changes.push(change(key, action, from.copied(), Some(value), rule));
        }
        for (key, value) in present.iter().filter(|(key, _)| key.starts_with(CLOUD_TAG_PREFIX)) {
            if !tags.contains_key(*key) {
                changes.push(change(key, Action::Removed, Some(*value), None, messages::NO_LABEL.to_owned()));
            }
        }
        if tags.is_empty() && present.is_empty() && !field.is_null() {
            let empty = change(FIELD, Action::Removed, None, None, messages::EMPTY_MAP.to_owned());
            changes.push(Change { at: "spec".to_owned(), entry: "field", path: Path::fields(&["spec"]), ..empty });
        }
        Ok(changes)
    }
}

/// The provider that an object names; `None` where it names none.
fn provider<'a>(composites: &'a Composites, kind: &str, object: &Object<'a>) -> Result<Option<&'a str>, Malformed> {
    Ok(match &composites.provider {
        Provider::Path(path) => path.steps().try_fold(object.root, |here, step| here.get(step))?.string(&[])?,
        Provider::Fixed(provider) => Some(provider),
        Provider::ByKind(providers) => providers.get(kind).map(String::as_str),
    })
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

/// One entry of the field that is not as it should be.
fn change(key: &str, action: Action, from: Option<Json<'_>>, to: Option<&String>, rule: String) -> Change {
    let path = Path::fields(&["spec", FIELD]);
    Change {
        at: path.to_string(),
        key: key.to_owned(),
        action,
        from: from.map(|field| Value::json(field.text())),
        to: to.map(|tag| Value::string(tag)),
        rule,
        source: String::new(),
        path,
        entry: "cloud tag",
        place: None,
    }
}

/// The labels that their definitions let become tags, and why the others do not.
fn propagating(assigned: &Labels, definitions: &BTreeMap<String, Definition>) -> (Labels, BTreeMap<String, String>) {
    let (mut labels, mut others) = (Labels::new(), BTreeMap::new());
    for (key, value) in assigned {
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
    (labels, others)
}
