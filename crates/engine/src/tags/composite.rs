//! A composite held against its labels.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeMap;

use super::labels::{assignments, is_adopted};
use super::registry::{REGISTRY, SEEDED, definition, definitions};
use super::transform::{CLOUD_TAG_PREFIX, Labels, cloud_tags};
use crate::admission::subject::Subject;
use crate::catalog::grants::{LABELS, REGISTRY_MASKS};
use crate::catalog::profiles::Profile;
use crate::json::path::Path;
use crate::json::splice::Write;
use crate::json::{self, Field, Json, Malformed};
use crate::kube::lookup::{Lookups, ObjectQuery, Parent};
use crate::kube::object::Object;
use crate::kube::stop::Stop;
use crate::report::change::{Action, Change, Value};
use crate::report::messages::cloud_tags as messages;
use crate::report::not_applicable::NotApplicableReason;
use crate::report::tags::TagReport;
use crate::settings::{CloudTags, Composites, Provider, Registry};

/// The field that carries the tags, below `spec`.
const FIELD: &str = "cloudTags";

/// A composite, and what the settings say about it.
pub(super) struct Composite<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) of: &'a Composites,
    pub(super) settings: &'a CloudTags,
    pub(super) lookups: Lookups<'a>,
}

/// What a composite lacks.
pub(super) struct Found {
    pub(super) changes: Vec<Change>,
    pub(super) writes: Vec<Write>,
    pub(super) tags: TagReport,
}

/// The entries of `spec.cloudTags`.
type Entries<'a> = Vec<Field<'a>>;

impl Composite<'_> {
    /// Holds `spec.cloudTags` against the tags that the labels make.
    ///
    /// # Errors
    /// When nothing is to be stamped, the registry could not be read, or the composite has another shape.
    pub(super) fn compare(&self) -> Result<Found, Stop> {
        let object = &self.subject.object;
        let inert = |reason| Err(Stop::not_applicable(reason, ""));
        if object.deleting {
            return inert(NotApplicableReason::Deleting);
        }
        if self.is_claim()? {
            return inert(NotApplicableReason::Claim);
        }
        let assigned = assignments(object)?;
        if is_adopted(&assigned) {
            return inert(NotApplicableReason::Adopted);
        }
        let provider = self.provider()?;
        let (labels, not_propagating) = self.propagating(&assigned)?;
        let profile = Profile::of(provider.as_deref().unwrap_or_default());
        let made = cloud_tags(profile, &labels);
        let (changes, writes) = self.changes(&made.tags)?;
        let provider = provider.map(Cow::into_owned);
        let tags =
            TagReport { provider, profile: profile.name, tags: made.tags, skipped: made.skipped, not_propagating };
        Ok(Found { changes, writes, tags })
    }

    /// A composite refers to its resources, a claim to its composite.
    fn is_claim(&self) -> Result<bool, Malformed> {
        let kind = &*self.subject.review.kind.kind;
        let is_listed = self.of.claim_kinds.iter().any(|known| known == kind);
        Ok(is_listed || self.subject.object.spec.at(&["resourceRef"], None)?.is_some())
    }

    fn provider(&self) -> Result<Option<Cow<'_, str>>, Malformed> {
        match &self.of.provider {
            Provider::Path(steps) => {
                let root = Json::new(self.subject.review.object.unwrap_or("{}"), "");
                let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
                root.string(&steps)
            }
            Provider::Fixed(provider) => Ok(Some(Cow::Borrowed(provider))),
            Provider::ByKind(providers) => {
                Ok(providers.get(&*self.subject.review.kind.kind).map(|provider| Cow::Borrowed(&**provider)))
            }
        }
    }

    /// The labels that are meant to be tags, and why the others are not.
    fn propagating(&self, assigned: &Labels) -> Result<(Labels, BTreeMap<String, String>), Stop> {
        let name = match &self.settings.registry {
            // Where there is no label, no definition makes a tag of it.
            _ if assigned.is_empty() => return Ok(Default::default()),
            Registry::Inline(text) => {
                return self.readable(propagating(assigned, Some(&Json::new(text, "cloudTags.definitions"))));
            }
            Registry::Object(name) => name,
        };
        let wanted = ObjectQuery {
            group: LABELS,
            kind: REGISTRY,
            version: None,
            namespace: "",
            name,
            uid: "",
            masks: REGISTRY_MASKS,
        };
        let text = self.lookups.get(&wanted)?;
        let registry = Parent::read(&text, &wanted)?;
        let listed = self.readable(definitions(&registry.object))?;
        self.readable(propagating(assigned, listed.as_ref()))
    }

    fn readable<T>(&self, read: Result<T, Malformed>) -> Result<T, Stop> {
        read.map_err(|malformed| Stop::Unreadable { object: self.registry(), detail: malformed.to_string() })
    }

    /// What lets labels become tags.
    fn registry(&self) -> String {
        match &self.settings.registry {
            Registry::Inline(_) => messages::INLINE_REGISTRY.to_owned(),
            Registry::Object(name) => format!("{REGISTRY} {name}"),
        }
    }

    /// What differs from `tags`, and how it is written: entries under our prefix only, and no map that would be empty.
    fn changes(&self, tags: &BTreeMap<String, String>) -> Result<(Vec<Change>, Vec<Write>), Malformed> {
        let present = entries(&self.subject.object)?;
        let is_present = present.is_some();
        let actual = present.unwrap_or_default();
        // What is stored tells an edit from news; where it cannot be read, everything is news.
        let old = LazyCell::new(|| {
            let old = self.subject.old().ok().flatten();
            old.and_then(|old| entries(old).ok().flatten()).unwrap_or_default()
        });
        let mut changes = Vec::new();
        for (key, value) in tags {
            let from = actual.iter().rfind(|field| field.key == **key);
            if from.is_some_and(|field| holds(field, value)) {
                continue;
            }
            let was_right = old.iter().any(|field| field.key == **key && holds(field, value));
            let action = match from {
                _ if was_right => Action::Restored,
                Some(_) => Action::Changed,
                None => Action::Added,
            };
            let qualified_key = key.strip_prefix(CLOUD_TAG_PREFIX).unwrap_or(key);
            let rule = messages::propagates(qualified_key);
            changes.push(change(key, action, from, Some(value), rule));
        }
        let is_ours = |field: &Field<'_>| field.key.starts_with(CLOUD_TAG_PREFIX);
        for field in actual.iter().filter(|field| is_ours(field) && !tags.contains_key(&*field.key)) {
            changes.push(change(&field.key, Action::Removed, Some(field), None, messages::NO_LABEL.to_owned()));
        }
        let is_kept = !tags.is_empty() || actual.iter().any(|field| !is_ours(field));
        if is_kept || !is_present {
            let writes = changes.iter().map(Change::write).collect();
            return Ok((changes, writes));
        }
        let field = change(FIELD, Action::Removed, None, None, messages::EMPTY_MAP.to_owned());
        let field = Change { at: "spec".to_owned(), entry: "field", path: Path::fields(&["spec"]), ..field };
        let writes = vec![field.write()];
        if changes.is_empty() {
            changes.push(field);
        }
        Ok((changes, writes))
    }
}

/// One entry of the field that is not as it should be.
fn change(key: &str, action: Action, from: Option<&Field<'_>>, to: Option<&String>, rule: String) -> Change {
    Change {
        at: format!("spec.{FIELD}"),
        key: key.to_owned(),
        action,
        from: from.map(|field| Value::json(field.value)),
        to: to.map(|tag| Value::string(tag)),
        rule,
        source: String::new(),
        path: Path::fields(&["spec", FIELD]),
        entry: "cloud tag",
        place: None,
    }
}

fn propagating(
    assigned: &Labels,
    definitions: Option<&Json<'_>>,
) -> Result<(Labels, BTreeMap<String, String>), Malformed> {
    let (mut labels, mut others) = (Labels::new(), BTreeMap::new());
    if let Some(definitions) = definitions {
        // What is wrong with definitions of other labels is told where they are written.
        for field in definitions.fields()? {
            let Some(value) = assigned.get(&*field.key) else { continue };
            if definition(definitions.path(), &field)?.cloud_tag_propagation {
                labels.insert(field.key.into_owned(), value.clone());
            } else {
                others.insert(field.key.into_owned(), "not-opted-in".to_owned());
            }
        }
    }
    for key in assigned.keys().filter(|key| !labels.contains_key(*key)) {
        if SEEDED.contains(&key.as_str()) {
            others.insert(key.clone(), "seeded".to_owned());
        } else if !others.contains_key(key) {
            others.insert(key.clone(), "not-defined".to_owned());
        }
    }
    Ok((labels, others))
}

/// What stands in the field; `None` where it is absent or null.
fn entries<'a>(object: &Object<'a>) -> Result<Option<Entries<'a>>, Malformed> {
    object.spec.at(&[FIELD], None)?.map(|found| found.fields()).transpose()
}

fn holds(field: &Field<'_>, value: &str) -> bool {
    json::string(field.value).is_some_and(|found| found == value)
}
