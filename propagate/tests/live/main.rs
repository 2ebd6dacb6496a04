//! A live cluster: what is asked of it, what is printed, and how each failure ends.
#![cfg(feature = "cluster")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what tests are made of may fail like a test")]

mod answers;
mod api;
#[expect(dead_code, reason = "only the files of archives are read here")]
#[path = "../archive/mod.rs"]
mod archive;
mod asked;
#[path = "../deployed/mod.rs"]
mod deployed;
mod failures;
mod installation;

use std::fs;
use std::path::Path;

use api::Does;

fn fleet() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fleet.yaml")).unwrap()
}

fn no_rule(_: &str) -> Option<Does> {
    None
}
