//! Files in paths: which of them are read, and what is in those.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fleet::{Source, is_kustomization};
use rayon::prelude::*;

use super::{Input, InputPlace, UnreadSource, fleet};
use crate::applied::{Chosen, Kustomizations, Scanned};
use crate::file::{Meaning, hash, hash_of, name, text};
use crate::progress;
use crate::rendered_files::RenderedFiles;
use crate::rendering::Rendering;
use crate::roots::is_in;
use crate::settings::are_bare;
use crate::sources::{InputSources, decides, is_template};
use crate::walk::FoundFiles;

/// Files in paths that are not read yet.
pub(super) struct WalkedPaths<'p> {
    pub(super) place: &'p InputPlace,
    files: Vec<PathBuf>,
    origins: Vec<UnreadSource>,
    unreadable: Vec<(String, String)>,
    pub(super) kustomizations: Kustomizations,
    /// Whether kustomizations are rendered.
    is_rendered: bool,
}

impl<'p> WalkedPaths<'p> {
    pub(super) fn of(paths: &[PathBuf], sources: &InputSources, place: &'p InputPlace) -> WalkedPaths<'p> {
        progress::step("reading files");
        let (mut walk, mut named) = (FoundFiles::default(), BTreeSet::new());
        for path in paths {
            let path = place.folder.join(path);
            if !path.is_dir() {
                named.insert(path.clone());
                walk.files.push(path);
            } else {
                walk.add(&path, &place.tracked);
            }
        }
        walk.distinct();
        let FoundFiles { mut files, unreadable, links, charted, .. } = walk;
        if let Some(settings) = &sources.settings {
            files.retain(|file| named.contains(file) || !has_settings(file, settings, place));
        }
        let is_manifest = |file: &PathBuf| named.contains(file) || !is_template(file);
        let (mut files, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_manifest);
        let origin = |file: &PathBuf| UnreadSource {
            name: place.name(file),
            hash: hash(file),
            what: decides(file).unwrap_or(TEMPLATE),
        };
        let link = |file: &PathBuf| UnreadSource {
            name: place.name(file),
            hash: hash_of(std::fs::read_link(file).unwrap_or_default().as_os_str().as_encoded_bytes()),
            what: LINK,
        };
        let of_chart = |file: &PathBuf| UnreadSource { what: CHARTED, ..origin(file) };
        let mut origins: Vec<UnreadSource> = others.iter().map(origin).collect();
        origins.extend(charted.iter().map(of_chart).chain(links.iter().map(link)));
        let mut kustomizations = Kustomizations::of([].iter(), &place.base);
        if sources.kustomize {
            kustomizations = Kustomizations::of(files.iter().filter(|file| !named.contains(*file)), &place.base);
            files.retain(|file| named.contains(file) || !kustomizations.has(file));
        }
        WalkedPaths { place, files, origins, unreadable, kustomizations, is_rendered: sources.kustomize }
    }

    /// Adds the components of both sides that only something else than the kustomizations here may include, such as
    /// `spec.components` of a Flux Kustomization.
    pub(super) fn add(
        &mut self,
        components: &BTreeMap<String, (PathBuf, u64)>,
        others: &BTreeMap<String, (PathBuf, u64)>,
    ) {
        let shared = components.iter().filter(|(folder, _)| others.contains_key(*folder));
        self.origins.extend(shared.map(|(_, (file, hash))| UnreadSource {
            name: self.place.name(file),
            hash: *hash,
            what: COMPONENT,
        }));
    }

    pub(super) fn scanned(&self) -> Scanned<'_> {
        let plain = self.files.iter().map(|file| self.kustomizations.key(file)).collect();
        Scanned { kustomizations: &self.kustomizations, plain, above: &self.place.above }
    }

    /// Whether kustomizations are among the files, and not rendered.
    pub(super) fn has_kustomizations(&self) -> bool {
        !self.is_rendered && self.files.iter().any(|file| is_kustomization(&name(file)))
    }

    /// Whether a file that is on one side only, or differs, may have objects that a plan reads. Without `--kustomize`, nobody asks.
    pub(super) fn changed(&self, other: &WalkedPaths<'_>) -> bool {
        if !self.is_rendered {
            return false;
        }
        let hashes = |side: &WalkedPaths<'_>| {
            let hashed = side.files.par_iter().map(|file| (side.kustomizations.key(file), (file.clone(), hash(file))));
            hashed.collect::<BTreeMap<String, (PathBuf, u64)>>()
        };
        let (old, new) = rayon::join(|| hashes(self), || hashes(other));
        let differs = |(name, (_, hash)): &(&String, &(PathBuf, u64)), there: &BTreeMap<String, (PathBuf, u64)>| {
            there.get(*name).is_none_or(|(_, other)| other != hash)
        };
        let of_old = old.iter().filter(|entry| differs(entry, &new));
        let mut differing = of_old.chain(new.iter().filter(|entry| differs(entry, &old)));
        differing.any(|(_, (file, _))| Meaning::of_file(file).is_relevant)
    }

    /// What is in the files, and what is rendered.
    pub(super) fn read(self, chosen: Chosen, rendering: Rendering, sources: &InputSources) -> Input {
        let WalkedPaths { place, mut files, origins, mut unreadable, kustomizations, .. } = self;
        let Chosen { entries, applied, dropped, notes, unjudged } = chosen;
        let is_dropped = |name: &str| {
            let folders = dropped.iter().filter(|folder| !kustomizations.by_folder.contains_key(*folder));
            folders.into_iter().any(|folder| is_in(name, folder))
        };
        files.retain(|file| !is_dropped(&kustomizations.key(file)));
        let shown = |folder: &str| place.name(&place.base.join(folder));
        let (mut rendered, mut hashes, mut texts) = (Vec::new(), BTreeMap::new(), Vec::new());
        for failure in rendering.failures {
            let name = shown(&failure.folder);
            rendered.push(name.clone());
            hashes.insert(name.clone(), failure.hash);
            unreadable.push((name, place.without(&failure.reason)));
        }
        for (path, text) in files.par_iter().map(|file| (file, text(file))).collect::<Vec<_>>() {
            let name = place.name(path);
            match text {
                Ok(text) => texts.push(Source { name, text }),
                Err(reason) => {
                    hashes.insert(name.clone(), hash(path));
                    unreadable.push((name, reason));
                }
            }
        }
        let mut rendered_files = RenderedFiles::default();
        for (folder, text) in rendering.texts {
            let name = shown(&folder);
            rendered_files.add(&folder, &kustomizations, shown);
            rendered.push(name.clone());
            texts.push(Source { name, text });
        }
        let fleet = fleet(texts.into(), sources.namespace(), &place.shown);
        Input {
            fleet,
            unreadable,
            unreadable_hashes: hashes,
            rendered,
            rendered_files,
            origins,
            entries,
            applied,
            applied_notes: notes,
            unjudged,
            ..Input::default()
        }
    }
}

/// Whether a file that was found in a directory is the one with the settings. A manifest that has them is read all the same.
fn has_settings(file: &Path, settings: &Path, place: &InputPlace) -> bool {
    let target = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same =
        || *file == place.folder.join(settings) || target(file).is_some_and(|file| target(settings) == Some(file));
    file.file_name() == settings.file_name() && is_same() && are_bare(file)
}

/// A symbolic link to something that is read where it is.
const LINK: &str = "a symbolic link to other manifests; they are compared where they are";

/// What a component is that no kustomization includes.
const COMPONENT: &str =
    "a component of Kustomize that no kustomization here includes; what includes it is not compared";

/// What a file in the directory of a chart is.
const CHARTED: &str = "a file of a Helm chart, not a manifest; render both sides and compare them";

/// What a file is that manifests are rendered from with another program.
const TEMPLATE: &str = "a template, not a manifest; render both sides and compare them";
