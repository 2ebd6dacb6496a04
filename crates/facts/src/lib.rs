//! What a decision returns, in types: changes, findings, skips, and why nothing is compared. `Display` of a fact is its
//! sentence, and its reason is a code that stays when the sentence changes.
//!
//! Every product returns these types, and none of them knows a product's tables.

pub mod annotations;
pub mod change;
pub mod change_warning;
pub mod fact;
pub mod finding;
pub mod illegal;
pub mod messages;
pub mod not_applicable;
pub mod shortening;
pub mod skipped;
pub mod source;
pub mod stop;

use raw_json as json;
