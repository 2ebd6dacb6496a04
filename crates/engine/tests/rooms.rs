//! The engine is a house of rooms: `use` lines point to lower rooms only, and files do not import one another in a circle.

#![expect(clippy::disallowed_methods, reason = "the engine's sources are files; it is the engine that reads none")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The rooms, the lowest first. What stands beside one another stands on one floor, and does not know of one another.
const FLOORS: &[&[&str]] = &[
    &["json"],
    &["catalog"],
    &["settings"],
    &["report"],
    &["kube"],
    &["admission"],
    &["propagation", "tags"],
    &["checks"],
    &["evaluate"],
];

/// Where a module uses another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    from: String,
    to: String,
    /// File and line.
    at: String,
}

#[test]
fn every_folder_is_a_room() -> Result<()> {
    let modules = modules()?;
    let rooms: BTreeSet<&str> = modules.keys().map(|module| room(module)).filter(|room| *room != "lib").collect();
    assert_eq!(rooms, FLOORS.iter().copied().flatten().copied().collect());
    Ok(())
}

#[test]
fn no_arrow_runs_up() -> Result<()> {
    let up: Vec<String> = arrows(&modules()?)
        .into_iter()
        .filter(|arrow| runs_up(room(&arrow.from), room(&arrow.to)))
        .map(|arrow| format!("{}: {} uses {}", arrow.at, arrow.from, arrow.to))
        .collect();
    assert!(up.is_empty(), "lower rooms use higher ones:\n{}", up.join("\n"));
    Ok(())
}

#[test]
fn no_files_import_one_another_in_a_circle() -> Result<()> {
    let circles = circles(arrows(&modules()?));
    assert!(circles.is_empty(), "files that import one another:\n{}", circles.join("\n"));
    Ok(())
}

#[test]
fn an_arrow_that_runs_up_is_found_with_file_and_line() {
    let modules = house(&[
        ("json", ""),
        ("kube::object", "use std::fmt;\n\nuse crate::{\n    json,\n    checks::guards::Guard,\n};\n"),
        ("checks::guards", "use crate::kube::object;\n"),
    ]);
    let found = arrows(&modules);
    assert_eq!(
        found.iter().filter(|arrow| runs_up(room(&arrow.from), room(&arrow.to))).collect::<Vec<_>>(),
        [&Arrow {
            from: "kube::object".to_owned(),
            to: "checks::guards".to_owned(),
            at: "crates/engine/src/kube/object.rs:3".to_owned()
        }]
    );
    assert!(runs_up("tags", "propagation") && runs_up("propagation", "tags") && !runs_up("kube", "kube"));
}

#[test]
fn a_circle_is_found_with_file_and_line() {
    let modules = house(&[
        ("json", "pub(crate) use self::view::Json;\n"),
        ("json::view", "use super::path::Path;\n"),
        ("json::path", "\nuse super::Json;\n"),
        ("kube", "pub(crate) use self::object::Object;\n"),
        ("kube::object", "use crate::json::Json;\n#[cfg(test)]\nmod tests {\n    use super::super::Object;\n}\n"),
    ]);
    assert_eq!(
        circles(arrows(&modules)),
        ["crates/engine/src/json.rs:1, crates/engine/src/json/path.rs:2, crates/engine/src/json/view.rs:1"]
    );
}

fn house(modules: &[(&str, &str)]) -> BTreeMap<String, String> {
    modules.iter().map(|(module, text)| ((*module).to_owned(), (*text).to_owned())).collect()
}

/// The modules of the engine and their texts, `lib` for the root.
fn modules() -> Result<BTreeMap<String, String>> {
    let mut modules = BTreeMap::new();
    let root = testkit::root().join("crates/engine/src");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                modules.insert(name(path.strip_prefix(&root)?)?, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(modules)
}

fn name(file: &Path) -> Result<String> {
    let file = file.with_extension("");
    let parts: Option<Vec<&str>> = file.components().map(|part| part.as_os_str().to_str()).collect();
    Ok(parts.context("a file name that is no text")?.join("::"))
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

fn runs_up(from: &str, to: &str) -> bool {
    let floor = |room: &str| FLOORS.iter().position(|rooms| rooms.contains(&room));
    from != to && floor(to) >= floor(from) && floor(from).is_some()
}

/// Where modules use other modules. What only tests use does not count.
fn arrows(modules: &BTreeMap<String, String>) -> BTreeSet<Arrow> {
    let mut arrows = BTreeSet::new();
    for (module, text) in modules.iter().filter(|(module, _)| *module != "lib") {
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        for (line, path) in used(text) {
            let target = target(module, &path, modules).filter(|target| target != module);
            arrows.extend(target.map(|to| Arrow {
                from: module.clone(),
                to,
                at: format!("crates/engine/src/{}.rs:{line}", module.replace("::", "/")),
            }));
        }
    }
    arrows
}

/// Every path in this crate that a text uses, with the line on which its `use` begins.
fn used(text: &str) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let own = |(before, tree): &(&str, &str)| is_visibility(before) && is_of_crate(tree);
        let Some((_, tree)) = line.split_once("use ").filter(own) else { continue };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            let Some((_, next)) = lines.next() else { break };
            tree.push_str(next.trim());
        }
        let tree = tree.split(';').next().unwrap_or_default();
        used.extend(expanded(tree).into_iter().map(|path| (number + 1, path)));
    }
    used
}

fn is_visibility(before: &str) -> bool {
    let before = before.trim();
    before.is_empty() || before.starts_with("pub")
}

fn is_of_crate(tree: &str) -> bool {
    ["crate::", "self::", "super::"].iter().any(|root| tree.starts_with(root))
}

/// The paths of a tree such as `crate::json::{Malformed, path::{Path, Step}}`.
fn expanded(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| expanded(&[before.trim(), part].concat())).collect()
}

/// The module that a path leads to or into; `None` for what is not of this crate.
fn target(module: &str, path: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut here: Vec<&str> = module.split("::").collect();
    let mut steps = path.split("::").map(str::trim).peekable();
    match steps.next()? {
        "crate" => here.clear(),
        "self" => {}
        "super" => {
            here.pop();
            while steps.next_if_eq(&"super").is_some() {
                here.pop();
            }
        }
        _ => return None,
    }
    here.extend(steps);
    let lengths = (1..=here.len()).rev();
    lengths
        .filter_map(|length| here.get(..length))
        .map(|steps| steps.join("::"))
        .find(|name| modules.contains_key(name))
}

/// The arrows between modules that lead back to themselves, one line for each circle.
fn circles(arrows: BTreeSet<Arrow>) -> Vec<String> {
    // What nothing uses, and what uses nothing, is in no circle.
    let mut left = arrows;
    loop {
        let (from, to): (BTreeSet<_>, BTreeSet<_>) =
            left.iter().map(|arrow| (arrow.from.clone(), arrow.to.clone())).unzip();
        let count = left.len();
        left.retain(|arrow| to.contains(&arrow.from) && from.contains(&arrow.to));
        if left.len() == count {
            break;
        }
    }
    let mut circles = Vec::new();
    while let Some(first) = left.first().cloned() {
        let ahead = reached(&first.from, &left, |arrow| (&arrow.from, &arrow.to));
        let behind = reached(&first.from, &left, |arrow| (&arrow.to, &arrow.from));
        let is_of_circle = |module: &String| ahead.contains(module) && behind.contains(module);
        let places: BTreeSet<&str> = left
            .iter()
            .filter(|arrow| is_of_circle(&arrow.from) && is_of_circle(&arrow.to))
            .map(|arrow| arrow.at.as_str())
            .collect();
        if !places.is_empty() {
            circles.push(places.into_iter().collect::<Vec<_>>().join(", "));
        }
        left.retain(|arrow| arrow.from != first.from && !(is_of_circle(&arrow.from) && is_of_circle(&arrow.to)));
    }
    circles
}

/// The modules that a module leads to, along arrows as `ends` turns them.
fn reached(
    start: &str,
    arrows: &BTreeSet<Arrow>,
    ends: impl for<'a> Fn(&'a Arrow) -> (&'a String, &'a String),
) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start.to_owned()];
    while let Some(module) = open.pop() {
        for arrow in arrows {
            let (from, to) = ends(arrow);
            if *from == module && reached.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    reached
}
