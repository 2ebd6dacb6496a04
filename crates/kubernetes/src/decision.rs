//! What every product's decision consists of: changes, findings, and why nothing is compared. A product has its own table of
//! facts, written with [`facts!`](crate::facts): `Display` of a fact is its sentence, and its reason is a code that stays when
//! the sentence changes.

pub mod change;
pub mod change_reason;
pub mod change_rule;
pub mod datum;
pub mod fact;
pub mod finding;
pub mod messages;
pub mod not_applicable;
pub mod source;
pub mod stop;

/// The annotation of an object that the checks ignore: its value is the reason.
pub const EXEMPT: &str = "metadata-propagation.plexsphere.com/exempt";
