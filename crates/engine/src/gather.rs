//! Collecting for a module whose size counts.

/// The items in a map or set, put in one by one.
///
/// `collect` sorts them first, and brings five kilobytes of sorting into the module for every type of item.
pub(crate) fn gather<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut gathered = C::default();
    gathered.extend(items);
    gathered
}
