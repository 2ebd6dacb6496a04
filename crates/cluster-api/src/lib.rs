//! Cluster API: what propagates from owners to their children, what an edit does to Machines, and what guards refuse.
//!
//! The tables of [`catalog`] are the specification: [`RULES`](catalog::RULES) and
//! [`FORCED`](catalog::FORCED) say what propagates, [`FIELDS`](catalog::FIELDS) which in-place mutable
//! fields do, [`EFFECTS`](catalog::effects::table::EFFECTS) what an edit does to Machines.

#![allow(missing_docs, reason = "outside the policy these items are used through its engine, and names may say enough")]

pub mod catalog;
pub mod fact;
pub mod guards;
mod label_value;
pub mod misplaced;
pub mod parents;
pub mod propagation;
pub mod rollout;
mod selector;
pub mod settings;
pub mod skipped;
pub mod subject;
#[cfg(test)]
mod test_settings;
pub mod waiver;

use raw_json as json;
