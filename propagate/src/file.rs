//! The contents and names of files.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::Path;

/// The text of one file, or why there is none.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().lock().read_to_end(&mut bytes),
        _ => std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// A hash of the bytes of a file; the same for all that cannot be read.
pub(crate) fn hash(file: &Path) -> u64 {
    hash_of(&std::fs::read(file).unwrap_or_default())
}

/// A hash of bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// A path as it is printed: with slashes, without a leading `./`.
pub(crate) fn name(file: &Path) -> String {
    let name = file.display().to_string().replace('\\', "/");
    name.strip_prefix("./").map_or(name.clone(), str::to_owned)
}
