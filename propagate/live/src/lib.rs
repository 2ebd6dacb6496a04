//! A live cluster as manifests: objects from an API server, as texts that `fleet` reads.
//!
//! An entry point for `propagate`. It requests discovery documents, lists and single objects, only with `GET`, and only
//! for the kinds of [`KINDS`] and for the composites that the cluster defines. Every request has a timeout.

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
