//! What is wrong with a definition or a Composition, before the settings decide how to react.

use std::cmp::Reverse;

use crate::Finding;
use crate::fault::TagFault;
use crate::json::Json;
use crate::tag_finding::{TagDelivery, TagFinding, TagSubject};

use kubernetes::settings::Stance;

/// How severe a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultSeverity {
    /// A resource is never created.
    Fails,
    /// Tags are lost, or an object with tags is refused.
    Loss,
    /// Tags are kept, but less safely than they should be: a warning at most.
    Risk,
    /// It is not known: only in the report.
    CannotTell,
    /// A user stated the reason, or nothing has to be done: only in the report.
    Note,
}

impl FaultSeverity {
    const ALL: [FaultSeverity; 5] = [
        FaultSeverity::Fails,
        FaultSeverity::Loss,
        FaultSeverity::Risk,
        FaultSeverity::CannotTell,
        FaultSeverity::Note,
    ];

    /// How the policy reacts, if it reacts to a loss with `stance`.
    fn stance(self, stance: Stance) -> Stance {
        match self {
            FaultSeverity::Fails | FaultSeverity::Loss => stance,
            FaultSeverity::Risk => Stance::Warn,
            FaultSeverity::CannotTell | FaultSeverity::Note => Stance::Ignore,
        }
    }

    /// What happens to the tags of a resource.
    fn verdict(self) -> Option<TagDelivery> {
        match self {
            FaultSeverity::Fails => Some(TagDelivery::Fails),
            FaultSeverity::Loss => Some(TagDelivery::Lost),
            FaultSeverity::CannotTell => Some(TagDelivery::CannotTell),
            FaultSeverity::Risk | FaultSeverity::Note => None,
        }
    }
}

/// The maximum number of reported faults of one severity: each repeats the name of its subject.
const MOST_FAULTS: usize = 100;

/// All faults of one object.
#[derive(Default)]
pub struct Faults<'a> {
    /// What the faults that follow are about.
    pub(super) subject: TagSubject,
    /// Whether they are about resources of a Composition, which have verdicts.
    has_verdicts: bool,
    listed: Vec<(FaultSeverity, Json<'a>, TagFinding)>,
    /// How many there are, by severity.
    counts: [usize; FaultSeverity::ALL.len()],
}

impl<'a> Faults<'a> {
    /// The faults that follow are about a resource of a Composition.
    pub fn about_resource(&mut self, name: &str) {
        self.subject = TagSubject::Resource(name.into());
        self.has_verdicts = true;
    }

    /// The faults that follow are about all resources of a Composition.
    pub(super) fn about_all_resources(&mut self) {
        self.subject = TagSubject::Whole;
        self.has_verdicts = true;
    }

    /// Adds a fault of what the faults are about now.
    pub fn add(&mut self, severity: FaultSeverity, at: Json<'a>, fault: TagFault) {
        let Some(count) = self.counts.get_mut(severity as usize) else {
            return;
        };
        *count += 1;
        if *count <= MOST_FAULTS {
            let (subject, is_created) = (self.subject.clone(), severity != FaultSeverity::Fails);
            self.listed.push((severity, at, TagFinding { subject, is_created, verdict: None, fault }));
        }
    }

    /// What refuses an object.
    pub fn refusals(&self) -> Vec<&TagFault> {
        let is_refusal = |(severity, ..): &&(FaultSeverity, Json<'a>, TagFinding)| *severity == FaultSeverity::Fails;
        self.listed.iter().filter(is_refusal).map(|(.., finding)| &finding.fault).collect()
    }

    /// What is not known, and the paths.
    pub(super) fn unknown(&self) -> Vec<(String, TagFault)> {
        let is_unknown =
            |(severity, ..): &&(FaultSeverity, Json<'a>, TagFinding)| *severity == FaultSeverity::CannotTell;
        let unknown = self.listed.iter().filter(is_unknown);
        unknown.map(|(_, at, finding)| (at.path().to_string(), finding.fault.clone())).collect()
    }

    /// The findings, if the reaction to a loss is `stance`; the most severe first. Faults beyond the limit are counted
    /// in a finding at `spec`.
    pub fn findings(mut self, spec: Json<'a>, check: &'static str, stance: Stance) -> Vec<Finding> {
        for (severity, count) in FaultSeverity::ALL.into_iter().zip(self.counts) {
            if count > MOST_FAULTS {
                let fault = TagFault::More { count: count - MOST_FAULTS };
                let subject = TagSubject::Whole;
                self.listed.push((severity, spec, TagFinding { subject, is_created: true, verdict: None, fault }));
            }
        }
        let has_verdicts = self.has_verdicts;
        let finding = |(severity, at, fault): (FaultSeverity, Json<'a>, TagFinding)| Finding {
            check,
            at: at.path().to_string(),
            message: TagFinding { verdict: severity.verdict().filter(|_| has_verdicts), ..fault },
            stance: severity.stance(stance),
        };
        let mut findings: Vec<Finding> = self.listed.into_iter().map(finding).collect();
        findings.sort_by_key(|finding| Reverse(finding.stance as u8));
        findings
    }
}
