//! What an evaluation returns, in one JSON structure for every entry point.

pub(crate) mod change;
pub(crate) mod fact;
pub(crate) mod finding;
pub(crate) mod illegal;
pub(crate) mod lookup_record;
pub(crate) mod messages;
pub(crate) mod not_applicable;
pub(crate) mod outcome;
pub(crate) mod propagated;
pub(crate) mod rollout_impact;
pub(crate) mod shortening;
pub(crate) mod skipped;
pub(crate) mod source;
pub(crate) mod tags;
pub(crate) mod warnings;
