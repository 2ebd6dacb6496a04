//! Names as label values.

use std::borrow::Cow;

use kubernetes::is_label_value;

/// A name as Cluster API writes it into `set-name`, `control-plane-name` and `pool-name` labels: unchanged if it is a
/// valid label value, else a hash of it.
///
/// Source: `MustFormatValue`, util/labels/format/helpers.go.
pub(crate) fn formatted(name: &str) -> Cow<'_, str> {
    if is_label_value(name) {
        return Cow::Borrowed(name);
    }
    let hash = name.bytes().fold(FNV_OFFSET, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME));
    Cow::Owned(format!("hash_{}_z", base64url(hash)))
}

const FNV_OFFSET: u32 = 2_166_136_261;
const FNV_PRIME: u32 = 16_777_619;

/// The four big-endian bytes as base64 of the URL alphabet without padding: six characters.
fn base64url(word: u32) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits = u64::from(word) << 4;
    (0..6)
        .rev()
        .filter_map(|digit| ALPHABET.get(usize::try_from(bits >> (6 * digit) & 63).unwrap_or_default()))
        .map(|&character| char::from(character))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_illegal_names_become_cluster_apis_hashes() {
        for (name, expected) in [
            ("machineSetName".repeat(12), "hash_FR_ghQ_z"),
            ("a".repeat(64), "hash_2W8PhQ_z"),
            ("a".repeat(100), "hash_Cgux2Q_z"),
        ] {
            assert_eq!(formatted(&name), expected, "{name}");
        }
    }

    #[test]
    fn legal_label_values_stay_themselves() {
        for name in ["", "a", "md-0", "my.set_0", &"a".repeat(63)] {
            assert_eq!(formatted(name), name);
        }
    }

    #[test]
    fn an_illegal_end_is_hashed_too() {
        for name in ["-a", "a.", "a/b", "ä"] {
            assert!(formatted(name).starts_with("hash_"), "{name}");
        }
    }
}
