//! The corpus against mutants whose numbers are read from standard input. `make mutants` puts this test beside the engine.
//!
//! Prints `NUMBER killed NAME`, `NUMBER survived COUNT` or `NUMBER unreached`; before that `begin NUMBER`, again after each
//! second, unless a case does not end.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use testkit::runner::engine;

fn main() -> anyhow::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let checks = testkit::runner::checks(engine)?;
    let mut reaching: Vec<Vec<u32>> = Vec::new();
    for (name, check) in &checks {
        mutant_switch::trace();
        check().map_err(|error| anyhow::anyhow!("{name} fails without a mutant: {error:#}"))?;
        reaching.push(mutant_switch::traced());
    }
    let mut out = std::io::stdout();
    writeln!(out, "ready {}", checks.len())?;
    for line in std::io::stdin().lock().lines() {
        let mutant: u32 = line?.trim().parse()?;
        writeln!(out, "begin {mutant}")?;
        out.flush()?;
        let mut printed = Instant::now();
        mutant_switch::set(mutant);
        let (mut killer, mut reached) = (None, 0);
        for ((name, check), _) in checks.iter().zip(&reaching).filter(|(_, of)| of.binary_search(&mutant).is_ok()) {
            reached += 1;
            if printed.elapsed() > Duration::from_secs(1) {
                writeln!(out, "begin {mutant}")?;
                out.flush()?;
                printed = Instant::now();
            }
            if !matches!(catch_unwind(AssertUnwindSafe(check)), Ok(Ok(()))) {
                killer = Some(name);
                break;
            }
        }
        mutant_switch::set(0);
        match killer {
            Some(name) => writeln!(out, "{mutant} killed {name}")?,
            None if reached > 0 => writeln!(out, "{mutant} survived {reached}")?,
            None => writeln!(out, "{mutant} unreached")?,
        }
        out.flush()?;
    }
    Ok(())
}
