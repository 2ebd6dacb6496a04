//! What fuzzing found, and what it begins with, replayed.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use testkit::fuzz::{FuzzTarget, TARGETS, seeds};

fn replay(name: &str, check: FuzzTarget, seeds: &BTreeSet<Vec<u8>>) -> Result<()> {
    let found = testkit::root().join("testdata/fuzz").join(name);
    let mut inputs = seeds.len();
    for entry in fs::read_dir(&found).with_context(|| found.display().to_string())? {
        let path = entry?.path();
        check(&fs::read(&path)?).with_context(|| path.display().to_string())?;
        inputs += 1;
    }
    for seed in seeds {
        check(seed).with_context(|| String::from_utf8_lossy(seed).into_owned())?;
    }
    ensure!(!seeds.is_empty() && inputs > seeds.len(), "{name} has no inputs of both sorts");
    Ok(())
}

#[test]
fn every_input_keeps_the_laws() -> Result<()> {
    let seeds = seeds()?;
    TARGETS.iter().try_for_each(|(name, check)| replay(name, *check, seeds.get(name).context("no seeds")?))
}

#[test]
fn every_folder_of_inputs_has_its_target() -> Result<()> {
    for entry in fs::read_dir(testkit::root().join("testdata/fuzz"))? {
        let name = entry?.file_name();
        ensure!(TARGETS.iter().any(|(target, _)| name == **target), "{}", name.display());
    }
    Ok(())
}
