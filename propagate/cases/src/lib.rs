//! Cases: settings, objects and a review, with the answer that is expected. The corpus of the tests is in this
//! format, and `propagate test` runs the cases of users.
//!
//! [`CaseDocument`] describes the files, [`Case`] the format, [`AnswerForm`] what `expect` states. Nothing here touches a
//! file, a clock or a network.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

pub mod answer;
pub mod case;
pub mod cluster;
pub mod difference;
mod document;
pub mod engine;
pub mod facts;
mod fault;
pub mod owners;
pub mod patch;
pub mod request;
mod versions;

pub use case::{Case, yaml};
pub use difference::Difference;
pub use document::{CaseDocument, FileDocument};
pub use facts::AnswerForm;
pub use fault::CaseFault;
