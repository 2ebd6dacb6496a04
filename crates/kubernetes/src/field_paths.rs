//! Many paths, looked up together in sets of fields: each set is searched once, however many paths there are.

use std::collections::{BTreeMap, BTreeSet};

use crate::field_set::NotASet;
use crate::json::Json;

/// Paths in sets of fields, each with the items that it leads to.
#[derive(Debug, Default)]
pub struct PathTree {
    items: Vec<usize>,
    /// A value here, in a set that was [checked](PathTree::check), is not an object.
    is_unreadable: bool,
    steps: BTreeMap<String, PathTree>,
}

impl PathTree {
    /// Adds an item at a path.
    pub fn insert(&mut self, path: &[String], item: usize) {
        let end = path.iter().fold(self, |here, step| here.steps.entry(step.clone()).or_default());
        end.items.push(item);
    }

    /// The parts of a set at the paths that it has, by item.
    ///
    /// # Errors
    /// When a value on one of the paths is not an object.
    pub fn parts<'a>(&self, set: Json<'a>) -> Result<BTreeMap<usize, Json<'a>>, NotASet> {
        let mut parts = BTreeMap::new();
        self.collect(set, &mut parts)?;
        Ok(parts)
    }

    fn collect<'a>(&self, set: Json<'a>, parts: &mut BTreeMap<usize, Json<'a>>) -> Result<(), NotASet> {
        let fields = set.as_fields().ok_or(NotASet)?;
        parts.extend(self.items.iter().map(|item| (*item, set)));
        if self.steps.len() <= fields.len() {
            let found = self.steps.iter().filter_map(|(step, below)| Some((below, set.field(step)?)));
            return { found }.try_for_each(|(below, value)| below.collect(value, parts));
        }
        // Of several fields with one name, the last counts.
        let by_name: BTreeMap<_, _> = fields.collect();
        let found = by_name.into_iter().filter_map(|(step, value)| Some((self.steps.get(step)?, value)));
        { found }.try_for_each(|(below, value)| below.collect(value, parts))
    }

    /// Remembers where a set has something other than an object.
    pub fn check(&mut self, set: Json<'_>) {
        let Some(fields) = set.as_fields().filter(|_| !self.is_unreadable) else {
            self.is_unreadable = true;
            return;
        };
        if self.steps.len() <= fields.len() {
            let found = self.steps.iter_mut().filter_map(|(step, below)| Some((below, set.field(step)?)));
            return found.for_each(|(below, value)| below.check(value));
        }
        for (step, value) in fields.collect::<BTreeMap<_, _>>() {
            if let Some(below) = self.steps.get_mut(step) {
                below.check(value);
            }
        }
    }

    /// The items on whose paths a checked set has something other than an object.
    pub fn unreadable(&self) -> BTreeSet<usize> {
        let mut items = BTreeSet::new();
        self.list_unreadable(false, &mut items);
        items
    }

    fn list_unreadable(&self, is_below: bool, items: &mut BTreeSet<usize>) {
        let is_unreadable = is_below || self.is_unreadable;
        items.extend(self.items.iter().filter(|_| is_unreadable));
        self.steps.values().for_each(|below| below.list_unreadable(is_unreadable, items));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn tree() -> PathTree {
        let mut tree = PathTree::default();
        for (item, path) in [["f:a", "f:x"], ["f:a", "f:y"], ["f:b", "f:x"]].iter().enumerate() {
            tree.insert(&path.map(str::to_owned), item);
        }
        tree
    }

    #[test]
    fn parts_are_found_however_many_fields_a_set_has() {
        for (set, expected) in [
            (r#"{"f:a":{"f:y":{"f:z":{}},"f:o":7},"f:c":{}}"#, vec![(1, r#"{"f:z":{}}"#)]),
            (r#"{"f:a":{"f:x":{}}}"#, vec![(0, "{}")]),
            (r#"{"f:a":{"f:x":7},"f:b":{"f:x":7,"f:x":{}},"f:a":{}}"#, vec![(2, "{}")]),
            ("null", vec![]),
        ] {
            let document = Document::new(set);
            let parts = tree().parts(document.root()).unwrap();
            assert_eq!(
                parts.into_iter().map(|(item, part)| (item, part.text())).collect::<Vec<_>>(),
                expected,
                "{set}"
            );
        }
        assert_eq!(tree().parts(Document::new(r#"{"f:a":{"f:x":7}}"#).root()).map(|_| ()), Err(NotASet));
    }

    #[test]
    fn what_is_not_an_object_makes_everything_below_it_unreadable() {
        let mut tree = tree();
        for set in [r#"{"f:a":{"f:x":{},"f:o":7}}"#, r#"{"f:a":{"f:x":{},"f:y":7}}"#, r#"{"f:b":[]}"#] {
            tree.check(Document::new(set).root());
        }
        assert_eq!(tree.unreadable(), [1, 2].into());
    }
}
