//! What an evaluation returns, in one JSON structure for every entry point.

pub(crate) mod capped;
pub(crate) mod messages;
pub(crate) mod outcome;
pub(crate) mod shortening;
