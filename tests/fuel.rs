//! The instructions of a review grow with its size, and not faster: whoever may write one object cannot occupy a worker.
//! Instructions are the same on every machine.

use std::sync::Arc;

use anyhow::{Result, ensure};
use testkit::cluster::ResourceHost;
use testkit::module::Module;
use testkit::shapes::{Shape, shapes};

/// Entries of a small review and of a large one.
const SIZES: [usize; 2] = [500, 2000];
/// How much more a byte of the large review may take: what is sorted takes a little more, and a square four times as
/// much.
const MOST_GROWTH: f64 = 1.5;
/// Below this many instructions for each byte, growth is not compared: what a Composition expands to is bounded, and small
/// ones are below the bound.
const FEW: f64 = 250.0;
/// The most instructions that a byte of the request and of what is read may take.
const MOST_PER_BYTE: f64 = 5000.0;

/// Instructions for each byte of the request and of what is read.
fn per_byte(policy: &Module, shape: &Shape, entries: usize) -> Result<f64> {
    let review = shape.review(entries)?;
    let cluster: Arc<dyn ResourceHost> = Arc::new(review.cluster);
    let call = policy.call("validate", review.payload.as_bytes(), &cluster)?;
    Ok(call.instructions as f64 / review.bytes as f64)
}

#[test]
fn instructions_grow_with_the_size_of_request_and_reads() -> Result<()> {
    let policy = Module::policy()?.counting()?;
    let mut offenders = Vec::new();
    for shape in shapes() {
        let [small, large] = SIZES.map(|entries| per_byte(&policy, &shape, entries));
        let (small, large) = (small?, large?);
        if large > FEW.max(MOST_GROWTH * small) || large > MOST_PER_BYTE {
            offenders.push(format!("{}: {small:.0} instructions for each byte, then {large:.0}", shape.name));
        }
    }
    ensure!(offenders.is_empty(), "{}", offenders.join("\n"));
    Ok(())
}
