//! Shares equal values of a fleet's objects.

use std::ops::Deref;
use std::sync::Arc;

/// A value that is in memory once for all objects that have an equal one.
#[derive(Debug, Default)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }

    /// The value of another object if both are equal.
    pub(crate) fn or_like(self, other: Option<&Shared<T>>, are_equal: impl Fn(&T, &T) -> bool) -> Shared<T> {
        other.filter(|other| are_equal(other, &self)).cloned().unwrap_or(self)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'s, T> IntoIterator for &'s Shared<T>
where
    &'s T: IntoIterator,
{
    type Item = <&'s T as IntoIterator>::Item;
    type IntoIter = <&'s T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&*self.0).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_and_others_are_two() {
        let like = |value: Vec<u8>, other| Shared::new(value).or_like(other, Vec::eq);
        let first = like(vec![1, 2], None);
        let (equal, other) = (like(vec![1, 2], Some(&first)), like(vec![1], Some(&first)));
        assert_eq!((Arc::ptr_eq(&first.0, &equal.0), Arc::ptr_eq(&first.0, &other.0)), (true, false));
        assert_eq!((&*equal, &*other), (&vec![1, 2], &vec![1]));
    }
}
