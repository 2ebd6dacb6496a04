//! What is wrong with a definition or a Composition, before the settings say what follows.

use std::fmt::Arguments;

use super::node::Node;
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

/// All that is wrong.
#[derive(Default)]
pub(super) struct Faults<'a> {
    /// What the faults that follow are about, the beginning of their messages.
    pub(super) about: String,
    found: Vec<(Weight, Node<'a>, String)>,
}

impl<'a> Faults<'a> {
    pub(super) fn add(&mut self, weight: Weight, at: Node<'a>, what: Arguments<'_>) {
        self.found.push((weight, at, format!("{}{what}", self.about)));
    }

    /// What the settings make of them, where a loss leads to `stance`; the gravest first. `spec` is where they stand.
    pub(super) fn findings(self, spec: Node<'_>, check: &'static str, stance: Stance) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for (weight, at, message) in self.found {
            let stance = match weight {
                Weight::Lost => stance,
                Weight::Weak => Stance::Warn,
                Weight::Note => Stance::Ignore,
            };
            let graver = findings.partition_point(|finding| finding.stance as u8 >= stance as u8);
            let at = spec.locate("spec", at);
            findings.insert(graver, Finding { check, at, message, stance });
        }
        findings
    }
}
