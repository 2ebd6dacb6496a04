//! What every product's decision consists of: changes, findings, and why nothing is compared. A product has its own table of
//! facts, written with [`facts!`](crate::facts): `Display` of a fact is its sentence, and its reason is a code that stays when
//! the sentence changes.

pub(crate) mod change;
pub(crate) mod change_reason;
pub(crate) mod change_rule;
pub(crate) mod datum;
pub(crate) mod fact;
pub(crate) mod finding;
pub(crate) mod messages;
pub(crate) mod not_applicable;
pub(crate) mod source;
pub(crate) mod stop;

/// The annotation of an object that the checks ignore: its value is the reason.
pub const EXEMPT: &str = "metadata-propagation.plexsphere.com/exempt";
