//! Siblings that look alike.

use std::collections::BTreeMap;

use crate::world::World;

/// What every object of a world looks like, all that is below it included: the same number is the same look.
#[derive(Debug)]
pub struct Looks(Vec<Option<usize>>);

impl World {
    /// What an object looks like is its kind, whether it is predicted, what is reported of it, and the same of what is below it;
    /// `None` leaves it out, with all below.
    #[must_use]
    pub fn looks(&self, told: &dyn Fn(usize) -> Option<String>) -> Looks {
        let mut looks = Looks(vec![None; self.members().len()]);
        let mut known = BTreeMap::new();
        // What is below an object comes before it.
        for number in self.in_order().into_iter().rev() {
            let (Some(member), Some(own)) = (self.member(number), told(number)) else { continue };
            let below: Vec<usize> = member.children.iter().filter_map(|child| looks.of(*child)).collect();
            let next = known.len();
            let look = *known.entry((&*member.id.kind, member.origin.is_some(), own, below)).or_insert(next);
            if let Some(place) = looks.0.get_mut(number) {
                *place = Some(look);
            }
        }
        looks
    }

    /// Siblings in groups that look alike, in the order of the first of each.
    #[must_use]
    pub fn alike(&self, siblings: &[usize], looks: &Looks) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        for sibling in siblings {
            let Some(look) = looks.of(*sibling) else { continue };
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
}

impl Looks {
    fn of(&self, number: usize) -> Option<usize> {
        self.0.get(number).copied().flatten()
    }
}
