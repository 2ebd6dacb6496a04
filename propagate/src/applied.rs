//! What of a folder is applied: kustomizations, the objects of Flux and Argo CD that name them, and the entry points that follow.

mod appliers;
mod entries;
mod kustomization;
mod note;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::appliers::{Applier, Pruning};
pub(crate) use self::entries::{Chosen, Entry, Scanned, choose};
pub(crate) use self::kustomization::Kustomizations;
pub(crate) use self::note::{AppliedNote, shown};
use crate::roots::is_in;

/// What of one side is applied, by names that both sides share.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The objects of Flux and Argo CD that name something of this side.
    pub(crate) appliers: Vec<Applier>,
    /// What applies each kustomization that is rendered.
    of_kustomizations: BTreeMap<String, BTreeSet<usize>>,
    /// The folders without a kustomization that are named, and by what.
    folders: Vec<(String, usize)>,
}

impl Applied {
    /// What applies the objects in a kustomization that is rendered, or in a file.
    pub(crate) fn appliers_of(&self, name: &str) -> Vec<&Applier> {
        let of_folders = || {
            let reaches = |(folder, applier): &&(String, usize)| {
                is_in(name, folder) && self.appliers.get(*applier).is_some_and(|it| it.reaches(folder, name))
            };
            self.folders.iter().filter(reaches).map(|(_, applier)| *applier).collect()
        };
        let numbers = self.of_kustomizations.get(name).cloned().unwrap_or_else(of_folders);
        numbers.into_iter().filter_map(|number| self.appliers.get(number)).collect()
    }

    /// Whether an object of Flux applies something.
    pub(crate) fn is_of_flux(&self) -> bool {
        self.appliers.iter().any(Applier::is_of_flux)
    }

    pub(crate) fn find(&self, applier: &Applier) -> Option<&Applier> {
        let same = self.appliers.iter().filter(|known| known.is_same(applier));
        same.max_by_key(|known| known.is_in_file_of(applier))
    }

    /// A kustomization that cannot be rendered is replaced by what it includes.
    pub(crate) fn inherit(&mut self, from: &str, to: &str) {
        if let Some(appliers) = self.of_kustomizations.get(from).cloned() {
            self.of_kustomizations.entry(to.to_owned()).or_default().extend(appliers);
        }
    }
}
