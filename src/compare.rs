//! `memcmp` by words of eight bytes, two at a time.
//!
//! Rust's `memcmp` for wasm32 compares byte by byte, and keys of labels share long prefixes: comparing them took half
//! of the instructions of a composite with 60 labels. This one replaces it, because Rust's is a weak symbol.

use std::cmp::Ordering;

/// Compares two slices of the same length, as `memcmp` does.
///
/// It must not call `memcmp`: so it never compares whole slices.
#[cfg_attr(
    not(all(target_arch = "wasm32", target_os = "unknown")),
    allow(dead_code, reason = "elsewhere the C library has one; tests use this")
)]
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    for (pair, other) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        if u128::from_le_bytes(*pair) != u128::from_le_bytes(*other) {
            return compare_pairs(pair, other);
        }
    }
    // The bytes compared so far are equal.
    if let (Some(pair), Some(other)) = (a.last_chunk(), b.last_chunk()) {
        return compare_pairs(pair, other);
    }
    if let (Some(word), Some(other)) = (a.first_chunk(), b.first_chunk())
        && word_of(word) != word_of(other)
    {
        return compare_words(word, other);
    }
    if let (Some(word), Some(other)) = (a.last_chunk(), b.last_chunk()) {
        return compare_words(word, other);
    }
    let differing = a.iter().zip(b).find(|(byte, other)| byte != other);
    differing.map_or(Ordering::Equal, |(byte, other)| byte.cmp(other))
}

/// Compares two pairs of words by their first byte that differs.
fn compare_pairs(pair: &[u8; 16], other: &[u8; 16]) -> Ordering {
    let words = pair.as_chunks().0.iter().zip(other.as_chunks().0);
    words.map(|(word, other)| compare_words(word, other)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Compares two words by their first byte that differs. WebAssembly has no instruction that reverses bytes, so the words are not
/// compared as numbers.
fn compare_words(word: &[u8; 8], other: &[u8; 8]) -> Ordering {
    let (word, other) = (word_of(word), word_of(other));
    if word == other {
        return Ordering::Equal;
    }
    let first = (word ^ other).trailing_zeros() & !7;
    (word >> first & 0xff).cmp(&(other >> first & 0xff))
}

/// Eight bytes, the first one lowest.
fn word_of(bytes: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*bytes)
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod exported {
    use std::slice::from_raw_parts;

    /// Negative, zero or positive, as the first `length` bytes at `a` are less than, equal to or greater than those at `b`.
    ///
    /// # Safety
    /// Both must point to `length` readable bytes: the contract of C's `memcmp`.
    #[expect(unsafe_code, reason = "the compiler calls it by this name, with pointers")]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, length: usize) -> i32 {
        // SAFETY: the caller guarantees it, and nothing is written while the slices exist.
        let (a, b) = unsafe { (from_raw_parts(a, length), from_raw_parts(b, length)) };
        super::compare(a, b) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slices of every length up to five words, equal, and different in each byte.
    #[test]
    fn slices_are_ordered_by_their_first_differing_byte() {
        for length in 0..=40 {
            let base: Vec<u8> = (100..200).cycle().take(length).collect();
            assert_eq!(compare(&base, &base.clone()), Ordering::Equal);
            for at in 0..length {
                for change in [1_u8, 99, 100, 155] {
                    let mut other = base.clone();
                    other[at] = other[at].wrapping_add(change);
                    // Bytes after the first difference do not matter.
                    other[at + 1..].fill(0);
                    assert_eq!(compare(&base, &other), base.cmp(&other), "{base:?} {other:?}");
                    assert_eq!(compare(&other, &base), other.cmp(&base), "{other:?} {base:?}");
                }
            }
        }
    }
}
