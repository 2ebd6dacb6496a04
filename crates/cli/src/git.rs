//! Manifests in a revision of a git repository.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use fleet::Source;

use crate::Failure;
use crate::input::{self, Input};
use crate::sources::is_read;

/// The manifests below a path in a revision.
///
/// # Errors
/// When git cannot be run, or does not know the revision.
pub(crate) fn read(revision: &str, path: &Path, namespace: &str) -> Result<Input, Failure> {
    let listed = git(&[
        OsStr::new("ls-tree"),
        OsStr::new("-r"),
        OsStr::new("-z"),
        OsStr::new("--name-only"),
        OsStr::new("--end-of-options"),
        OsStr::new(revision),
        OsStr::new("--"),
        path.as_os_str(),
    ])?;
    let (mut sources, mut unreadable) = (Vec::new(), Vec::new());
    for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = String::from_utf8_lossy(name).into_owned();
        if !is_read(Path::new(&name)) {
            continue;
        }
        // Names in a tree are relative to the directory in which git was called.
        let object = format!("{revision}:./{name}");
        let shown = format!("{revision}:{name}");
        match String::from_utf8(git(&[OsStr::new("show"), OsStr::new("--end-of-options"), OsStr::new(&object)])?) {
            Ok(text) => sources.push(Source { name: shown, text }),
            Err(error) => unreadable.push((shown, format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))),
        }
    }
    Ok(input::of(sources, unreadable, namespace))
}

fn git(arguments: &[&OsStr]) -> Result<Vec<u8>, Failure> {
    let output = Command::new("git").args(arguments).output();
    let output = output.map_err(|error| Failure(format!("cannot call git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure(said.strip_prefix("fatal: ").unwrap_or(&said).to_owned()))
}
