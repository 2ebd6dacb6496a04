//! The instructions of a review grow with its size, and not faster: whoever may write one object cannot occupy a worker.
//! Instructions are the same on every machine.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use testkit::cluster::ResourceHost;
use testkit::module::Module;
use testkit::shapes::{Shape, shapes};

/// Entries of a small review. A large one is as large as an object may be.
const FEW_ENTRIES: usize = 500;
/// How much more a byte of the large review may take than what is sorted takes more: a square takes as many times as much
/// as there are more entries.
const MOST_GROWTH: f64 = 1.2;
/// Below this many instructions for each byte, growth is not compared: what a Composition expands to is bounded, and small
/// ones are below the bound.
const FEW: f64 = 250.0;
/// The most instructions that a byte of the request and of what is read may take.
const MOST_PER_BYTE: f64 = 5000.0;

/// Instructions for each byte of the request and of what is read.
fn per_byte(policy: &Module, shape: &Shape, entries: usize) -> Result<f64> {
    let review = shape.review(entries)?;
    let cluster: Arc<dyn ResourceHost> = Arc::new(review.cluster);
    let call = policy.call("validate", review.payload.as_bytes(), &cluster);
    let call = call.with_context(|| format!("{entries} entries of {}: {} bytes", shape.name, review.bytes))?;
    Ok(call.instructions as f64 / review.bytes as f64)
}

#[test]
fn instructions_grow_with_the_size_of_request_and_reads() -> Result<()> {
    let policy = Module::policy()?.counting()?;
    let mut offenders = Vec::new();
    for shape in shapes()? {
        let small = per_byte(&policy, &shape, FEW_ENTRIES)?;
        let most = shape.most()?;
        let large = per_byte(&policy, &shape, most)?;
        let growth = MOST_GROWTH * (most as f64).ln() / (FEW_ENTRIES as f64).ln();
        if large > FEW.max(growth * small) || large > MOST_PER_BYTE {
            offenders.push(format!("{}: {small:.0} instructions for each byte, then {large:.0}", shape.name));
        }
    }
    ensure!(offenders.is_empty(), "{}", offenders.join("\n"));
    Ok(())
}
