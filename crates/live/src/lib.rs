//! A live cluster as manifests: what an API server lists, as texts that `fleet` reads.
//!
//! An entry point for `propagate`. It asks for discovery documents, lists and single objects, with `GET` and nothing else, and only
//! for the kinds of [`KINDS`] and for the composites that the cluster defines. Every request ends within a time limit.

mod access;
mod failure;
mod interrupt;
mod kinds;
mod list;
mod object_text;
mod proxy;
mod query;
mod read;
mod referenced;
mod server;

pub use access::{Access, has_kubeconfig};
pub use failure::LiveFailure;
pub use interrupt::on_interrupt;
pub use kinds::{KINDS, Listed, Topic, cluster_role};
pub use query::Query;
pub use read::{Connection, Found};
