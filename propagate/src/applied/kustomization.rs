//! The kustomizations of one side, and what each is made from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fleet::{KUSTOMIZATION_FILES, Mentions, Source, is_kustomization, resources};

use crate::file::{Meaning, hash_of, name, text};

/// Kustomizations by their folders; names are relative to what is compared.
#[derive(Debug, Default)]
pub(crate) struct Kustomizations {
    base: PathBuf,
    pub(crate) by_folder: BTreeMap<String, Kustomization>,
}

/// A folder with a kustomization.
#[derive(Debug, Default)]
pub(crate) struct Kustomization {
    /// Whether it is in the paths of the call, and not only included from there.
    pub(crate) is_inside: bool,
    /// The folders with kustomizations that it lists.
    pub(crate) folders: BTreeSet<String>,
    /// The files that it lists as resources.
    pub(crate) files: BTreeSet<String>,
    /// The files that it is made from, without what it includes, each with a hash of what it means.
    pub(crate) own: BTreeMap<String, u64>,
    /// The folders with kustomizations that it names anywhere.
    mentioned: BTreeSet<String>,
    /// Its file.
    pub(crate) file: String,
    /// Kind and name of the objects in the files that it lists, with file and line.
    pub(crate) objects: Vec<(String, String, String, usize)>,
    is_component: bool,
    /// Whether its own files, or what it renders from elsewhere, may have objects that a plan reads.
    is_relevant: bool,
}

impl Kustomizations {
    /// The kustomizations among the files, and those that they include. `base` is what names are relative to.
    pub(crate) fn of<'f>(files: impl Iterator<Item = &'f PathBuf>, base: &Path) -> Kustomizations {
        let mut found = Kustomizations { base: base.to_owned(), by_folder: BTreeMap::new() };
        let inside: BTreeSet<String> = files
            .filter(|file| is_kustomization(&name(file)))
            .filter_map(|file| Some(found.key(file.parent()?)))
            .collect();
        let (mut next, mut hashes) = (inside.iter().cloned().collect::<Vec<_>>(), BTreeMap::new());
        while let Some(folder) = next.pop() {
            if found.by_folder.contains_key(&folder) {
                continue;
            }
            let Some(mut kustomization) = found.read(&folder, &mut hashes) else { continue };
            kustomization.is_inside = inside.contains(&folder);
            next.extend(kustomization.mentioned.iter().cloned());
            found.by_folder.insert(folder, kustomization);
        }
        found
    }

    /// The name of a path.
    pub(crate) fn key(&self, path: &Path) -> String {
        let name = name(path.strip_prefix(&self.base).unwrap_or(path));
        if name == "." { String::new() } else { name }
    }

    pub(crate) fn path(&self, key: &str) -> PathBuf {
        let path = self.base.join(key);
        if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
    }

    fn read(&self, folder: &str, hashes: &mut BTreeMap<String, Meaning>) -> Option<Kustomization> {
        let file = self.file(folder)?;
        let source = Source { text: text(&self.path(&file)).unwrap_or_default(), name: file.clone() };
        let mut found = Kustomization::default();
        for listed in resources(&source) {
            if self.path(&listed).is_file() {
                found.files.insert(listed);
            } else if self.file(&listed).is_some() {
                found.folders.insert(listed);
            } else {
                found.is_relevant = true;
            }
        }
        let Mentions { paths, charts, is_component, .. } = Mentions::of(&source);
        found.is_component = is_component;
        found.is_relevant |= charts.is_some();
        let of_charts = charts.into_iter().flat_map(|charts| self.files_in(&charts));
        let mut hash = |name: String| {
            let path = self.path(&name);
            let meaning = hashes.entry(name.clone()).or_insert_with(|| Meaning::of_file(&path));
            if found.files.contains(&name) {
                found.is_relevant |= meaning.is_relevant;
                let objects = meaning
                    .objects
                    .iter()
                    .map(|(kind, object, line)| (kind.clone(), object.clone(), name.clone(), *line));
                found.objects.extend(objects);
            }
            found.own.insert(name, meaning.hash);
        };
        of_charts.for_each(&mut hash);
        for mentioned in paths {
            if self.path(&mentioned).is_file() {
                hash(mentioned);
            } else if self.file(&mentioned).is_some() {
                found.mentioned.insert(mentioned);
            }
        }
        // Cheaper than to parse it again, and it is rendered once more at most.
        found.own.insert(source.name, hash_of(source.text.as_bytes()));
        // Kustomize refuses a folder with several.
        let others = self.files_of(folder).filter(|other| *other != file && self.path(other).is_file());
        found.own.extend(others.map(|other| (other, 0)).collect::<Vec<_>>());
        found.file = file;
        found.mentioned.extend(found.folders.iter().cloned());
        found.mentioned.remove(folder);
        Some(found)
    }

    /// The kustomization in a folder.
    fn file(&self, folder: &str) -> Option<String> {
        self.files_of(folder).find(|file| self.path(file).is_file())
    }

    /// The names that the kustomization in a folder may have.
    fn files_of(&self, folder: &str) -> impl Iterator<Item = String> {
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        KUSTOMIZATION_FILES.iter().map(move |file| format!("{inside}{file}"))
    }

    fn files_in(&self, folder: &str) -> Vec<String> {
        let walk = ignore::WalkBuilder::new(self.path(folder)).standard_filters(false).build();
        walk.flatten().filter(|entry| entry.path().is_file()).map(|entry| self.key(entry.path())).collect()
    }

    /// Everything that a kustomization is rendered from.
    pub(crate) fn parts(&self, folder: &str) -> BTreeMap<&str, u64> {
        let of = |folder: &String| self.by_folder.get(folder).into_iter().flat_map(|it| &it.own);
        self.reached([folder]).iter().flat_map(of).map(|(name, hash)| (&**name, *hash)).collect()
    }

    /// Whether what is rendered of a kustomization may have objects that a plan reads.
    pub(crate) fn is_relevant(&self, folder: &str) -> bool {
        self.reached([folder]).iter().any(|folder| self.by_folder.get(folder).is_some_and(|it| it.is_relevant))
    }

    /// Kustomizations with everything that they include.
    pub(crate) fn reached<'n>(&self, from: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
        let (mut seen, mut next) = (BTreeSet::new(), from.into_iter().map(str::to_owned).collect::<Vec<_>>());
        while let Some(folder) = next.pop() {
            if let Some(kustomization) = self.by_folder.get(&folder)
                && seen.insert(folder)
            {
                next.extend(kustomization.mentioned.iter().cloned());
            }
        }
        seen
    }

    /// Whether Kustomize reads a file: those in folders with a kustomization, and those that one names.
    pub(crate) fn has(&self, file: &Path) -> bool {
        let of_folder = file.parent().is_some_and(|folder| self.by_folder.contains_key(&self.key(folder)));
        let key = self.key(file);
        of_folder || self.by_folder.values().any(|kustomization| kustomization.own.contains_key(&key))
    }

    /// The kustomizations that list a folder, or name a file of another one.
    pub(crate) fn parents<'k>(&'k self, name: &'k str) -> impl Iterator<Item = &'k String> {
        let lists = move |(_, it): &(&String, &Kustomization)| it.folders.contains(name) || it.own.contains_key(name);
        self.by_folder.iter().filter(lists).map(|(parent, _)| parent)
    }

    /// The components that no kustomization includes, each with its file and a hash of what is in it.
    pub(crate) fn components(&self) -> BTreeMap<String, (PathBuf, u64)> {
        let file = |folder: &String| {
            let kustomization = self.by_folder.get(folder).filter(|it| it.is_component)?;
            Some((self.path(&kustomization.file), hash_of(format!("{:?}", self.parts(folder)).as_bytes())))
        };
        self.tops().into_iter().filter_map(|folder| Some((folder.clone(), file(&folder)?))).collect()
    }

    /// The kustomizations in the paths of the call that no other one includes.
    pub(crate) fn tops(&self) -> BTreeSet<String> {
        let included: BTreeSet<&String> = self.by_folder.values().flat_map(|it| &it.mentioned).collect();
        let inside = self.by_folder.iter().filter(|(_, kustomization)| kustomization.is_inside);
        inside.map(|(folder, _)| folder).filter(|folder| !included.contains(folder)).cloned().collect()
    }
}
