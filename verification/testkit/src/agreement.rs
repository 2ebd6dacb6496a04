//! `verification/conformance/README.md`: the number of vectors, and how the engine's answers compare.

use std::fmt::Write as _;

use anyhow::Result;

use crate::conformance::{VectorCount, ask};
use crate::deviations::Deviations;
use crate::runner::engine;

const HEAD: &str = "\
# Agreement with Cluster API's own functions

A vector is a question that Cluster API's own code answered: `verification/conformance/functions` makes fleets from a seed (the same key
in topology, class and template, forced keys as user keys, long and odd names, both API versions and mixed ones, every
in-place field), calls the function, and writes down what it returned. Then a user writes the object with keys missing,
changed and added, and the policy has to restore Cluster API's answer, no more and no less: keys of the object's own
stay. The Go code knows no rule of propagation. For edits of a MachineDeployment and of a KubeadmControlPlane, the functions
say whether Machines made before are up to date; the policy has to predict the same.

`make conformance-vectors` asks again (needs Go; the same bytes from the same seed), `make test` puts every vector to engine
and compiled module, and `make bless` writes this page.

Functions that know both API versions are asked in both, also with the objects above in the other one. A vector that deviates
agrees in everything but the listed deviations; a listed deviation that no vector meets fails the test.
";

/// The page.
pub fn page() -> Result<String> {
    let findings = ask(&engine)?;
    let mut page =
        format!("{HEAD}\n| function | kind | vectors | agree | deviate | differ |\n|---|---|---:|---:|---:|---:|\n");
    let mut sum = VectorCount::default();
    for ((function, kind), count) in &findings.counts {
        writeln!(page, "| {function} | {kind} | {} |", figures(count))?;
        sum.all += count.all;
        sum.agreeing += count.agreeing;
        sum.deviating += count.deviating;
    }
    writeln!(page, "| all | | {} |", figures(&sum))?;
    writeln!(page, "\n## Deviations\n\n| function | kind | map | key | why |\n|---|---|---|---|---|")?;
    for row in Deviations::read()?.rows() {
        writeln!(page, "{row}")?;
    }
    Ok(page)
}

fn figures(count: &VectorCount) -> String {
    let differing = count.all - count.agreeing - count.deviating;
    format!("{} | {} | {} | {differing}", count.all, count.agreeing, count.deviating)
}
