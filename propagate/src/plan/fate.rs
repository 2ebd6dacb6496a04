//! What becomes of an object that is applied in another way than before, and what is said of it.

use fleet::count;

use super::not_read::Matters;
use super::protections::Protection;
use crate::applied::shown;

/// Why an object stays as it was, or what happens to it depends on what is not known.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Protected(&'static Protection),
    /// It stays only if the object in the cluster has the annotation, too.
    IfProtected(&'static Protection),
    /// It is deleted once somebody confirms that.
    Unconfirmed(&'static Protection),
    NotEdited(&'static Protection),
    /// Edits are applied again, over what is in the cluster.
    Released(&'static Protection),
    /// Fields of the edit are ignored: by Flux or Argo CD, all or some.
    Ignored(String, bool, bool),
    NotPruned(String, bool),
    /// Its Application is deleted without it.
    Preserved(String),
    /// Its Application stays.
    Continued(String),
    /// The folder that is applied does not exist any more.
    Missing(String, String),
    /// Nothing is left to apply.
    Emptied(String),
    /// What applies it is suspended.
    Waits(String),
    Resumed(String),
    /// The same change suspends what applies it.
    SuspendedNow(String),
    /// The same change ends pruning, or suspends it.
    Raced(String, bool),
    /// The same change begins pruning.
    IfFirst(String),
    IfSynced(String),
    /// The kustomization that it was in is included by another one now, in which it has another name.
    IfApplied(String),
    /// What applied it prunes, and nothing in the files applies the folder that it is in now.
    Unapplied(String, String),
    HandedOver(String, Option<String>),
    /// It leaves what is applied, unless a kustomization includes it.
    Unjudged(String),
    Moved(String, String),
}

/// What a plan takes an object for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// It is as in the files after the change.
    AsAfter,
    /// It stays as it was; what is new is not there.
    AsBefore,
    Gone,
}

impl Fate {
    pub(super) fn settled(&self) -> Settled {
        match self {
            Fate::Unapplied(..) => Settled::Gone,
            Fate::Protected(_)
            | Fate::IfProtected(_)
            | Fate::Unconfirmed(_)
            | Fate::NotEdited(_)
            | Fate::Ignored(_, _, true)
            | Fate::NotPruned(..)
            | Fate::Preserved(_)
            | Fate::Continued(_)
            | Fate::Missing(..)
            | Fate::Emptied(_)
            | Fate::Waits(_)
            | Fate::Raced(..) => Settled::AsBefore,
            Fate::Released(_)
            | Fate::Ignored(_, _, false)
            | Fate::Resumed(_)
            | Fate::SuspendedNow(_)
            | Fate::IfFirst(_)
            | Fate::IfSynced(_)
            | Fate::IfApplied(_)
            | Fate::HandedOver(..)
            | Fate::Unjudged(_)
            | Fate::Moved(..) => Settled::AsAfter,
        }
    }

    /// What it means for a plan, if the object has Machines.
    pub(super) fn matters(&self) -> Matters {
        match self {
            Fate::Unconfirmed(_) | Fate::Waits(_) | Fate::Missing(..) | Fate::Emptied(_) => Matters::Waits,
            Fate::IfProtected(_)
            | Fate::Released(_)
            | Fate::Ignored(_, _, false)
            | Fate::Resumed(_)
            | Fate::SuspendedNow(_)
            | Fate::Raced(..)
            | Fate::HandedOver(..)
            | Fate::Unjudged(_) => Matters::CannotTell,
            Fate::Protected(_)
            | Fate::NotEdited(_)
            | Fate::Ignored(_, _, true)
            | Fate::NotPruned(..)
            | Fate::Preserved(_)
            | Fate::Continued(_)
            | Fate::IfFirst(_)
            | Fate::IfSynced(_)
            | Fate::IfApplied(_)
            | Fate::Unapplied(..)
            | Fate::Moved(..) => Matters::No,
        }
    }

    /// Such as `MachineDeployment fleet/md and 2 more objects stay: …`.
    pub(super) fn sentence(&self, first: &str, objects: usize) -> String {
        let (they, is_one) = match objects {
            0 | 1 => (first.to_owned(), true),
            more => (format!("{first} and {}", count(more - 1, "more object")), false),
        };
        let verb = |one: &'static str, several: &'static str| if is_one { one } else { several };
        let are = verb("is", "are");
        let stay = verb("stays", "stay");
        let it = verb("it", "them");
        match self {
            Fate::Protected(row) => format!("{they} {are} no longer applied and {stay}: {row}"),
            Fate::IfProtected(row) => {
                let object = verb("the object in the cluster has", "the objects in the cluster have");
                format!("{they} {are} deleted, unless {object} {row}, too: Flux does not apply a file that has it")
            }
            Fate::Unconfirmed(row) => format!("{they} {are} deleted once somebody confirms that: {row}"),
            Fate::NotEdited(row) => format!("edits of {they} are not applied: {row}"),
            Fate::Released(row) => {
                format!("{they} had {row}: what was changed in the cluster meanwhile is not known, and is overwritten")
            }
            Fate::Ignored(title, is_of_flux, is_all) => {
                let field = if *is_of_flux { "ignore" } else { "ignoreDifferences" };
                let edits = format!("edits of {they}");
                let edits = if *is_all { format!("{edits} are not") } else { format!("some {edits} may not be") };
                format!("{edits} applied: `spec.{field}` of {title}")
            }
            Fate::NotPruned(applier, is_suspended) => {
                let why = if *is_suspended { "is suspended" } else { "does not prune" };
                format!("{they} {are} no longer applied and {stay}: {applier} {why}")
            }
            Fate::Preserved(applier) => {
                format!(
                    "{they} {are} no longer applied and {stay}: {applier} deletes the Application without its objects"
                )
            }
            Fate::Continued(applier) => format!("{they} {stay}: {applier} deletes no Application"),
            Fate::Missing(applier, folder) => {
                let folder = shown(folder);
                format!(
                    "{they} {stay} as long as {folder} is missing, which {applier} applies: it fails, and deletes nothing"
                )
            }
            Fate::Emptied(applier) => {
                format!(
                    "{they} {stay}: nothing is left that {applier} applies, and without `allowEmpty` it does not sync"
                )
            }
            Fate::Waits(applier) => format!("{they}, until {applier} is no longer suspended"),
            Fate::Resumed(applier) => {
                format!("{applier} is no longer suspended, and what was changed meanwhile takes effect on {they}")
            }
            Fate::SuspendedNow(applier) => {
                format!("edits of {they} are applied only if {applier} does so before the same change suspends it")
            }
            Fate::Raced(applier, is_suspended) => {
                let does = if *is_suspended { "suspends it" } else { "ends its pruning" };
                format!("{they} {are} no longer applied by {applier}: it may delete {it} before the same change {does}")
            }
            Fate::IfFirst(applier) => {
                format!(
                    "{they} {are} deleted, unless {applier} stops applying {it} before the same change lets it prune"
                )
            }
            Fate::IfSynced(applier) => format!("{they} {are} deleted, if a sync of {applier} prunes"),
            Fate::IfApplied(folder) => {
                format!("{they} {are} deleted, if something applied {} by itself", shown(folder))
            }
            Fate::Unapplied(from, file) => {
                format!("{they} {are} deleted by {from}, unless something else applies {file}")
            }
            Fate::HandedOver(from, to) => {
                let is_adopted = verb("it is adopted", "they are adopted");
                let may = format!("{from} may delete {it} before {is_adopted}");
                match to {
                    Some(to) => format!("{they} {} from {from} to {to}: {may}", verb("moves", "move")),
                    None => format!("{they} {are} no longer applied by {from}: {may}"),
                }
            }
            Fate::Unjudged(from) => {
                let leave = verb("leaves", "leave");
                format!(
                    "{they} {leave} what {from} applies: `--kustomize` tells whether {} deleted",
                    verb("it is", "they are")
                )
            }
            Fate::Moved(from, to) => {
                format!("{they} {} from {} to {}", verb("moves", "move"), shown(from), shown(to))
            }
        }
    }
}
