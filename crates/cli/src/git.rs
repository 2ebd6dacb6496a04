//! The files of a revision of a git repository, written to a temporary folder. No work tree and no index is touched.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Failure;
use crate::input::is_input;

/// A revision in a temporary folder, which is removed when this is dropped.
pub(crate) struct Checkout {
    /// The folder.
    folder: PathBuf,
    /// What the folder of the call is in it.
    here: PathBuf,
}

/// Distinguishes the folders of one process.
static CHECKOUTS: AtomicUsize = AtomicUsize::new(0);

impl Checkout {
    /// Writes the manifests of a revision, or with `is_whole` all of its files, which a kustomization may need.
    ///
    /// # Errors
    /// When git cannot be run or does not know the revision, or the folder cannot be written.
    pub(crate) fn of(revision: &str, is_whole: bool) -> Result<Checkout, Failure> {
        let top = PathBuf::from(line(git(&["rev-parse", "--show-toplevel"], None, None)?));
        let prefix = line(git(&["rev-parse", "--show-prefix"], None, None)?);
        let number = CHECKOUTS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("propagate-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder)
            .map_err(|error| Failure(format!("cannot create `{}`: {error}", folder.display())))?;
        let here = folder.join("tree").join(&prefix);
        let checkout = Checkout { folder, here };
        // An index of its own; export attributes, which `git archive` obeys, would leave out files.
        let index = checkout.folder.join("index");
        git(&["read-tree", "--end-of-options", &format!("{revision}^{{tree}}")], Some((&top, &index)), None)?;
        let listed = git(&["ls-files", "-z"], Some((&top, &index)), None)?;
        let files = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let files = files.filter(|name| is_whole || is_input(Path::new(&*String::from_utf8_lossy(name))));
        let mut wanted = Vec::new();
        for name in files {
            wanted.extend_from_slice(name);
            wanted.push(0);
        }
        let tree = format!("--prefix={}/", checkout.folder.join("tree").display());
        git(&["checkout-index", "--stdin", "-z", "--quiet", &tree], Some((&top, &index)), Some(wanted))?;
        Ok(checkout)
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
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure(said.strip_prefix("fatal: ").unwrap_or(&said).to_owned()))
}
