//! Small repositories before and after a change, `testdata/repositories`, committed one after the other with the tags `before` and
//! `after`, and what `propagate` prints there; `BLESS=1` rewrites what is printed. `after` has only the files that differ; one without
//! content is deleted. A file has one repository, or several about one topic, each after a line `=== NAME`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

#[expect(dead_code, reason = "sessions are typed in a repository here")]
mod archive;
mod kustomize;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use archive::Archive;

#[test]
fn repositories_are_answered_as_written_down() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("repositories");
    let _ = fs::remove_dir_all(&scratch);
    let programs = scratch.join("programs");
    kustomize::install(&programs);
    let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
    let mut archives: Vec<PathBuf> = fs::read_dir(repositories()).unwrap().map(|entry| entry.unwrap().path()).collect();
    archives.sort();
    let (blesses, mut differ) = (env::var_os("BLESS").is_some(), Vec::new());
    for archive in archives {
        let mut blessed = String::new();
        for (heading, name, repository) in repositories_of(&archive) {
            let folder = scratch.join(&name);
            commit(&repository, &folder);
            let (expected, actual) = (&repository.session, answers(&repository.session, &folder, &path));
            blessed += &format!("{heading}{}", repository.with_session(&actual));
            if !blesses && actual != *expected {
                differ.push(format!("{name}\n--- expected\n{expected}\n--- actual\n{actual}"));
            }
        }
        if blesses {
            fs::write(&archive, blessed).unwrap();
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn every_format_says_what_is_not_read() {
    let repository = Archive::read(&repositories().join("unreadable.txtar"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats");
    let _ = fs::remove_dir_all(&folder);
    commit(&repository, &folder);
    let formats = ["plan text", "plan json", "plan markdown", "plan github", "check text", "check json", "check sarif"];
    for format in formats.into_iter().chain(["check github", "check junit"]) {
        let (verb, output) = format.split_once(' ').unwrap();
        let revisions: &[&str] = if verb == "plan" { &["--git", "before..after"] } else { &[] };
        let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
        command.current_dir(&folder).env("KUBECONFIG", "none").arg(verb).args(revisions).args(["--output", output]);
        let printed = command.output().unwrap();
        let text = String::from_utf8(printed.stdout).unwrap();
        // A file that is broken, and one that is no manifest.
        for expected in ["clusters/dev/machines.yaml", "did not find expected", "values.yaml"] {
            assert!(text.contains(expected), "{format}: `{expected}` is not in\n{text}");
        }
        assert_eq!(printed.status.code(), Some(2), "{format}");
    }
}

#[test]
fn a_revision_that_does_not_exist_is_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("revisions");
    let _ = fs::remove_dir_all(&folder);
    commit(&Archive::read(&repositories().join("versions.txtar")), &folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    let output =
        command.current_dir(&folder).env("KUBECONFIG", "none").args(["plan", "--git", "nowhere"]).output().unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.code() == Some(2) && printed.contains("nowhere"), "{printed}");
}

/// The folder of the archives.
fn repositories() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/repositories")
}

/// The repositories of a file, each with the line above it and with its name.
fn repositories_of(file: &Path) -> Vec<(String, String, Archive)> {
    let text = fs::read_to_string(file).unwrap();
    let Some(several) = text.strip_prefix("=== ") else {
        return vec![(String::new(), file.file_stem().unwrap().to_str().unwrap().to_owned(), Archive::parse(&text))];
    };
    let split = several.split("\n=== ").map(|repository| repository.split_once('\n').unwrap());
    split.map(|(name, text)| (format!("=== {name}\n"), name.to_owned(), Archive::parse(text))).collect()
}

/// The repository with its two commits.
fn commit(repository: &Archive, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    for side in ["before", "after"] {
        repository.write(&format!("{side}/"), folder);
        git(&["add", "--all", "--force"]);
        git(&["commit", "--quiet", "--allow-empty", "--message", side]);
        git(&["tag", side]);
    }
}

/// The session with what is printed now: comments and lines that are typed stay.
fn answers(expected: &str, folder: &Path, path: &str) -> String {
    let mut out = String::new();
    for line in expected.lines().take_while(|line| line.starts_with('#')) {
        let _ = writeln!(out, "{line}");
    }
    for typed in expected.lines().filter_map(|line| line.strip_prefix("$ propagate ")) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
        command.current_dir(folder).env("KUBECONFIG", "none").env("PATH", path).args(typed.split_whitespace());
        let output = command.output().unwrap();
        let _ = writeln!(out, "\n$ propagate {typed}");
        if let Some(code) = output.status.code().filter(|code| *code > 0) {
            let _ = writeln!(out, "? {code}");
        }
        out += &String::from_utf8(output.stdout).unwrap();
        out += &String::from_utf8(output.stderr).unwrap();
    }
    out
}
