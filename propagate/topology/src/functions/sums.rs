//! Checksums, and the encoding base32.

use gotmpl::Value;
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::{SprigFunction, at, string, text, unknown};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("sha1sum", |args| Ok(sum::<Sha1>(args))),
    ("sha256sum", |args| Ok(sum::<Sha256>(args))),
    ("sha512sum", |args| Ok(sum::<Sha512>(args))),
    ("adler32sum", |args| Ok(string(adler32(text(at(args, 0)).as_bytes()).to_string()))),
    ("b32enc", |args| Ok(string(encoded(text(at(args, 0)).as_bytes())))),
    ("b32dec", |args| match decoded(&text(at(args, 0))).map(String::from_utf8) {
        Some(Ok(text)) => Ok(string(text)),
        // The text of Go's error, or bytes that are no text.
        _ => unknown("b32dec"),
    }),
];

fn sum<D: Digest>(args: &[Value]) -> Value {
    let bytes = D::digest(text(at(args, 0)).as_bytes());
    string(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn adler32(bytes: &[u8]) -> u32 {
    let add = |(a, b), byte: &u8| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    };
    let (a, b) = bytes.iter().fold((1, 0), add);
    b << 16 | a
}

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let bits =
            (0..5).fold(0u64, |bits, number| bits << 8 | u64::from(chunk.get(number).copied().unwrap_or_default()));
        let letters = (chunk.len() * 8).div_ceil(5);
        for place in 0..8 {
            let letter = usize::try_from(bits >> (35 - 5 * place) & 31).ok().and_then(|index| ALPHABET.get(index));
            out.push(letter.filter(|_| place < letters).copied().map_or('=', char::from));
        }
    }
    out
}

/// `None` if it is not base32.
fn decoded(all: &str) -> Option<Vec<u8>> {
    let all: String = all.chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect();
    let digits = all.trim_end_matches('=');
    let padding = all.len() - digits.len();
    if !all.len().is_multiple_of(8) || ![0, 1, 3, 4, 6].contains(&padding) {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in digits.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte)?;
        bits = bits << 5 | u32::try_from(digit).ok()?;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 255).ok()?);
        }
    }
    Some(bytes)
}
