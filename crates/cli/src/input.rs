//! Files, folders and standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use fleet::{Fleet, Source, read_document};
use ignore::WalkBuilder;
use rayon::prelude::*;

/// What was read, and what could not be.
pub(crate) struct Input {
    pub(crate) fleet: Fleet,
    /// Files that cannot be read: name and reason.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// The files that are read in folders.
const ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Reads everything below the paths, documents on all cores. Objects that are written without a namespace are in
/// `namespace`.
pub(crate) fn read(paths: &[PathBuf], namespace: &str) -> Input {
    let mut unreadable = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { walk(path, &mut files, &mut unreadable) } else { files.push(path.clone()) }
    }
    // A file that is named twice is read once.
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    let mut sources = Vec::new();
    for (name, text) in files.par_iter().map(|file| (name(file), text(file))).collect::<Vec<_>>() {
        match text {
            Ok(text) => sources.push(Source { name, text }),
            Err(reason) => unreadable.push((name, reason)),
        }
    }
    of(sources, unreadable, namespace)
}

/// Reads the documents of texts on all cores.
pub(crate) fn of(sources: Vec<Source>, unreadable: Vec<(String, String)>, namespace: &str) -> Input {
    let documents: Vec<_> = sources
        .par_iter()
        .enumerate()
        .flat_map_iter(|(number, source)| {
            source.documents().into_iter().map(move |document| (number, source, document))
        })
        .collect();
    let read = |(number, source, document)| read_document(source, number, document);
    let readings = documents.into_par_iter().map(read).collect();
    Input { fleet: Fleet::assemble(sources, readings, namespace), unreadable }
}

/// Whether a file of this name is read in folders.
pub(crate) fn is_read(file: &Path) -> bool {
    file.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
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

fn walk(folder: &Path, files: &mut Vec<PathBuf>, unreadable: &mut Vec<(String, String)>) {
    let mut found = Vec::new();
    let walk = WalkBuilder::new(folder).require_git(false).add_custom_ignore_filename(".propagateignore").build();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                if is_read(entry.path()) {
                    found.push(entry.into_path());
                }
            }
            Ok(_) => {}
            Err(error) => unreadable.push((folder.display().to_string(), error.to_string())),
        }
    }
    found.sort();
    files.append(&mut found);
}

/// A path as it is shown: with slashes, without a leading `./`.
fn name(file: &Path) -> String {
    let name = file.display().to_string().replace('\\', "/");
    name.strip_prefix("./").map_or(name.clone(), str::to_owned)
}
