//! Cycles among dependencies.

use std::collections::{BTreeMap, BTreeSet};

use crate::dependencies::{Dependency, dependencies};
use crate::source::Crate;

/// The cycles of a crate, with their dependencies, one for each pair of files.
///
/// A module and the modules in it may need each other: the parent calls its children, which use its types. So if a
/// cycle contains a file that is an ancestor of all others, it counts only if it is a cycle without that
/// file's items.
pub(crate) fn circles(of: &Crate, ambiguous: &BTreeSet<String>) -> Vec<Vec<String>> {
    let parents = parents(of);
    let mut circles = Vec::new();
    let mut open = vec![dependencies(of, ambiguous)];
    while let Some(dependencies) = open.pop() {
        for circle in connected(&dependencies) {
            let files: BTreeSet<&str> = circle.iter().map(|one| one.from.as_str()).collect();
            let is_parent = |parent: &str, file: &str| parents.get(file).is_some_and(|known| known.contains(parent));
            let root = files.iter().find(|root| files.iter().all(|file| file == *root || is_parent(root, file)));
            match root {
                Some(root) => open.push(circle.iter().filter(|one| one.to != *root).cloned().collect()),
                None => circles.push(lines(&circle)),
            }
        }
    }
    circles.sort();
    circles
}

/// The files of the ancestor modules of each file.
fn parents(of: &Crate) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut parents: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in &of.modules {
        let mut around = module.parent;
        while let Some(parent) = around.and_then(|index| of.modules.get(index)) {
            parents.entry(&module.file).or_default().insert(&parent.file);
            around = parent.parent;
        }
    }
    parents
}

/// The dependencies that are part of a cycle, grouped by cycle.
fn connected(dependencies: &BTreeSet<Dependency>) -> Vec<BTreeSet<Dependency>> {
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Dependency { from, to, .. } in dependencies {
        users.entry(from).or_default().insert(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = users.keys().map(|file| (*file, reached(file, &users))).collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let mut circles: BTreeMap<&str, BTreeSet<Dependency>> = BTreeMap::new();
    for dependency in dependencies.iter().filter(|one| leads(&one.to, &one.from)) {
        // A cycle is identified by its first file.
        let first = reached.keys().find(|file| leads(&dependency.from, file) && leads(file, &dependency.from));
        circles.entry(first.copied().unwrap_or(&dependency.from)).or_default().insert(dependency.clone());
    }
    circles.into_values().collect()
}

/// The files that a file needs, directly or through others.
fn reached<'a>(file: &'a str, users: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![file]);
    while let Some(file) = open.pop() {
        open.extend(users.get(file).into_iter().flatten().copied().filter(|next| reached.insert(*next)));
    }
    reached
}

/// One line for each pair of files.
fn lines(circle: &BTreeSet<Dependency>) -> Vec<String> {
    let mut named = BTreeSet::new();
    let firsts = circle.iter().filter(|one| named.insert((&one.from, &one.to)));
    firsts.map(Dependency::to_string).collect()
}
