//! The sentences about objects of Cluster API.

pub mod guards;
pub(crate) mod rollout;
