//! Compositions with steps of function-go-templating: each template is evaluated with two sets of tags, and the step is
//! replaced by one of function-patch-and-transform that composes the same resources and patches the tags to where they
//! arrive. So the checks of the policy, which do not evaluate templates, apply to its resources too.
//!
//! The function is asked as at the first reconcile of a composite, when nothing else is observed.

mod arrival;
mod example;
mod output;
mod step;

use std::borrow::Cow;

use metadata_propagation::{EXEMPT, Function, Settings, Stance, TagDelivery};
use serde_json::{Value, json};

pub(crate) use self::example::{Example, ExampleOrigin, is_copied, schema};
use self::example::{Examples, MOST_COMPOSITES, MOST_EXAMPLES};
use self::step::{StepResult, TagSets};
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId, group_and_version};
use crate::object_finding::{FindingLevel, ObjectFinding};
use crate::relations::text;

/// What is known for the evaluation of templates.
pub struct TemplateEvaluation<'f> {
    examples: Examples<'f>,
    tags: TagSets,
    settings: &'f Settings,
}

/// A Composition without steps of templates.
pub struct EvaluatedComposition<'o> {
    /// With other steps instead, as far as templates could be evaluated.
    pub object: Cow<'o, FleetObject>,
    /// What the evaluation found.
    pub findings: Vec<ObjectFinding>,
    /// For each step now the step that is written.
    steps: Vec<WrittenStep>,
    /// Where resources are that have their tags in a list, and steps that are evaluated in part: findings of the
    /// evaluation say more about them than that it is not known.
    told: Vec<String>,
}

struct WrittenStep {
    number: usize,
    is_replaced: bool,
}

/// The check that decides about Compositions.
const CHECK: &str = "cloudTags.compositions";
const FUNCTION: &str = "function-go-templating";

impl<'f> TemplateEvaluation<'f> {
    /// Composites and definitions among objects are what templates are evaluated with.
    pub fn of(objects: impl Iterator<Item = &'f FleetObject>, settings: &'f Settings) -> TemplateEvaluation<'f> {
        let tags = TagSets::of(&settings.cloud_tags);
        TemplateEvaluation { examples: Examples::of(objects, &settings.cloud_tags), tags, settings }
    }

    /// Composites of the kind that a Composition is for; of claims, those that Crossplane makes of them. Then those that
    /// stay at a revision of it.
    pub(crate) fn composites(&self, composition: &FleetObject) -> (Vec<Example>, Vec<String>) {
        if !self.is_about_composites(composition) {
            return Default::default();
        }
        let value = composition.value();
        let [api_version, kind] = composed_type(&value);
        if !self.settings.cloud_tags.has_group(group_and_version(api_version).0) {
            return Default::default();
        }
        let mut examples = self.examples.of_kind([api_version, kind], &value, MOST_COMPOSITES);
        // One that has every field shows what others than these may have.
        if examples.iter().any(Example::is_object) {
            examples.extend(self.examples.made(api_version, kind));
        }
        (examples, self.examples.pinned_of_kind(api_version, kind))
    }

    /// Whether composites of the kind that a Composition is for have a namespace, if that is known.
    pub(crate) fn are_composites_namespaced(&self, composition: &FleetObject) -> Option<bool> {
        if !self.is_about_composites(composition) {
            return None;
        }
        let value = composition.value();
        let [api_version, kind] = composed_type(&value);
        self.examples.are_namespaced(api_version, kind)
    }

    /// Whether an object is a Composition that is checked.
    pub(crate) fn is_about_composites(&self, object: &FleetObject) -> bool {
        self.settings.cloud_tags.compositions != Stance::Ignore && is_composition(object)
    }

    /// A composite or a claim with the defaults of its definition, as the API server sends it to the policy; `None` if
    /// there are none.
    pub(crate) fn defaulted(&self, id: &ObjectId, version: &str, json: &str) -> Option<String> {
        self.settings.cloud_tags.has_group(&id.group).then(|| self.examples.defaulted(id, version, json))?
    }

    /// The composite that Crossplane makes of a claim; `None` if no definition says that it is one.
    pub(crate) fn composite_of_claim(&self, claim: &FleetObject) -> Option<FleetObject> {
        self.settings.cloud_tags.has_group(&claim.id.group).then(|| self.examples.of_claim(claim))?
    }

    /// A Composition whose templates are evaluated, a composite with its defaults; any other object as it is.
    pub fn evaluated<'o>(&self, object: &'o FleetObject) -> EvaluatedComposition<'o> {
        let unchanged = EvaluatedComposition {
            object: Cow::Borrowed(object),
            findings: Vec::new(),
            steps: Vec::new(),
            told: Vec::new(),
        };
        if let Some(json) = self.defaulted(&object.id, &object.version, &object.json) {
            let object = Cow::Owned(FleetObject { json: json.into(), ..object.clone() });
            return EvaluatedComposition { object, ..unchanged };
        }
        let tags = &self.settings.cloud_tags;
        let is_checked =
            is_composition(object) && tags.compositions != Stance::Ignore && object.json.contains("gotemplating");
        if !is_checked {
            return unchanged;
        }
        let mut composition = object.value();
        let [api_version, kind] = composed_type(&composition);
        let annotations = composition.pointer("/metadata/annotations");
        let reason = annotations.and_then(|all| all.get(EXEMPT)?.as_str()).unwrap_or_default();
        let is_exempt = !reason.trim_ascii().is_empty();
        if is_exempt || !tags.has_group(group_and_version(api_version).0) {
            return unchanged;
        }
        let examples = self.examples.of_kind([api_version, kind], &composition, MOST_EXAMPLES);
        let steps = composition.pointer("/spec/pipeline").and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut made, mut written, mut findings, mut told) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, step) in steps.into_iter().enumerate() {
            let name = step.get("step").and_then(Value::as_str).unwrap_or_default().to_owned();
            let result = is_of_templates(&step).then(|| step::evaluate(&step, kind, &examples, &self.tags));
            let StepResult { resources, lists: of_step, is_complete, facts } = result.unwrap_or_default();
            findings.extend(facts.iter().map(|fact| self.finding(fact, &name, number)));
            // A step that may also compose other resources stays, before the one with those that are known.
            if !is_complete {
                if !facts.is_empty() {
                    told.push(format!("spec.pipeline[{}]", made.len()));
                }
                made.push(step);
                written.push(WrittenStep { number, is_replaced: false });
            }
            if let Some(resources) = resources {
                let at = |index: &usize| format!("spec.pipeline[{}].input.resources[{index}]", made.len());
                told.extend(of_step.iter().map(at));
                made.push(replacement(&resources));
                written.push(WrittenStep { number, is_replaced: true });
            }
        }
        if let Some(pipeline) = composition.pointer_mut("/spec/pipeline") {
            *pipeline = Value::Array(made);
        }
        let object = FleetObject { json: composition.to_string().into(), ..object.clone() };
        EvaluatedComposition { object: Cow::Owned(object), findings, steps: written, told }
    }

    fn finding(&self, fact: &step::StepFact, step: &str, number: usize) -> ObjectFinding {
        let of_loss = match self.settings.cloud_tags.compositions {
            Stance::Reject => FindingLevel::Error,
            Stance::Warn | Stance::Ignore => FindingLevel::Warning,
        };
        let (level, verdict) = match fact.verdict() {
            None => (FindingLevel::Note, None),
            Some(TagDelivery::CannotTell) => (FindingLevel::Note, Some(TagDelivery::CannotTell)),
            lost => (of_loss, lost),
        };
        let message = fact.sentence(step);
        ObjectFinding {
            verdict,
            reason: fact.reason(),
            ..ObjectFinding::new(level, CHECK, &template_of(number), message)
        }
    }
}

/// Version and kind of the composites that a Composition is for.
fn composed_type(composition: &Value) -> [&str; 2] {
    let composite = composition.pointer("/spec/compositeTypeRef").unwrap_or(&Value::Null);
    ["apiVersion", "kind"].map(|field| text(composite, field))
}

fn is_composition(object: &FleetObject) -> bool {
    object.id.kind == "Composition" && object.id.group == CROSSPLANE_GROUP
}

impl EvaluatedComposition<'_> {
    /// Whether more is known than that something is unknown, at a path in [`EvaluatedComposition::object`].
    pub fn is_told(&self, at: &str) -> bool {
        self.told.iter().any(|told| told == at)
    }

    /// Whether a path in [`EvaluatedComposition::object`] is in a step that is replaced.
    pub(crate) fn is_replaced(&self, at: &str) -> bool {
        self.written(at) != at
            && self.steps.iter().any(|step| step.is_replaced && template_of(step.number) == self.written(at))
    }

    /// The path in the Composition as written for one in [`EvaluatedComposition::object`].
    pub fn written(&self, at: &str) -> String {
        const PIPELINE: &str = "spec.pipeline[";
        let found = at.strip_prefix(PIPELINE).and_then(|rest| rest.split_once(']'));
        let step = found.and_then(|(number, rest)| Some((self.steps.get(number.parse::<usize>().ok()?)?, rest)));
        match step {
            Some((WrittenStep { number, is_replaced: true }, _)) => template_of(*number),
            Some((WrittenStep { number, .. }, rest)) => format!("{PIPELINE}{number}]{rest}"),
            None => at.to_owned(),
        }
    }
}

fn template_of(step: usize) -> String {
    format!("spec.pipeline[{step}].input.inline.template")
}

fn is_of_templates(step: &Value) -> bool {
    let text = |path| step.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let group = group_and_version(text("/input/apiVersion")).0;
    Function::of(text("/functionRef/name"), group).is_some_and(|function| function.name == FUNCTION)
}

/// A step that composes the same resources. Without any, the function would refuse its input.
fn replacement(resources: &[Value]) -> Value {
    if resources.is_empty() {
        return json!({"functionRef": {"name": "function-auto-ready"}});
    }
    json!({
        "functionRef": {"name": "function-patch-and-transform"},
        "input": {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": resources},
    })
}
