//! What every product's decision consists of: changes, findings, and why nothing is compared. A product has its own table of
//! facts, written with [`facts!`](crate::facts): `Display` of a fact is its sentence, and its reason is a code that stays when
//! the sentence changes.

pub(crate) mod change;
pub(crate) mod change_reason;
pub(crate) mod change_rule;
pub(crate) mod datum;
pub(crate) mod fact;
pub(crate) mod not_applicable;
pub(crate) mod source;
pub(crate) mod stop;

use std::fmt;

use crate::sentences;

/// The annotation of an object that the checks ignore: its value is the reason.
pub const EXEMPT: &str = "metadata-propagation.plexsphere.com/exempt";

/// The setting that leads to a refusal, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingValue<'a> {
    pub setting: &'a str,
    pub value: &'a str,
}

impl fmt::Display for SettingValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is `{}`", self.setting, self.value)
    }
}

sentences! {
    /// The last item of a list that is too long to print.
    pub and_more(count: usize) "and {count} more: see the audit annotation `report`";
    /// A log line about a finding: what was found, and in which object.
    pub about(object: &str, message: &str) "{object}: {message}";
}
