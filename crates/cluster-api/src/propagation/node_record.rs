//! The Machine controller's record, on a Node, of the keys that it set from the Machine.
//!
//! The controller removes a key that its Machine drops only if its record has the key, and writes the record only if
//! something on the Node differs. So a key that this policy sets first enters the record together with the key.
//!
//! Source: core/reconcilers/machine/machine_controller_noderef.go, `patchNode`.

use std::collections::BTreeSet;
use std::ops::Deref;

use crate::catalog::Place;
use crate::catalog::keys::{ANNOTATIONS_FROM_MACHINE, LABELS_FROM_MACHINE};
use crate::json::{Malformed, Path};
use crate::propagation::owned_path::OwnedChange;
use crate::propagation::ownership::Ownership;
use crate::settings::OnConflict;
use crate::subject::Subject;
use kubernetes::{Action, Change, ChangeRule, EntryNoun, MapKind, Value, own_change};

/// The changes of the records on a Node for the keys that are written to it; none for other objects.
///
/// A record becomes its union with these keys. An entry that the Machine no longer has stays: the controller needs it
/// to remove the key. The record of the request counts; one that the request omits is continued as it is stored.
pub(super) fn records<'s, 'e: 's>(
    subject: &Subject<'_>,
    written: &[OwnedChange],
    on_conflict: OnConflict,
    ownership: &impl Deref<Target = Ownership<'s, 'e>>,
) -> Result<Vec<Change>, Malformed> {
    if subject.place != Some(Place::Node) {
        return Ok(Vec::new());
    }
    let left = ownership.left_to_cluster_api(written);
    let is_written = |(index, change): &(usize, &OwnedChange)| {
        change.action != Action::Restored || (on_conflict == OnConflict::Restore && !left.contains(index))
    };
    let old = subject.old()?;
    let record = |map: MapKind| {
        let name = map.of(LABELS_FROM_MACHINE, ANNOTATIONS_FROM_MACHINE);
        let found = subject.object.annotations.get(name);
        let recorded = found.or_else(|| old.and_then(|old| old.annotations.get(name))).unwrap_or_default();
        let recorded: BTreeSet<&str> = recorded.split(',').filter(|key| !key.is_empty()).collect();
        let written = written.iter().enumerate().filter(is_written).map(|(_, change)| change);
        let of_map = written.filter(|change| change.entry == EntryNoun::from(map));
        let mut keys = recorded.clone();
        keys.extend(of_map.map(|change| change.key.as_str()));
        if keys == recorded {
            return None;
        }
        let text = keys.into_iter().collect::<Vec<_>>().join(",");
        let path = Path::fields(&["metadata", MapKind::Annotations.field()]);
        let (from, to) = (found.map(Value::string), Some(Value::string(&text)));
        let change = own_change(path, EntryNoun::Annotation, name, Action::Recorded, from, to);
        Some(Change { rule: ChangeRule::NodeRecord, ..change })
    };
    Ok(MapKind::BOTH.into_iter().filter_map(record).collect())
}
