//! Entry points: the kustomizations that are rendered on their own, and what became of others.

use std::collections::{BTreeMap, BTreeSet};

use fleet::Source;

use super::paths::is_path;
use super::{Applied, AppliedNote, Applier, Kustomizations, Pruning};
use crate::file::text;
use crate::roots::{is_in, trimmed};

/// Why a kustomization is rendered on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entry {
    /// The call names it.
    Root,
    /// An object of Flux or Argo CD names it.
    Named,
    /// No other one includes it.
    Top,
}

/// What is rendered of one side.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) entries: BTreeMap<String, Entry>,
    pub(crate) applied: Applied,
    /// The folders, kustomizations and files that were applied and are not any more.
    pub(crate) dropped: BTreeSet<String>,
    pub(crate) notes: Vec<AppliedNote>,
    /// What would be applied, if that depends on kustomizations that are not rendered.
    pub(crate) unjudged: Applied,
}

impl Chosen {
    /// Nothing, because kustomizations are not rendered.
    pub(crate) fn unjudged(self) -> Chosen {
        Chosen { unjudged: self.applied, ..Chosen::default() }
    }
}

/// One side before anything is rendered.
pub(crate) struct Scanned<'s> {
    pub(crate) kustomizations: &'s Kustomizations,
    /// The files that are in no folder of a kustomization, by name.
    pub(crate) plain: BTreeSet<String>,
    /// The folder of the call in the repository.
    pub(crate) above: &'s str,
}

/// The entry points of each side. What was included or named before, and is not any more, is none.
pub(crate) fn choose(sides: [&Scanned<'_>; 2], roots: &[String]) -> [Chosen; 2] {
    let roots: BTreeSet<String> = roots.iter().map(|root| trimmed(root)).collect();
    let mut old = sides[0].chosen(&roots, BTreeSet::new(), &[]);
    let mut new = sides[1].chosen(&roots, BTreeSet::new(), &[]);
    let unnamed = unnamed(&old.applied, &new.applied);
    if !unnamed.is_empty() {
        old = sides[0].chosen(&roots, unnamed, &[]);
    }
    let kept = sides[0].kept(&old, &new.applied);
    if !kept.is_empty() {
        new = sides[1].chosen(&roots, BTreeSet::new(), &kept);
    }
    // An object of Flux may itself be in what is dropped.
    loop {
        let dropped = dropped((sides[0], &old), (sides[1], &new), &roots);
        if dropped.is_subset(&new.dropped) {
            break;
        }
        new = sides[1].chosen(&roots, dropped.union(&new.dropped).cloned().collect(), &kept);
    }
    let named = old.applied.folders.iter().map(|(folder, _)| folder).chain(old.applied.of_kustomizations.keys());
    let is_there = |folder: &&String| sides[1].kustomizations.path(folder).is_dir();
    new.applied.still_there = named.filter(is_there).cloned().collect();
    let notes = notes((sides[0], &old), (sides[1], &new));
    new.notes.extend(notes);
    [old, new]
}

impl Scanned<'_> {
    /// Without what is dropped, and with appliers that are in no file.
    fn chosen(&self, roots: &BTreeSet<String>, dropped: BTreeSet<String>, kept: &[Applier]) -> Chosen {
        let tops: BTreeSet<String> = self.kustomizations.tops().difference(&dropped).cloned().collect();
        let mut live = self.kustomizations.reached(tops.iter().map(String::as_str));
        loop {
            let appliers = self.appliers(&live, &dropped).into_iter().chain(kept.iter().cloned());
            let applied = self.applied(appliers.collect());
            let named = applied.of_kustomizations.keys().map(String::as_str);
            let reached = self.kustomizations.reached(named.chain(tops.iter().map(String::as_str)));
            if reached.is_subset(&live) {
                let mut entries = BTreeMap::new();
                let is_known = |folder: &&String| self.kustomizations.by_folder.contains_key(*folder);
                entries.extend(tops.iter().map(|top| (top.clone(), Entry::Top)));
                entries.extend(applied.of_kustomizations.keys().map(|named| (named.clone(), Entry::Named)));
                entries.extend(roots.iter().filter(is_known).map(|root| (root.clone(), Entry::Root)));
                return Chosen { entries, applied, dropped, ..Chosen::default() };
            }
            live = reached;
        }
    }

    /// The appliers of this side that are not in the files of the other one, and that what applied them does not delete: they go
    /// on as before.
    fn kept(&self, chosen: &Chosen, after: &Applied) -> Vec<Applier> {
        let applied = &chosen.applied;
        let is_kept = |applier: &&Applier| {
            let lists = |folder: &String| {
                let reached = self.kustomizations.reached([folder.as_str()]);
                let mut inside = reached.iter().filter_map(|folder| self.kustomizations.by_folder.get(folder));
                inside.any(|it| it.files.contains(applier.file()))
            };
            let entries = applied.of_kustomizations.keys().filter(|folder| lists(folder));
            let mut by: Vec<&Applier> = entries.flat_map(|folder| applied.appliers_of(folder)).collect();
            by.extend(applied.appliers_of(applier.file()));
            let keeps = |it: &&Applier| it.pruning_after(after.find(it)) == Pruning::Kept;
            after.find(applier).is_none() && !by.is_empty() && by.iter().all(keeps)
        };
        applied.appliers.iter().filter(is_kept).cloned().collect()
    }

    /// The appliers in files that are applied themselves.
    fn appliers(&self, live: &BTreeSet<String>, dropped: &BTreeSet<String>) -> Vec<Applier> {
        let listed = live.iter().filter_map(|folder| self.kustomizations.by_folder.get(folder));
        let listed = listed.flat_map(|kustomization| &kustomization.files);
        let plain = self.plain.iter().filter(|file| !dropped.iter().any(|folder| is_in(file, folder)));
        let files: BTreeSet<&String> = plain.chain(listed).collect();
        let read =
            |file: &&String| Some(Source { name: (*file).clone(), text: text(&self.kustomizations.path(file)).ok()? });
        Applier::of(files.iter().filter_map(read).collect())
    }

    /// What the appliers name here.
    fn applied(&self, appliers: Vec<Applier>) -> Applied {
        let mut applied = Applied::default();
        let kustomizations = &self.kustomizations.by_folder;
        let inside = || kustomizations.iter().filter(|(_, it)| it.is_inside).map(|(folder, _)| folder);
        let mut folders: BTreeSet<&str> = inside().map(String::as_str).collect();
        for name in self.plain.iter().chain(inside()) {
            folders.extend(name.match_indices('/').filter_map(|(at, _)| name.get(..at)));
        }
        folders.insert("");
        for applier in appliers {
            let number = applied.appliers.len();
            let paths: Vec<String> = applier.paths.iter().filter_map(|path| self.seen_from_here(path)).collect();
            // What Argo CD renders of a chart is not compared.
            let is_chart =
                |folder: &str| !applier.is_of_flux() && self.kustomizations.path(folder).join("Chart.yaml").is_file();
            let named = folders.iter().filter(|folder| paths.iter().any(|path| is_path(folder, path)));
            let named = named.filter(|folder| !is_chart(folder));
            let mut is_known = false;
            for folder in named {
                is_known = true;
                if kustomizations.contains_key(*folder) {
                    applied.of_kustomizations.entry((*folder).to_owned()).or_default().insert(number);
                    continue;
                }
                applied.folders.push(((*folder).to_owned(), number));
                // Flux generates a kustomization with the outermost ones below the folder.
                let below = inside().filter(|inner| applier.is_of_flux() && is_in(inner, folder));
                for inner in below.clone() {
                    let is_outermost = |outer: &String| outer == inner || !is_in(inner, outer);
                    if below.clone().all(is_outermost) {
                        applied.of_kustomizations.entry(inner.clone()).or_default().insert(number);
                    }
                }
            }
            match is_known {
                true => applied.appliers.push(applier),
                false => applied.elsewhere.push(applier),
            }
        }
        applied
    }

    /// A path of the repository relative to the folder of the call.
    fn seen_from_here(&self, path: &str) -> Option<String> {
        let path = path.trim_start_matches("./").trim_matches('/');
        let path = if path == "." { "" } else { path };
        match self.above.trim_end_matches('/') {
            "" => Some(path.to_owned()),
            above if is_in(path, above) => Some(path.strip_prefix(above)?.trim_start_matches('/').to_owned()),
            above => is_in(above, path).then(String::new),
        }
    }
}

/// The folders that an applier names instead of others, and that none named before: what is in them was not applied.
fn unnamed(old: &Applied, new: &Applied) -> BTreeSet<String> {
    let folders = |applied: &Applied, applier: &Applier| -> BTreeSet<String> {
        let is_meant = |number: &usize| applied.appliers.get(*number).is_some_and(|known| known.is_same(applier));
        let kustomizations = applied.of_kustomizations.iter().filter(|(_, numbers)| numbers.iter().any(is_meant));
        let folders = applied.folders.iter().filter(|(_, number)| is_meant(number)).map(|(folder, _)| folder);
        folders.chain(kustomizations.map(|(folder, _)| folder)).cloned().collect()
    };
    let moved = new
        .appliers
        .iter()
        .filter(|applier| old.appliers.iter().any(|was| was.is_same(applier) && was.paths != applier.paths));
    let named = moved.flat_map(|applier| {
        let before = folders(old, applier);
        let is_new = move |folder: &String| {
            !before.is_empty() && !before.iter().any(|was| is_in(folder, was) || is_in(was, folder))
        };
        folders(new, applier).into_iter().filter(is_new)
    });
    let is_applied = |folder: &String| {
        let is_around = |named: &String| is_in(folder, named) || is_in(named, folder);
        old.of_kustomizations.keys().chain(old.folders.iter().map(|(named, _)| named)).any(is_around)
    };
    named.filter(|folder| !is_applied(folder)).collect()
}

/// What was included or named before, is still there, and is neither any more.
fn dropped(
    (before, old): (&Scanned<'_>, &Chosen),
    (after, new): (&Scanned<'_>, &Chosen),
    roots: &BTreeSet<String>,
) -> BTreeSet<String> {
    let tops = after.kustomizations.tops();
    let is_lost = |folder: &&String| {
        new.entries.get(*folder) == Some(&Entry::Top)
            && !roots.contains(*folder)
            && (old.applied.of_kustomizations.contains_key(*folder) || is_left_out(folder, before, after))
    };
    let has_any = |folder: &String| after.plain.iter().chain(&tops).any(|name| is_in(name, folder));
    let was_named =
        |folder: &&String| !new.applied.folders.iter().any(|(named, _)| named == *folder) && has_any(folder);
    let folders = old.applied.folders.iter().map(|(folder, _)| folder).filter(was_named);
    let is_applied = |folder: &&String| {
        let is_around = |(named, applier): &(String, usize)| {
            is_in(folder, named) && new.applied.appliers.get(*applier).is_some_and(|it| it.reaches(named, folder))
        };
        new.applied.folders.iter().any(is_around)
    };
    let folders = folders.filter(|folder| !is_applied(folder) && !folder.is_empty());
    // A file that is still there, and that the kustomization which named it does not name any more.
    let live = before.kustomizations.reached(old.entries.keys().map(String::as_str));
    let is_there = |folder: &&String| after.kustomizations.by_folder.contains_key(*folder);
    let still = live.iter().filter(is_there).filter_map(|folder| before.kustomizations.by_folder.get(folder));
    let files = still.flat_map(|it| it.own.keys()).filter(|file| after.plain.contains(*file) && !is_applied(file));
    tops.iter().filter(is_lost).chain(folders).chain(files).cloned().collect()
}

/// Whether a kustomization that included another one is still there, or one that included that.
fn is_left_out(folder: &str, before: &Scanned<'_>, after: &Scanned<'_>) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(inner) = next.pop() {
        for parent in before.kustomizations.parents(&inner).filter(|parent| seen.insert((*parent).clone())) {
            if after.kustomizations.by_folder.contains_key(parent) {
                return true;
            }
            next.push(parent.clone());
        }
    }
    false
}

/// What is said of kustomizations that are applied in another way than before.
fn notes((before, old): (&Scanned<'_>, &Chosen), (after, new): (&Scanned<'_>, &Chosen)) -> Vec<AppliedNote> {
    let mut found = Vec::new();
    let parents = |side: &Scanned<'_>, name: &str| side.kustomizations.parents(name).cloned().collect::<Vec<_>>();
    let mut dropped: BTreeMap<(Vec<String>, BTreeSet<String>), Vec<String>> = BTreeMap::new();
    for name in &new.dropped {
        let parents = parents(before, name);
        let is_around = |entry: &&String| {
            let reached = before.kustomizations.reached([entry.as_str()]);
            reached.contains(name) || parents.iter().any(|parent| reached.contains(parent))
        };
        let around = old.entries.keys().filter(is_around);
        let appliers = around.filter_map(|entry| old.applied.of_kustomizations.get(entry)).flatten();
        let of_folders = old.applied.folders.iter().filter(|(named, _)| named == name).map(|(_, applier)| applier);
        let appliers = appliers.chain(of_folders).filter_map(|number| old.applied.appliers.get(*number));
        let appliers = appliers.map(Applier::title).collect();
        dropped.entry((parents, appliers)).or_default().push(name.clone());
    }
    let of_dropped = |((parents, appliers), names)| AppliedNote::Dropped { names, parents, appliers };
    found.extend(dropped.into_iter().map(of_dropped));
    let is_former_top = |folder: &&String| old.entries.get(*folder) == Some(&Entry::Top);
    let mut gained: BTreeMap<(String, bool), Vec<String>> = BTreeMap::new();
    for folder in after.kustomizations.by_folder.keys().filter(is_former_top) {
        match new.applied.of_kustomizations.get(folder) {
            Some(appliers) => {
                let first = appliers.iter().next().and_then(|number| new.applied.appliers.get(*number));
                let Some(applier) = first else { continue };
                let was_known = !old.applied.appliers.is_empty();
                gained.entry((applier.title(), was_known)).or_default().push(folder.clone());
            }
            None if new.entries.contains_key(folder) || new.dropped.contains(folder) => {}
            None => {
                let Some(parent) = parents(after, folder).into_iter().next() else { continue };
                let was_known = before.kustomizations.by_folder.contains_key(&parent);
                gained.entry((parent, was_known)).or_default().push(folder.clone());
            }
        }
    }
    found.extend(gained.into_iter().map(|((by, was_known), folders)| AppliedNote::Gained { folders, by, was_known }));
    let is_orphan = |folder: &&String| {
        !old.entries.contains_key(*folder)
            && new.entries.get(*folder) == Some(&Entry::Top)
            && before.kustomizations.by_folder.contains_key(*folder)
    };
    let orphans = new.entries.keys().filter(is_orphan);
    found.extend(orphans.filter_map(|folder| {
        let parent = parents(before, folder).into_iter().next()?;
        Some(AppliedNote::Orphaned { folder: folder.clone(), parent })
    }));
    found
}
