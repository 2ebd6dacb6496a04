//! Which edits each difference of a topology is due to: it is another one, or none, if one of them is left out.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;
use topology::{DesiredPart, FieldCause, Obstacle, PartChange, PartDifference, PartRole, TopologyOwner, differences};

use super::change::{Comparison, TopologyChange};
use super::changed_part::ChangedPart;
use super::owner::EditRef;
use crate::object::ObjectId;
use crate::plan::path::EditPath;

/// An edit of what a topology is made from.
#[derive(Clone, Copy)]
pub(super) struct TopologyEdit<'e> {
    pub(super) id: &'e ObjectId,
    pub(super) at: &'e EditPath,
}

impl TopologyEdit<'_> {
    pub(super) fn reference(&self) -> EditRef {
        EditRef { id: self.id.clone(), at: self.at.clone() }
    }
}

/// Edits, by their number.
pub(super) type EditNumbers = BTreeSet<usize>;

/// Which edits the differences of a topology are due to.
pub(super) struct Causes<'c, 'p> {
    change: &'c TopologyChange<'p>,
    found: &'c Comparison,
    edits: &'c [TopologyEdit<'c>],
    /// What differs because of each edit, if there are several: `None` if nothing can be computed without it.
    without: Vec<Option<Vec<PartDifference>>>,
    /// What each edit alone makes another one.
    only: OnceCell<Vec<Option<Vec<PartDifference>>>>,
}

impl<'c, 'p> Causes<'c, 'p> {
    pub(super) fn of(
        change: &'c TopologyChange<'p>,
        found: &'c Comparison,
        edits: &'c [TopologyEdit<'c>],
    ) -> Causes<'c, 'p> {
        let left_out = |edit: &TopologyEdit<'_>| {
            let without = change.computed(&change.without(edit.id, edit.at)?, &found.after)?;
            Some(differences(&without, &found.after))
        };
        let is_needed = edits.len() > 1 && !found.parts.is_empty();
        let without = if is_needed { edits.iter().map(left_out).collect() } else { Vec::new() };
        Causes { change, found, edits, without, only: OnceCell::new() }
    }

    /// The edits that a field, or the whole part or a gap in it, is due to. What is the same without any one of them is due
    /// to those that would be enough, and what none of these explains to all.
    pub(super) fn due(&self, part: &ChangedPart, field: Option<&FieldCause>) -> EditNumbers {
        let is_of = |it: &Option<Vec<PartDifference>>| it.as_ref().is_some_and(|it| has(it, part, field));
        let found = numbers(&self.without, is_of)
            .or_else(|| numbers(self.only(), is_of))
            .or_else(|| numbers(&self.without, Option::is_none));
        found.unwrap_or_else(|| (0..self.edits.len()).collect())
    }

    /// The same as objects and paths.
    pub(super) fn references(&self, part: &ChangedPart, field: Option<&FieldCause>) -> Vec<EditRef> {
        self.due(part, field).into_iter().filter_map(|number| Some(self.edits.get(number)?.reference())).collect()
    }

    /// Whether there are edits, and all of them are of one object.
    pub(super) fn is_of(&self, due: &EditNumbers, id: &ObjectId) -> bool {
        !due.is_empty() && due.iter().all(|number| self.edits.get(*number).is_some_and(|edit| edit.id == id))
    }

    /// The control plane or the workers after the change.
    pub(super) fn object_after(&self, owner: &TopologyOwner) -> Option<&Value> {
        let is_it = |part: &&DesiredPart| {
            part.owner == *owner && matches!(part.role, PartRole::ControlPlane | PartRole::Workers)
        };
        self.found.after.parts.iter().find(is_it).map(|part| &part.object)
    }

    fn only(&self) -> &[Option<Vec<PartDifference>>] {
        let only = |edit: &TopologyEdit<'_>| {
            let only = self.change.computed(&self.change.with_only(edit.id, edit.at)?, &self.found.before)?;
            Some(differences(&self.found.before, &only))
        };
        let is_needed = !self.without.is_empty();
        self.only.get_or_init(|| if is_needed { self.edits.iter().map(only).collect() } else { Vec::new() })
    }
}

/// The numbers of those that fit, if there are any.
fn numbers<T>(of: &[T], fits: impl Fn(&T) -> bool) -> Option<EditNumbers> {
    let found: EditNumbers = of.iter().enumerate().filter(|(_, it)| fits(it)).map(|(number, _)| number).collect();
    (!found.is_empty()).then_some(found)
}

/// The edits without which Cluster API does not refuse the topology.
pub(super) fn refused_for(change: &TopologyChange<'_>, edits: &[TopologyEdit<'_>]) -> EditNumbers {
    let is_refused = |edit: &TopologyEdit<'_>| {
        let without = change.without(edit.id, edit.at).map(|sources| change.compare(&sources));
        matches!(without, Some(Err(Obstacle::Refused(_))))
    };
    if edits.len() == 1 { BTreeSet::from([0]) } else { numbers(edits, |edit| !is_refused(edit)).unwrap_or_default() }
}

/// Whether a field of a part differs, or a field in it or around it.
fn has(differences: &[PartDifference], part: &ChangedPart, field: Option<&FieldCause>) -> bool {
    let of = &part.difference;
    let is_same = |a: &FieldCause, b: &FieldCause| a.steps.iter().zip(&b.steps).all(|(a, b)| a == b);
    differences.iter().filter(|it| it.owner == of.owner && it.role == of.role).any(|it| {
        let is_whole = it.happens != PartChange::Changed;
        is_whole || field.map_or(it.gap.is_some(), |field| it.because.iter().any(|other| is_same(other, field)))
    })
}
