//! What of a folder is applied: kustomizations, the objects of Flux and Argo CD that name them, and the entry points that follow.

mod appliers;
mod entries;
mod ignored;
mod kustomization;
mod note;
mod paths;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::appliers::{Applier, FolderGone, Pruning};
pub(crate) use self::entries::{Chosen, Entry, Scanned, choose};
pub(crate) use self::ignored::{IgnoredEdit, ignored};
pub(crate) use self::kustomization::Kustomizations;
pub(crate) use self::note::{AppliedNote, shown};
use crate::roots::is_in;

/// What of one side is applied, by names that both sides share.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The objects of Flux and Argo CD that name something of this side.
    pub(crate) appliers: Vec<Applier>,
    /// Those that name nothing of this side.
    elsewhere: Vec<Applier>,
    /// What applies each kustomization that is rendered.
    of_kustomizations: BTreeMap<String, BTreeSet<usize>>,
    /// The folders without a kustomization that are named, and by what.
    folders: Vec<(String, usize)>,
    /// The folders that were named before, and still exist.
    still_there: BTreeSet<String>,
}

impl Applied {
    /// What applies the objects in a kustomization that is rendered, or in a file.
    pub(crate) fn appliers_of(&self, name: &str) -> Vec<&Applier> {
        let mut numbers: Vec<usize> = self.reached(name).iter().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().filter_map(|number| self.appliers.get(number)).collect()
    }

    /// The same, each with the folder that it names.
    pub(crate) fn folders_of(&self, name: &str) -> Vec<(String, &Applier)> {
        let reached = self.reached(name).into_iter();
        reached.filter_map(|(folder, number)| Some((folder, self.appliers.get(number)?))).collect()
    }

    fn reached(&self, name: &str) -> Vec<(String, usize)> {
        if let Some(numbers) = self.of_kustomizations.get(name) {
            return numbers.iter().map(|number| (name.to_owned(), *number)).collect();
        }
        let reaches = |(folder, applier): &&(String, usize)| {
            is_in(name, folder) && self.appliers.get(*applier).is_some_and(|it| it.reaches(folder, name))
        };
        self.folders.iter().filter(reaches).cloned().collect()
    }

    /// What becomes of what an applier of the other side applied from a folder, if it is still there as `now` and finds nothing
    /// in the folder.
    pub(crate) fn folder_gone(&self, folder: &str, before: &Applier, now: &Applier) -> Option<FolderGone> {
        let is_now = |number: &usize| self.appliers.get(*number).is_some_and(|known| known.is_same(now));
        let kustomizations = self.of_kustomizations.iter().filter(|(_, numbers)| numbers.iter().any(is_now));
        let folders = self.folders.iter().filter(|(_, number)| is_now(number)).map(|(named, _)| named);
        let is_named = folders.chain(kustomizations.map(|(named, _)| named)).any(|named| is_in(folder, named));
        let is_known = self.appliers.iter().any(|known| known.is_same(now));
        (!is_named).then(|| now.folder_gone(before, folder, self.still_there.contains(folder), is_known))
    }

    /// Whether an object of Flux applies something.
    pub(crate) fn is_of_flux(&self) -> bool {
        self.appliers.iter().any(Applier::is_of_flux)
    }

    pub(crate) fn find(&self, applier: &Applier) -> Option<&Applier> {
        let same = self.elsewhere.iter().chain(&self.appliers).filter(|known| known.is_same(applier));
        same.max_by_key(|known| known.is_in_file_of(applier))
    }

    /// A kustomization that cannot be rendered is replaced by what it includes.
    pub(crate) fn inherit(&mut self, from: &str, to: &str) {
        if let Some(appliers) = self.of_kustomizations.get(from).cloned() {
            self.of_kustomizations.entry(to.to_owned()).or_default().extend(appliers);
        }
    }
}
