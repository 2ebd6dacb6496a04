//! What is being written, and by whom.

pub(crate) mod bookkeeping;
pub(crate) mod request;
pub(crate) mod subject;
