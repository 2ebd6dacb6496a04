//! Files, directories and standard input.

mod walked;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fleet::{Fleet, Locator, Problem, Reading, Severity, Source, count, is_kustomization, of_kustomize, read_document};
use rayon::prelude::*;

use self::walked::WalkedPaths;
use crate::applied::{Applied, AppliedNote, Chosen, Entry, choose};
use crate::file::name;
use crate::kustomizations::Unrendered;
use crate::output::report::Where;
use crate::rendered_files::RenderedFiles;
use crate::rendering::{RenderCommand, Rendering, SideToRender, render};
use crate::sources::{InputSources, is_template};
use crate::walk::{FoundFiles, Tracked};
use crate::{Failure, progress};

/// What was read, and what could not be.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) fleet: Fleet,
    /// Files that cannot be read: name and reason.
    pub(crate) unreadable: Vec<(String, String)>,
    /// A hash of what each of these is made from.
    pub(crate) unreadable_hashes: BTreeMap<String, u64>,
    /// The names of the directories with a kustomization that is rendered, including those that cannot be.
    pub(crate) rendered: Vec<String>,
    /// The files that these are written in.
    pub(crate) rendered_files: RenderedFiles,
    /// The entry points among these, by names that both sides of a plan share.
    pub(crate) entries: BTreeMap<String, Entry>,
    pub(crate) applied: Applied,
    pub(crate) applied_notes: Vec<AppliedNote>,
    /// What would be applied, if that depends on kustomizations that are not rendered.
    pub(crate) unjudged: Applied,
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
    /// What names of both sides of a plan are relative to.
    pub(crate) base: PathBuf,
    /// The folder of the call in its repository.
    pub(crate) above: String,
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
    let walked = WalkedPaths::of(paths, sources, place);
    let mut chosen = Chosen::default();
    // Without `--kustomize`, nothing depends on what applies it: there is no other side.
    if sources.kustomize {
        let scanned = walked.scanned();
        [chosen, _] = choose([&scanned, &scanned], &[]);
    }
    let mut side = [SideToRender { kustomizations: &walked.kustomizations, chosen: &mut chosen }];
    let rendered =
        render(&mut side, &sources.options, true).map(|rendered| rendered.into_iter().next().unwrap_or_default());
    let (rendering, failure) = match rendered {
        Ok(rendering) => (rendering, None),
        Err(Failure(reason)) => (Rendering::default(), Some(reason)),
    };
    let shown = |folder: &String| walked.place.name(&walked.place.base.join(folder));
    let hidden: Vec<String> = failure.iter().flat_map(|_| chosen.entries.keys().map(shown)).collect();
    let mut input = walked.read(chosen, rendering, sources);
    let reason = failure.unwrap_or_default();
    input.unreadable.extend(hidden.into_iter().map(|folder| (folder, reason.clone())));
    input
}

/// The paths of both sides of a plan, and what commands print there. `roots` are entry points in any case.
pub(crate) fn read_both(
    sides: [(&[PathBuf], &InputPlace); 2],
    sources: &InputSources,
    roots: &[String],
    commands: &[RenderCommand],
) -> Result<[Input; 2], Failure> {
    progress::step("reading files");
    let of_side = |(paths, place)| WalkedPaths::of(paths, sources, place);
    let [one, other] = sides;
    let (mut old, mut new) = rayon::join(|| of_side(one), || of_side(other));
    let components = [old.kustomizations.components(), new.kustomizations.components()];
    let [of_old, of_new] = &components;
    old.add(of_old, of_new);
    new.add(of_new, of_old);
    let (mut of_old, mut of_new) = {
        let scanned = [old.scanned(), new.scanned()];
        let [of_old, of_new] = choose(scanned.each_ref(), roots);
        match old.has_kustomizations() || new.has_kustomizations() {
            true => (of_old.unjudged(), of_new.unjudged()),
            false => (of_old, of_new),
        }
    };
    let mut both = [
        SideToRender { kustomizations: &old.kustomizations, chosen: &mut of_old },
        SideToRender { kustomizations: &new.kustomizations, chosen: &mut of_new },
    ];
    let is_changed = old.changed(&new);
    let mut rendered = render(&mut both, &sources.options, is_changed)?.into_iter();
    let [mut rendered_old, mut rendered_new] = [rendered.next(), rendered.next()].map(Option::unwrap_or_default);
    rendered_old.extend(commands, &old.place.base);
    rendered_new.extend(commands, &new.place.base);
    let (old, new) =
        rayon::join(|| old.read(of_old, rendered_old, sources), || new.read(of_new, rendered_new, sources));
    Ok([old, new])
}

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
        anstream::eprintln!("{warning}{}: {message}", Where::of_position(fleet, (*source, *at), &mut locator));
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
        anstream::eprintln!("note: {}: {message}", Where::of_position(fleet, (*source, *at), &mut locator));
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
