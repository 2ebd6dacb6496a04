//! Siblings that look alike.

use std::collections::BTreeMap;

use crate::world::World;

impl World {
    /// Siblings in groups that look alike, all that is below them included, in the order of the first of each. What an
    /// object looks like is its kind, whether it is foretold, and what is told of it; `None` leaves it out, with all below.
    #[must_use]
    pub fn alike(&self, siblings: &[usize], told: &dyn Fn(usize) -> Option<String>) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for sibling in siblings {
            let Some(look) = self.look(*sibling, told) else { continue };
            match known.get(&look).and_then(|group| groups.get_mut(*group)) {
                Some(group) => group.push(*sibling),
                None => {
                    known.insert(look, groups.len());
                    groups.push(vec![*sibling]);
                }
            }
        }
        groups
    }

    fn look(&self, number: usize, told: &dyn Fn(usize) -> Option<String>) -> Option<String> {
        let (member, own) = (self.member(number)?, told(number)?);
        let below: Vec<String> = member.children.iter().filter_map(|child| self.look(*child, told)).collect();
        Some(format!("{} {} {own:?} {below:?}", member.id.kind, member.origin.is_some()))
    }
}
