//! Files, directories and standard input.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use fleet::{
    Fleet, KUSTOMIZATION_FILES, Locator, Problem, Severity, Source, count, of_kustomize, read_document, resources,
};
use ignore::WalkBuilder;
use rayon::prelude::*;

use crate::progress;
use crate::sources::{InputSources, is_read, is_template};

/// What was read, and what could not be.
pub(crate) struct Input {
    pub(crate) fleet: Fleet,
    /// Files that cannot be read: name and reason.
    pub(crate) unreadable: Vec<(String, String)>,
    /// The names of the directories with a kustomization that is rendered, including those that cannot be.
    pub(crate) rendered: Vec<String>,
    /// The files in directories that manifests are rendered from with other programs: name, and a hash of what is in it.
    pub(crate) templates: Vec<(String, u64)>,
    /// What the names of the texts begin with, and those of the same files on the other side of a plan do not.
    pub(crate) prefix: String,
    /// For a live cluster: the flags with which kubectl reaches it.
    pub(crate) kubectl: Option<String>,
    /// For a live cluster: which one, and which namespaces.
    pub(crate) asked: Option<String>,
}

/// The maximum number of warnings about objects that are skipped because another object has the same name.
const NAMED: usize = 5;

/// Where paths are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputPlace {
    /// The folder that relative paths begin in; the current one if it is empty.
    pub(crate) folder: PathBuf,
    /// What is printed instead of the folder, such as `main:`.
    pub(crate) shown: String,
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
    let mut unreadable = Vec::new();
    let mut files = Vec::new();
    let mut rendered = Vec::new();
    let mut names = Vec::new();
    let mut templates = Vec::new();
    for path in paths {
        let path = &place.folder.join(path);
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut folders = vec![path.clone()];
        if !(sources.kustomize && KUSTOMIZATION_FILES.iter().any(|file| path.join(file).is_file())) {
            let (mut found, others): (Vec<PathBuf>, Vec<PathBuf>) =
                walk(path, &mut unreadable).into_iter().partition(|file| !is_template(file));
            templates.extend(others.iter().map(|file| (name(file), hash(file))));
            folders = if sources.kustomize { kustomizations(&mut found) } else { Vec::new() };
            files.append(&mut found);
        }
        let texts: Vec<_> = folders.par_iter().map(|folder| (name(folder), kustomize(folder))).collect();
        for (folder, text) in texts {
            names.push(folder.clone());
            match text {
                Ok(text) => rendered.push(Source { name: folder, text }),
                Err(reason) => unreadable.push((folder, place.without(&reason))),
            }
        }
    }
    // A file that is named twice is read once.
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    let mut texts = Vec::new();
    for (name, text) in files.par_iter().map(|file| (name(file), text(file))).collect::<Vec<_>>() {
        match text {
            Ok(text) => texts.push(Source { name, text }),
            Err(reason) => unreadable.push((name, reason)),
        }
    }
    texts.extend(rendered);
    Input { rendered: names, templates, ..of(texts, unreadable, sources.namespace()) }
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

/// Whether a file is a manifest, a kustomization or something that manifests are rendered from, or says which files are
/// ignored.
pub(crate) fn is_input(file: &Path) -> bool {
    const IGNORES: [&str; 3] = [".gitignore", ".ignore", IGNORE_FILE];
    let is_ignore = || file.file_name().is_some_and(|name| IGNORES.iter().any(|known| name == *known));
    is_read(file) || is_kustomization(file) || is_template(file) || is_ignore()
}

/// The files that it lists are not read.
const IGNORE_FILE: &str = ".propagateignore";

/// The files that paths stand for, in order and each once, and the directories that cannot be read: name and reason.
pub(crate) fn files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<(String, String)>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let is_manifest = |file: &PathBuf| !is_kustomization(file) && !is_template(file);
            files.extend(walk(path, &mut unreadable).into_iter().filter(is_manifest));
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    (files, unreadable)
}

/// The directories with a kustomization that no other one includes. Kustomize reads the files in them.
fn kustomizations(files: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let (mut folders, mut bases) = (BTreeSet::new(), BTreeSet::new());
    for file in files.iter().filter(|file| is_kustomization(file)) {
        folders.extend(file.parent().map(Path::to_owned));
        let text = text(file).unwrap_or_default();
        bases.extend(resources(&Source { name: name(file), text }));
    }
    files.retain(|file| !folders.iter().any(|folder| file.starts_with(folder)));
    let names = folders.iter().map(|folder| name(folder));
    names.filter(|folder| !bases.contains(folder)).map(PathBuf::from).collect()
}

/// The output of Kustomize for a directory, with whichever of its programs is installed.
fn kustomize(folder: &Path) -> Result<String, String> {
    for (program, verb) in [("kustomize", "build"), ("kubectl", "kustomize")] {
        match Command::new(program).arg(verb).arg(folder).output() {
            Ok(output) if output.status.success() => {
                return String::from_utf8(output.stdout).map_err(|error| error.to_string());
            }
            Ok(output) => {
                return Err(format!("{program} {verb}: {}", String::from_utf8_lossy(&output.stderr).trim()));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{program}: {error}")),
        }
    }
    Err("`--kustomize` needs `kustomize` or `kubectl` on the PATH".to_owned())
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

/// Reads the documents of texts in parallel.
pub(crate) fn of(sources: Vec<Source>, unreadable: Vec<(String, String)>, namespace: &str) -> Input {
    Input {
        fleet: fleet(sources.into(), namespace),
        unreadable,
        rendered: Vec::new(),
        templates: Vec::new(),
        prefix: String::new(),
        kubectl: None,
        asked: None,
    }
}

/// The objects in the texts.
fn fleet(sources: Arc<[Source]>, namespace: &str) -> Fleet {
    let passed_over = of_kustomize(&sources);
    let documents: Vec<_> = sources
        .par_iter()
        .enumerate()
        .filter(|(number, _)| !passed_over.contains_key(number))
        .flat_map_iter(|(number, source)| {
            source.documents().into_iter().map(move |document| (number, source, document))
        })
        .collect();
    let read = |(number, source, document)| read_document(source, number, document);
    let mut readings: Vec<_> = documents.into_par_iter().map(read).collect();
    readings.extend(passed_over.into_values());
    let fleet = Fleet::assemble(sources, readings, namespace);
    progress::step(format!("evaluating {}", count(fleet.objects().count(), "object")));
    fleet
}

/// The text of one file, or why there is none.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().lock().read_to_end(&mut bytes),
        _ => std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// A hash of the bytes of a file; the same for all that cannot be read.
fn hash(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(file).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

fn is_kustomization(file: &Path) -> bool {
    file.file_name().is_some_and(|name| KUSTOMIZATION_FILES.iter().any(|known| name == *known))
}

/// The files in a directory and all directories below it: manifests, kustomizations, and what manifests are rendered from.
fn walk(folder: &Path, unreadable: &mut Vec<(String, String)>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let walk = WalkBuilder::new(folder).require_git(false).add_custom_ignore_filename(IGNORE_FILE).build();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                if is_read(entry.path()) || is_kustomization(entry.path()) || is_template(entry.path()) {
                    found.push(entry.into_path());
                }
            }
            Ok(_) => {}
            Err(error) => unreadable.push((folder.display().to_string(), error.to_string())),
        }
    }
    found.sort();
    found
}

/// A path as it is printed: with slashes, without a leading `./`.
pub(crate) fn name(file: &Path) -> String {
    let name = file.display().to_string().replace('\\', "/");
    name.strip_prefix("./").map_or(name.clone(), str::to_owned)
}
