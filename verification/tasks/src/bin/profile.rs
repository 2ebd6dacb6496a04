//! `make profile`: which functions of the policy execute the instructions of each review of `make bench`.
//!
//!     profile MODULE.wasm [PART OF A REVIEW'S NAME]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use testkit::module::Module;
use testkit::profile::stacks;
use testkit::scenarios::scenarios;

/// How many functions of a stack are printed.
const CALLERS: usize = 4;

/// How many functions are printed.
const MOST_FUNCTIONS: usize = 45;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("usage: profile MODULE.wasm [PART OF A REVIEW'S NAME]")?;
    let part = arguments.next().unwrap_or_default();
    let module = Module::read(Path::new(&path))?.counting()?;
    for scenario in scenarios()?.into_iter().filter(|scenario| scenario.name.contains(&part)) {
        let (total, stacks) = stacks(&module, &scenario)?;
        let [mut own, mut callers, mut inclusive] = [const { BTreeMap::<String, u32>::new() }; 3];
        for stack in stacks {
            let stack: Vec<&str> = stack.iter().map(|function| short(function)).collect();
            *own.entry(stack.first().copied().unwrap_or_default().to_owned()).or_default() += 1;
            *callers.entry(stack.get(..CALLERS).unwrap_or(&stack).join(" < ")).or_default() += 1;
            for function in stack.into_iter().collect::<BTreeSet<_>>() {
                *inclusive.entry(function.to_owned()).or_default() += 1;
            }
        }
        println!("{}: {total} instructions", scenario.name);
        print("by itself", own);
        print("by itself, called by", callers);
        print("with what it calls", inclusive);
    }
    Ok(())
}

/// A function's mangled name without the parts that all names share.
fn short(function: &str) -> &str {
    function.rsplit_once("metadata_propagation").map_or(function, |(_, name)| name)
}

fn print(heading: &str, functions: BTreeMap<String, u32>) {
    let mut functions: Vec<(String, u32)> = functions.into_iter().collect();
    functions.sort_by(|(name, count), (other, of_other)| of_other.cmp(count).then(name.cmp(other)));
    println!("  {heading}, in thousandths");
    for (function, count) in functions.into_iter().take(MOST_FUNCTIONS) {
        println!("  {count:>4} {function}");
    }
}
