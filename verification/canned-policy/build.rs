//! Puts the recorded answers that CANNED names where the module includes them; without it there are none.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=CANNED");
    let recorded = match env::var_os("CANNED") {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", PathBuf::from(&path).display());
            fs::read(path)?
        }
        None => Vec::new(),
    };
    let folder = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(folder.join("canned.bin"), recorded)
}
