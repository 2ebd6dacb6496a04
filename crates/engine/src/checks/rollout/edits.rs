//! Which paths differ between the stored object and the one to be stored, no finer than the table distinguishes them.

use std::borrow::Cow;
use std::mem::take;

use super::same::{NULL, by_key, same, value_in, value_of};
use crate::catalog::effects::{Effect, Same};
use crate::catalog::keys::is_never;
use crate::json::{Field, Map, elements, fields, string};
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
    let count = |annotations: &Map<'_>| annotations.iter().filter(|(key, _)| !is_never(key)).count();
    let kept = |(key, value): (&Cow<'_, str>, &Cow<'_, str>)| is_never(key) || new.annotations.get(key) == Some(value);
    if old.labels != new.labels {
        walk.add_edit("metadata.labels", "metadata.labels");
    }
    if count(&old.annotations) != count(&new.annotations) || !old.annotations.iter().all(kept) {
        walk.add_edit("metadata.annotations", "metadata.annotations");
    }
    walk.down("spec", "spec", old.spec.text(), new.spec.text());
    gravest_first(walk.edits)
}

/// In one pass for each effect that occurs: thousands of edits may come in any order.
fn gravest_first(mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut sorted = Vec::with_capacity(edits.len());
    let mut next = edits.iter().map(|edit| edit.effect).max();
    while let Some(effect) = next {
        next = None;
        for edit in &mut edits {
            if edit.effect == effect {
                sorted.push(Edit { at: take(&mut edit.at), effect });
            } else if edit.effect < effect {
                next = next.max(Some(edit.effect));
            }
        }
    }
    sorted
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
    fn down(&mut self, path: &str, at: &str, old: &str, new: &str) {
        if old == new {
            return;
        }
        let longer =
            self.patterns.iter().filter_map(|pattern| below(&pattern.path, path)).find(|rest| !rest.is_empty());
        let Some(longer) = longer else { return self.whole(path, at, old, new) };
        if let Some((key, _)) = longer.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let (Some(old), Some(new)) = (entries(old, key), entries(new, key)) else {
                return self.whole(path, at, old, new);
            };
            let below = [path, "[", key, "]"].concat();
            self.each(&old, &new, &|walk, name, old, new| {
                let at = [at, "[", name, "]"].concat();
                if old == NULL || new == NULL {
                    // An entry comes or goes, and its Machines with it: that is for the row of the list.
                    walk.whole(path, &at, old, new);
                } else {
                    walk.down(&below, &at, old, new);
                }
            });
        } else {
            let (Some(old), Some(new)) = (object(old), object(new)) else {
                return self.whole(path, at, old, new);
            };
            self.each(&old, &new, &|walk, name, old, new| {
                walk.down(&[path, ".", name].concat(), &[at, ".", name].concat(), old, new);
            });
        }
    }

    fn each(&mut self, old: &[Field<'_>], new: &[Field<'_>], visit: &dyn Fn(&mut Self, &str, &str, &str)) {
        let (before, after) = (by_key(old), by_key(new));
        for field in new {
            visit(self, &field.key, value_in(&before, &field.key), field.value);
        }
        for field in old {
            if !after.contains_key(&*field.key) {
                visit(self, &field.key, field.value, NULL);
            }
        }
    }

    fn whole(&mut self, path: &str, at: &str, old: &str, new: &str) {
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

/// The fields of an object, none where it is absent; `None` where it is something else.
fn object(text: &str) -> Option<Vec<Field<'_>>> {
    if text == NULL { Some(Vec::new()) } else { fields(text) }
}

/// The entries of a list by the value of a field, none where the list is absent; `None` where one has no such field.
fn entries<'a>(text: &'a str, key: &str) -> Option<Vec<Field<'a>>> {
    if text == NULL {
        return Some(Vec::new());
    }
    let entry = |value| Some(Field { key: string(value_of(&fields(value)?, key))?, value });
    elements(text)?.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::effects::Kind;

    #[test]
    fn width_does_not_square_the_work() {
        let object = |names: &mut dyn Iterator<Item = usize>, replicas: u8, domain: &str| {
            let entry = |name| format!(r#"{{"name":"md-{name}","replicas":{replicas},"failureDomain":"{domain}"}}"#);
            let entries: Vec<String> = names.map(entry).collect();
            let topology = format!(r#"{{"workers":{{"machineDeployments":[{}]}}}}"#, entries.join(","));
            format!(r#"{{"apiVersion":"cluster.x-k8s.io/v1beta2","spec":{{"topology":{topology}}}}}"#)
        };
        let (old, new) = (object(&mut (0..40_000), 1, "a"), object(&mut (1..40_001).rev(), 2, "b"));
        let (old, new) = (Object::parse(&old).unwrap(), Object::parse(&new).unwrap());
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
