//! Kustomizations that are not rendered, and what they would be rendered from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fleet::{KUSTOMIZATION_FILES, Mentions, Source, is_kustomization};

use crate::file::{Meaning, text};

/// A kustomization that is not rendered.
#[derive(Debug, Default)]
pub(crate) struct Unrendered {
    /// Its name.
    pub(crate) file: String,
    /// The files that it is rendered from, without itself, each with a hash of what is in it.
    pub(crate) parts: BTreeMap<String, u64>,
    /// Whether what is rendered is what is in the files.
    pub(crate) is_plain: bool,
}

/// The kustomizations among the texts that no other one includes. The texts are from a folder, and their names begin with
/// `shown` instead.
pub(crate) fn unrendered(sources: &[Source], folder: &Path, shown: &str) -> Vec<Unrendered> {
    let sources = sources.iter();
    let inner = |source: &Source| source.name.strip_prefix(shown).unwrap_or(&source.name).to_owned();
    let texts: BTreeMap<String, &str> = sources.clone().map(|source| (inner(source), &*source.text)).collect();
    let tops = sources.filter(|source| is_kustomization(&source.name));
    let found: Vec<(BTreeSet<String>, Unrendered)> =
        tops.map(|source| closure(inner(source), &texts, folder)).collect();
    let is_included = |file: &String| found.iter().any(|(included, _)| included.contains(file));
    let is_top = |unrendered: &Unrendered| !is_included(&unrendered.file);
    let included: Vec<bool> = found.iter().map(|(_, unrendered)| !is_top(unrendered)).collect();
    let named = found.into_iter().zip(included).filter(|(_, is_included)| !is_included).map(|((_, found), _)| found);
    named.map(|found| Unrendered { file: format!("{shown}{}", found.file), ..found }).collect()
}

/// A kustomization with everything that it names, and the kustomizations that it includes.
fn closure(top: String, texts: &BTreeMap<String, &str>, folder: &Path) -> (BTreeSet<String>, Unrendered) {
    let (mut seen, mut next) = (BTreeSet::new(), vec![top.clone()]);
    let mut found = Unrendered { file: top.clone(), is_plain: true, ..Unrendered::default() };
    let path = |name: &str| folder.join(name);
    while let Some(file) = next.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        let known = texts.get(&file).map(|text| (*text).to_owned());
        let text = known.or_else(|| text(&path(&file)).ok()).unwrap_or_default();
        if file != top {
            found.parts.insert(file.clone(), Meaning::of(&text).hash);
        }
        let mentions = Mentions::of(&Source { name: file, text });
        found.is_plain &= mentions.is_plain;
        for mentioned in mentions.paths {
            let real = path(&mentioned);
            if real.is_file() {
                found.parts.insert(mentioned, Meaning::of_file(&real).hash);
            } else if real.is_dir() {
                let within = KUSTOMIZATION_FILES.iter().map(|file| format!("{mentioned}/{file}"));
                next.extend(within.filter(|file| path(file).is_file()));
            }
        }
    }
    seen.remove(&top);
    (seen, found)
}
