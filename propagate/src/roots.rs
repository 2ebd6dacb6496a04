//! Several clusters and environments in one repository: objects with the same name in several directories are not the
//! same object.

use std::collections::BTreeSet;

use fleet::{Fleet, FleetObject, Locator};
use metadata_propagation::{Operation, Review, Settings, concerns, has_effects};
use rayon::prelude::*;

use crate::Failure;
use crate::classes::is_instance;
use crate::output::report::Where;
use crate::renderers::is_renderer;

/// Objects that are checked together.
pub(crate) struct RootObjects {
    /// The directory or file that distinguishes them from others; empty if all objects belong together.
    pub(crate) root: String,
    pub(crate) fleet: Fleet,
}

/// The objects of a repository by root, including those of the files that are in no root. If no roots are named, they
/// are the directories or files that define objects with the same name in different ways.
///
/// # Errors
/// When a named root contains none of the files.
pub(crate) fn by_root(whole: Fleet, named: &[String], settings: &Settings) -> Result<Vec<RootObjects>, Failure> {
    let roots = match named {
        [] => found(&whole, settings),
        named => named.iter().map(|root| trimmed(root)).collect(),
    };
    if let Some(empty) = roots.iter().find(|root| !whole.sources().iter().any(|source| is_in(&source.name, root))) {
        return Err(Failure(format!("--root: none of the files is in `{empty}`")));
    }
    let leaves = leaves(&roots);
    if leaves.len() < 2 {
        return Ok(vec![RootObjects { root: String::new(), fleet: whole }]);
    }
    let objects_of = |leaf: &&String| {
        let is_of_leaf = |source: usize| {
            let name = whole.sources().get(source).map_or("", |source| &source.name);
            roots.iter().filter(|root| is_in(name, root)).all(|root| is_in(leaf, root))
        };
        let fleet = whole.part(|object| is_of_leaf(object.origin.source), is_of_leaf);
        RootObjects { root: (*leaf).clone(), fleet }
    };
    Ok(leaves.par_iter().map(objects_of).collect())
}

/// A root as it is named on the command line.
pub(crate) fn trimmed(root: &str) -> String {
    root.trim_start_matches("./").trim_end_matches('/').to_owned()
}

/// The roots without others below them: a directory with roots below it is not a root itself.
pub(crate) fn leaves(roots: &BTreeSet<String>) -> Vec<&String> {
    roots.iter().filter(|root| !roots.iter().any(|other| other != *root && is_in(other, root))).collect()
}

/// That no object of a kind that a rule reads is defined twice in different ways.
pub(crate) fn distinct(fleet: &Fleet, settings: &Settings) -> Result<(), Failure> {
    let differs = |(a, b): &(&FleetObject, &FleetObject)| a.json != b.json && is_read(a, settings);
    let Some((a, b)) = fleet.doubles().find(differs) else { return Ok(()) };
    let mut locator = Locator::new(fleet.sources());
    let mut name = |object: &FleetObject| {
        let Where { file, position, .. } = Where::of_object(fleet, object, &mut locator);
        format!("{file}:{}", position.map_or(0, |position| position.line))
    };
    let (first, later) = (name(a), name(b));
    Err(Failure(format!("{} is defined in {first} and in {later}: it is not known which one counts", a.id)))
}

/// Whether the policy checks an object, or its edits have effects, or others are rendered from it.
pub(crate) fn is_judged(object: &FleetObject, settings: &Settings) -> bool {
    is_read(object, settings) || is_renderer(&object.id)
}

/// Whether the policy checks an object, or its edits have effects.
fn is_read(object: &FleetObject, settings: &Settings) -> bool {
    let review = object.review();
    let update = Review { operation: Operation::Update, old_object: Some(&object.json), ..object.review() };
    concerns(&review, settings) || has_effects(&update) || is_instance(&object.id)
}

/// Where the paths of objects with the same name diverge, if the policy checks such objects and they are not equal.
fn found(whole: &Fleet, settings: &Settings) -> BTreeSet<String> {
    let mut roots = BTreeSet::new();
    let name = |object: &FleetObject| whole.sources().get(object.origin.source).map_or("", |source| &source.name);
    for all in definitions(whole) {
        for (index, a) in all.iter().enumerate().filter(|(_, a)| concerns(&a.review(), settings)) {
            for b in all.iter().skip(index + 1).filter(|b| a.json != b.json) {
                roots.extend(parting(name(a), name(b)).into_iter().flatten());
            }
        }
    }
    roots
}

/// The definitions of each object that has several, the first one first.
pub(crate) fn definitions(fleet: &Fleet) -> Vec<Vec<&FleetObject>> {
    let doubles: Vec<(&FleetObject, &FleetObject)> = fleet.doubles().collect();
    let same = doubles.chunk_by(|a, b| a.0.id == b.0.id);
    same.map(|same| same.iter().take(1).map(|(first, _)| *first).chain(same.iter().map(|it| it.1)).collect()).collect()
}

/// The shortest prefixes of two paths in which they differ; `None` for one file.
pub(crate) fn parting(a: &str, b: &str) -> Option<[String; 2]> {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('/').collect(), b.split('/').collect());
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let until = |path: &[&str]| path.get(..=common).map(|parts| parts.join("/"));
    Some([until(&a)?, until(&b)?])
}

/// Whether a path is a root or below it; an empty root has every path.
pub(crate) fn is_in(path: &str, root: &str) -> bool {
    root.is_empty() || path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_part_at_the_first_folder_or_file_that_differs() {
        let owned = |roots: Option<[&str; 2]>| roots.map(|roots| roots.map(str::to_owned));
        for (a, b, expected) in [
            ("clusters/dev/a.yaml", "clusters/prod/b/a.yaml", Some(["clusters/dev", "clusters/prod"])),
            ("clusters/dev.yaml", "clusters/prod.yaml", Some(["clusters/dev.yaml", "clusters/prod.yaml"])),
            ("a.yaml", "prod/a.yaml", Some(["a.yaml", "prod"])),
            ("a.yaml", "a.yaml", None),
        ] {
            assert_eq!(parting(a, b), owned(expected), "{a} {b}");
        }
    }

    #[test]
    fn a_path_is_in_a_root_by_whole_names() {
        let is = |path, root| is_in(path, root);
        assert_eq!([is("a/b/c.yaml", "a/b"), is("a/b", "a/b"), is("a/bc/d.yaml", "a/b")], [true, true, false]);
    }
}
