//! Numbers of things.

use std::fmt::Display;

/// A number of things.
///
/// ```
/// assert_eq!(fleet::count(1, "object"), "1 object");
/// assert_eq!(fleet::count(2, "object"), "2 objects");
/// ```
pub fn count<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
