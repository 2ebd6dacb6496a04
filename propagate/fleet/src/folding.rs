//! Prints equal siblings as one.

use std::collections::BTreeMap;

use crate::hierarchy::Hierarchy;

/// A number for each object of a hierarchy: equal for objects that are printed alike, including everything below them.
#[derive(Debug)]
pub struct Folding(Vec<Option<usize>>);

impl Hierarchy {
    /// Objects are equal if kind, prediction, `printed` and everything below them are. An object for which `printed` is
    /// `None` is omitted, with everything below it.
    pub fn folding(&self, printed: &dyn Fn(usize) -> Option<String>) -> Folding {
        let mut folding = Folding(vec![None; self.members().len()]);
        let mut known = BTreeMap::new();
        // The objects below an object precede it.
        for number in self.in_order().into_iter().rev() {
            let (Some(member), Some(own)) = (self.member(number), printed(number)) else { continue };
            let below: Vec<usize> = member.children.iter().filter_map(|child| folding.of(*child)).collect();
            let next = known.len();
            let shape = *known.entry((&*member.id.kind, member.origin.is_some(), own, below)).or_insert(next);
            if let Some(place) = folding.0.get_mut(number) {
                *place = Some(shape);
            }
        }
        folding
    }

    /// Siblings in groups of equal ones, in the order of the first of each.
    pub fn folded(&self, siblings: &[usize], folding: &Folding) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        for sibling in siblings {
            let Some(shape) = folding.of(*sibling) else { continue };
            match known.get(&shape).and_then(|group| groups.get_mut(*group)) {
                Some(group) => group.push(*sibling),
                None => {
                    known.insert(shape, groups.len());
                    groups.push(vec![*sibling]);
                }
            }
        }
        groups
    }
}

impl Folding {
    fn of(&self, number: usize) -> Option<usize> {
        self.0.get(number).copied().flatten()
    }
}
