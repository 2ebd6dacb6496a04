//! What is wrong with a definition or a Composition, before the settings say what follows.

use std::cmp::Reverse;
use std::fmt::Display;

use crate::json::document::Json;
use crate::report::finding::Finding;
use crate::report::messages::tag_delivery as messages;
use crate::settings::Stance;

/// How grave a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    /// Tags are lost, or an object with tags is refused.
    Loss,
    /// Tags are kept, but less safely than they should be: warned about at most.
    Risk,
    /// It is not known, or somebody stated why it is so: only the report has it.
    Note,
}

impl Severity {
    const ALL: [Severity; 3] = [Severity::Loss, Severity::Risk, Severity::Note];

    /// What follows, where a loss leads to `stance`.
    fn stance(self, stance: Stance) -> Stance {
        match self {
            Severity::Loss => stance,
            Severity::Risk => Stance::Warn,
            Severity::Note => Stance::Ignore,
        }
    }
}

/// How many faults of one severity are reported: nobody reads more, and each repeats the name of what it is about.
const MOST: usize = 100;

/// All that is wrong with one object.
#[derive(Default)]
pub(super) struct Faults<'a> {
    /// What the faults that follow are about, the beginning of their messages.
    pub(super) about: String,
    listed: Vec<(Severity, Json<'a>, String)>,
    /// How many there are, by severity.
    counts: [usize; 3],
}

impl<'a> Faults<'a> {
    pub(super) fn add(&mut self, severity: Severity, at: Json<'a>, message: impl Display) {
        let Some(count) = self.counts.get_mut(severity as usize) else {
            return;
        };
        *count += 1;
        if *count <= MOST {
            self.listed.push((severity, at, format!("{}{message}", self.about)));
        }
    }

    /// What the settings make of them, where a loss leads to `stance`; the gravest first. Those that are not listed are
    /// counted at `spec`.
    pub(super) fn findings(mut self, spec: Json<'a>, check: &'static str, stance: Stance) -> Vec<Finding> {
        for (severity, count) in Severity::ALL.into_iter().zip(self.counts) {
            if count > MOST {
                self.listed.push((severity, spec, messages::more(count - MOST)));
            }
        }
        let finding = |(severity, at, message): (Severity, Json<'a>, String)| Finding {
            check,
            at: at.path().to_string(),
            message,
            stance: severity.stance(stance),
        };
        let mut findings: Vec<Finding> = self.listed.into_iter().map(finding).collect();
        findings.sort_by_key(|finding| Reverse(finding.stance as u8));
        findings
    }
}
