//! Code shared by the tests of all entry points: the case format, a cluster that answers as Kubewarden's host does, and
//! a waPC host for the compiled policy.
//!
//! Not published, not part of any entry point.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

pub mod agreement;
pub mod carriers;
pub mod case;
pub mod cluster;
pub mod conformance;
mod consistency;
pub mod deviations;
pub mod difference;
pub mod fuzz;
pub mod generated;
#[cfg(feature = "host")]
mod guest;
#[cfg(feature = "host")]
pub mod kwctl;
pub mod laws;
pub mod markdown;
#[cfg(feature = "host")]
pub mod module;
pub mod owned;
pub mod owners;
pub mod pages;
#[cfg(feature = "host")]
pub mod profile;
pub mod recorded;
pub mod results;
pub mod runner;
pub mod scenarios;
mod sequence;
pub mod shapes;

use std::path::{Path, PathBuf};

use anyhow::Context;
pub use cases::{answer, patch, request, yaml as to_yaml};

/// The checkout's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file, by its path from the checkout's root.
pub fn read(path: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| path.to_owned())
}

/// Reads a YAML file; the path is relative to the checkout's root.
pub fn yaml(path: &str) -> anyhow::Result<serde_json::Value> {
    serde_saphyr::from_str(&read(path)?).with_context(|| path.to_owned())
}
