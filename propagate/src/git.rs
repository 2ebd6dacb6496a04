//! The files of a revision of a git repository, written to a temporary folder. No work tree and no index is touched.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::{Mentions, Source, is_kustomization};

use crate::Failure;
use crate::roots::is_in;
use crate::walk::{is_chart, is_ignore, is_input};

/// A revision in a temporary folder, which is removed when this is dropped.
pub(crate) struct Checkout {
    /// The folder.
    folder: PathBuf,
    /// What the folder of the call is in it.
    here: PathBuf,
    /// The folder of the call in the repository.
    above: String,
    submodules: Vec<Submodule>,
}

/// A repository in another one: only which commit of it is known.
pub(crate) struct Submodule {
    /// Relative to the folder of the call.
    pub(crate) path: PathBuf,
    pub(crate) commit: String,
}

/// Distinguishes the folders of one process.
static CHECKOUTS: AtomicUsize = AtomicUsize::new(0);

impl Checkout {
    /// Writes the manifests in paths of a revision and what kustomizations name and charts contain, or with `is_whole` all files in
    /// the paths, which a kustomization may need. Without paths they are everywhere.
    pub(crate) fn of(revision: &str, paths: &[PathBuf], is_whole: bool) -> Result<Checkout, Failure> {
        let Repository { top, prefix } = Repository::here()?;
        let number = CHECKOUTS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("propagate-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder)
            .map_err(|error| Failure(format!("cannot create `{}`: {error}", folder.display())))?;
        let tree = folder.join("tree");
        let mut checkout = Checkout { folder, here: tree.join(&prefix), above: prefix.clone(), submodules: Vec::new() };
        // An index of its own; export attributes, which `git archive` obeys, would leave out files.
        let index = checkout.folder.join("index");
        let of = Some((&*top, &*index));
        git(&["read-tree", "--end-of-options", &format!("{revision}^{{tree}}")], of, None)?;
        let listed = git(&["ls-files", "--stage", "-z"], of, None)?;
        let IndexEntries { submodules, files } = entries(&listed);
        checkout.submodules = submodules.into_iter().map(|(path, commit)| submodule(&prefix, path, commit)).collect();
        let write = |files: &[&str]| {
            let prefix = format!("--prefix={}/", tree.display());
            let names = files.iter().flat_map(|file| [file.as_bytes(), &[0]].concat()).collect();
            git(&["checkout-index", "--stdin", "-z", "--quiet", &prefix], of, Some(names))
        };
        let inside: Vec<String> = paths.iter().filter_map(|path| from_top(&prefix, path)).collect();
        let is_inside = |file: &str| inside.len() < paths.len() || inside.iter().any(|path| is_in(file, path));
        // What links lead to may be anywhere.
        let is_all = paths.is_empty() || files.iter().any(|(file, is_link)| *is_link && is_inside(file));
        let is_first = |(file, is_link): &(&str, bool)| {
            let is_rule = is_ignore(Path::new(file));
            (is_all || is_rule || is_inside(file)) && (is_whole || *is_link || is_input(Path::new(file)))
        };
        let (first, others): (Vec<_>, Vec<_>) = files.into_iter().partition(is_first);
        let [first, mut others] =
            [first, others].map(|files| files.into_iter().map(|(file, _)| file).collect::<Vec<_>>());
        let charts: BTreeSet<&Path> =
            first.iter().map(|file| Path::new(*file)).filter(|file| is_chart(file)).filter_map(Path::parent).collect();
        let is_in_chart = |file: &str| Path::new(file).ancestors().skip(1).any(|folder| charts.contains(folder));
        let mut next = first;
        next.extend(others.extract_if(.., |file| (is_all || is_inside(file)) && is_in_chart(file)));
        while !next.is_empty() {
            write(&next)?;
            let mut named = BTreeSet::new();
            for name in next.iter().filter(|name| is_kustomization(name)) {
                let text = std::fs::read_to_string(tree.join(name)).unwrap_or_default();
                let mentions = Mentions::of(&Source { name: (*name).to_owned(), text });
                named.extend(mentions.paths.into_iter().chain(mentions.charts));
            }
            // A path of a kustomization is a file, or a folder with everything in it.
            let is_named = |file: &str| {
                named.contains(file)
                    || file.match_indices('/').any(|(at, _)| file.get(..at).is_some_and(|it| named.contains(it)))
            };
            next = others.extract_if(.., |file| is_named(file)).collect();
        }
        // A folder is there, whatever is in it.
        let folders: BTreeSet<&Path> = others.iter().filter_map(|file| Path::new(file).parent()).collect();
        for folder in folders {
            let path = tree.join(folder);
            std::fs::create_dir_all(&path)
                .map_err(|error| Failure(format!("cannot create `{}`: {error}", path.display())))?;
        }
        Ok(checkout)
    }

    /// The submodules.
    pub(crate) fn submodules(&self) -> &[Submodule] {
        &self.submodules
    }

    /// The folder of the call in the repository.
    pub(crate) fn above(&self) -> &str {
        &self.above
    }

    /// Where the folder of the call is in the revision.
    pub(crate) fn here(&self) -> &Path {
        &self.here
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // What cannot be removed is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What git knows of the files of the working tree.
pub(crate) struct WorkTree {
    /// The files that are tracked although `.gitignore` lists them, relative to the folder of the call.
    pub(crate) ignored: Vec<PathBuf>,
    /// The folder of the call in the repository.
    pub(crate) above: String,
    pub(crate) submodules: Vec<Submodule>,
}

impl WorkTree {
    pub(crate) fn here() -> Result<WorkTree, Failure> {
        let Repository { top, prefix } = Repository::here()?;
        let inside = |arguments: &[&str]| git(&[&["-C", &*top.to_string_lossy()], arguments].concat(), None, None);
        let listed = inside(&["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"])?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let ignored = listed.split('\0').filter(|path| !path.is_empty());
        let ignored = ignored.map(|path| from_here(&prefix, path)).collect();
        let staged = inside(&["ls-files", "--stage", "-z"])?;
        let submodules = entries(&staged).submodules.into_iter().map(|(path, commit)| {
            let here = top.join(path);
            let own = || git(&["-C", &here.to_string_lossy(), "rev-parse", "HEAD"], None, None).ok().map(line);
            let commit = here.join(".git").exists().then(own).flatten().unwrap_or_else(|| commit.to_owned());
            Submodule { path: from_here(&prefix, path), commit }
        });
        let submodules = submodules.collect();
        Ok(WorkTree { ignored, above: prefix.clone(), submodules })
    }
}

/// The repository of the current folder.
struct Repository {
    top: PathBuf,
    /// The current folder, relative to the top.
    prefix: String,
}

impl Repository {
    fn here() -> Result<Repository, Failure> {
        let top = PathBuf::from(line(git(&["rev-parse", "--show-toplevel"], None, None)?));
        let prefix = line(git(&["rev-parse", "--show-prefix"], None, None)?);
        Ok(Repository { top, prefix })
    }
}

/// What is in an index, by path.
#[derive(Default)]
struct IndexEntries<'l> {
    /// With their commits.
    submodules: Vec<(&'l str, &'l str)>,
    /// With whether they are symbolic links.
    files: Vec<(&'l str, bool)>,
}

/// Reads what `git ls-files --stage -z` prints.
fn entries(listed: &[u8]) -> IndexEntries<'_> {
    let IndexEntries { mut submodules, mut files } = IndexEntries::default();
    for entry in listed.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok()) {
        let Some((head, path)) = entry.split_once('\t') else { continue };
        match head.strip_prefix("160000 ").and_then(|rest| rest.split(' ').next()) {
            Some(commit) => submodules.push((path, commit)),
            None => files.push((path, head.starts_with("120000 "))),
        }
    }
    IndexEntries { submodules, files }
}

fn submodule(prefix: &str, path: &str, commit: &str) -> Submodule {
    Submodule { path: from_here(prefix, path), commit: commit.to_owned() }
}

/// A path relative to a folder of the repository, relative to the top; `None` if it leaves the repository.
fn from_top(prefix: &str, path: &Path) -> Option<String> {
    let mut parts: Vec<String> = prefix.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()?),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Some(parts.join("/"))
}

/// A path relative to the top, relative to a folder of the repository.
fn from_here(prefix: &str, path: &str) -> PathBuf {
    let (mut here, mut path) = (prefix, path);
    while let Some((step, rest)) = here.split_once('/') {
        let Some(below) = path.strip_prefix(step).and_then(|below| below.strip_prefix('/')) else { break };
        (here, path) = (rest, below);
    }
    let up = "../".repeat(here.matches('/').count());
    PathBuf::from(up + path)
}

/// The sides of a comparison, as git writes them.
pub(crate) struct Range<'w> {
    old: &'w str,
    /// `None` is the working tree.
    pub(crate) new: Option<&'w str>,
    /// Whether the old side is where the two branched off.
    is_from_merge_base: bool,
}

impl<'w> Range<'w> {
    /// `A`, `A..B`, or `A...B`. Without `B` the new side is the working tree.
    pub(crate) fn of(written: &'w str) -> Range<'w> {
        let parts = |separator| written.split_once(separator);
        let (old, new, is_from_merge_base) = match (parts("..."), parts("..")) {
            (Some((old, new)), _) => (old, new, true),
            (None, Some((old, new))) => (old, new, false),
            (None, None) => (written, "", false),
        };
        Range { old, new: Some(new).filter(|new| !new.is_empty()), is_from_merge_base }
    }

    /// The revision of the old side.
    ///
    /// # Errors
    /// When git cannot be run, a revision is not known, or the two sides have no commit in common.
    pub(crate) fn old(&self) -> Result<String, Failure> {
        for revision in [Some(self.old), self.new].into_iter().flatten().filter(|it| !it.is_empty()) {
            let name = format!("{revision}^{{tree}}");
            git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name], None, None).map_err(
                |Failure(message)| {
                    // git says nothing about a name that it does not know.
                    let help = if revision.starts_with("origin/") {
                        String::new()
                    } else {
                        format!(", or write `origin/{revision}`")
                    };
                    let unknown = format!("`{revision}` is no revision of this repository: fetch it{help}");
                    Failure(if message.is_empty() { unknown } else { message })
                },
            )?;
        }
        if !self.is_from_merge_base {
            return Ok(self.old.to_owned());
        }
        let new = self.new.unwrap_or("HEAD");
        // git says nothing if there is none.
        let none = |Failure(message)| match &*message {
            "" => Failure(format!("`{}` and `{new}` have no commit in common", self.old)),
            _ => Failure(message),
        };
        git(&["merge-base", "--end-of-options", self.old, new], None, None).map(line).map_err(none)
    }
}

/// The text of a file of the folder of the call in a revision, if it is there.
pub(crate) fn file(revision: &str, name: &str) -> Result<Option<String>, Failure> {
    let listed = git(&["ls-tree", "--name-only", "--end-of-options", revision, name], None, None)?;
    if listed.is_empty() {
        return Ok(None);
    }
    let text = git(&["show", "--end-of-options", &format!("{revision}:./{name}")], None, None)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// The maximum number of versions of a file that are read.
const VERSIONS: &str = "--max-count=50";

/// The versions of a file of the folder of the call, the newest first; none if git does not know it.
pub(crate) fn versions(revision: &str, file: &str) -> Vec<String> {
    let log = git(&["log", VERSIONS, "--format=%H", "--end-of-options", revision, "--", file], None, None);
    let commits = String::from_utf8_lossy(&log.unwrap_or_default()).into_owned();
    let show = |commit: &str| git(&["show", "--end-of-options", &format!("{commit}:./{file}")], None, None).ok();
    commits.lines().filter_map(show).map(|text| String::from_utf8_lossy(&text).into_owned()).collect()
}

fn line(output: Vec<u8>) -> String {
    String::from_utf8_lossy(&output).trim_end_matches(['\r', '\n']).to_owned()
}

/// What git prints, in another folder with another index, with an input.
fn git(arguments: &[&str], of: Option<(&Path, &Path)>, input: Option<Vec<u8>>) -> Result<Vec<u8>, Failure> {
    let mut command = Command::new("git");
    if let Some((folder, index)) = of {
        command.current_dir(folder).env("GIT_INDEX_FILE", index);
    }
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let child = command.args(arguments.iter().map(OsStr::new)).stdin(stdin).stdout(Stdio::piped());
    let mut child =
        child.stderr(Stdio::piped()).spawn().map_err(|error| Failure(format!("cannot call git: {error}")))?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // git closes it early if it fails; its message says why.
        let _ = stdin.write_all(&input);
    }
    let output = child.wait_with_output().map_err(|error| Failure(format!("cannot call git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let message = stderr.strip_prefix("fatal: ").or_else(|| stderr.strip_prefix("error: "));
    Err(Failure(message.unwrap_or(&stderr).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_written_as_for_git() {
        for (written, expected) in [
            ("main", ("main", None, false)),
            ("main..", ("main", None, false)),
            ("main..topic", ("main", Some("topic"), false)),
            ("main...", ("main", None, true)),
            ("v1.0...topic", ("v1.0", Some("topic"), true)),
        ] {
            let Range { old, new, is_from_merge_base } = Range::of(written);
            assert_eq!((old, new, is_from_merge_base), expected, "{written}");
        }
    }

    #[test]
    fn a_path_of_the_repository_is_seen_from_a_folder_in_it() {
        for (prefix, path, expected) in [
            ("", "a/b.yaml", "a/b.yaml"),
            ("a/", "a/b.yaml", "b.yaml"),
            ("a/c/", "a/b.yaml", "../b.yaml"),
            ("a/c/", "d.yaml", "../../d.yaml"),
        ] {
            assert_eq!(from_here(prefix, path), PathBuf::from(expected), "{prefix} {path}");
        }
    }
}
