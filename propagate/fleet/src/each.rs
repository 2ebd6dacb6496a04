//! Applies a function to each item, in parallel if the feature `parallel` is on: a page in the browser has one thread.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The results for all items, in their order.
#[cfg(feature = "parallel")]
pub(crate) fn each<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    items.par_iter().map(of).collect()
}

/// The results for all items, in their order.
#[cfg(not(feature = "parallel"))]
pub(crate) fn each<T, R>(items: &[T], of: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(of).collect()
}
