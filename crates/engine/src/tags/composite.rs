//! A composite held against its labels.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::assignments::{assignments, is_adopted};
use super::profile::Profile;
use super::registry::{Definitions, REGISTRY, SEEDED, definitions};
use super::report::{NotPropagating, TagReport, WhyNot};
use super::transform::{CLOUD_TAG_PREFIX, Labels, cloud_tags};
use crate::grants::{LABELS, REGISTRY_MASKS};
use crate::json::{self, Json, Malformed};
use crate::lookup::{Lookups, Parent, Wanted};
use crate::object::Object;
use crate::report::{Action, Change};
use crate::settings::{CloudTags, Composites, Provider, Registry};
use crate::splice::Write;
use crate::stop::{InertReason, Stop};
use crate::subject::Subject;

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

/// The entries of `spec.cloudTags`: JSON values by key.
type Entries<'a> = BTreeMap<Cow<'a, str>, &'a str>;

impl Composite<'_> {
    /// Holds `spec.cloudTags` against the tags that the labels make.
    ///
    /// # Errors
    /// When nothing is to be stamped, the registry could not be read, or the composite has another shape.
    pub(super) fn compare(&self) -> Result<Found, Stop> {
        let object = &self.subject.object;
        let inert = |reason| Err(Stop::inert(reason, ""));
        if object.deleting {
            return inert(InertReason::Deleting);
        }
        if self.is_claim()? {
            return inert(InertReason::Claim);
        }
        let assigned = assignments(object)?;
        if is_adopted(&assigned) {
            return inert(InertReason::Adopted);
        }
        let provider = self.provider()?;
        // Where there is no label, no definition makes a tag of it.
        let definitions = if assigned.is_empty() { Cow::Owned(Definitions::new()) } else { self.definitions()? };
        let (labels, not_propagating) = propagating(assigned, &definitions);
        let profile = Profile::of(provider.as_deref().unwrap_or_default());
        let made = cloud_tags(profile, &labels);
        let (changes, writes) = self.changes(&made.tags, &definitions)?;
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

    fn definitions(&self) -> Result<Cow<'_, Definitions>, Stop> {
        let name = match &self.settings.registry {
            Registry::Inline(definitions) => return Ok(Cow::Borrowed(definitions)),
            Registry::Object(name) => name,
        };
        let wanted = Wanted {
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
        let unreadable = |detail| Stop::Unreadable { object: self.registry(), detail };
        definitions(&registry.object).map(Cow::Owned).map_err(unreadable)
    }

    /// What lets labels become tags.
    fn registry(&self) -> String {
        match &self.settings.registry {
            Registry::Inline(_) => "the settings".to_owned(),
            Registry::Object(name) => format!("{REGISTRY} {name}"),
        }
    }

    /// What differs from `tags`, and how it is written: entries under our prefix only, and no map that would be empty.
    fn changes(
        &self,
        tags: &BTreeMap<String, String>,
        definitions: &Definitions,
    ) -> Result<(Vec<Change>, Vec<Write>), Malformed> {
        let present = entries(&self.subject.object)?;
        let is_present = present.is_some();
        let actual = present.unwrap_or_default();
        // What is stored tells an edit from news; where it cannot be read, everything is news.
        let old = self.subject.old().ok().flatten().and_then(|old| entries(old).ok().flatten()).unwrap_or_default();
        let mut changes = Vec::new();
        for (key, value) in tags.iter().filter(|(key, value)| !holds(&actual, key, value)) {
            let action = match actual.get(&**key) {
                _ if holds(&old, key, value) => Action::Restored,
                Some(_) => Action::Changed,
                None => Action::Added,
            };
            let qualified_key = key.strip_prefix(CLOUD_TAG_PREFIX).unwrap_or(key);
            let scope = definitions.get(qualified_key).map_or("", |definition| definition.scope.as_str());
            let rule = format!("`{qualified_key}` of scope {scope} is opted in");
            changes.push(self.change(key, action, actual.get(&**key), Some(value), rule));
        }
        for (key, json) in &actual {
            if key.starts_with(CLOUD_TAG_PREFIX) && !tags.contains_key(&**key) {
                changes.push(self.change(key, Action::Removed, Some(json), None, "no label is this tag".to_owned()));
            }
        }
        let is_kept = !tags.is_empty() || actual.keys().any(|key| !key.starts_with(CLOUD_TAG_PREFIX));
        if is_kept || !is_present {
            let writes = changes.iter().map(Change::write).collect();
            return Ok((changes, writes));
        }
        let field = self.change(FIELD, Action::Removed, None, None, "an empty map is left out".to_owned());
        let field = Change { at: "spec".to_owned(), entry: "field", path: vec!["spec"], ..field };
        let writes = vec![field.write()];
        if changes.is_empty() {
            changes.push(field);
        }
        Ok((changes, writes))
    }

    fn change(&self, key: &str, action: Action, from: Option<&&str>, to: Option<&String>, rule: String) -> Change {
        Change {
            at: format!("spec.{FIELD}"),
            key: key.to_owned(),
            action,
            from: from.map(|json| json::string(json).map_or_else(|| (*json).to_owned(), Cow::into_owned)),
            to: to.cloned(),
            rule,
            source: self.registry(),
            path: vec!["spec", FIELD],
            entry: "cloud tag",
            place: None,
        }
    }
}

/// The labels that are meant to be tags, and those that are not.
fn propagating<'a>(assigned: Labels<'a>, definitions: &Definitions) -> (Labels<'a>, Vec<NotPropagating>) {
    let mut others = Vec::new();
    let mut labels = Labels::new();
    for (key, value) in assigned {
        let definition = definitions.get(&*key);
        if definition.is_some_and(|definition| definition.cloud_tag_propagation) {
            labels.insert(key, value);
            continue;
        }
        let reason = match definition {
            _ if SEEDED.contains(&&*key) => WhyNot::Seeded,
            Some(_) => WhyNot::NotOptedIn,
            None => WhyNot::NotDefined,
        };
        others.push(NotPropagating { key: key.into_owned(), reason });
    }
    (labels, others)
}

/// What stands in the field; `None` where it is absent or null.
fn entries<'a>(object: &Object<'a>) -> Result<Option<Entries<'a>>, Malformed> {
    let Some(found) = object.spec.at(&[FIELD], None)? else { return Ok(None) };
    Ok(Some(found.fields()?.into_iter().map(|field| (field.key, field.value)).collect()))
}

fn holds(entries: &Entries<'_>, key: &str, value: &str) -> bool {
    entries.get(key).and_then(|json| json::string(json)).is_some_and(|found| found == value)
}
