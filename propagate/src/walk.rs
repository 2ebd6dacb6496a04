//! The files in directories.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fleet::is_kustomization;
use ignore::WalkBuilder;

use crate::sources::{is_read, is_template};

/// The files that it lists are not read.
const IGNORE_FILE: &str = ".propagateignore";

/// What git knows of files in directories.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tracked {
    /// Whether all of them are tracked: `.gitignore` decides nothing.
    pub(crate) is_all: bool,
    /// Files that are tracked although `.gitignore` lists them, as seen from the current folder.
    pub(crate) files: Vec<PathBuf>,
    /// Directories with submodules, which are not searched, as seen from the current folder.
    pub(crate) submodules: Vec<PathBuf>,
}

/// Whether a file is a manifest, a kustomization or something that manifests are rendered from, or says which files are
/// ignored.
pub(crate) fn is_input(file: &Path) -> bool {
    is_found(file) || is_ignore(file)
}

/// Whether a file says which files are ignored.
pub(crate) fn is_ignore(file: &Path) -> bool {
    const IGNORES: [&str; 3] = [".gitignore", ".ignore", IGNORE_FILE];
    file.file_name().is_some_and(|name| IGNORES.iter().any(|known| name == *known))
}

/// Whether a file says that its directory is a Helm chart.
pub(crate) fn is_chart(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "Chart.yaml")
}

/// Whether a file of a chart only describes it.
fn is_described(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.ends_with(".md") || ["license", "notes.txt", "owners", ".helmignore"].contains(&&*name)
}

fn is_found(file: &Path) -> bool {
    is_read(file) || is_template(file) || is_kustomization(&file.to_string_lossy())
}

/// Files that were found in directories: manifests, kustomizations, and what manifests are rendered from.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    pub(crate) files: Vec<PathBuf>,
    /// Those among them that symbolic links lead to.
    linked: BTreeSet<PathBuf>,
    /// The symbolic links to what is read where it is.
    pub(crate) links: Vec<PathBuf>,
    /// Files without the ending of a manifest that are in the directory of a Helm chart.
    pub(crate) charted: Vec<PathBuf>,
    others: Vec<PathBuf>,
    /// The directories that cannot be read: name and reason.
    pub(crate) unreadable: Vec<(String, String)>,
}

impl FoundFiles {
    /// Adds the files in a directory and all directories below it, in order. Symbolic links are followed, unless what they
    /// lead to is in the directory.
    pub(crate) fn add(&mut self, folder: &Path, tracked: &Tracked) {
        let mut links = Vec::new();
        let mut found = self.search(folder, tracked, &mut links);
        let tracked_too = tracked.files.iter().filter(|file| is_found(file)).filter_map(|file| inside(folder, file));
        found.extend(tracked_too.filter(|file| file.is_file()));
        let mut searched: BTreeSet<PathBuf> = fs::canonicalize(folder).into_iter().collect();
        while let Some(link) = links.pop() {
            let target = fs::canonicalize(&link);
            if target.as_ref().is_ok_and(|target| target.is_dir()) {
                let is_new = |target: &PathBuf| !searched.iter().any(|known| target.starts_with(known));
                match target.ok().filter(is_new) {
                    Some(target) => {
                        searched.insert(target);
                        let below = self.search(&link, tracked, &mut links);
                        self.linked.extend(below.iter().cloned());
                        found.extend(below);
                    }
                    None => self.links.push(link),
                }
            } else if is_found(&link) {
                self.linked.insert(link.clone());
                found.push(link);
            }
        }
        // A chart may read any file in its directory.
        let charts: BTreeSet<PathBuf> =
            found.iter().filter(|file| is_chart(file)).filter_map(|file| Some(file.parent()?.to_owned())).collect();
        let is_in_chart = |file: &PathBuf| charts.iter().any(|chart| file.starts_with(chart)) && !is_described(file);
        self.charted.extend(std::mem::take(&mut self.others).into_iter().filter(is_in_chart));
        found.sort();
        found.dedup();
        self.files.append(&mut found);
    }

    /// Removes what is there twice, by name or by a symbolic link.
    pub(crate) fn distinct(&mut self) {
        let mut seen = BTreeSet::new();
        self.files.retain(|file| seen.insert(file.clone()));
        if self.linked.is_empty() {
            return;
        }
        let target = |file: &PathBuf| fs::canonicalize(file).unwrap_or_else(|_| file.clone());
        let own = self.files.iter().filter(|file| !self.linked.contains(*file));
        let own: BTreeSet<PathBuf> = own.map(target).collect();
        let is_double = |file: &PathBuf| self.linked.contains(file) && own.contains(&target(file));
        let (doubles, files): (Vec<PathBuf>, Vec<PathBuf>) =
            std::mem::take(&mut self.files).into_iter().partition(is_double);
        self.files = files;
        self.links.extend(doubles.into_iter().filter(|file| file.is_symlink()));
    }

    /// The files below a directory, and the symbolic links.
    fn search(&mut self, folder: &Path, tracked: &Tracked, links: &mut Vec<PathBuf>) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let submodules: Vec<PathBuf> = tracked.submodules.iter().filter_map(|path| inside(folder, path)).collect();
        let walk = WalkBuilder::new(folder)
            .require_git(false)
            .hidden(false)
            .git_ignore(!tracked.is_all)
            .git_exclude(!tracked.is_all)
            .git_global(!tracked.is_all)
            .add_custom_ignore_filename(IGNORE_FILE)
            .filter_entry(move |entry| {
                entry.file_name() != ".git" && !submodules.iter().any(|path| path == entry.path())
            })
            .build();
        for entry in walk {
            match entry {
                Ok(entry) if entry.depth() > 0 && entry.path_is_symlink() => links.push(entry.into_path()),
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    let file = entry.into_path();
                    if is_found(&file) { found.push(file) } else { self.others.push(file) }
                }
                Ok(_) => {}
                Err(error) => self.unreadable.push((folder.display().to_string(), error.to_string())),
            }
        }
        found
    }
}

/// A path below a directory as it is found there; `None` if it is not below it.
pub(crate) fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let plain = folder.strip_prefix(".").unwrap_or(folder);
    path.strip_prefix(plain).ok().map(|rest| folder.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_inside_a_directory_however_that_is_written() {
        for (folder, path, expected) in [
            (".", "a/b.yaml", Some("./a/b.yaml")),
            ("./a", "a/b.yaml", Some("./a/b.yaml")),
            ("a/", "a/b.yaml", Some("a/b.yaml")),
            ("a", "ab/c.yaml", None),
        ] {
            assert_eq!(inside(Path::new(folder), Path::new(path)), expected.map(PathBuf::from), "{folder} {path}");
        }
    }
}
