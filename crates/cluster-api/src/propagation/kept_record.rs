//! The record of what this policy added, after a comparison: what is removed, what stays, and what is new.

use std::collections::BTreeSet;
use std::ops::Deref;

use super::fields::{self, FieldDifferences};
use super::layers::Sources;
use super::managed::{Record, claimed, recorded};
use super::metadata::{Compared, held};
use super::owned_path::OwnedChange;
use super::ownership::Ownership;
use crate::catalog::keys::TRACKING;
use crate::catalog::{Version, responsible};
use crate::json::{Document, Map, Path};
use crate::skipped::Skipped;
use crate::subject::Subject;
use kubernetes::{Action, MapKind, Stop, Value, own_change};

/// What the record of an object is brought up to date with.
pub(super) struct RecordKeeping<'c, 'e> {
    pub(super) subject: &'c Subject<'e>,
    pub(super) sources: &'c Sources<'e>,
    pub(super) compared: &'c [Compared<'e>],
    pub(super) of_fields: &'c FieldDifferences,
    pub(super) skipped: &'c [Skipped],
    pub(super) version: Version,
}

impl<'c, 'e> RecordKeeping<'c, 'e> {
    /// Removes what the record contains and the sources dropped, and updates the record. Labels by which owners find their
    /// objects stay: those that Cluster API forces, and those of the owner's selector.
    pub(super) fn keep(
        &self,
        ownership: &impl Deref<Target = Ownership<'c, 'e>>,
        changes: &mut Vec<OwnedChange>,
    ) -> Result<(), Stop> {
        if !self.has_record()? {
            return Ok(());
        }
        let (subject, tracked) = (self.subject, self.sources.tracked);
        let mut record = Record::stored(subject)?;
        let mut written = Record::of(&subject.object);
        let returns_owners = ownership.can_be_returned();
        // What is written loses owners that the request names.
        let owners = subject.old()?.and_then(|_| ownership.returned(changes)).map(Document::new);
        let applier = subject.place.and_then(|place| responsible(self.sources.owner_kind, place, self.version));
        let is_applied = applier.is_some_and(|manager| ownership.applies(manager));
        for of in self.compared.iter().filter(|of| Some(of.target) == subject.place) {
            let map = self.recorded_map(of, returns_owners, owners.as_ref())?;
            let keys = record.keys(of.map);
            keys.retain(|key| !map.claimed.contains(&**key));
            changes.extend(keys.iter().filter(|key| !map.stays(key)).filter_map(|key| map.removal(key)));
            keys.retain(|key| tracked && (of.expected.contains_key(key.as_str()) || map.is_held(key)));
            if tracked {
                let written = written.keys(of.map);
                let ours = of.expected.keys().filter(|key| map.is_ours(key, written, is_applied));
                keys.extend(ours.map(str::to_owned));
            }
        }
        fields::keep_record(subject, self.of_fields, returns_owners, record.fields(), written.fields(), changes)?;
        changes.extend(recorded(&subject.object, &record).map(OwnedChange::from));
        Ok(())
    }

    /// Whether there is something to record, or a record. That may only be in the stored object, if this request drops it.
    fn has_record(&self) -> Result<bool, Stop> {
        let has = |annotations: &Map<'_>| annotations.contains_key(TRACKING);
        Ok(self.sources.tracked
            || !self.of_fields.of_pool.is_empty()
            || has(&self.subject.object.annotations)
            || self.subject.old()?.is_some_and(|old| has(&old.annotations)))
    }

    /// `owners` is what `managedFields` will be, if they are written.
    fn recorded_map<'m>(
        &'m self,
        of: &'m Compared<'e>,
        returns_owners: bool,
        owners: Option<&'m Document<'_>>,
    ) -> Result<RecordedMap<'m, 'e>, Stop> {
        let illegal = held(self.skipped, of.map);
        let (claimed, stored) = (BTreeSet::new(), self.subject.old_map(of.target, of.map)?);
        let is_new = self.subject.old()?.is_none();
        let mut map = RecordedMap { keeping: self, of, stored, is_new, returns_owners, claimed, illegal };
        map.claimed = map.claimed(owners)?;
        Ok(map)
    }
}

/// One map whose keys are recorded.
struct RecordedMap<'m, 'e> {
    keeping: &'m RecordKeeping<'m, 'e>,
    of: &'m Compared<'e>,
    /// The map as it is stored; empty if the object `is_new`.
    stored: Map<'e>,
    is_new: bool,
    returns_owners: bool,
    /// The keys that a manager declares.
    claimed: BTreeSet<&'m str>,
    /// The keys whose source still has them, with a value that cannot be written.
    illegal: BTreeSet<&'m str>,
}

impl<'m> RecordedMap<'m, '_> {
    /// A manager that changed a value which is restored no longer owns it, unless its owners cannot be restored.
    fn claimed(&self, owners: Option<&'m Document<'_>>) -> Result<BTreeSet<&'m str>, Stop> {
        let (subject, map) = (self.keeping.subject, self.of.map);
        let mut keys = claimed(subject.object.managed_fields, map);
        if let Some(old) = subject.old()?.filter(|_| self.returns_owners) {
            let before = claimed(old.managed_fields, map);
            keys.retain(|key| !self.is_restored(key) || before.contains(key));
            keys.extend(before.into_iter().filter(|key| self.is_restored(key)));
        }
        if let Some(owners) = owners {
            let after = claimed(owners.root(), map);
            keys.retain(|key| (self.returns_owners && self.is_restored(key)) || after.contains(key));
        }
        Ok(keys)
    }

    fn was_right(&self, key: &str) -> bool {
        let expected = self.of.expected.get(key).map(|entry| &*entry.value);
        self.stored.contains_key(key) && self.stored.get(key) == expected
    }

    fn is_restored(&self, key: &str) -> bool {
        self.was_right(key) && self.of.actual.get(key) != self.stored.get(key)
    }

    /// Whether its source still has it, with a value that cannot be written.
    fn is_held(&self, key: &str) -> bool {
        self.illegal.contains(key) && self.of.actual.contains_key(key)
    }

    fn stays(&self, key: &str) -> bool {
        let finds = || self.of.map == MapKind::Labels && self.keeping.sources.finds_by(key);
        self.of.expected.contains_key(key) || self.is_held(key) || finds()
    }

    /// The removal of a recorded entry. A value changed by this request belongs to the user.
    fn removal(&self, key: &str) -> Option<OwnedChange> {
        let is_stored = self.is_new || self.stored.get(key) == self.of.actual.get(key);
        let value = self.of.actual.get(key).filter(|_| is_stored)?;
        let path = Path::fields(&["metadata", self.of.map.field()]);
        let removed = own_change(path, self.of.map.into(), key, Action::Removed, Some(Value::string(value)), None);
        Some(removed.into())
    }

    /// Whether the policy adds an expected key. New means not in the stored object: what this request lacks, and what an
    /// earlier evaluation of the same request added and recorded in `written`. A key that was stored before or is claimed
    /// belongs to another owner, unless it is restored and still belongs to the user who edited it. A manager that will remove
    /// the key itself owns what is added: then `is_applied` is true.
    fn is_ours(&self, key: &str, written: &BTreeSet<String>, is_applied: bool) -> bool {
        let (is_written, has) = (written.contains(key), self.of.actual.contains_key(key));
        let is_added = !self.stored.contains_key(key) && (!has || is_written);
        let is_taken = || !self.returns_owners && (self.is_restored(key) || (self.was_right(key) && is_written));
        !self.claimed.contains(key) && (has || !is_applied) && (is_added || is_taken())
    }
}
