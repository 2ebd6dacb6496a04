//! The sentences about objects of Cluster API that are no facts.

pub mod refusals;
