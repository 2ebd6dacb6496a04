//! Sets of ASCII characters, and texts that are made of them.
//!
//! A byte of ASCII is looked up by its halves: the lower four bits select a row, the upper ones a bit of it. So sixteen
//! bytes are looked up at once.

use crate::json::lanes::{Lanes, every_byte, lanes};

/// Characters of ASCII: sixteen rows of eight bits, by the lower half of a byte. In a row, a bit for the upper half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AsciiSet {
    /// The first eight rows, the first one in the lowest bits.
    low: u64,
    /// The other eight.
    high: u64,
}

/// Printable ASCII, including the space: all except the 32 characters at the beginning and the last one.
pub(super) const PRINTED: AsciiSet = {
    let rows = u64::from_ne_bytes([0b1111_1100; 8]);
    AsciiSet { low: rows, high: rows }.without("\x7f")
};
/// `a-z`, `0-9`.
pub(super) const LOWER_CASE_AND_DIGITS: AsciiSet =
    AsciiSet { low: 0, high: 0 }.and("abcdefghijklmnopqrstuvwxyz0123456789");
/// `A-Z`, `a-z`, `0-9`.
pub(super) const LETTERS_AND_DIGITS: AsciiSet = LOWER_CASE_AND_DIGITS.and("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

impl AsciiSet {
    const fn of(chars: &str) -> Self {
        let (mut low, mut high, mut rest) = (0, 0, chars.as_bytes());
        while let [byte, others @ ..] = rest {
            match *byte {
                byte if !byte.is_ascii() => {}
                byte if byte & 8 == 0 => low |= bit(byte),
                byte => high |= bit(byte),
            }
            rest = others;
        }
        AsciiSet { low, high }
    }

    pub(super) const fn and(self, chars: &str) -> Self {
        let others = AsciiSet::of(chars);
        AsciiSet { low: self.low | others.low, high: self.high | others.high }
    }

    pub(super) const fn without(self, chars: &str) -> Self {
        let others = AsciiSet::of(chars);
        AsciiSet { low: self.low & !others.low, high: self.high & !others.high }
    }

    pub(super) fn has(self, byte: u8) -> bool {
        let rows = if byte & 8 == 0 { self.low } else { self.high };
        byte.is_ascii() && rows & bit(byte) != 0
    }

    /// Whether a text has no other characters.
    pub(super) fn has_all_of(self, text: &str) -> bool {
        let (chunks, rest) = text.as_bytes().as_chunks();
        chunks.iter().all(|chunk| self.has_each(lanes(chunk)))
            && every_byte(rest).is_none_or(|rest| self.has_each(rest))
    }

    #[cfg(target_feature = "simd128")]
    fn has_each(self, [first, second]: Lanes) -> bool {
        use std::arch::wasm32::{u8x16, u8x16_all_true, u8x16_shr, u8x16_splat, u8x16_swizzle, u64x2, v128_and};
        // No row has a bit for a byte that is not ASCII.
        let bits = u8x16(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
        let bytes = u64x2(first, second);
        let rows = u8x16_swizzle(u64x2(self.low, self.high), v128_and(bytes, u8x16_splat(15)));
        u8x16_all_true(v128_and(rows, u8x16_swizzle(bits, u8x16_shr(bytes, 4))))
    }

    #[cfg(not(target_feature = "simd128"))]
    fn has_each(self, words: Lanes) -> bool {
        words.iter().all(|word| word.to_le_bytes().into_iter().all(|byte| self.has(byte)))
    }
}

/// The bit of a byte in its eight rows.
const fn bit(byte: u8) -> u64 {
    1 << ((byte & 7) * 8 + (byte >> 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_characters_that_they_are_made_of() {
        for byte in 0..=u8::MAX {
            assert_eq!(PRINTED.has(byte), byte == b' ' || byte.is_ascii_graphic(), "{byte}");
            assert_eq!(LETTERS_AND_DIGITS.has(byte), byte.is_ascii_alphanumeric(), "{byte}");
            let is_lower_case = byte.is_ascii_lowercase() || byte.is_ascii_digit();
            assert_eq!(LOWER_CASE_AND_DIGITS.has(byte), is_lower_case, "{byte}");
            assert_eq!(PRINTED.without("~ö").has(byte), PRINTED.has(byte) && byte != b'~', "{byte}");
            assert_eq!(LETTERS_AND_DIGITS.and("_ö").has(byte), byte.is_ascii_alphanumeric() || byte == b'_', "{byte}");
        }
    }

    #[test]
    fn every_character_of_a_text_counts() {
        for length in 0..50 {
            let text = "a1".repeat(length);
            assert!(LOWER_CASE_AND_DIGITS.has_all_of(&text), "{text}");
            for at in 0..text.len() {
                for other in ["A", "\u{7f}", "\0", "é", "-"] {
                    let text = [&text[..at], other, &text[at + 1..]].concat();
                    assert!(!LOWER_CASE_AND_DIGITS.has_all_of(&text), "{text:?}");
                }
            }
        }
    }
}
