//! One thing that is wrong with a definition or a Composition, before the settings say what follows.

use crate::finding::{Finding, Stance};

/// How much a fault weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Tags are lost, or an object with tags is refused.
    Lost,
    /// Tags survive, but less safely than they should: warned about at most.
    Weak,
    /// It cannot be told, or somebody stated why it is so: the report says it, nobody else.
    Note,
}

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    weight: Weight,
    at: String,
    message: String,
}

impl Fault {
    pub(super) fn new(weight: Weight, at: impl Into<String>, message: impl Into<String>) -> Self {
        Fault { weight, at: at.into(), message: message.into() }
    }

    /// What the settings make of it, where a loss leads to `stance`.
    pub(super) fn finding(self, check: &'static str, stance: Stance) -> Finding {
        let stance = match self.weight {
            Weight::Lost => stance,
            Weight::Weak => Stance::Warn,
            Weight::Note => Stance::Ignore,
        };
        Finding { check, at: self.at, message: self.message, stance }
    }
}
