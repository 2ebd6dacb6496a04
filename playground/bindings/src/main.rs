//! `bindings MODULE.wasm FOLDER`: writes the files with which a page calls a module built with wasm-bindgen.
//!
//! wasm-bindgen's own program does the same. Used as a library, its version and dependencies come from Cargo.lock, and
//! nothing has to be installed. Only `make playground` builds it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = arguments.as_slice() else {
        bail!("usage: bindings MODULE.wasm FOLDER");
    };
    let mut generator = Bindgen::new();
    generator.input_path(module).web(true).context("cannot generate bindings for the web")?.typescript(false);
    // The module contains this section for this program, not for browsers. The names go when the page is bundled.
    generator.remove_producers_section(true);
    generator.generate(folder).with_context(|| format!("cannot generate bindings for {}", module.display()))
}
