//! A field of cloud tags, such as `spec.cloudTags` of a composite, compared with the tags that it must carry.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::transform::Transformed;
use crate::json::{Json, Malformed, Path};
use kubernetes::{Action, Change, ChangeRule, EntryNoun, ReviewedObject, SourceObject, Value};
use tag_rules::CloudTags;

pub(super) type TagEntries<'e> = BTreeMap<&'e str, Json<'e>>;

/// The field as this request writes it.
pub(super) struct TagsField<'a, 'e> {
    subject: &'a ReviewedObject<'e>,
    /// Its name, below `spec`.
    name: &'static str,
    json: Json<'e>,
    path: Arc<Path>,
    /// The path, as it is printed.
    at: Arc<str>,
    /// Empty: a tag does not propagate from another object.
    source: Option<SourceObject>,
    /// The prefixes of the policy's own keys, in lower case.
    prefixes: Vec<String>,
    /// Whether key and value are one text for the cloud, with a colon between them: the prefix may end in the value.
    is_joined: bool,
    present: TagEntries<'e>,
    stored: OnceCell<TagEntries<'e>>,
}

/// What is done with the field.
#[derive(Default)]
pub(super) struct Held<'e> {
    pub(super) changes: Vec<Change>,
    /// The keys of those changes that undo what this request writes.
    pub(super) undone: BTreeSet<String>,
    /// The policy's own entries that no label sets and that are kept or restored.
    pub(super) kept: TagEntries<'e>,
}

impl<'a, 'e> TagsField<'a, 'e> {
    pub(super) fn read(
        subject: &'a ReviewedObject<'e>,
        name: &'static str,
        settings: &CloudTags,
        is_joined: bool,
    ) -> Result<Self, Malformed> {
        let json = subject.object.spec.get(name)?;
        let prefixes = settings.prefixes().iter().map(|prefix| prefix.to_lowercase()).collect();
        let path = Path::fields(&["spec", name]);
        let at = path.to_string().into();
        Ok(TagsField {
            subject,
            name,
            json,
            path: path.into(),
            at,
            source: None,
            prefixes,
            is_joined,
            present: json.fields()?.collect(),
            stored: OnceCell::new(),
        })
    }

    /// The policy's own entries.
    fn own(&self) -> impl Iterator<Item = (&'e str, Json<'e>)> {
        self.present.iter().filter(|(key, value)| self.is_own(key, **value)).map(|(key, value)| (*key, *value))
    }

    /// The keys of the entries that are not the policy's own, or for which `is_forwarded` is true.
    pub(super) fn others(&self, is_forwarded: impl Fn(&str, Json<'e>) -> bool) -> BTreeSet<&'e str> {
        let is_other = |(key, value): &(&&'e str, &Json<'e>)| !self.is_own(key, **value) || is_forwarded(key, **value);
        self.present.iter().filter(is_other).map(|(key, _)| *key).collect()
    }

    /// Some clouds ignore the case of keys, so a prefix in another case is the policy's too.
    fn is_own(&self, key: &str, value: Json<'_>) -> bool {
        let joined = value.as_str().filter(|_| self.is_joined).map(|value| [":", value]);
        let starts_with = |prefix: &String| {
            let parts = [key].into_iter().chain(joined.into_iter().flatten());
            let mut letters = parts.flat_map(str::chars).flat_map(char::to_lowercase);
            prefix.chars().all(|expected| letters.next() == Some(expected))
        };
        self.prefixes.iter().any(starts_with)
    }

    /// All entries as they would be stored: the tags for labels, other entries that are kept, and those of others. A
    /// value that is not a string is `None`.
    pub(super) fn as_written<'t>(
        &self,
        tags: &'t BTreeMap<String, String>,
        kept: &TagEntries<'e>,
    ) -> BTreeMap<&'t str, Option<&'t str>>
    where
        'e: 't,
    {
        let others = self.present.iter().filter(|(key, value)| !self.is_own(key, **value)).chain(kept);
        let others = others.map(|(key, value)| (*key, value.as_str()));
        others.chain(tags.iter().map(|(key, value)| (key.as_str(), Some(value.as_str())))).collect()
    }

    /// The entry as it is stored. If the stored object cannot be read, every entry is new.
    pub(super) fn stored(&self, key: &str) -> Option<Json<'e>> {
        self.all_stored().get(key).copied()
    }

    /// Whether this request writes an entry.
    pub(super) fn has(&self, key: &str) -> bool {
        self.present.contains_key(key)
    }

    /// The policy's own stored entries that this request removes or changes.
    pub(super) fn own_edited(&self) -> TagEntries<'e> {
        let stored = self.all_stored().iter().map(|(key, value)| (*key, *value));
        stored.filter(|(key, value)| self.is_own(key, *value) && self.present.get(key) != Some(value)).collect()
    }

    fn all_stored(&self) -> &TagEntries<'e> {
        let read = || {
            let stored = self.subject.old().ok().flatten().and_then(|old| old.spec.get(self.name).ok());
            stored.and_then(Json::as_fields).into_iter().flatten().collect()
        };
        self.stored.get_or_init(read)
    }

    /// Whether the field exists and has no entries.
    pub(super) fn is_empty_map(&self) -> bool {
        self.present.is_empty() && !self.json.is_null()
    }

    /// The differences from the tags for the labels; of the policy's other entries, those for which `goes` is true are
    /// removed, except `restores`, which are written as they are stored.
    pub(super) fn held_to(
        &self,
        made: &Transformed,
        restores: &TagEntries<'e>,
        goes: impl Fn(&str, Json<'e>) -> bool,
    ) -> Held<'e> {
        let mut held = Held { changes: Vec::with_capacity(made.tags.len()), ..Held::default() };
        for ((key, value), label) in made.tags.iter().zip(made.labels.values()) {
            let holds = |field: Json<'_>| field.as_str() == Some(value);
            let from = self.present.get(&**key).copied();
            if from.is_some_and(holds) {
                continue;
            }
            let action = match from {
                _ if self.stored(key).is_some_and(holds) => Action::Restored,
                Some(_) => Action::Changed,
                None => Action::Added,
            };
            if action == Action::Restored && from.is_some() {
                held.undone.insert(key.clone());
            }
            let rule = ChangeRule::Label(label.clone());
            held.changes.push(self.change(key, action, from, Some(Value::string(value)), rule));
        }
        for (key, value) in restores.iter().filter(|(key, _)| !made.tags.contains_key(**key)) {
            let from = self.present.get(key).copied();
            if from.is_some() {
                held.undone.insert((*key).to_owned());
            }
            let (to, rule) = (Value::json(value.text()), ChangeRule::Forwarded);
            held.changes.push(self.change(key, Action::Restored, from, Some(to), rule));
            held.kept.insert(key, *value);
        }
        let is_other = |key: &str| !made.tags.contains_key(key) && !restores.contains_key(key);
        for (key, value) in self.own().filter(|(key, _)| is_other(key)) {
            if !goes(key, value) {
                held.kept.insert(key, value);
                continue;
            }
            if self.stored(key) != Some(value) {
                held.undone.insert(key.to_owned());
            }
            held.changes.push(self.change(key, Action::Removed, Some(value), None, ChangeRule::NoLabel));
        }
        held
    }

    /// The removal of the field, if it is a map without entries.
    pub(super) fn without_empty_map(&self) -> Change {
        let empty = self.change(self.name, Action::Removed, None, None, ChangeRule::EmptyMap);
        Change { at: "spec".into(), entry: EntryNoun::Field, path: Path::fields(&["spec"]).into(), ..empty }
    }

    /// One entry that differs.
    fn change(&self, key: &str, action: Action, from: Option<Json<'_>>, to: Option<Value>, rule: ChangeRule) -> Change {
        Change {
            at: Arc::clone(&self.at),
            key: key.to_owned(),
            action,
            from: from.map(|field| Value::json(field.text())),
            to,
            rule,
            source: self.source.clone(),
            path: Arc::clone(&self.path),
            entry: EntryNoun::CloudTag,
            place: None,
        }
    }
}

/// Whether the stored object has an entry of a field below `spec`.
pub(super) fn has_stored(subject: &ReviewedObject<'_>, name: &str, key: &str) -> bool {
    let old = subject.old().ok().flatten();
    old.is_some_and(|old| old.spec.at(&[name, key]).is_ok_and(|entry| !entry.is_null()))
}

/// Whether an UPDATE does not change a field below `spec`.
pub(super) fn leaves_as_stored(subject: &ReviewedObject<'_>, name: &str) -> Result<bool, Malformed> {
    let Some(old) = subject.old()? else { return Ok(false) };
    Ok(subject.object.spec.get(name)? == old.spec.get(name)?)
}
