//! No two files of a crate need each other, crates of the policy depend on lower layers only, and no two types have the same
//! name.
//!
//! A file depends on another one if it names an item of it: in a `use` item, in a path of an expression, pattern, type
//! or macro call, and in a method call. `self.name()` is the function of the type whose `impl` block it is in. Any
//! other method is resolved by its name if exactly one type or trait of the workspace has a method of that name. An
//! item belongs to the file that defines it, even if another file exports it.
//!
//! A module and the modules in it may need each other: a parent calls its children, which use its types.
//!
//! Not detected: methods whose name several types have, or that [`OF_OTHERS`] lists; fields, and values that
//! are passed on without the name of their type; trait methods that are called by an operator or a macro; what macros of
//! the crate expand to. Tests are ignored: modules with `#[cfg(test)]` and the files in `tests/`.

mod circles;
mod dependencies;
mod found;
mod references;
mod sentences;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};

use crate::circles::circles;
use crate::source::{Crate, Files};

/// The crates that the policy is made of, in layers, the lowest first. A crate depends on crates of lower layers only, so
/// that no product knows another.
const LAYERS: &[&[&str]] = &[
    &["json"],
    &["kube", "setting-types", "tag-carriers"],
    &["facts", "tag-rules"],
    &["cluster-api", "cloud-tags", "tag-delivery"],
    &["engine"],
];

/// The crates of others that these may depend on.
const OF_REGISTRY: [&str; 6] = ["regex", "schemars", "serde", "serde_json", "simdutf8", "unicode-properties"];

/// Method names that types of the standard library and of other dependencies also have.
#[rustfmt::skip]
const OF_OTHERS: &[&str] = &[
    "abs", "add", "all", "and", "any", "append", "as_array", "as_bytes", "as_deref", "as_mut", "as_object", "as_ref",
    "as_str", "bytes", "chain", "chars", "child", "clear", "clone", "cmp", "concat", "contains", "contains_key",
    "copied", "count", "cycle", "drain", "end", "ends_with", "entry", "enumerate", "eq", "err", "expect", "extend",
    "filter", "find", "finish", "first", "flatten", "fmt", "fold", "from", "get", "get_mut", "hash", "insert", "into",
    "into_iter", "is_empty", "is_file", "is_match", "is_none", "is_some", "iter", "join", "keys", "kind", "label",
    "last", "len", "lines", "lock", "map", "matches", "max", "message", "min", "name", "next", "not", "nth", "ok", "or",
    "or_else", "parse", "path", "path_segments", "peek", "pointer", "pop", "position", "print", "push", "range", "read",
    "remove", "replace", "replace_range", "reset", "resize", "retain", "rev", "reverse", "send", "set", "skip", "sleep",
    "sort", "source", "split", "start", "starts_with", "status", "step", "strip_prefix", "sub", "sum", "swap", "take",
    "text", "then", "to_owned", "to_string", "to_vec", "trim", "unwrap", "update", "url", "value", "values", "version",
    "wait", "walk", "with", "without", "write", "zip",
];

/// Types that have the same name on purpose.
#[rustfmt::skip]
const OF_ONE_NAME: &[(&str, &str)] = &[
    ("LiveArgs", "`propagate` with its feature `cluster`, and without it"),
    ("Question", "`propagate` with its feature `cluster`, and without it"),
    ("Settings", "of the policy, and of the one that `make bench` compares with it"),
];

#[test]
fn no_crate_has_a_circle_of_files() -> Result<()> {
    let files = workspace()?;
    let crates = crates(&files)?;
    assert!(crates.len() > 12, "{} crates", crates.len());
    let ambiguous = ambiguous(&crates);
    let found: Vec<Vec<String>> = crates.iter().flat_map(|one| circles(one, &ambiguous)).collect();
    let text: Vec<String> = found.iter().map(|circle| circle.join("\n")).collect();
    assert!(found.is_empty(), "{} circles:\n{}", found.len(), text.join("\n\n"));
    Ok(())
}

#[test]
fn crates_of_the_policy_depend_on_lower_layers_only() -> Result<()> {
    let mut wrong = Vec::new();
    for (layer, name) in
        LAYERS.iter().enumerate().flat_map(|(layer, names)| names.iter().map(move |name| (layer, name)))
    {
        let manifest = fs::read_to_string(testkit::root().join(format!("crates/{name}/Cargo.toml")))?;
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
        let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
        for (dependency, value) in
            lines.filter_map(|line| line.split_once(" = ")).filter(|(key, _)| !key.starts_with('#'))
        {
            let folder = value.split_once("path = \"../").and_then(|(_, path)| path.split('"').next());
            let is_lower = |folder: &str| LAYERS.iter().take(layer).any(|names| names.contains(&folder));
            if !folder.map_or_else(|| OF_REGISTRY.contains(&dependency), is_lower) {
                wrong.push(format!("{name}: {dependency}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    Ok(())
}

#[test]
fn no_two_types_have_one_name() -> Result<()> {
    let files = workspace()?;
    let crates = crates(&files)?;
    let mut defined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in crates.iter().flat_map(|one| &one.modules) {
        for name in &module.types {
            defined.entry(name).or_default().insert(&module.file);
        }
    }
    defined.retain(|_, files| files.len() > 1);
    let found: BTreeSet<&str> = defined.keys().copied().collect();
    let expected: BTreeSet<&str> = OF_ONE_NAME.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, expected, "{defined:#?}");
    Ok(())
}

/// The methods with ambiguous names: those of several crates, and of types of other dependencies.
fn ambiguous(crates: &[Crate]) -> BTreeSet<String> {
    let mut ambiguous: BTreeSet<String> = OF_OTHERS.iter().map(|name| (*name).to_owned()).collect();
    let mut known = BTreeSet::new();
    for one in crates {
        let functions = one.modules.iter().flat_map(|module| &module.functions);
        let methods = functions.filter(|function| function.has_receiver);
        let names: BTreeSet<&str> = methods.map(|function| function.name.as_str()).collect();
        ambiguous.extend(names.into_iter().filter(|name| !known.insert(*name)).map(str::to_owned));
    }
    ambiguous
}

/// The crates of the workspace: libraries and programs.
fn crates(files: &Files) -> Result<Vec<Crate>> {
    let is_root = |file: &&String| {
        let (_, name) = file.rsplit_once("src/").unwrap_or(("", file));
        let parts: Vec<&str> = name.split('/').collect();
        matches!(parts.as_slice(), ["lib.rs" | "main.rs"] | ["bin", _] | ["bin", _, "main.rs"])
    };
    files.keys().filter(is_root).map(|root| Crate::read(root, files)).collect()
}

/// The files with Rust code of every member of the workspace.
fn workspace() -> Result<Files> {
    let root = testkit::root();
    let mut files = Files::new();
    let mut folders: Vec<_> = members()?.into_iter().map(|member| root.join(member)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root)?.to_str().context("a file name that is not UTF-8")?;
                files.insert(name.replace('\\', "/"), fs::read_to_string(&path)?);
            }
        }
    }
    Ok(files)
}

/// The folders with sources of the workspace's members, and of the package at its root.
fn members() -> Result<Vec<String>> {
    let manifest = fs::read_to_string(testkit::root().join("Cargo.toml"))?;
    let (_, members) = manifest.split_once("\nmembers = [").context("the workspace has no members")?;
    let (members, _) = members.split_once(']').context("the list of members does not end")?;
    let members = members.split('"').skip(1).step_by(2);
    Ok(members.map(|member| format!("{member}/src")).chain(["src".to_owned()]).collect())
}
