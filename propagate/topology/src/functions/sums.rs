//! Checksums, and the encoding base32.

use gotmpl::Value;
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::codec::BASE32;
use super::{SprigFunction, at, string, text, unknown};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("sha1sum", |args| Ok(sum::<Sha1>(args))),
    ("sha256sum", |args| Ok(sum::<Sha256>(args))),
    ("sha512sum", |args| Ok(sum::<Sha512>(args))),
    ("adler32sum", |args| Ok(string(adler32(text(at(args, 0)).as_bytes()).to_string()))),
    ("b32enc", |args| Ok(string(BASE32.encoded(text(at(args, 0)).as_bytes())))),
    ("b32dec", |args| match BASE32.decoded(&text(at(args, 0))).map(String::from_utf8) {
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
