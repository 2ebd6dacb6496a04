//! What is being written, and by whom.

mod bookkeeping;
pub(crate) mod request;
pub(crate) mod subject;
