//! Gives up what backfills applied, if that removes nothing.

use super::apply::{identity, yaml};
use super::managed::{Owned, fields};
use super::{ComparedObject, Needed, messages};
use crate::member::Member;

/// An empty configuration, if everything that the field manager owns also has another owner.
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
            ComparedObject::Lacking(Needed { text, conflicts: false })
        }
    }
}
