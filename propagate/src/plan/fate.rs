//! What becomes of an object that is applied in another way than before, and what is said of it.

use fleet::count;

use super::not_read::Matters;
use super::protections::Protection;
use crate::applied::{IgnoredEdit, shown};

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
    /// Fields of the edit are ignored: by Flux or Argo CD.
    Ignored(String, bool, IgnoredEdit),
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
    /// What a plan takes the object for, and what that means for it if the object has Machines.
    pub(super) fn outcome(&self) -> (Settled, Matters) {
        match self {
            Fate::Unapplied(..) => (Settled::Gone, Matters::No),
            Fate::Protected(_)
            | Fate::NotEdited(_)
            | Fate::Ignored(_, _, IgnoredEdit::All)
            | Fate::NotPruned(..)
            | Fate::Preserved(_)
            | Fate::Continued(_) => (Settled::AsBefore, Matters::No),
            Fate::Unconfirmed(_) | Fate::Waits(_) | Fate::Missing(..) | Fate::Emptied(_) => {
                (Settled::AsBefore, Matters::Waits)
            }
            Fate::IfProtected(_) | Fate::Raced(..) => (Settled::AsBefore, Matters::CannotTell),
            Fate::IfFirst(_) | Fate::IfSynced(_) | Fate::IfApplied(_) | Fate::Moved(..) => {
                (Settled::AsAfter, Matters::No)
            }
            Fate::Released(_)
            | Fate::Ignored(_, _, IgnoredEdit::Part)
            | Fate::Resumed(_)
            | Fate::SuspendedNow(_)
            | Fate::HandedOver(..)
            | Fate::Unjudged(_) => (Settled::AsAfter, Matters::CannotTell),
        }
    }

    /// Such as `MachineDeployment fleet/md and 2 more objects stay: …`.
    pub(super) fn sentence(&self, first: &str, objects: usize) -> String {
        let (they, is_one) = match objects {
            0 | 1 => (first.to_owned(), true),
            more => (format!("{first} and {}", count(more - 1, "more object")), false),
        };
        let verb = |one: &'static str, several: &'static str| if is_one { one } else { several };
        let (are, it) = (verb("is", "are"), verb("it", "them"));
        let moves = verb("moves", "move");
        let stay = format!("{they} {}", verb("stays", "stay"));
        let unapplied = format!("{they} {are} no longer applied");
        let kept = format!("{unapplied} and {}", verb("stays", "stay"));
        let deleted = format!("{they} {are} deleted");
        match self {
            Fate::Protected(row) => format!("{kept}: {row}"),
            Fate::IfProtected(row) => {
                let object = verb("the object in the cluster has", "the objects in the cluster have");
                format!("{deleted}, unless {object} {row}, too: Flux does not apply a file that has it")
            }
            Fate::Unconfirmed(row) => format!("{deleted} once somebody confirms that: {row}"),
            Fate::NotEdited(row) => format!("edits of {they} are not applied: {row}"),
            Fate::Released(row) => {
                format!("{they} had {row}: what was changed in the cluster meanwhile is not known, and is overwritten")
            }
            Fate::Ignored(title, is_of_flux, edit) => {
                let field = if *is_of_flux { "ignore" } else { "ignoreDifferences" };
                let edits = match edit {
                    IgnoredEdit::All => format!("edits of {they} are not"),
                    IgnoredEdit::Part => format!("some edits of {they} may not be"),
                };
                format!("{edits} applied: `spec.{field}` of {title}")
            }
            Fate::NotPruned(by, true) => format!("{kept}: {by} is suspended"),
            Fate::NotPruned(by, false) => format!("{kept}: {by} does not prune"),
            Fate::Preserved(by) => format!("{kept}: {by} deletes the Application without its objects"),
            Fate::Continued(by) => format!("{stay}: {by} deletes no Application"),
            Fate::Missing(by, folder) => {
                let folder = shown(folder);
                format!("{stay} as long as {folder} is missing, which {by} applies: it fails, and deletes nothing")
            }
            Fate::Emptied(by) => {
                format!("{stay}: nothing is left that {by} applies, and without `allowEmpty` it does not sync")
            }
            Fate::Waits(by) => format!("{they}, until {by} is no longer suspended"),
            Fate::Resumed(by) => {
                format!("{by} is no longer suspended, and what was changed meanwhile takes effect on {they}")
            }
            Fate::SuspendedNow(by) => {
                format!("edits of {they} are applied only if {by} does so before the same change suspends it")
            }
            Fate::Raced(by, is_suspended) => {
                let does = if *is_suspended { "suspends it" } else { "ends its pruning" };
                format!("{unapplied} by {by}: it may delete {it} before the same change {does}")
            }
            Fate::IfFirst(by) => {
                format!("{deleted}, unless {by} stops applying {it} before the same change lets it prune")
            }
            Fate::IfSynced(by) => format!("{deleted}, if a sync of {by} prunes"),
            Fate::IfApplied(folder) => format!("{deleted}, if something applied {} by itself", shown(folder)),
            Fate::Unapplied(from, file) => format!("{deleted} by {from}, unless something else applies {file}"),
            Fate::HandedOver(from, to) => {
                let may = format!("{from} may delete {it} before {}", verb("it is adopted", "they are adopted"));
                match to {
                    Some(to) => format!("{they} {moves} from {from} to {to}: {may}"),
                    None => format!("{unapplied} by {from}: {may}"),
                }
            }
            Fate::Unjudged(from) => {
                let (leave, they_are) = (verb("leaves", "leave"), verb("it is", "they are"));
                format!("{they} {leave} what {from} applies: `--kustomize` tells whether {they_are} deleted")
            }
            Fate::Moved(from, to) => format!("{they} {moves} from {} to {}", shown(from), shown(to)),
        }
    }
}
