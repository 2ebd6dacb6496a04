//! Files that Kustomize reads and that are not manifests: kustomizations, and the patches and configurations that they name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::problem::{Problem, Severity, messages};
use crate::read::{Reading, to_json};
use crate::relations::{text, texts};
use crate::source::Source;

/// The names of the file that Kustomize reads in a directory.
pub const KUSTOMIZATION_FILES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The message about each text that Kustomize reads and that is not a manifest, by its number.
///
/// `prefix` is what names begin with and is no part of a path, such as `main:`.
pub fn of_kustomize(sources: &[Source], prefix: &str) -> BTreeMap<usize, Reading> {
    let mut found = BTreeMap::new();
    let path = |source: &'_ Source| source.name.strip_prefix(prefix).unwrap_or(&source.name).to_owned();
    let by_name: BTreeMap<String, usize> =
        sources.iter().enumerate().map(|(number, source)| (path(source), number)).collect();
    for (number, source) in sources.iter().enumerate().filter(|(_, source)| is_kustomization(&source.name)) {
        let path = path(source);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        found.insert(number, skipped(number, messages::KUSTOMIZATION.to_owned()));
        let json = value(source);
        let patches = patches(&json).into_iter().map(|named| (named, messages::kustomize_patch(&path)));
        let others = configurations(&json).into_iter().map(|named| (named, messages::kustomize_file(&path)));
        for (named, message) in others.chain(patches) {
            if let Some(number) = by_name.get(&*joined(folder, &named)) {
                found.insert(*number, skipped(*number, message));
            }
        }
    }
    found
}

/// Whether a text of this name is a kustomization.
///
/// ```
/// assert!(fleet::is_kustomization("main:base/kustomization.yaml") && !fleet::is_kustomization("base/cluster.yaml"));
/// ```
pub fn is_kustomization(name: &str) -> bool {
    let file = name.rsplit_once('/').map_or(name, |(_, file)| file);
    KUSTOMIZATION_FILES
        .iter()
        .any(|known| file.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with(':')))
}

/// Every path that a kustomization may name, and whether what it includes is applied as it is.
///
/// ```
/// use fleet::{Mentions, Source};
///
/// let kustomization = |text: &str| Source { name: "prod/kustomization.yaml".into(), text: text.into() };
/// let mentions = Mentions::of(&kustomization("resources: [../base]\nconfigMapGenerator: [{name: c, files: [a=b.txt]}]"));
/// assert_eq!(mentions.paths, ["prod/a=b.txt", "prod/c", "base", "prod/b.txt"]);
/// assert!(!mentions.is_plain && Mentions::of(&kustomization("resources: [../base]")).is_plain);
/// ```
#[derive(Debug, Default)]
pub struct Mentions {
    /// Every string in it as a path, and what is after a `=`: those that are no paths do not exist.
    pub paths: Vec<String>,
    /// Whether it only lists what it includes.
    pub is_plain: bool,
    /// The folder of the Helm charts that it renders, if it does.
    pub charts: Option<String>,
    /// Whether it is a component, which changes what includes it.
    pub is_component: bool,
}

impl Mentions {
    /// The paths in a kustomization. A text that is not YAML has none.
    pub fn of(kustomization: &Source) -> Mentions {
        const PLAIN: [&str; 5] = ["apiVersion", "kind", "metadata", "resources", "bases"];
        let folder = kustomization.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let json = value(kustomization);
        let is_path = |text: &&str| !text.is_empty() && !text.contains('\n');
        let words: Vec<&str> = texts(&json).into_iter().filter(is_path).collect();
        let values = words.iter().filter_map(|word| word.split_once('=')).map(|(_, value)| value);
        let paths = words.iter().copied().chain(values).map(|path| joined(folder, path)).collect();
        let is_plain = json.as_object().is_some_and(|fields| fields.keys().all(|field| PLAIN.contains(&&**field)));
        let home = json.pointer("/helmGlobals/chartHome").and_then(Value::as_str).unwrap_or("charts");
        let has_charts = ["helmCharts", "helmChartInflationGenerator"].iter().any(|field| json.get(field).is_some());
        let is_component = json.get("kind").and_then(Value::as_str) == Some("Component");
        Mentions { paths, is_plain, charts: has_charts.then(|| joined(folder, home)), is_component }
    }
}

fn value(source: &Source) -> Value {
    to_json(source).ok().and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// The directories and files that a kustomization includes, by their names. A text that is not YAML has none.
pub fn resources(kustomization: &Source) -> Vec<String> {
    included(&kustomization.name, &value(kustomization))
}

/// The directories and files that a kustomization of this path includes.
fn included(path: &str, kustomization: &Value) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let list =
        |field| kustomization.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    ["resources", "bases", "components"].into_iter().flat_map(list).map(|path| joined(folder, path)).collect()
}

/// The name of the first kustomization with patches that includes a text, directly or through others. Names of texts may
/// have a prefix such as `main:`.
pub(crate) fn patched_by(sources: &[Source], number: usize) -> Option<&str> {
    let split = |source: &'_ Source| {
        let (prefix, path) = source.name.split_once(':').unwrap_or(("", &source.name));
        (prefix.to_owned(), path.to_owned())
    };
    let (prefix, path) = split(sources.get(number)?);
    let kustomizations = sources.iter().filter(|source| is_kustomization(&source.name));
    let paths = kustomizations.map(|source| (split(source), source)).filter(|((of, _), _)| *of == prefix);
    let by_path: BTreeMap<String, (&str, Value)> =
        paths.map(|((_, path), source)| (path, (&*source.name, value(source)))).collect();
    let includes = |(top, (_, json)): &(&String, &(&str, Value))| {
        let (mut seen, mut next) = (BTreeSet::new(), included(top, json));
        while let Some(named) = next.pop() {
            if named == path {
                return true;
            }
            if seen.insert(named.clone()) {
                let files = KUSTOMIZATION_FILES.map(|file| joined(&named, file));
                let inner = files.iter().filter_map(|file| by_path.get_key_value(file));
                next.extend(inner.flat_map(|(path, (_, json))| included(path, json)));
            }
        }
        false
    };
    let mut patching = by_path.iter().filter(|(_, (_, json))| has_patches(json));
    patching.find(includes).map(|(_, (name, _))| *name)
}

/// Whether a kustomization has patches, or components that may have them.
fn has_patches(kustomization: &Value) -> bool {
    let is_listed = |field| kustomization.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    ["patches", "patchesJson6902", "patchesStrategicMerge", "components"].into_iter().any(is_listed)
}

fn skipped(number: usize, message: String) -> Reading {
    let (severity, source) = (Severity::Note, number);
    let problem = Problem { severity, skips: 1, is_rendered: true, message, source, at: 0 };
    Reading { objects: Vec::new(), problems: vec![problem] }
}

/// The files that a kustomization names as patches.
fn patches(kustomization: &Value) -> Vec<String> {
    let list = |field: &str| kustomization.get(field).and_then(Value::as_array).into_iter().flatten();
    let of_path = ["patches", "patchesJson6902"].into_iter().flat_map(list).map(|patch| text(patch, "path"));
    // A path, or the patch itself.
    let merges = list("patchesStrategicMerge").filter_map(Value::as_str).filter(|patch| !patch.contains('\n'));
    of_path.chain(merges).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// The other files that a kustomization names and that are no resources: replacements, and what it transforms with.
fn configurations(kustomization: &Value) -> Vec<String> {
    let list = |field: &str| kustomization.get(field).and_then(Value::as_array).into_iter().flatten();
    let replacements = list("replacements").map(|replacement| text(replacement, "path"));
    let plain = ["configurations", "crds", "generators", "transformers", "validators"];
    // A path, or the configuration itself.
    let plain = plain.into_iter().flat_map(list).filter_map(Value::as_str).filter(|path| !path.contains('\n'));
    replacements.chain(plain).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// A path relative to a directory, without `.` and `..` as far as they can be resolved.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    root.to_owned() + &parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kustomization_is_made_from_resources_bases_and_components() {
        let text = "resources: [../../base, a.yaml]\ncomponents: [../extra/]\n".to_owned();
        let source = Source { name: "overlays/prod/kustomization.yaml".to_owned(), text };
        assert_eq!(resources(&source), ["base", "overlays/prod/a.yaml", "overlays/extra"]);
    }

    #[test]
    fn patches_and_configurations_are_no_manifests() {
        let kustomization = "resources: [a.yaml]\npatches: [{path: p.yaml}, {patch: '[]'}]\nreplacements: [{path: r.yaml}]\n\
            transformers: [t.yaml]\npatchesStrategicMerge: [m.yaml]\n";
        let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
        let files = ["a.yaml", "p.yaml", "r.yaml", "t.yaml", "m.yaml"].map(|name| source(name, ""));
        let sources: Vec<Source> = files.into_iter().chain([source("kustomization.yaml", kustomization)]).collect();
        assert_eq!(of_kustomize(&sources, "").into_keys().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_base_is_patched_by_what_includes_it() {
        let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
        for prefix in ["", "after:", "after/"] {
            let sources = [
                ("base/class.yaml", "{}"),
                ("base/kustomization.yaml", "resources: [class.yaml]"),
                ("kustomization.yaml", "resources: [overlays/prod, plain.yaml]"),
                ("overlays/prod/kustomization.yaml", "resources: [../../base]\npatches: [{path: p.yaml}]"),
                ("plain.yaml", "{}"),
            ]
            .map(|(name, text)| source(&format!("{prefix}{name}"), text));
            let found = [0, 4].map(|number| patched_by(&sources, number).map(str::to_owned));
            assert_eq!(found, [Some(format!("{prefix}overlays/prod/kustomization.yaml")), None]);
        }
    }

    #[test]
    fn a_path_is_relative_to_its_folder() {
        for (folder, path, expected) in [
            ("", "patch.yaml", "patch.yaml"),
            ("overlays/prod", "./patch.yaml", "overlays/prod/patch.yaml"),
            ("overlays/prod", "../../base/patch.yaml", "base/patch.yaml"),
            ("/a/b", "../c.yaml", "/a/c.yaml"),
            ("", "../c.yaml", "../c.yaml"),
        ] {
            assert_eq!(joined(folder, path), expected, "{folder} {path}");
        }
    }
}
