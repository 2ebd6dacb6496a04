//! `make profile`: which functions of the policy execute the instructions of each review of `make bench`.
//!
//!     profile MODULE.wasm [PART OF A REVIEW'S NAME]
//!
//! A call is stopped after one instruction in a thousand, again and again, and its stack is read. So the figures are the
//! same on every machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use testkit::cluster::Host;
use testkit::module::Module;
use testkit::scenarios::scenarios;

/// How often a call is stopped.
const STOPS: u64 = 1000;

/// How many functions of a stack are printed.
const CALLERS: usize = 4;

/// How many functions are printed.
const MOST: usize = 45;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("usage: profile MODULE.wasm [PART OF A REVIEW'S NAME]")?;
    let part = arguments.next().unwrap_or_default();
    let module = Module::read(Path::new(&path))?.counting()?;
    for scenario in scenarios()?.into_iter().filter(|scenario| scenario.name.contains(&part)) {
        let payload = scenario.payload();
        let name = |function: &String| short(function).to_owned();
        let cluster: Arc<dyn Host> = Arc::new(scenario.cluster.clone());
        let total = module.call("validate", payload.as_bytes(), &cluster)?.instructions;
        let [mut own, mut callers, mut inclusive] = [const { BTreeMap::<String, u32>::new() }; 3];
        for stop in 1..STOPS {
            let stack = module.stack_after(total * stop / STOPS, "validate", payload.as_bytes(), &cluster)?;
            let stack: Vec<String> = stack.iter().map(name).collect();
            *own.entry(stack.first().cloned().unwrap_or_default()).or_default() += 1;
            *callers.entry(stack.iter().take(CALLERS).cloned().collect::<Vec<_>>().join(" < ")).or_default() += 1;
            for function in stack.into_iter().collect::<BTreeSet<_>>() {
                *inclusive.entry(function).or_default() += 1;
            }
        }
        println!("{}: {total} instructions", scenario.name);
        print("by itself", own);
        print("by itself, called by", callers);
        print("with what it calls", inclusive);
    }
    Ok(())
}

/// A function's mangled name without hashes and what is the same everywhere.
fn short(function: &str) -> &str {
    function.rsplit_once("metadata_propagation").map_or(function, |(_, name)| name)
}

fn print(heading: &str, functions: BTreeMap<String, u32>) {
    let mut functions: Vec<(String, u32)> = functions.into_iter().collect();
    functions.sort_by(|(name, count), (other, of_other)| of_other.cmp(count).then(name.cmp(other)));
    println!("  {heading}, in thousandths");
    for (function, count) in functions.into_iter().take(MOST) {
        println!("  {count:>4} {function}");
    }
}
