//! What is wrong with a definition or a Composition, before the settings say what follows.

use std::fmt::Arguments;

use super::node::{Node, Places};
use crate::report::finding::Finding;
use crate::settings::Stance;

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

/// How many faults of one weight are told, each; nobody reads more, and each has the name of what it is about.
const MOST: usize = 100;

/// All that is wrong.
#[derive(Default)]
pub(super) struct Faults<'a> {
    /// What the faults that follow are about, the beginning of their messages.
    pub(super) about: String,
    found: Vec<(Weight, Node<'a>, String)>,
    /// How many there are, by weight.
    counts: [usize; 3],
}

impl<'a> Faults<'a> {
    pub(super) fn add(&mut self, weight: Weight, at: Node<'a>, what: Arguments<'_>) {
        let Some(count) = self.counts.get_mut(weight as usize) else {
            return;
        };
        *count += 1;
        if *count <= MOST {
            self.found.push((weight, at, format!("{}{what}", self.about)));
        }
    }

    /// What the settings make of them, where a loss leads to `stance`; the gravest first. `spec` is where they stand.
    pub(super) fn findings(mut self, spec: Node<'a>, check: &'static str, stance: Stance) -> Vec<Finding> {
        for weight in [Weight::Lost, Weight::Weak, Weight::Note] {
            let count = self.counts.get(weight as usize).map_or(0, |count| *count);
            if count > MOST {
                self.found.push((weight, Node("spec"), format!("and {} more", count - MOST)));
            }
        }
        let mut places = Places::of(spec);
        let mut findings: Vec<Finding> = Vec::new();
        for (weight, at, message) in self.found {
            let stance = match weight {
                Weight::Lost => stance,
                Weight::Weak => Stance::Warn,
                Weight::Note => Stance::Ignore,
            };
            let graver = findings.partition_point(|finding| finding.stance as u8 >= stance as u8);
            let at = places.locate(at);
            findings.insert(graver, Finding { check, at, message, stance });
        }
        findings
    }
}
