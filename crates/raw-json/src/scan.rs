//! Finds the ends of strings and values without reading their contents.
//!
//! Values are skipped 64 bytes at a time: each block becomes four numbers with one bit for each byte, and bit
//! arithmetic distinguishes brackets in strings from others. Skipped text is not validated.

use super::lanes::{LANES, Lanes, every_byte, lanes};

/// What the bytes of one block are; bit 0 is the first byte.
#[derive(Debug, Default, PartialEq, Eq)]
struct ScanBlock {
    quotes: u64,
    backslashes: u64,
    /// `{` and `[`.
    opening: u64,
    /// `}` and `]`.
    closing: u64,
}

/// The bytes of a [`ScanBlock`].
const BLOCK: usize = 64;

/// Where a string ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StringEnd {
    /// The index of the closing quote.
    pub(super) quote: usize,
    pub(super) has_escapes: bool,
}

/// The end of the string whose first character is at `at`; `None` if it has none.
pub(super) fn string_end(text: &[u8], mut at: usize) -> Option<StringEnd> {
    let mut has_escapes = false;
    loop {
        let rest = text.get(at..)?;
        let bytes = rest.first_chunk().map_or_else(|| lanes(&padded(rest)), lanes);
        let quote_or_backslash = equal(bytes, 0, b'"') | equal(bytes, 0, b'\\');
        if quote_or_backslash == 0 {
            at += LANES;
            continue;
        }
        at += quote_or_backslash.trailing_zeros() as usize;
        if text.get(at) == Some(&b'"') {
            return Some(StringEnd { quote: at, has_escapes });
        }
        has_escapes = true;
        at += 2;
    }
}

/// The next byte at or after `at` that must be escaped in a JSON string.
pub(super) fn escape_at(text: &[u8], mut at: usize) -> Option<usize> {
    let marks = |bytes: Lanes| equal(bytes, 0, b'"') | equal(bytes, 0, b'\\') | equal(bytes, 0x1f, 0);
    loop {
        let rest = text.get(at..)?;
        let found = match (rest.first_chunk(), text.last_chunk()) {
            (Some(bytes), _) => marks(lanes(bytes)),
            // The last bytes, without those before `at`.
            (None, Some(bytes)) => marks(lanes(bytes)) >> (LANES - rest.len()),
            (None, None) if marks(every_byte(rest)?) == 0 => return None,
            (None, None) => {
                let is_escaped = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
                return rest.iter().position(is_escaped).map(|found| at + found);
            }
        };
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += LANES;
    }
}

/// The end of the object or list that begins at `at`, one byte after its last bracket; `None` if it has none. Kinds of
/// brackets are not distinguished.
pub(super) fn container_end(text: &[u8], at: usize) -> Option<usize> {
    let mut depth: u32 = 0;
    // All ones if the last block ended in a string; one if its last byte was a backslash that escapes.
    let (mut in_string, mut escapes) = (0, 0);
    let mut begin = at;
    loop {
        let rest = text.get(begin..).filter(|rest| !rest.is_empty())?;
        let ScanBlock { mut quotes, backslashes, opening, closing } =
            rest.first_chunk().map_or_else(|| block(&padded(rest)), block);
        if backslashes | escapes != 0 {
            let (escaped, next) = escaped(backslashes, escapes);
            quotes &= !escaped;
            escapes = next;
        }
        let strings = from_odd_to_even(quotes) ^ in_string;
        in_string = if strings >> 63 == 1 { u64::MAX } else { 0 };
        let (opening, closing) = (opening & !strings, closing & !strings);
        if closing.count_ones() >= depth
            && let Some(last) = last_bracket(opening, closing, depth)
        {
            return Some(begin + last as usize + 1);
        }
        depth = depth + opening.count_ones() - closing.count_ones();
        begin += BLOCK;
    }
}

/// The position in a block at which the depth becomes 0, if it is `depth` before the block.
fn last_bracket(opening: u64, closing: u64, depth: u32) -> Option<u32> {
    let mut left = closing;
    for closed in 1..=closing.count_ones() {
        let at = left.trailing_zeros();
        let opened = (opening & ((1 << at) - 1)).count_ones();
        if depth + opened <= closed {
            return Some(at);
        }
        left &= left - 1;
    }
    None
}

/// Bytes that are escaped, and whether the block's last byte escapes the next one. `first` is 1 if the block's first
/// byte is escaped.
///
/// In a series of backslashes every other one escapes, from the first one on. The subtraction finds those of all series at once:
/// it borrows through a series, and the bits at odd places say where each began.
///
/// Source: simdjson, src/generic/stage1/json_escape_scanner.h, `next_escape_and_terminal_code`.
fn escaped(backslashes: u64, first: u64) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let series = backslashes & !first;
    let escapes_and_ends = (series << 1 | ODD).wrapping_sub(series) ^ ODD;
    (escapes_and_ends ^ (backslashes | first), (escapes_and_ends & backslashes) >> 63)
}

/// Ones from each odd quote, inclusive, to the next quote, exclusive.
fn from_odd_to_even(quotes: u64) -> u64 {
    let mut bits = quotes;
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[inline]
fn block(bytes: &[u8; BLOCK]) -> ScanBlock {
    let mut block = ScanBlock::default();
    let (chunks, _) = bytes.as_chunks();
    for (shift, chunk) in (0..).step_by(LANES).zip(chunks) {
        let bytes = lanes(chunk);
        block.quotes |= u64::from(equal(bytes, 0, b'"')) << shift;
        block.backslashes |= u64::from(equal(bytes, 0, b'\\')) << shift;
        // `[` and `{` differ only in this bit, as do `]` and `}`.
        block.opening |= u64::from(equal(bytes, 0x20, b'{')) << shift;
        block.closing |= u64::from(equal(bytes, 0x20, b'}')) << shift;
    }
    block
}

/// The first bytes of a text, followed by zeros after its end.
fn padded<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.iter_mut().zip(text).for_each(|(byte, other)| *byte = *other);
    bytes
}

/// One bit for each byte, set if it equals `wanted`, without the bits that are `ignored`.
#[cfg(target_feature = "simd128")]
#[inline]
fn equal([first, second]: Lanes, ignored: u8, wanted: u8) -> u32 {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};
    let bytes = u64x2(first, second);
    u32::from(u8x16_bitmask(u8x16_eq(v128_or(bytes, u8x16_splat(ignored)), u8x16_splat(wanted | ignored))))
}

/// One bit for each byte, set if it equals `wanted`, without the bits that are `ignored`: eight bytes at a time.
#[cfg(not(target_feature = "simd128"))]
#[inline]
fn equal(words: Lanes, ignored: u8, wanted: u8) -> u32 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = ONES * 0x7f;
    words.iter().rev().fold(0, |bits, word| {
        let differing = (word | (ONES * u64::from(ignored))) ^ (ONES * u64::from(wanted | ignored));
        // The highest bit of each byte that is zero, then these eight bits next to each other.
        let zeros = !(((differing & LOW) + LOW) | differing | LOW) >> 7;
        bits << 8 | (zeros.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_first_quote_that_is_not_escaped() {
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 200] {
            let plain = "x".repeat(length);
            let text = format!("{plain}\" and \"");
            assert_eq!(string_end(text.as_bytes(), 0), Some(StringEnd { quote: length, has_escapes: false }));
            for escapes in [r#"\""#, r"\\", r#"\\\""#] {
                let text = format!("{plain}{escapes}{plain}\"");
                let quote = text.len() - 1;
                assert_eq!(string_end(text.as_bytes(), 0), Some(StringEnd { quote, has_escapes: true }), "{text}");
            }
            for open in [plain.clone(), format!("{plain}\\\""), format!("{plain}\\")] {
                assert_eq!(string_end(open.as_bytes(), 0), None, "{open}");
            }
        }
    }

    #[test]
    fn brackets_in_strings_are_passed_over() {
        for space in (0..140).map(|length| " ".repeat(length)) {
            for container in
                [r"{}", r#"{"a":[1,{"b":"}]"}]}"#, r#"["\"]",{},[["]\\"]]]"#, r#"[[[[{"x":[]},"{"],"\\\"]"]]]"#]
            {
                let text = format!("{space}{container},{{}}");
                let end = space.len() + container.len();
                assert_eq!(container_end(text.as_bytes(), space.len()), Some(end), "{text}");
                let open = &text.as_bytes()[..end - 1];
                assert_eq!(container_end(open, space.len()), None, "{text}");
                let inner = container.replacen(&container[..1], &format!("{}{space}", &container[..1]), 1);
                assert_eq!(container_end(inner.as_bytes(), 0), Some(inner.len()), "{inner}");
            }
        }
    }

    /// Every block of backslashes and other bytes, against a loop over its bytes.
    #[test]
    fn every_other_backslash_of_a_series_escapes() {
        let mut backslashes: u64 = 1;
        for round in 0..10_000 {
            // More backslashes in each other round, so that series are long.
            backslashes = backslashes.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let block = backslashes | backslashes.rotate_left(round % 64);
            for first in [0, 1] {
                let (mut expected, mut is_escaped) = (0, first == 1);
                for at in 0..64 {
                    expected |= u64::from(is_escaped) << at;
                    is_escaped = block >> at & 1 == 1 && !is_escaped;
                }
                assert_eq!(escaped(block, first), (expected, u64::from(is_escaped)), "{block:b} {first}");
            }
        }
    }

    #[test]
    fn values_deeper_than_a_block_are_passed_over() {
        let text = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert_eq!(container_end(text.as_bytes(), 0), Some(2000));
        assert_eq!(container_end(text.as_bytes(), 1), Some(1999));
    }

    /// Every byte value at every place, against one comparison for each byte.
    #[test]
    fn sixteen_bytes_are_compared_at_once() {
        for (ignored, wanted) in [(0, b'"'), (0, b'\\'), (0x20, b'{'), (0x20, b'}'), (0x1f, 0)] {
            for at in 0..LANES {
                for byte in 0..=u8::MAX {
                    for other in [b'x', wanted, wanted ^ 1, wanted | 0x80, 0] {
                        let mut bytes = [other; LANES];
                        bytes[at] = byte;
                        let bit = |(index, byte): (usize, &u8)| u32::from(byte | ignored == wanted | ignored) << index;
                        let expected = bytes.iter().enumerate().map(bit).sum::<u32>();
                        assert_eq!(equal(lanes(&bytes), ignored, wanted), expected, "{bytes:?}");
                    }
                }
            }
        }
    }
}
