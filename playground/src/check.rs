//! What the policy finds in stored objects.

use fleet::{CROSSPLANE_GROUP, Checker, FindingLevel, Fleet, ObjectFindings, TemplateEvaluation};
use metadata_propagation::{Finding, Mode, OnXrd, Settings, Stance, TagDelivery, evaluate};
use serde::Serialize;
use serde_json::Value;

use crate::marks::{Mark, TextPlaces, TextRange, Weight};
use crate::question::CheckQuestion;
use crate::settings;

/// The answer.
#[derive(Debug, Serialize)]
pub(crate) struct CheckAnswer {
    /// Problems in the texts themselves.
    marks: Vec<Mark>,
    objects: Vec<CheckedObject>,
}

/// One object, in the order of the texts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckedObject {
    title: String,
    kind: String,
    text: String,
    #[serde(flatten)]
    place: TextRange,
    /// Whether the policy checks objects of this kind with these settings.
    is_concerned: bool,
    /// Why it was not compared with its owner, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    inert: Option<String>,
    findings: Vec<ShownFinding>,
}

/// One finding.
#[derive(Debug, Serialize)]
struct ShownFinding {
    /// `reject`, `warn`, or `note`, which has no effect.
    level: &'static str,
    /// The setting that decides whether it blocks the request, or the check that found it.
    check: &'static str,
    /// The effect on cloud tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<TagDelivery>,
    /// The path in the object.
    at: String,
    #[serde(flatten)]
    mark: Mark,
}

/// Checks the objects of the texts.
pub(crate) fn check(question: CheckQuestion) -> CheckAnswer {
    let read = settings::read(&question.settings.source());
    let fleet = Fleet::read(vec![question.manifests.into()]);
    let mut places = TextPlaces::new(&fleet);
    let mut marks = places.problems();
    marks.extend(read.marks);
    let Some(settings) = read.settings else { return CheckAnswer { marks, objects: Vec::new() } };
    let checker = Checker::new(&settings);
    let templates = TemplateEvaluation::of(fleet.objects(), &settings);
    let objects = fleet
        .objects()
        .zip(checker.fleet(&fleet))
        .map(|(object, ObjectFindings { findings, inert, is_concerned, .. })| {
            let is_concerned = is_concerned && is_about_composites(object, &settings);
            let evaluated = templates.evaluated(object);
            let reported = if is_concerned { reported(&evaluated.object, &settings, &fleet) } else { Vec::new() };
            let text = fleet.sources().get(object.origin.source).map_or("", |source| &source.name);
            let told = findings.into_iter().map(|finding| {
                let (level, severity) = match finding.level {
                    FindingLevel::Error => ("error", Weight::Error),
                    FindingLevel::Warning => ("warning", Weight::Warning),
                    FindingLevel::Note => ("note", Weight::Info),
                };
                let place = places.of(&object.origin, &finding.at, &finding.keys);
                let verdict = finding.verdict;
                let mark = Mark { text: text.to_owned(), place, severity, message: finding.message };
                ShownFinding { level, check: finding.check, verdict, at: finding.at, mark }
            });
            let mut findings: Vec<ShownFinding> = told.collect();
            for finding in reported.iter().filter(|finding| finding.stance == Stance::Ignore) {
                let (at, message) = (evaluated.written(&finding.at), finding.message.to_string());
                if findings.iter().any(|known| known.at == at && known.mark.message == message) {
                    continue;
                }
                let place = places.of(&object.origin, &at, &[]);
                let mark = Mark { text: text.to_owned(), place, severity: Weight::Info, message };
                let verdict = finding.message.delivery();
                findings.push(ShownFinding { level: "note", check: finding.check, verdict, at, mark });
            }
            CheckedObject {
                title: object.id.to_string(),
                kind: object.id.kind.clone(),
                text: text.to_owned(),
                place: places.of(&object.origin, "", &[]),
                is_concerned,
                inert: inert.map(|inert| inert.to_string()),
                findings,
            }
        })
        .collect();
    CheckAnswer { marks, objects }
}

/// Whether the settings name the composite kind of a definition or a Composition; true for any other object. If they do
/// not, there are no findings, and no conclusion is possible.
fn is_about_composites(object: &fleet::FleetObject, settings: &Settings) -> bool {
    let composites = &settings.cloud_tags;
    let is_named = |path: &str| {
        let read = object.value();
        let group = read.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let group = group.split_once('/').map_or(group, |(group, _)| group);
        composites.composites.iter().any(|of| of.api_groups.iter().any(|known| **known == *group))
    };
    match (&*object.id.group, &*object.id.kind) {
        (CROSSPLANE_GROUP, "CompositeResourceDefinition") => {
            composites.xrds != OnXrd::Ignore && is_named("/spec/group")
        }
        (CROSSPLANE_GROUP, "Composition") => {
            composites.compositions != Stance::Ignore && is_named("/spec/compositeTypeRef/apiVersion")
        }
        _ => true,
    }
}

/// The findings of the checks with their verdicts, including those without effect.
fn reported(object: &fleet::FleetObject, settings: &Settings, fleet: &Fleet) -> Vec<Finding> {
    let settings = Settings { mode: Mode::Mutate, ..settings.clone() };
    evaluate(&object.review(), &settings, fleet).report.unwrap_or_default().findings
}
