//! In-place mutable fields, compared with those of the object's sources.

use std::collections::BTreeSet;

use super::field_value::FieldValue;
use crate::catalog::place;
use crate::catalog::{FIELDS, Field, Hop, Place, may_be_begun, responsible};
use crate::json::{Malformed, Path};
use crate::propagation::layers::{Layer, Sources};
use crate::propagation::owned_path::{OwnedChange, OwnedPath, OwnedValue};
use crate::settings::ClusterApi;
use crate::skipped::{Carried, SkipReason, Skipped};
use crate::subject::Subject;
use kubernetes::{
    Action, Change, ChangeRule, EntryNoun, SourceObject, SourcePath, SourcePlace, Stop, Value, own_change,
};

/// What must change in the fields of an object, and which fields it has from a MachinePool.
#[derive(Default)]
pub(crate) struct FieldDifferences {
    pub(crate) changes: Vec<OwnedChange>,
    /// The fields that a source sets.
    pub(crate) given: Vec<&'static Field>,
    /// Those of them that a MachinePool sets.
    pub(crate) of_pool: Vec<&'static Field>,
    /// Those of them whose value must not be written.
    withheld: Vec<&'static Field>,
}

/// Compares the fields of an object with those of its sources. What does not propagate is added to `skipped`.
///
/// A field that no source has belongs to the object itself.
pub(crate) fn differences(
    subject: &Subject<'_>,
    sources: &Sources<'_>,
    settings: &ClusterApi,
    skipped: &mut Vec<Skipped>,
) -> Result<FieldDifferences, Stop> {
    let mut found = FieldDifferences::default();
    let Some(place) = subject.place.filter(|place| *place != Place::ControlPlane || subject.is_kubeadm()) else {
        return Ok(found);
    };
    for field in FIELDS {
        let hops = field.hops.iter().filter(|hop| hop.to == place && hop.holds(subject.object.deleting, settings));
        for hop in hops {
            let Some((layer, wanted)) = wanted(field, hop, sources, skipped) else { continue };
            found.given.push(field);
            if hop.opt_in {
                found.of_pool.push(field);
            }
            let carried = wanted.but(hop.but);
            if carried.as_ref() != Some(wanted) {
                skipped.push(skip(field, layer, wanted, SkipReason::ControllerOwned));
            }
            let Some(carried) = carried else { continue };
            let compared = ComparedField { field, hop, layer, value: &carried, subject };
            match compared.change(sources, settings)? {
                None => {}
                Some(Ok(change)) => found.changes.push(change),
                Some(Err(reason)) => {
                    skipped.push(skip(field, layer, &carried, reason));
                    found.withheld.push(field);
                }
            }
        }
    }
    Ok(found)
}

impl Hop {
    fn holds(&self, deleting: bool, settings: &ClusterApi) -> bool {
        settings.version.at_least(self.since)
            && (!deleting || self.deleting.is_some_and(|since| settings.version.at_least(since)))
            && (!self.opt_in || settings.opt_in.pool_to_machine)
    }
}

/// The value of the place with the highest precedence.
fn wanted<'s>(
    field: &'static Field,
    hop: &Hop,
    sources: &'s Sources<'_>,
    skipped: &mut Vec<Skipped>,
) -> Option<(&'s Layer<'s>, &'s FieldValue)> {
    let mut found: Option<(&Layer<'_>, &FieldValue)> = None;
    for layer in sources.layers.iter().filter(|layer| hop.from.contains(&layer.place)) {
        let Some(value) = layer.field(field) else { continue };
        if let Some((weaker, lost)) = found.replace((layer, value))
            && lost != value
        {
            skipped.push(skip(field, weaker, lost, SkipReason::Overridden));
        }
    }
    found
}

/// One field of the object, and the value that it must have.
struct ComparedField<'c, 'e> {
    field: &'static Field,
    hop: &'c Hop,
    layer: &'c Layer<'c>,
    value: &'c FieldValue,
    subject: &'c Subject<'e>,
}

impl ComparedField<'_, '_> {
    /// The change if the field differs, or why it must not be written; `None` if it does not differ.
    fn change(
        &self,
        sources: &Sources<'_>,
        settings: &ClusterApi,
    ) -> Result<Option<Result<OwnedChange, SkipReason>>, Stop> {
        let ComparedField { field, hop, value, subject, .. } = self;
        let (place, version) = (hop.to, subject.object.version);
        let path = field.path(place, version).unwrap_or_default();
        let Some((name, container)) = path.split_last() else { return Ok(None) };
        let stands = field.read(place, &subject.object, None)?;
        let wanted = value.fitted(&field.shape, stands.as_ref(), version);
        let zero_is_absent = version == "v1beta1" && field.address(place).is_some_and(|address| address.zero_is_absent);
        if stands.as_ref() == Some(&wanted) || (stands.is_none() && zero_is_absent && wanted.is_zero()) {
            return Ok(None);
        }
        let old = match subject.old()? {
            Some(old) => field.read(place, old, None)?,
            None => None,
        };
        let wanted = wanted.ordered_as(old.as_ref());
        if field.gated && !settings.taints && stands.is_none() && old.is_none() {
            return Ok(Some(Err(SkipReason::TaintsGate)));
        }
        if let Some(reason) = wanted.illegal(field.name, version) {
            return Ok(Some(Err(reason)));
        }
        let owned = OwnedPath {
            place,
            value: OwnedValue::Field(field.name),
            elements: wanted.written_elements(&field.shape, stands.as_ref(), old.as_ref()),
            is_as_stored: old.as_ref() == Some(&wanted),
            can_wait: !hop.opt_in,
            manager: responsible(sources.owner_kind, place, settings.version).filter(|_| !hop.opt_in),
            begins: !sources.tracked && may_be_begun(settings.version),
        };
        let action = match &stands {
            _ if old.is_some_and(|old| value.fitted(&field.shape, Some(&old), version) == old) => Action::Restored,
            Some(_) => Action::Changed,
            None => Action::Added,
        };
        let from = stands.map(|stands| Value::json(stands.to_json(version)));
        let to = Value::json(wanted.to_json(version));
        let change =
            self.described(own_change(Path::fields(container), EntryNoun::Field, name, action, from, Some(to)));
        Ok(Some(Ok(OwnedChange { change, owned: Some(owned) })))
    }

    /// The change, with the rule and the source of the field.
    fn described(&self, change: Change) -> Change {
        let ComparedField { field, hop, layer, .. } = self;
        Change {
            rule: ChangeRule::Row(field.rule(layer.place, hop.to).into()),
            source: Some(SourceObject::from(&layer.origin.object)),
            place: Some(SourcePath::of_field(&printed(field, layer.place, layer.origin.version))),
            ..change
        }
    }
}

/// Removes what the record contains and the MachinePool dropped, and updates the record's fields: those that are added,
/// and, without `returns_owners`, those that are restored and still belong to the user who edited them.
pub(crate) fn keep_record(
    subject: &Subject<'_>,
    found: &FieldDifferences,
    returns_owners: bool,
    record: &mut BTreeSet<String>,
    written: &BTreeSet<String>,
    changes: &mut Vec<OwnedChange>,
) -> Result<(), Malformed> {
    let Some(place) = subject.place else { return Ok(()) };
    let among = |fields: &[&Field], name: &str| fields.iter().any(|field| field.name == name);
    for field in FIELDS.iter().filter(|field| record.contains(field.name) && !among(&found.given, field.name)) {
        let stands = field.read(place, &subject.object, None)?;
        let old = subject.old()?.map(|old| field.read(place, old, None)).transpose()?;
        // A value changed by this request belongs to the user.
        let is_stored = old.is_none_or(|old| old == stands);
        let path = field.path(place, subject.object.version).unwrap_or_default();
        if let (Some(stands), Some((name, container))) = (stands.filter(|_| is_stored), path.split_last()) {
            let removed = Value::json(stands.to_json(subject.object.version));
            let removed = Some(removed);
            let change = own_change(Path::fields(container), EntryNoun::Field, name, Action::Removed, removed, None);
            changes.push(change.into());
        }
    }
    record.retain(|name| among(&found.of_pool, name));
    for field in found.of_pool.iter().filter(|field| !among(&found.withheld, field.name)) {
        let stood = subject.old()?.map(|old| field.read(place, old, None)).transpose()?.flatten().is_some();
        let stands = field.read(place, &subject.object, None)?.is_some();
        let is_restored = |change: &OwnedChange| {
            let value = change.owned.as_ref().map(|owned| owned.value);
            change.action == Action::Restored && value == Some(OwnedValue::Field(field.name))
        };
        let is_written = written.contains(field.name);
        let is_added = !stood && (!stands || is_written);
        let is_taken = !returns_owners && stood && (is_written || changes.iter().any(is_restored));
        if is_added || is_taken {
            record.insert(field.name.to_owned());
        }
    }
    Ok(())
}

fn skip(field: &Field, layer: &Layer<'_>, value: &FieldValue, reason: SkipReason) -> Skipped {
    let version = layer.origin.version;
    Skipped {
        carried: Carried::Field,
        key: field.name.to_owned(),
        from: SourcePlace {
            object: SourceObject::from(&layer.origin.object),
            path: Some(printed(field, layer.place, version).into()),
        },
        reason,
        value: Some(value.to_json(version)),
        instead: None,
    }
}

impl Field {
    /// Which field of which kind sets which field of which other kind, as the newest version of both writes it.
    fn rule(&self, from: Place, to: Place) -> String {
        let end = |place: Place| format!("{}{}", place.owner(), printed(self, place, "v1beta2"));
        format!("`{}` => `{}`", end(from), end(to))
    }
}

/// Such as `.spec.topology.workers.machineDeployments[i].deletion.nodeDrainTimeoutSeconds`.
fn printed(field: &Field, place: Place, version: &str) -> String {
    place::printed(&field.path(place, version).unwrap_or_default())
}
