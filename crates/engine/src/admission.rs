//! What is being written, and by whom.

pub(crate) mod request;
pub(crate) mod subject;
