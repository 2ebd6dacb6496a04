//! Every order of events in a small world: the policy is the real engine, the rest is a model.
//!
//! README.md describes what the model includes and what it omits.

#![expect(clippy::indexing_slicing, reason = "arrays have an element for each variant of the enum that indexes them")]

pub mod action;
pub mod comparison;
pub mod controllers;
pub mod defect;
pub mod description;
pub mod known;
pub mod location;
pub mod manifest;
pub mod policy;
pub mod search;
pub mod server;
pub mod trace;
pub mod without;
pub mod world;
