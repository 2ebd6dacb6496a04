//! A copy of the checkout in which all mutants are built at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cells;
use crate::list::{Genre, Mutant};
use crate::weave::{Numbered, woven};

const SWITCH: &str = include_str!("woven/switch.rs");
const CORPUS: &str = include_str!("woven/corpus.rs");

/// A part of a file, and the numbers of its mutants.
type SourcePart = (Range<usize>, Vec<u32>);

/// The copy, and which mutants are in it.
pub(crate) struct SourceTree<'m> {
    pub(crate) folder: PathBuf,
    target: PathBuf,
    mutants: &'m BTreeMap<u32, Mutant>,
    /// The mutants that do not compile.
    pub(crate) unviable: BTreeSet<u32>,
    /// The mutants that no switch can turn on: those in constants, in chains that bind names, in the only arm of
    /// its kind, and those that return another `impl Iterator`.
    pub(crate) fixed: BTreeSet<u32>,
    parts: BTreeMap<String, Vec<SourcePart>>,
}

/// The programs that a build makes.
pub(crate) struct Programs {
    /// The corpus with all mutants.
    pub(crate) corpus: PathBuf,
    /// The other tests of the engine, and of the crates that have mutants.
    pub(crate) others: Vec<PathBuf>,
}

impl<'m> SourceTree<'m> {
    /// Copies the checkout, and adds the switch and the test of the corpus.
    pub(crate) fn new(
        root: &Path,
        folder: PathBuf,
        target: PathBuf,
        mutants: &'m BTreeMap<u32, Mutant>,
    ) -> Result<Self> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("git ls-files")?;
        ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
        let has_cells = mutants.values().any(|mutant| matches!(mutant.genre, Genre::Cell { .. }));
        let woven: BTreeSet<&str> = match has_cells {
            true => cells::files().collect(),
            false => mutants.values().map(|mutant| &*mutant.file).collect(),
        };
        let listed = String::from_utf8(listed.stdout)?;
        let listed: BTreeSet<&str> = listed.split('\0').filter(|file| !file.is_empty()).collect();
        remove_others(&folder, "", &listed)?;
        for file in listed {
            // What is written twice is built again.
            if woven.contains(file) && folder.join(file).exists() {
                continue;
            }
            let Ok(mut content) = fs::read(root.join(file)) else { continue };
            if has_cells && file.starts_with("crates/") && file.ends_with(".rs") {
                let source = String::from_utf8(content)?;
                content = cells::with_functions(file, &source)?.unwrap_or(source).into_bytes();
            }
            write(&folder.join(file), &content)?;
        }
        for (path, content) in OWN {
            write(&folder.join(path), content.as_bytes())?;
        }
        edit(&folder.join("Cargo.toml"), "members = [", "members = [\"crates/mutant-switch\", ")?;
        let mut crates: BTreeSet<&str> =
            mutants.values().filter_map(|mutant| mutant.file.split_once("/src/")).map(|of| of.0).collect();
        crates.insert(ENGINE);
        for of in crates {
            let path = if of == ENGINE { "../mutant-switch" } else { "../../crates/mutant-switch" };
            let dependency = format!("[dependencies]\nmutant-switch = {{ path = \"{path}\" }}\n");
            edit(&folder.join(of).join("Cargo.toml"), "[dependencies]\n", &dependency)?;
        }
        let manifest = folder.join(ENGINE).join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        fs::write(&manifest, text + "\n[[test]]\nname = \"mutants\"\nharness = false\n")?;
        // A function that returns `impl Iterator`, in a `Result` or not, has one type, and an empty iterator is another.
        let is_opaque = |mutant: &Mutant| mutant.replacement.contains("::std::iter::");
        let fixed = mutants.iter().filter(|(_, mutant)| is_opaque(mutant)).map(|(number, _)| *number).collect();
        let (unviable, parts) = Default::default();
        Ok(Self { folder, target, mutants, unviable, fixed, parts })
    }

    /// Builds the tests with all mutants that compile: those in which the compiler finds an error are taken out, again and
    /// again.
    pub(crate) fn build(&mut self, root: &Path, corpus_only: bool) -> Result<Programs> {
        let known = self.folder.with_file_name("known.json");
        self.recall(root, &known)?;
        loop {
            self.weave(root)?;
            let before = self.unviable.len() + self.fixed.len();
            self.cargo(&["check", "--package", PACKAGE])?;
            let out = self.unviable.len() + self.fixed.len() - before;
            if out == 0 {
                break;
            }
            eprintln!("{out} mutants do not compile");
        }
        self.keep(root, &known)?;
        let tests = self.tests()?;
        let mut arguments = vec!["test", "--no-run", "--package", PACKAGE];
        let packages: BTreeSet<&str> = self.mutants.values().map(|mutant| mutant.package.as_str()).collect();
        let others = packages.iter().filter(|package| **package != PACKAGE).flat_map(|package| ["--package", package]);
        match corpus_only {
            true => arguments.extend(["--test", "mutants"]),
            false => {
                arguments.push("--lib");
                arguments.extend(others);
                arguments.extend(tests.iter().flat_map(|test| ["--test", test]));
            }
        }
        let executables = self.cargo(&arguments)?;
        let is_corpus =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mutants-"));
        let (corpus, others): (Vec<_>, Vec<_>) = executables.into_iter().partition(is_corpus);
        Ok(Programs { corpus: corpus.into_iter().next().context("no test of the corpus was built")?, others })
    }

    /// Takes out the mutants that an earlier run took out of the same files.
    fn recall(&mut self, root: &Path, known: &Path) -> Result<()> {
        let Ok(text) = fs::read_to_string(known) else { return Ok(()) };
        let known: BTreeMap<String, bool> = serde_json::from_str(&text)?;
        for (number, key) in self.keys(root)? {
            match known.get(&key) {
                Some(true) => self.fixed.insert(number),
                Some(false) => self.unviable.insert(number),
                None => false,
            };
        }
        Ok(())
    }

    /// Keeps the mutants that are out, with whether they have no switch.
    fn keep(&self, root: &Path, known: &Path) -> Result<()> {
        let out = |(number, key): (u32, String)| {
            let is_fixed = self.fixed.contains(&number);
            (is_fixed || self.unviable.contains(&number)).then_some((key, is_fixed))
        };
        let out: BTreeMap<String, bool> = self.keys(root)?.into_iter().filter_map(out).collect();
        Ok(fs::write(known, serde_json::to_string(&out)?)?)
    }

    /// What a mutant is known by: its name, and the text of its file.
    fn keys(&self, root: &Path) -> Result<Vec<(u32, String)>> {
        let mut hashes: BTreeMap<&str, u64> = BTreeMap::new();
        let mut keys = Vec::new();
        for (number, mutant) in self.mutants {
            if !hashes.contains_key(mutant.file.as_str()) {
                let mut hasher = DefaultHasher::new();
                fs::read(root.join(&mutant.file))?.hash(&mut hasher);
                hashes.insert(&mutant.file, hasher.finish());
            }
            let hash = hashes.get(mutant.file.as_str()).copied().unwrap_or_default();
            keys.push((*number, format!("{hash:x} {}", mutant.name)));
        }
        Ok(keys)
    }

    /// Writes the files with those mutants that are still in.
    fn weave(&mut self, root: &Path) -> Result<()> {
        let mut by_file: BTreeMap<&str, Vec<Numbered<'_>>> = BTreeMap::new();
        let mut of_tables: Vec<Numbered<'_>> = Vec::new();
        for (number, mutant) in self.mutants {
            if matches!(mutant.genre, Genre::Cell { .. }) {
                of_tables.extend((!self.unviable.contains(number)).then_some((*number, mutant)));
                continue;
            }
            let in_file = by_file.entry(&mutant.file).or_default();
            if !self.unviable.contains(number) && !self.fixed.contains(number) {
                in_file.push((*number, mutant));
            }
        }
        if !of_tables.is_empty() {
            for (file, woven) in cells::woven(root, &of_tables)? {
                write(&self.folder.join(file), woven.text.as_bytes())?;
                self.parts.insert(file.to_owned(), woven.parts);
            }
        }
        for (file, mutants) in by_file {
            let source = fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
            let woven = woven(&source, &mutants).with_context(|| file.to_owned())?;
            self.fixed.extend(woven.left_out);
            write(&self.folder.join(file), woven.text.as_bytes())?;
            self.parts.insert(file.to_owned(), woven.parts);
        }
        Ok(())
    }

    /// Runs Cargo, and returns the tests that it built. Mutants with errors are taken out.
    fn cargo(&mut self, arguments: &[&str]) -> Result<Vec<PathBuf>> {
        let output = Command::new("cargo")
            .args(arguments)
            .args(["--offline", "--message-format=json", "--quiet"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            // Slow tests cost more than a slow build: it is one.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env("CARGO_INCREMENTAL", "0")
            .output()
            .context("cargo")?;
        let mut executables = Vec::new();
        let before = self.unviable.len() + self.fixed.len();
        let mut unknown = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
            if let Some(path) = message.get("executable").and_then(Value::as_str) {
                executables.push(PathBuf::from(path));
            }
            let Some(diagnostic) =
                message.get("message").filter(|of| of.get("level").is_some_and(|level| level == "error"))
            else {
                continue;
            };
            if !self.take_out(diagnostic) {
                unknown.push(diagnostic.get("rendered").and_then(Value::as_str).unwrap_or_default().to_owned());
            }
        }
        let progress = self.unviable.len() + self.fixed.len() > before;
        if !output.status.success() && !progress {
            bail!("cargo {}: {}\n{}", arguments.join(" "), unknown.join("\n"), String::from_utf8_lossy(&output.stderr));
        }
        Ok(executables)
    }

    /// Takes out the mutants at an error of the compiler, and returns whether there are any.
    fn take_out(&mut self, diagnostic: &Value) -> bool {
        let code = diagnostic.pointer("/code/code").and_then(Value::as_str).unwrap_or_default();
        // A call or a match on a reference in a constant, or in a function that is one.
        let is_fixed = matches!(code, "E0015" | "E0658" | "E0010" | "E0493");
        let mut found: Vec<u32> = Vec::new();
        let spans = diagnostic.get("spans").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for primary in [true, false] {
            for span in spans.iter().filter(|span| span.get("is_primary").is_some_and(|is| *is == primary)) {
                let number =
                    |name: &str| span.get(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
                let (Some(begin), Some(end), Some(file)) =
                    (number("byte_start"), number("byte_end"), span.get("file_name").and_then(Value::as_str))
                else {
                    continue;
                };
                let parts = self.parts.get(file).map(Vec::as_slice).unwrap_or_default();
                let around = |(range, _): &&(Range<usize>, Vec<u32>)| range.start <= begin && end <= range.end;
                let inside = |(range, _): &&(Range<usize>, Vec<u32>)| begin <= range.start && range.end <= end;
                let narrowest = parts.iter().filter(around).min_by_key(|(range, _)| range.len());
                match narrowest {
                    Some((_, mutants)) => found.extend(mutants),
                    None => found.extend(parts.iter().filter(inside).flat_map(|(_, mutants)| mutants)),
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        if code == "E0004" && found.is_empty() {
            found = self.arms_after(spans);
        }
        let into = if is_fixed { &mut self.fixed } else { &mut self.unviable };
        let before = into.len();
        into.extend(found);
        into.len() > before
    }
}

impl SourceTree<'_> {
    /// The tests of the engine, and of the crates that have mutants, without the corpus in other forms and without random
    /// input.
    fn tests(&self) -> Result<Vec<String>> {
        let mutated = self.mutants.values().filter_map(|mutant| mutant.file.split_once("/src/")).map(|of| of.0);
        let folders: BTreeSet<&str> = mutated.chain([ENGINE]).collect();
        let mut names = Vec::new();
        for folder in folders {
            let Ok(entries) = fs::read_dir(self.folder.join(folder).join("tests")) else { continue };
            for entry in entries {
                let path = entry?.path();
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let is_left_out = ["cases", "properties", "tag_properties"].contains(&name.as_str());
                if path.extension().is_some_and(|extension| extension == "rs") && !is_left_out {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    /// The first mutants of arms after the beginning of a `match` that lacks one: behind a switch, an arm does not count.
    fn arms_after(&self, spans: &[Value]) -> Vec<u32> {
        let primary = spans.iter().find(|span| span.get("is_primary").is_some_and(|is| *is == true));
        let Some((file, begin)) = primary.and_then(|span| {
            let begin = usize::try_from(span.get("byte_start")?.as_u64()?).ok()?;
            Some((span.get("file_name")?.as_str()?, begin))
        }) else {
            return Vec::new();
        };
        let is_arm = |number: &u32| self.mutants.get(number).is_some_and(|mutant| mutant.genre == Genre::MatchArm);
        let parts = self.parts.get(file).map(Vec::as_slice).unwrap_or_default();
        let after = parts.iter().filter(|(range, of)| range.start > begin && of.iter().any(is_arm));
        let first = after.min_by_key(|(range, _)| range.start);
        first.map(|(_, of)| of.iter().copied().filter(is_arm).collect()).unwrap_or_default()
    }
}

/// The crate that has the corpus as a test, and its folder.
const PACKAGE: &str = "metadata-propagation";
const ENGINE: &str = "crates/metadata-propagation";

/// What the copy has beside the files of the checkout.
const OWN: &[(&str, &str)] = &[
    (
        "crates/mutant-switch/Cargo.toml",
        "[package]\nname = \"mutant-switch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n",
    ),
    ("crates/mutant-switch/src/lib.rs", SWITCH),
    ("crates/metadata-propagation/tests/mutants.rs", CORPUS),
];

/// Removes what an earlier copy has of files that the checkout has no more. `path` is a folder's, from the copy's root.
fn remove_others(root: &Path, path: &str, listed: &BTreeSet<&str>) -> Result<()> {
    let Ok(entries) = fs::read_dir(root.join(path)) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if path.is_empty() { name } else { format!("{path}/{name}") };
        if entry.file_type()?.is_dir() {
            remove_others(root, &path, listed)?;
        } else if !listed.contains(&*path) && !OWN.iter().any(|(own, _)| *own == path) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Writes a file if that changes it: what is as it was is not built again.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content).with_context(|| path.display().to_string())
}

fn edit(path: &Path, from: &str, to: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    ensure!(text.contains(from), "{} has no {from}", path.display());
    fs::write(path, text.replacen(from, to, 1))?;
    Ok(())
}
