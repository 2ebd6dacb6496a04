//! Files, directories and standard input.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fleet::{Fleet, Locator, Problem, Reading, Severity, Source, count, is_kustomization, of_kustomize, read_document};
use rayon::prelude::*;

use crate::file::{hash, hash_of, name, text};
use crate::kustomizations::{Unrendered, kustomizations, kustomize};
use crate::progress;
use crate::sources::{InputSources, is_template};
use crate::walk::{FoundFiles, Tracked};

/// What was read, and what could not be.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) fleet: Fleet,
    /// Files that cannot be read: name and reason.
    pub(crate) unreadable: Vec<(String, String)>,
    /// The names of the directories with a kustomization that is rendered, including those that cannot be.
    pub(crate) rendered: Vec<String>,
    /// The files in directories that manifests come from and that are not read.
    pub(crate) origins: Vec<UnreadSource>,
    /// For a plan: the kustomizations that are not rendered.
    pub(crate) unrendered: Vec<Unrendered>,
    /// What the names of the texts begin with, and those of the same files on the other side of a plan do not.
    pub(crate) prefix: String,
    /// For a live cluster: the flags with which kubectl reaches it.
    pub(crate) kubectl: Option<String>,
    /// For a live cluster: which one, and which namespaces.
    pub(crate) asked: Option<String>,
}

/// The maximum number of notes, and of warnings about objects that are skipped because another object has the same name.
const NAMED: usize = 5;

/// Where paths are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputPlace {
    /// The folder that relative paths begin in; the current one if it is empty.
    pub(crate) folder: PathBuf,
    /// What is printed instead of the folder, such as `main:`.
    pub(crate) shown: String,
    pub(crate) tracked: Tracked,
}

/// A file that is not read itself, and that manifests come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnreadSource {
    pub(crate) name: String,
    /// A hash of what is in it.
    pub(crate) hash: u64,
    /// What it is, and how to compare what comes from it.
    pub(crate) what: &'static str,
}

/// Reads everything below the paths, with documents in parallel. Objects without a namespace get the namespace of
/// `sources`.
pub(crate) fn read(paths: &[PathBuf], sources: &InputSources) -> Input {
    read_at(paths, sources, &InputPlace::default())
}

/// Like [`read`], with relative paths in another folder.
pub(crate) fn read_at(paths: &[PathBuf], sources: &InputSources, place: &InputPlace) -> Input {
    progress::step("reading files");
    let name = |file: &Path| place.name(file);
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
    let FoundFiles { files, mut unreadable, links, charted, .. } = walk;
    let is_manifest = |file: &PathBuf| named.contains(file) || !is_template(file);
    let (mut files, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_manifest);
    let origin = |file: &PathBuf| UnreadSource { name: name(file), hash: hash(file), what: TEMPLATE };
    let link = |file: &PathBuf| UnreadSource {
        name: name(file),
        hash: hash_of(std::fs::read_link(file).unwrap_or_default().as_os_str().as_encoded_bytes()),
        what: LINK,
    };
    let of_chart = |file: &PathBuf| UnreadSource { what: CHARTED, ..origin(file) };
    let origins = others.iter().map(origin).chain(charted.iter().map(of_chart)).chain(links.iter().map(link)).collect();
    let folders = if sources.kustomize { kustomizations(&mut files, &named) } else { Vec::new() };
    let (mut names, mut rendered) = (Vec::new(), Vec::new());
    let texts: Vec<_> = folders.par_iter().map(|folder| (name(folder), kustomize(folder))).collect();
    for (folder, text) in texts {
        names.push(folder.clone());
        match text {
            Ok(text) => rendered.push(Source { name: folder, text }),
            Err(reason) => unreadable.push((folder, place.without(&reason))),
        }
    }
    let mut texts = Vec::new();
    for (name, text) in files.par_iter().map(|file| (name(file), text(file))).collect::<Vec<_>>() {
        match text {
            Ok(text) => texts.push(Source { name, text }),
            Err(reason) => unreadable.push((name, reason)),
        }
    }
    texts.extend(rendered);
    let fleet = fleet(texts.into(), sources.namespace(), &place.shown);
    Input { fleet, unreadable, rendered: names, origins, ..Input::default() }
}

/// A symbolic link to something that is read where it is.
const LINK: &str = "a symbolic link to other manifests; they are compared where they are";

/// What a file in the directory of a chart is.
const CHARTED: &str = "a file of a Helm chart, not a manifest; render both sides and compare them";

/// What a file is that manifests are rendered from with another program.
const TEMPLATE: &str = "a template, not a manifest; render both sides and compare them";

impl Input {
    /// The names of the files that are not among the texts, and of the kustomizations.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &str> {
        let unreadable = self.unreadable.iter().map(|(name, _)| &**name);
        let origins = self.origins.iter().map(|origin| &*origin.name);
        unreadable.chain(origins).chain(self.unrendered.iter().map(|it| &*it.file))
    }
}

impl InputPlace {
    /// A path as it is printed.
    fn name(&self, file: &Path) -> String {
        match file.strip_prefix(&self.folder) {
            Ok(inner) if !self.shown.is_empty() => format!("{}{}", self.shown, name(inner)),
            _ => name(file),
        }
    }

    /// A message of a program without the folder.
    fn without(&self, message: &str) -> String {
        if self.shown.is_empty() {
            return message.to_owned();
        }
        let folder = self.folder.display().to_string();
        let folder = folder.trim_end_matches('/');
        message.replace(&format!("{folder}/"), &self.shown).replace(folder, &self.shown)
    }
}

/// The manifests that paths stand for, in order and each once, and the directories that cannot be read: name and reason.
pub(crate) fn files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<(String, String)>) {
    let mut walk = FoundFiles::default();
    for path in paths {
        if path.is_dir() {
            walk.add(path, &Tracked::default());
        } else {
            walk.files.push(path.clone());
        }
    }
    walk.distinct();
    let is_manifest = |file: &PathBuf| paths.contains(file) || !is_kustomization(&name(file)) && !is_template(file);
    (walk.files.into_iter().filter(is_manifest).collect(), walk.unreadable)
}

/// Prints to standard error the files and documents that cannot be read, and what may not be read as intended, such as
/// an object that is skipped because another one has its name. Returns whether something cannot be read.
pub(crate) fn warn(Input { fleet, unreadable, .. }: &Input) -> bool {
    progress::end();
    for (file, reason) in unreadable {
        anstream::eprintln!("cannot read `{file}`: {reason}");
    }
    let mut locator = Locator::new(fleet.sources());
    let mut is_unreadable = !unreadable.is_empty();
    let (mut skipped, mut named, mut unnamed) = (0, 0, 0);
    for Problem { severity, skips, message, source, at, .. } in fleet.problems() {
        let warning = match severity {
            Severity::Note => continue,
            Severity::Warning => "warning: ",
            Severity::Error => "",
        };
        is_unreadable |= *severity == Severity::Error;
        skipped += skips;
        named += usize::from(*skips > 0);
        if *skips > 0 && named > NAMED {
            unnamed += skips;
            continue;
        }
        let position = locator.position(*source, *at);
        let name = fleet.sources().get(*source).map_or("", |source| &source.name);
        anstream::eprintln!("{warning}{name}:{}:{}: {message}", position.line, position.column);
    }
    if unnamed > 0 {
        let more = count(unnamed, "more object");
        anstream::eprintln!("warning: {more} skipped: an object of the same name is already defined");
    }
    if skipped > 0 {
        anstream::eprintln!(
            "help: pass the files of a single cluster; only `propagate check` and `propagate plan` handle several clusters"
        );
    }
    is_unreadable
}

/// Prints to standard error what was skipped because it is not a Kubernetes object, such as a kustomization: it may be why
/// nothing is found.
pub(crate) fn note(Input { fleet, .. }: &Input) {
    progress::end();
    let notes: Vec<&Problem> = fleet.problems().iter().filter(|problem| problem.severity == Severity::Note).collect();
    let mut locator = Locator::new(fleet.sources());
    for Problem { message, source, at, .. } in notes.iter().take(NAMED) {
        let position = locator.position(*source, *at);
        let name = fleet.sources().get(*source).map_or("", |source| &source.name);
        anstream::eprintln!("note: {name}:{}:{}: {message}", position.line, position.column);
    }
    if notes.len() > NAMED {
        anstream::eprintln!("and {}; `propagate check --verbose` prints all", count(notes.len() - NAMED, "more note"));
    }
}

/// Reads the documents of texts in parallel.
#[cfg(feature = "cluster")]
pub(crate) fn of(sources: Vec<Source>, unreadable: Vec<(String, String)>, namespace: &str) -> Input {
    Input { fleet: fleet(sources.into(), namespace, ""), unreadable, ..Input::default() }
}

/// The objects in the texts. `prefix` is what their names begin with and is no part of a path.
fn fleet(sources: Arc<[Source]>, namespace: &str, prefix: &str) -> Fleet {
    let passed_over = of_kustomize(&sources, prefix);
    let documents: Vec<_> = sources
        .par_iter()
        .enumerate()
        .filter(|(number, _)| !passed_over.contains_key(number))
        .flat_map_iter(|(number, source)| {
            source.documents().into_iter().map(move |document| (number, source, document))
        })
        .collect();
    let read = |(number, source, document): (usize, &Source, Range<usize>)| {
        let reading = read_document(source, number, document);
        // Of hidden files, such as those of editors and pipelines, only manifests count.
        let path = source.name.strip_prefix(prefix).unwrap_or(&source.name);
        if reading.has_objects() || !is_hidden(path) { reading } else { Reading::default() }
    };
    let mut readings: Vec<_> = documents.into_par_iter().map(read).collect();
    readings.extend(passed_over.into_values());
    let fleet = Fleet::assemble(sources, readings, namespace);
    progress::step(format!("evaluating {}", count(fleet.objects().count(), "object")));
    fleet
}

/// Whether a file or a directory above it is hidden.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.') && ![".", ".."].contains(&part))
}
