//! What the policy finds in an object that is stored as written: what the audit scanner would report.

use std::collections::BTreeSet;

use metadata_propagation::{
    Action, Carried, CloudTagFact, Cluster, Fact, Finding, MapKind, Mode, NotApplicable, NotApplicableReason,
    OnMissingTag, Outcome, Report, RequiredTag, Sentence, Settings, Stance, TagDelivery, TagFault, concerns, evaluate,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use topology::ObjectPath;

use crate::activation::Activation;
use crate::claim::claim_findings;
use crate::class_findings::class_findings;
use crate::composed::{OTHER_VALUE, Surroundings, VALUES, composed_findings, scope_findings};
use crate::count::count;
use crate::crossplane_findings::CrossplaneObjects;
use crate::each::each;
use crate::endless::endless;
use crate::environment::environment;
use crate::fleet::Fleet;
use crate::misspelled::misspelled;
use crate::object::FleetObject;
use crate::object_finding::{CLOUD_TAGS, DRIFT, FindingLevel, ILLEGAL, MISPLACED, ObjectFinding, REFUSED, UNREADABLE};
use crate::probe::{Blame, ReadProblem, blame, probe};
use crate::refusal::{filled_by, has_rules, has_variable, of_object, of_taints};
use crate::relations::{is_of_topology, related};
use crate::source::Source;
use crate::tag_help::help_of;
use crate::templates::{EvaluatedComposition, Example, TemplateEvaluation};
use crate::topology_findings::topology_findings;
use crate::versions::unknown_versions;

/// Checks objects under the same settings.
pub struct Checker {
    /// The settings, so that a difference is a refusal.
    verify: Settings,
    /// The settings, so that a difference is corrected.
    mutate: Settings,
    /// The same, with claims treated like the composites that Crossplane makes of them.
    without_claims: Settings,
    /// Labels without whose tags a composite is refused. Otherwise these settings only warn, so that nothing else is
    /// hidden.
    required: BTreeSet<String>,
}

/// The results for one object.
#[derive(Debug, Default)]
pub struct ObjectFindings {
    /// Differences, dangerous edits, and entries that are not propagated.
    pub findings: Vec<ObjectFinding>,
    /// Why the object was not compared with its sources, if it was not.
    pub inert: Option<NotApplicable>,
    /// Whether anything is checked in objects of this kind, by the policy or like a webhook of Cluster API.
    pub is_concerned: bool,
    /// Why the object itself could not be read, if that is among the findings.
    own_problem: Option<ReadProblem>,
}

impl Checker {
    /// The mode of the settings does not matter.
    pub fn new(settings: &Settings) -> Checker {
        let refused = |tag: &&mut RequiredTag| tag.on_missing == OnMissingTag::Reject;
        let (mut settings, mut required) = (settings.clone(), BTreeSet::new());
        for tag in settings.cloud_tags.required.iter_mut().filter(refused) {
            tag.on_missing = OnMissingTag::Warn;
            required.insert(tag.key.to_string());
        }
        let of_mode = |mode| Settings { mode, ..settings.clone() };
        let mut without_claims = of_mode(Mode::Mutate);
        without_claims.cloud_tags.composites.iter_mut().for_each(|entry| entry.claim_kinds.clear());
        Checker { verify: of_mode(Mode::Verify), mutate: of_mode(Mode::Mutate), without_claims, required }
    }

    /// Checks every object of a fleet, in order, in the context of the others. An object that prevents the evaluation
    /// of others is [`UNREADABLE`], whether any of them is in the files or not.
    pub fn fleet(&self, fleet: &Fleet) -> Vec<ObjectFindings> {
        let objects: Vec<&FleetObject> = fleet.objects().collect();
        let templates = TemplateEvaluation::of(fleet.objects(), &self.verify);
        let one = |object: &&FleetObject| {
            let evaluated = templates.evaluated(object);
            let (mut checked, blame) = self.examined(&evaluated.object, fleet, fleet.sources());
            self.resources(&mut checked, &evaluated, &templates, fleet);
            checked.findings.iter_mut().for_each(|finding| finding.at = evaluated.written(&finding.at));
            checked.findings.extend(evaluated.findings);
            let probed = if checked.is_concerned { probe(object, &self.verify, fleet) } else { Vec::new() };
            (checked, blame.into_iter().chain(probed).collect::<Vec<Blame>>())
        };
        let (mut all, blames): (Vec<ObjectFindings>, Vec<Vec<Blame>>) = each(&objects, one).into_iter().unzip();
        let activation = Activation::of(fleet.objects());
        let crossplane = CrossplaneObjects::of(fleet.objects(), &self.mutate.cloud_tags);
        for (object, checked) in objects.iter().zip(&mut all) {
            let of_class = class_findings(object, fleet);
            checked.is_concerned |= !of_class.is_empty();
            let of_topology = topology_findings(object, fleet);
            let of_crossplane = activation.findings(object).into_iter().chain(crossplane.findings(object));
            let found = of_crossplane.chain(of_class).chain(of_topology);
            checked.findings.extend(found.chain(misspelled(object)).chain(endless(object)));
        }
        let blames: BTreeSet<Blame> = blames.into_iter().flatten().collect();
        for (object, checked) in objects.iter().zip(&mut all) {
            let title = object.id.to_string();
            for Blame { problem, .. } in blames.iter().filter(|blame| blame.object == title) {
                if checked.own_problem.as_ref() != Some(problem) {
                    let message = messages::no_parent(&title, problem);
                    checked.findings.push(unreadable(object, message, problem.at()));
                }
                checked.is_concerned = true;
            }
            say_once(&mut checked.findings);
        }
        all
    }

    /// Of a Composition: what templates do with lists is known, and more is known of the composites among the files.
    fn resources(
        &self,
        checked: &mut ObjectFindings,
        evaluated: &EvaluatedComposition<'_>,
        templates: &TemplateEvaluation<'_>,
        fleet: &Fleet,
    ) {
        let is_told = |finding: &ObjectFinding| {
            let is_of_list = matches!(finding.fault, Some(TagFault::ListOfTags { .. }));
            (is_of_list || finding.verdict == Some(TagDelivery::CannotTell)) && evaluated.is_told(&finding.at)
        };
        checked.findings.retain(|finding| !is_told(finding));
        let composition = &evaluated.object;
        if templates.is_about_composites(composition) {
            checked.findings.extend(unknown_versions(&composition.value()));
        }
        let are_namespaced = templates.are_composites_namespaced(composition);
        let of_scope = are_namespaced.map(|it| scope_findings(&composition.json, it, &self.mutate));
        checked.findings.extend(of_scope.unwrap_or_default());
        let (composites, pinned) = templates.composites(composition);
        checked.findings.extend(pinned.first().map(|first| of_pinned(first, pinned.len() - 1)));
        let environment = if composites.is_empty() { None } else { environment(&composition.value(), fleet) };
        let environment = environment.map(|environment| environment.values.to_string());
        if environment.is_some() && composites.iter().any(Example::is_object) {
            let is_unknown = |fault: &TagFault| matches!(fault, TagFault::EnvironmentWins { .. });
            checked.findings.retain(|finding| !finding.fault.as_ref().is_some_and(is_unknown));
        }
        let surroundings = Surroundings { settings: &self.mutate, cluster: fleet, environment };
        let found = composed_findings(&composition.json, &composites, &surroundings);
        // What is refused for every composite is found already.
        let is_known = |of: &ObjectFinding| {
            let is_of_values = VALUES.contains(&of.reason);
            let is_said = |finding: &ObjectFinding| match of.reason {
                _ if of.is_same_fault(finding) => true,
                OTHER_VALUE => finding.verdict.is_some() && finding.resource == of.resource,
                reason => finding.at == of.at && (is_of_values || finding.reason == reason),
            };
            // A template is evaluated with other values.
            is_of_values && evaluated.is_replaced(&of.at) || checked.findings.iter().any(is_said)
        };
        let found: Vec<ObjectFinding> = found.into_iter().filter(|finding| !is_known(finding)).collect();
        checked.findings.extend(found);
    }

    /// Checks one object in the context of the others.
    pub fn check(&self, object: &FleetObject, cluster: &dyn Cluster) -> ObjectFindings {
        self.examined(object, cluster, &[]).0
    }

    fn examined(
        &self,
        object: &FleetObject,
        cluster: &dyn Cluster,
        sources: &[Source],
    ) -> (ObjectFindings, Option<Blame>) {
        let review = object.review();
        let refused = of_refusals(object, (sources, &self.verify));
        if !concerns(&review, &self.verify) {
            let is_concerned = has_rules(&object.id);
            return (ObjectFindings { findings: refused, is_concerned, ..ObjectFindings::default() }, None);
        }
        let outcome = evaluate(&review, &self.verify, cluster);
        let blame = blame(&outcome);
        let Outcome { mut rejection, report, mut notes, malformed, .. } = outcome;
        let own_problem = malformed.filter(|_| report.is_none()).map(|own| ReadProblem::from(own.problem));
        let mut report = report.unwrap_or_default();
        let drift = std::mem::take(&mut report.drift);
        // What the policy adds to a manifest is not missing from it.
        let is_stored = is_stored(object);
        let mut findings: Vec<ObjectFinding> = drift
            .iter()
            .filter(|change| is_stored && change.action != Action::Recorded)
            .map(|change| ObjectFinding {
                keys: vec![change.key.clone()],
                ..ObjectFinding::new(FindingLevel::Error, DRIFT, &change.at, change.difference())
            })
            .collect();
        let is_unanswered = report.inert.as_ref().is_some_and(|inert| {
            use NotApplicableReason::{LookupFailed, ParentMissing, RegistryUnavailable};
            matches!(inert.reason, LookupFailed | ParentMissing | RegistryUnavailable)
        });
        // A manifest of a composite is refused for more than a stored one.
        let is_new_composite = !is_stored && self.mutate.cloud_tags.has_group(&object.id.group);
        if !drift.is_empty() || is_new_composite {
            // An object that is refused because it is incomplete is not checked further: the checks see it completed.
            let completed = evaluate(&review, &self.mutate, cluster);
            report.findings = completed.report.unwrap_or_default().findings;
            (notes, rejection) = (completed.notes, completed.rejection);
        }
        if let Some(rejection) = rejection.filter(|_| !is_unanswered && !refuses(&report)) {
            let at = rejection.at.unwrap_or_default();
            findings.push(unreadable(object, rejection.message, &at));
        }
        if report.inert.as_ref().is_some_and(|inert| inert.reason == NotApplicableReason::Claim) {
            let (of_claim, facts) = claim_findings(object, &self.without_claims, cluster);
            findings.extend(of_claim);
            let is_missing =
                |fact: &Fact| matches!(fact, Fact::CloudTags { fact: CloudTagFact::RequiredTagMissing { .. } });
            findings
                .extend(facts.iter().filter(|fact| is_missing(fact)).map(|fact| self.of_tag(fact, "metadata.labels")));
        }
        findings.extend(refused);
        findings.extend(of_checks(&report));
        let is_manifest_of_control_plane = !is_stored && object.id.is_control_plane();
        let misplaced = if is_manifest_of_control_plane { FindingLevel::Note } else { FindingLevel::Warning };
        findings.extend(of_skips(&report, misplaced));
        if report.cloud_tags.is_some() {
            let is_reported = |key: &String| findings.iter().any(|finding| finding.keys.contains(key));
            let of_notes = notes.iter().map(|note| self.of_tag(note, "spec.cloudTags"));
            let is_said = |it: &ObjectFinding| it.level < FindingLevel::Error && it.keys.iter().any(is_reported);
            let of_notes: Vec<_> = of_notes.filter(|finding| !is_said(finding)).collect();
            findings.extend(of_notes);
        }
        (ObjectFindings { findings, inert: report.inert, is_concerned: true, own_problem }, blame)
    }

    /// What else the policy says about a composite's tags.
    fn of_tag(&self, note: &Fact, at: &str) -> ObjectFinding {
        let (level, help) = match note {
            Fact::CloudTags { fact: CloudTagFact::RequiredTagMissing { label, .. } } => {
                let is_refused = self.required.contains(&label.0);
                let level = if is_refused { FindingLevel::Error } else { FindingLevel::Warning };
                (level, Some(format!("set label `{label}` on the composite, or correct `cloudTags.required`")))
            }
            Fact::CloudTags { fact: CloudTagFact::TagRefused { tag, .. } | CloudTagFact::TagsRefused { tag, .. } }
                if !self.mutate.cloud_tags.prefixes().iter().any(|prefix| tag.0.starts_with(&**prefix)) =>
            {
                (FindingLevel::Warning, Some("change the tag in `spec.cloudTags`: no label sets it".to_owned()))
            }
            _ => (FindingLevel::Warning, help_of(note)),
        };
        let keys = note.names().into_iter().map(str::to_owned).collect();
        let found = ObjectFinding::new(level, CLOUD_TAGS, at, note.to_string());
        ObjectFinding { keys, help, reason: note.reason(), ..found }
    }
}

/// The note that what a Composition says is not about some of its composites.
fn of_pinned(first: &str, more: usize) -> ObjectFinding {
    let message = match more {
        0 => format!("`{first}` is `Manual` and stays at its revision, which is not checked"),
        more => {
            let more = count(more, "more composite");
            format!("`{first}` and {more} are `Manual` and stay at their revisions, which are not checked")
        }
    };
    let found = ObjectFinding::new(FindingLevel::Note, "cloudTags.compositions", "spec", message);
    ObjectFinding { verdict: Some(TagDelivery::CannotTell), reason: "manual-revision", ..found }
}

/// The finding that an object does not have the structure of a Kubernetes object. What a variable stands for is not known.
fn unreadable(object: &FleetObject, message: String, at: &str) -> ObjectFinding {
    let written = object.value();
    let value = written.pointer(&format!("/{}", at.replace('.', "/"))).and_then(Value::as_str);
    let level = if value.is_some_and(has_variable) { FindingLevel::Note } else { FindingLevel::Error };
    ObjectFinding::new(level, UNREADABLE, at, message)
}

/// Drops refusals of what cannot be read: that says more.
fn say_once(findings: &mut Vec<ObjectFinding>) {
    let is_unreadable = |finding: &&ObjectFinding| finding.check == UNREADABLE && finding.level == FindingLevel::Error;
    let unreadable: Vec<ObjectPath> =
        findings.iter().filter(is_unreadable).map(|finding| ObjectPath::parse(&finding.at)).collect();
    let is_said = |at: &str| {
        let at = ObjectPath::parse(at);
        unreadable.iter().any(|above| !above.steps.is_empty() && at.is_within(above))
    };
    findings.retain(|finding| finding.check != REFUSED || !is_said(&finding.at));
}

/// Whether an object was read from an API server: it has what only the server and controllers set.
fn is_stored(object: &FleetObject) -> bool {
    let written = related(&object.json);
    let has_owner =
        written.pointer("/metadata/ownerReferences").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
    has_owner || is_of_topology(&written) || has_uid(&object.json)
}

/// Whether `metadata.uid` is set.
fn has_uid(json: &str) -> bool {
    #[derive(Deserialize)]
    struct StoredMetadata {
        uid: Option<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct StoredHead {
        metadata: StoredMetadata,
    }
    serde_json::from_str::<StoredHead>(json).is_ok_and(|object| object.metadata.uid.is_some())
}

/// What the API server or a webhook of Cluster API refuses in an object, and no kustomization fills.
fn of_refusals(object: &FleetObject, (sources, settings): (&[Source], &Settings)) -> Vec<ObjectFinding> {
    if !has_rules(&object.id) {
        return Vec::new();
    }
    let value = object.value();
    // What is stored with taints shows that the gate is on.
    let of_taints = if is_stored(object) { Vec::new() } else { of_taints(&object.id, &value, settings) };
    let refusals = of_object(&object.id, &value).into_iter().chain(of_taints);
    refusals.filter(|refusal| filled_by(refusal, object, sources).is_none()).map(ObjectFinding::refused).collect()
}

fn refuses(report: &Report) -> bool {
    report.findings.iter().any(|finding| finding.stance == Stance::Reject)
}

fn of_checks(report: &Report) -> impl Iterator<Item = ObjectFinding> {
    report.findings.iter().filter_map(of_finding)
}

/// Whether a finding says what does not get the tags of a resource, or why the cloud has none.
fn is_note(finding: &Finding) -> bool {
    matches!(&finding.message, Fact::TagDelivery { fault }
        if matches!(fault.fault, TagFault::StopsShort { .. } | TagFault::NoCloudTags { .. } | TagFault::NeverCreated))
}

/// What is not known about tags is said too; what somebody has a reason for is not.
pub(crate) fn of_finding(finding: &Finding) -> Option<ObjectFinding> {
    let level = match finding.stance {
        Stance::Ignore if finding.message.delivery() == Some(TagDelivery::CannotTell) || is_note(finding) => {
            FindingLevel::Note
        }
        Stance::Ignore => return None,
        Stance::Warn => FindingLevel::Warning,
        Stance::Reject => FindingLevel::Error,
    };
    let found = ObjectFinding::new(level, finding.check, &finding.at, finding.message.to_string());
    let keys = finding.message.names().into_iter().map(str::to_owned).collect();
    let (verdict, help) = (finding.message.delivery(), help_of(&finding.message));
    let (resource, fault) = match &finding.message {
        Fact::TagDelivery { fault } => (fault.resource().unwrap_or_default().to_owned(), Some(fault.fault.clone())),
        _ => Default::default(),
    };
    Some(ObjectFinding { keys, verdict, resource, fault, reason: finding.message.reason(), help, ..found })
}

/// Labels and annotations that are set at a place from which nothing propagates, entries that the API server would
/// reject, and labels that do not become tags.
fn of_skips(report: &Report, level: FindingLevel) -> impl Iterator<Item = ObjectFinding> {
    let misplaced = report.skipped.iter().filter_map(move |skip| {
        let at = match skip.carried {
            Carried::Map(MapKind::Labels) => "metadata.labels",
            Carried::Map(MapKind::Annotations) => "metadata.annotations",
            Carried::Field => return None,
        };
        let keys = vec![skip.key.clone()];
        Some(ObjectFinding { keys, ..ObjectFinding::new(level, MISPLACED, at, skip.misplaced()?.to_string()) })
    });
    let warning = |check, at: &str, message| ObjectFinding::new(FindingLevel::Warning, check, at, message);
    let tags = report.cloud_tags.iter().flat_map(|tags| &tags.skipped).map(move |label| ObjectFinding {
        keys: vec![label.qualified_key.clone()],
        ..warning(CLOUD_TAGS, "metadata.labels", label.fact().to_string())
    });
    let illegal = report.skipped.iter().filter_map(move |skip| {
        let at = match skip.carried {
            Carried::Map(map) => format!("metadata.{map}"),
            Carried::Field => "spec".to_owned(),
        };
        let keys = vec![skip.key.clone()];
        Some(ObjectFinding { keys, ..warning(ILLEGAL, &at, skip.refusal()?.to_string()) })
    });
    misplaced.chain(illegal).chain(tags)
}

mod messages {
    use crate::probe::ReadProblem;

    pub(super) fn no_parent(object: &str, problem: &ReadProblem) -> String {
        format!("cannot read {object} as the parent of other objects: {problem}")
    }
}
