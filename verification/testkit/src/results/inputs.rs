//! What a result is about: the packages that a program is made of, and digests of files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::root;

/// The folders of the packages in this repository that a package is made of. An optional one is listed by the checks that
/// have it.
pub(super) fn packages_below(package: &str) -> Result<Vec<String>> {
    let manifest = format!("{package}/Cargo.toml");
    let manifest = fs::read_to_string(root().join(&manifest)).context(manifest)?;
    let (mut listed, mut below) = (false, Vec::new());
    for line in manifest.lines() {
        if line.starts_with('[') {
            listed = line == "[dependencies]" || line.ends_with(".dependencies]");
        } else if listed && !line.contains("optional = true") {
            let path = line.split_once("path = \"").and_then(|(_, path)| path.split('"').next());
            below.extend(path.map(|path| joined(package, path)));
        }
    }
    Ok(below)
}

/// A path relative to a folder, as one that is relative to the root of the repository.
fn joined(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').collect();
    for name in path.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// Code without the lines that are comments. Directives of Go, such as `//go:build`, are none.
fn without_comments(code: &str) -> String {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        ["// ", "/// ", "//! "].iter().any(|mark| line.starts_with(mark)) || ["//", "///", "//!"].contains(&line)
    };
    code.lines().filter(|line| !is_comment(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The digest of a file, or of the files of a folder and their names. Documents and comments say what a program does, and
/// are no part of it.
pub(super) fn digest(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    add(path, &mut hash)?;
    Ok(format!("sha256:{:x}", hash.finalize()))
}

fn add(path: &Path, hash: &mut Sha256) -> Result<()> {
    if !path.is_dir() {
        let content = fs::read(path)?;
        let is_code = path.extension().is_some_and(|extension| extension == "rs" || extension == "go");
        let content = if is_code { without_comments(&String::from_utf8(content)?).into_bytes() } else { content };
        hash.update(content.len().to_le_bytes());
        hash.update(content);
        return Ok(());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let generated = name.starts_with('.') || name == "target" || name == "node_modules";
        if !generated && !name.ends_with(".md") {
            names.push(name);
        }
    }
    names.sort();
    for name in names {
        hash.update(name.as_bytes());
        hash.update([0]);
        add(&path.join(name), hash)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_part_of_code() {
        let code = "// Why.\nfn a() {\n    //\n    b(); // Then.\n}\n//go:build linux\n";
        assert_eq!(without_comments(code), "fn a() {\n    b(); // Then.\n}\n//go:build linux\n");
    }

    #[test]
    fn a_folder_has_another_digest_when_a_file_has_another_name_or_content() -> Result<()> {
        let folder = tempfolder("digests")?;
        let mut seen = vec![digest(&folder)?];
        for (name, content) in [("a", "1"), ("a", "2"), ("b", "2")] {
            fs::write(folder.join(name), content)?;
            seen.push(digest(&folder)?);
        }
        let distinct: std::collections::BTreeSet<_> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len());
        fs::write(folder.join("README.md"), "about it")?;
        assert_eq!(Some(digest(&folder)?), seen.pop());
        Ok(())
    }

    fn tempfolder(name: &str) -> Result<std::path::PathBuf> {
        let folder = std::env::temp_dir().join(format!("testkit-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}
