//! Bytes as letters, as Go's encoding/base32 and encoding/base64 write and read them.

/// An encoding whose letters have `bits` bits each; `block` bytes are a whole number of letters.
pub(super) struct Codec {
    alphabet: &'static [u8],
    bits: usize,
    block: usize,
    /// The numbers of `=` that an encoded text may end with.
    paddings: &'static [usize],
}

pub(super) const BASE32: Codec =
    Codec { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, block: 5, paddings: &[0, 1, 3, 4, 6] };

pub(super) const BASE64: Codec = Codec {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    block: 3,
    paddings: &[0, 1, 2],
};

impl Codec {
    pub(super) fn encoded(&self, bytes: &[u8]) -> String {
        let mut out = String::new();
        for chunk in bytes.chunks(self.block) {
            let all = (0..self.block).fold(0_u64, |all, at| all << 8 | u64::from(chunk.get(at).copied().unwrap_or(0)));
            let letters = (chunk.len() * 8).div_ceil(self.bits);
            for place in 1..=self.block * 8 / self.bits {
                let digit = all >> (self.block * 8 - place * self.bits) & ((1 << self.bits) - 1);
                let letter = usize::try_from(digit).ok().and_then(|digit| self.alphabet.get(digit));
                out.push(letter.filter(|_| place <= letters).copied().map_or('=', char::from));
            }
        }
        out
    }

    /// The bytes of an encoded text, in which line breaks do not count; `None` if it is not one.
    pub(super) fn decoded(&self, text: &str) -> Option<Vec<u8>> {
        let all: String = text.chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect();
        let digits = all.trim_end_matches('=');
        let is_whole = all.len().is_multiple_of(self.block * 8 / self.bits);
        if !is_whole || !self.paddings.contains(&(all.len() - digits.len())) {
            return None;
        }
        let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
        for byte in digits.bytes() {
            let digit = self.alphabet.iter().position(|known| *known == byte)?;
            bits = bits << self.bits | u32::try_from(digit).ok()?;
            count += self.bits;
            if count >= 8 {
                count -= 8;
                bytes.push(u8::try_from(bits >> count & 255).ok()?);
            }
        }
        Some(bytes)
    }
}
