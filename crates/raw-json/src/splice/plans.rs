//! Plans in the order of their keys.

/// What is done with some of the values in a value, by ascending key.
pub(super) struct Plans<K, P>(pub(super) Vec<(K, P)>);

impl<K, P> Default for Plans<K, P> {
    fn default() -> Self {
        Plans(Vec::new())
    }
}

impl<K: Ord + Copy, P: Default> Plans<K, P> {
    /// The index of what is done with a value.
    pub(super) fn find(&self, key: &K) -> Option<usize> {
        self.0.binary_search_by_key(key, |(known, _)| *known).ok()
    }

    pub(super) fn get(&self, key: &K) -> Option<&P> {
        self.0.get(self.find(key)?).map(|(_, plan)| plan)
    }

    /// Adds a value, unless it is the one that was added last. Keys are added in ascending order.
    pub(super) fn get_or_add(&mut self, key: K) -> Option<&mut P> {
        if self.0.last().is_none_or(|(last, _)| *last != key) {
            self.0.push((key, P::default()));
        }
        self.0.last_mut().map(|(_, plan)| plan)
    }
}
