//! What `make run` prints.

use std::process::Command;

use anyhow::{Context, Result, ensure};

#[test]
fn make_run_prints_what_is_recorded() -> Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_run")).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout)?;
    let path = testkit::root().join("examples/run.txt");
    if std::env::var_os("BLESS").is_some() {
        return Ok(std::fs::write(path, printed)?);
    }
    let recorded = std::fs::read_to_string(path).context("examples/run.txt")?;
    assert_eq!(printed, recorded, "`make bless` writes examples/run.txt");
    Ok(())
}
