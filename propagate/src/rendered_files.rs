//! Which files rendered objects are written in: no line of what is rendered exists in the repository.

use std::collections::BTreeMap;

use crate::applied::Kustomizations;
use crate::output::report::{Where, WrittenPlace};

/// The folders that are rendered, by their names.
#[derive(Debug, Default, Clone)]
pub(crate) struct RenderedFiles(BTreeMap<String, RenderedFolder>);

#[derive(Debug, Default, Clone)]
struct RenderedFolder {
    /// The kustomization, if there is one.
    file: String,
    /// File and line of objects that one file defines, by kind and name.
    objects: BTreeMap<(String, String), Option<(String, usize)>>,
}

impl RenderedFiles {
    /// Adds what is rendered from a folder; `shown` is how paths are printed.
    pub(crate) fn add(&mut self, folder: &str, kustomizations: &Kustomizations, shown: impl Fn(&str) -> String) {
        let mut found = RenderedFolder::default();
        if let Some(kustomization) = kustomizations.by_folder.get(folder) {
            found.file = shown(&kustomization.file);
        }
        let reached = kustomizations.reached([folder]);
        let objects =
            reached.iter().filter_map(|folder| kustomizations.by_folder.get(folder)).flat_map(|it| &it.objects);
        for (kind, name, file, line) in objects {
            let place = Some((shown(file), *line));
            found.objects.entry((kind.clone(), name.clone())).and_modify(|known| *known = None).or_insert(place);
        }
        self.0.insert(shown(folder), found);
    }

    /// Says where an object is written, if its place is in what is rendered.
    pub(crate) fn resolve(&self, place: &mut Where, kind: &str, name: &str) {
        let Some(folder) = self.0.get(&place.file) else { return };
        let known = folder.objects.get(&(kind.to_owned(), name.to_owned())).cloned().flatten();
        let (file, line) = match known {
            Some((file, line)) => (file, Some(line)),
            None => (folder.file.clone(), None),
        };
        place.written = Some(WrittenPlace { file, line, folder: place.file.clone() });
    }
}
