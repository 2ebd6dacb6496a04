//! Which paths differ between the stored object and the one to be stored, no finer than the table distinguishes them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::same::same;
use crate::catalog::effects::{Effect, Same};
use crate::catalog::keys::is_never;
use crate::json::Map;
use crate::json::document::Json;
use crate::kube::object::Object;
use crate::kube::selector::same_selector;
use crate::report::rollout_impact::Edit;

/// One row of the table, its path from the object's root.
pub(super) struct Pattern {
    pub(super) path: String,
    pub(super) effect: Effect,
    pub(super) same: Same,
}

/// Every path that differs, the gravest first.
pub(super) fn between(old: &Object<'_>, new: &Object<'_>, patterns: &[Pattern]) -> Vec<Edit> {
    let mut walk = Walk { patterns, old, new, edits: Vec::new() };
    let count = |annotations: &Map<'_>| annotations.keys().filter(|key| !is_never(key)).count();
    let kept = |key: &str| is_never(key) || new.annotations.get(key) == old.annotations.get(key);
    if old.labels != new.labels {
        walk.add_edit("metadata.labels", "metadata.labels");
    }
    if count(&old.annotations) != count(&new.annotations) || !old.annotations.keys().all(kept) {
        walk.add_edit("metadata.annotations", "metadata.annotations");
    }
    walk.down("spec", "spec", old.spec, new.spec);
    walk.edits.sort_by_key(|edit| Reverse(edit.effect));
    walk.edits
}

/// The row that decides about a path: the one with the longest path.
pub(super) fn deciding_row<'a>(patterns: &'a [Pattern], path: &str) -> Option<&'a Pattern> {
    let above = patterns.iter().filter(|pattern| below(path, &pattern.path).is_some());
    above.max_by_key(|pattern| pattern.path.len())
}

/// What of `path` stands behind `above`, when it is the same path or leads through it.
fn below<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    path.strip_prefix(above).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

struct Walk<'a> {
    patterns: &'a [Pattern],
    old: &'a Object<'a>,
    new: &'a Object<'a>,
    edits: Vec<Edit>,
}

impl Walk<'_> {
    /// Compares what stands at one path: `path` in the table's words, `at` with the names of list entries.
    fn down(&mut self, path: &str, at: &str, old: Json<'_>, new: Json<'_>) {
        if old == new {
            return;
        }
        let longer =
            self.patterns.iter().filter_map(|pattern| below(&pattern.path, path)).find(|rest| !rest.is_empty());
        let Some(longer) = longer else { return self.whole(path, at, old, new) };
        if let Some((key, _)) = longer.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let (Some(old_entries), Some(new_entries)) = (Entries::of_list(old, key), Entries::of_list(new, key))
            else {
                return self.whole(path, at, old, new);
            };
            let below = [path, "[", key, "]"].concat();
            for (name, old, new) in pairs(&old_entries, &new_entries) {
                let at = [at, "[", name, "]"].concat();
                if old.is_null() || new.is_null() {
                    // An entry comes or goes, and its Machines with it: that is for the row of the list.
                    self.whole(path, &at, old, new);
                } else {
                    self.down(&below, &at, old, new);
                }
            }
        } else {
            let (Some(old_entries), Some(new_entries)) = (Entries::of_object(old), Entries::of_object(new)) else {
                return self.whole(path, at, old, new);
            };
            for (name, old, new) in pairs(&old_entries, &new_entries) {
                self.down(&[path, ".", name].concat(), &[at, ".", name].concat(), old, new);
            }
        }
    }

    fn whole(&mut self, path: &str, at: &str, old: Json<'_>, new: Json<'_>) {
        // A selector's own Cluster is named beside it.
        let stays = |row: &Pattern| {
            same(row.same, old, new) || row.same == Same::Selector && same_selector(self.old, self.new).unwrap_or(false)
        };
        if deciding_row(self.patterns, path).is_some_and(|row| !stays(row)) {
            self.add_edit(path, at);
        }
    }

    fn add_edit(&mut self, path: &str, at: &str) {
        let Some(row) = deciding_row(self.patterns, path) else { return };
        self.edits.push(Edit { at: at.to_owned(), effect: row.effect });
    }
}

/// The values in an object or a list, each by a name.
struct Entries<'a> {
    /// In the order they stand.
    listed: Vec<(&'a str, Json<'a>)>,
    /// The last of several of one name.
    by_name: BTreeMap<&'a str, Json<'a>>,
    absent: Json<'a>,
}

impl<'a> Entries<'a> {
    /// The fields of an object, none where it is absent; `None` where it is something else.
    fn of_object(object: Json<'a>) -> Option<Self> {
        let listed = object.as_fields()?.collect();
        Some(Entries::new(object, listed))
    }

    /// The elements of a list by the value of a field, none where the list is absent; `None` where one has no such field.
    fn of_list(list: Json<'a>, key: &str) -> Option<Self> {
        let named = |element: Json<'a>| Some((element.get(key).ok()?.as_str()?, element));
        Some(Entries::new(list, list.as_elements()?.map(named).collect::<Option<_>>()?))
    }

    fn new(holder: Json<'a>, listed: Vec<(&'a str, Json<'a>)>) -> Self {
        Entries { by_name: listed.iter().copied().collect(), listed, absent: holder.absent() }
    }

    fn get(&self, name: &str) -> Json<'a> {
        self.by_name.get(name).copied().unwrap_or(self.absent)
    }
}

/// What stands under each name before and after: the names of `new` first, then those that are gone.
fn pairs<'e, 'a>(
    old: &'e Entries<'a>,
    new: &'e Entries<'a>,
) -> impl Iterator<Item = (&'a str, Json<'a>, Json<'a>)> + use<'e, 'a> {
    let stays = new.listed.iter().map(|(name, value)| (*name, old.get(name), *value));
    let gone = old.listed.iter().filter(|(name, _)| !new.by_name.contains_key(name));
    stays.chain(gone.map(|(name, value)| (*name, *value, new.absent)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::effects::Kind;
    use crate::json::document::Document;

    #[test]
    fn width_does_not_square_the_work() {
        let object = |names: &mut dyn Iterator<Item = usize>, replicas: u8, domain: &str| {
            let entry = |name| format!(r#"{{"name":"md-{name}","replicas":{replicas},"failureDomain":"{domain}"}}"#);
            let entries: Vec<String> = names.map(entry).collect();
            let topology = format!(r#"{{"workers":{{"machineDeployments":[{}]}}}}"#, entries.join(","));
            format!(r#"{{"apiVersion":"cluster.x-k8s.io/v1beta2","spec":{{"topology":{topology}}}}}"#)
        };
        let (old, new) = (object(&mut (0..40_000), 1, "a"), object(&mut (1..40_001).rev(), 2, "b"));
        let (old, new) = (Document::new(old), Document::new(new));
        let (old, new) = (Object::read(&old).unwrap(), Object::read(&new).unwrap());
        let edits = between(&old, &new, &Kind::Cluster.rows("v1beta2"));
        let edit = |name: usize, field: &str, effect| {
            let at = format!("spec.topology.workers.machineDeployments[md-{name}]{field}");
            Edit { at, effect }
        };
        let kept = || (1..40_000).rev();
        let mut expected: Vec<Edit> = kept().map(|name| edit(name, ".failureDomain", Effect::Rollout)).collect();
        expected.push(edit(40_000, "", Effect::Scale));
        expected.extend(kept().map(|name| edit(name, ".replicas", Effect::Scale)));
        expected.push(edit(0, "", Effect::Scale));
        assert!(edits == expected, "{} edits", edits.len());
    }
}
