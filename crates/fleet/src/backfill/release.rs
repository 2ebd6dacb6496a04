//! What backfills applied is given up, where that removes nothing.

use super::apply::{identity, yaml};
use super::managed::{Owned, fields};
use super::{BackfillStep, ComparedObject, messages};
use crate::member::Member;

/// A configuration with nothing in it, where everything that the field manager owns has another owner as well.
///
/// Source: k8s.io/apimachinery, pkg/util/managedfields; structured-merge-diff, merge/update.go, `Updater.Apply`: what a
/// manager applied before and does not apply again is removed, unless another manager owns it.
pub(super) fn step(member: &Member) -> ComparedObject {
    let written = member.written.once();
    let owned = Owned::of(&written);
    if owned.own.is_empty() {
        return ComparedObject::Complete;
    }
    match owned.alone() {
        Some(path) => ComparedObject::Refused(messages::has_no_other_owner(&fields(path).join("."))),
        None => {
            let text = yaml(&identity(member));
            ComparedObject::Lacking(BackfillStep { id: member.id.clone(), text, conflicts: false })
        }
    }
}
