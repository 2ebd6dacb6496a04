//! The sentences about requests and reads.

pub(crate) mod lookups;
pub(crate) mod propagation;
pub(crate) mod requests;
