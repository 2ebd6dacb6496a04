//! Sixteen bytes of a text, compared at once.

/// How many bytes are compared at once.
pub const LANES: usize = 16;

/// Sixteen bytes: eight and eight, the first one lowest.
pub type Lanes = [u64; 2];

/// Sixteen bytes in their order.
pub fn lanes(bytes: &[u8; LANES]) -> Lanes {
    let (words, _) = bytes.as_chunks();
    let [first, second] = words else { return [0; 2] };
    [u64::from_le_bytes(*first), u64::from_le_bytes(*second)]
}

/// Every byte of a text of at most sixteen bytes, in another order and some of them more than once; `None` for an empty
/// one.
pub fn every_byte(text: &[u8]) -> Option<Lanes> {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return Some([u64::from_le_bytes(*first), u64::from_le_bytes(*last)]);
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let word = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
        return Some([word; 2]);
    }
    let (first, others) = text.split_first()?;
    let repeated = u64::from_ne_bytes([*first; 8]);
    Some([others.iter().fold(repeated, |word, byte| word << 8 | u64::from(*byte)); 2])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn bytes(lanes: Lanes) -> Vec<u8> {
        lanes.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn sixteen_bytes_keep_their_order() {
        let text = b"0123456789abcdef";
        assert_eq!(bytes(lanes(text)), text);
    }

    #[test]
    fn a_short_text_has_every_byte_and_no_other() {
        let text = b"0123456789abcdef";
        for length in 1..=LANES {
            let text = &text[..length];
            let found: BTreeSet<u8> = bytes(every_byte(text).unwrap()).into_iter().collect();
            assert_eq!(found, text.iter().copied().collect(), "{length}");
        }
        assert_eq!(every_byte(b""), None);
    }
}
