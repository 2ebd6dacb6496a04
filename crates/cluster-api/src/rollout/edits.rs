//! Which paths differ between the stored object and the new one, in the granularity of the table.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::given::EditContext;
use super::same::{same, same_config, same_feature_gates};
use crate::catalog::effects::{Effect, Given, KeyEdit, KeyRow, Row, Same};
use crate::catalog::keys::is_never;
use crate::json::{Json, Map};
use crate::rollout::RolloutEdit;
use crate::selector::same_selector;
use kubernetes::Object;

/// One row of the table, its path from the object's root.
pub(super) struct EditPattern {
    pub(super) path: String,
    pub(super) row: &'static Row,
    pub(super) given: Given,
    /// The row's keys of the version of Cluster API.
    pub(super) keys: Vec<&'static KeyRow>,
}

/// Every path that differs, the most severe first.
pub(super) fn between(old: &Object<'_>, new: &Object<'_>, patterns: &[EditPattern]) -> Vec<RolloutEdit> {
    let mut walk = Walk { patterns, old, new, around: EditContext::of(old, new), edits: Vec::new() };
    let count = |annotations: &Map<'_>| annotations.keys().filter(|key| !is_never(key)).count();
    let kept = |key: &str| is_never(key) || new.annotations.get(key) == old.annotations.get(key);
    if old.labels != new.labels {
        walk.add_edit("metadata.labels", "metadata.labels");
    }
    if count(&old.annotations) != count(&new.annotations) || !old.annotations.keys().all(kept) {
        walk.add_edit("metadata.annotations", "metadata.annotations");
    }
    if let Some(pattern) = deciding_row(patterns, "metadata.annotations") {
        walk.keys(pattern, "metadata.annotations", &old.annotations, &new.annotations);
    }
    walk.down("spec", "spec", old.spec, new.spec);
    walk.edits.sort_by_key(|edit| Reverse(edit.effect));
    walk.edits
}

/// The row that decides about a path: the one with the longest path.
pub(super) fn deciding_row<'a>(patterns: &'a [EditPattern], path: &str) -> Option<&'a EditPattern> {
    let above = patterns.iter().filter(|pattern| below(path, &pattern.path).is_some());
    above.max_by_key(|pattern| pattern.path.len())
}

/// The rest of `path` below `above`, if it is the same path or below it.
fn below<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    path.strip_prefix(above).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

struct Walk<'a> {
    patterns: &'a [EditPattern],
    old: &'a Object<'a>,
    new: &'a Object<'a>,
    around: EditContext<'a>,
    edits: Vec<RolloutEdit>,
}

impl<'a> Walk<'a> {
    /// Compares the values at one path: `path` as the table writes it, `at` with the names of list entries.
    fn down(&mut self, path: &str, at: &str, old: Json<'a>, new: Json<'a>) {
        if old == new {
            return;
        }
        let longer =
            self.patterns.iter().filter_map(|pattern| below(&pattern.path, path)).find(|rest| !rest.is_empty());
        let Some(longer) = longer else { return self.whole(path, at, old, new) };
        if let Some((key, _)) = longer.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let (Some(old_entries), Some(new_entries)) =
                (ListEntries::of_list(old, key), ListEntries::of_list(new, key))
            else {
                return self.whole(path, at, old, new);
            };
            let below = [path, "[", key, "]"].concat();
            for (name, old, new) in pairs(&old_entries, &new_entries) {
                let at = [at, "[", name, "]"].concat();
                let holder = std::mem::replace(&mut self.around.holder, [old, new]);
                if old.is_null() || new.is_null() {
                    // An entry is added or removed, and its Machines with it: the row of the list covers that.
                    self.whole(path, &at, old, new);
                } else {
                    self.down(&below, &at, old, new);
                }
                self.around.holder = holder;
            }
        } else {
            let (Some(old_entries), Some(new_entries)) = (ListEntries::of_object(old), ListEntries::of_object(new))
            else {
                return self.whole(path, at, old, new);
            };
            for (name, old, new) in pairs(&old_entries, &new_entries) {
                self.around.field = name;
                self.down(&[path, ".", name].concat(), &[at, ".", name].concat(), old, new);
            }
        }
    }

    fn whole(&mut self, path: &str, at: &str, old: Json<'a>, new: Json<'a>) {
        let Some(pattern) = deciding_row(self.patterns, path) else { return };
        let row = pattern.row;
        let stays = match row.same {
            // A selector is compared together with the name of its own Cluster.
            Same::Selector => same_selector(self.old, self.new).unwrap_or(false),
            Same::FeatureGates => same_feature_gates(self.new.spec, old, new),
            Same::Config => same_config(self.around.field, old, new),
            how => same(how, old, new),
        };
        if stays {
            return;
        }
        match row.removed.filter(|_| new.is_null() && self.around.had_replicas()) {
            Some(effect) => self.edits.push(RolloutEdit { at: at.to_owned(), effect, set_on: None, is_removal: true }),
            None => self.add(at.to_owned(), self.around.by_strategy(row.effect), pattern.given, false),
        }
        if !pattern.keys.is_empty()
            && let (Ok(old), Ok(new)) = (old.as_map(), new.as_map())
        {
            self.keys(pattern, at, &old, &new);
        }
    }

    /// The edits of keys that have their own effects.
    fn keys(&mut self, pattern: &EditPattern, at: &str, old: &Map<'_>, new: &Map<'_>) {
        for key_row in &pattern.keys {
            let stays = new.keys().any(|key| key_row.held_by.iter().any(|by| is_key(by, key)));
            for (key, value) in old.iter().filter(|(key, _)| is_key(key_row.key, key)) {
                let (is_edit, is_removal) = match (key_row.edit, new.get(key)) {
                    (KeyEdit::Removed, now) => (now.is_none(), true),
                    (KeyEdit::Changed, now) => (now.is_some_and(|now| now != value), false),
                };
                if is_edit && !stays {
                    self.add(format!("{at}[{key}]"), key_row.effect, key_row.given, is_removal);
                }
            }
        }
    }

    fn add_edit(&mut self, path: &str, at: &str) {
        let Some(pattern) = deciding_row(self.patterns, path) else { return };
        self.add(at.to_owned(), pattern.row.effect, pattern.given, false);
    }

    fn add(&mut self, at: String, effect: Effect, given: Given, is_removal: bool) {
        self.edits.push(RolloutEdit { at, effect: self.around.effect(effect, given), set_on: None, is_removal });
    }
}

/// Whether a key is the one of a row, or begins with it where the row has a prefix.
fn is_key(of_row: &str, key: &str) -> bool {
    key == of_row || !of_row.contains('/') && key.starts_with(of_row)
}

/// The most characters of a name.
const LONGEST_NAME: usize = 253;

/// The values in an object or a list, each with a name.
struct ListEntries<'a> {
    /// In the order of the text.
    listed: Vec<(&'a str, Json<'a>)>,
    /// Of several values with one name, the last counts.
    by_name: BTreeMap<&'a str, Json<'a>>,
    absent: Json<'a>,
}

impl<'a> ListEntries<'a> {
    /// The fields of an object, none if it is absent; `None` if it is something else.
    fn of_object(object: Json<'a>) -> Option<Self> {
        let listed = object.as_fields()?.collect();
        Some(ListEntries::new(object, listed))
    }

    /// The elements of a list by the value of a field, none if the list is absent; `None` if one has no such field, or one
    /// that is longer than names are: it would be repeated for each edit in the element.
    fn of_list(list: Json<'a>, key: &str) -> Option<Self> {
        let name = |element: Json<'a>| element.get(key).ok()?.as_str().filter(|name| name.len() <= LONGEST_NAME);
        let named = |element: Json<'a>| Some((name(element)?, element));
        Some(ListEntries::new(list, list.as_elements()?.map(named).collect::<Option<_>>()?))
    }

    fn new(holder: Json<'a>, listed: Vec<(&'a str, Json<'a>)>) -> Self {
        ListEntries { by_name: listed.iter().copied().collect(), listed, absent: holder.absent() }
    }

    fn get(&self, name: &str) -> Json<'a> {
        self.by_name.get(name).copied().unwrap_or(self.absent)
    }
}

/// The entry of each name before and after: the names of `new` first, then those that were removed.
fn pairs<'e, 'a>(
    old: &'e ListEntries<'a>,
    new: &'e ListEntries<'a>,
) -> impl Iterator<Item = (&'a str, Json<'a>, Json<'a>)> + use<'e, 'a> {
    let stays = new.listed.iter().map(|(name, value)| (*name, old.get(name), *value));
    let gone = old.listed.iter().filter(|(name, _)| !new.by_name.contains_key(name));
    stays.chain(gone.map(|(name, value)| (*name, *value, new.absent)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Version;
    use crate::catalog::effects::EditedKind;
    use crate::json::Document;

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
        let edits = between(&old, &new, &EditedKind::Cluster.rows("v1beta2", Version::NEWEST));
        let edit = |name: usize, field: &str, effect| {
            let at = format!("spec.topology.workers.machineDeployments[md-{name}]{field}");
            RolloutEdit { at, is_removal: effect == Effect::Destructive, set_on: None, effect }
        };
        let kept = || (1..40_000).rev();
        let mut expected = vec![edit(0, "", Effect::Destructive)];
        expected.extend(kept().map(|name| edit(name, ".failureDomain", Effect::Rollout)));
        expected.push(edit(40_000, "", Effect::Scale));
        expected.extend(kept().map(|name| edit(name, ".replicas", Effect::Scale)));
        assert!(edits == expected, "{} edits", edits.len());
    }
}
