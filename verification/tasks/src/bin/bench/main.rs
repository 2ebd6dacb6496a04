//! `make bench`: the policy, a no-op module, the ordinary policy and builds to compare with, in turn, a fresh instance
//! for each request. The ratios matter: all modules answer the same review in the same run.
//!
//!     bench [RESULT.json [MODULE.wasm]...]
//!
//! Without modules to compare with, verification/benches/README.md is written, and RESULT.json with what was measured.

mod growing;
mod measure;
mod page;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use testkit::markdown::replace_section;
use testkit::module::Module;

use crate::measure::{Candidate, POLICY};

fn main() -> Result<()> {
    let built = |name: &str| testkit::root().join(name);
    let mut candidates = vec![
        Candidate::read("no-op", &built("noop.wasm"))?,
        Candidate::read("ordinary way", &built("ordinary.wasm"))?,
        Candidate::read("policy", &built("policy.wasm"))?,
    ];
    let named = Module::read(&built("target/named/policy.wasm")).context("`make bench` builds it")?.counting()?;
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let result = arguments.next();
    let others: Vec<PathBuf> = arguments.collect();
    for other in &others {
        let name = other.file_stem().unwrap_or_default().to_string_lossy();
        candidates.push(Candidate::read(&name, other)?);
    }
    let measured = page::measured(&candidates, &named)?;
    println!("{}", measured.text);
    let policy = candidates.get(POLICY).context("no policy")?;
    println!("\n{}", growing::per_entry(&policy.module)?);
    if !others.is_empty() {
        return Ok(());
    }
    publish(&measured.text)?;
    match result {
        Some(file) => {
            fs::write(&file, serde_json::to_string(&measured.counted)?).with_context(|| file.display().to_string())
        }
        None => Ok(()),
    }
}

fn publish(text: &str) -> Result<()> {
    let path = Path::new("verification/benches/README.md");
    let file = testkit::root().join(path);
    let page = fs::read_to_string(&file).with_context(|| path.display().to_string())?;
    fs::write(&file, replace_section(&page, "measured", text)?)?;
    eprintln!("{} is written", path.display());
    Ok(())
}
