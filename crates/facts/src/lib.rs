//! What a decision returns, in types: changes, findings, skips, and why nothing is compared. `Display` of a fact is its
//! sentence, and its reason is a code that stays when the sentence changes.
//!
//! Every product returns these types, and none of them knows a product's tables.

pub mod annotations;
pub mod change;
pub mod change_reason;
pub mod change_rule;
pub mod change_warning;
pub mod datum;
pub mod fact;
mod fact_table;
pub mod finding;
pub mod illegal;
pub mod messages;
pub mod not_applicable;
pub mod shortening;
pub mod skipped;
pub mod source;
pub mod stop;
pub mod tag_fault;
pub mod tag_reason;

use raw_json as json;
