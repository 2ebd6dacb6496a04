//! What composites among the files make of a Composition: what the API server or a cloud refuses in their resources, and
//! which of their tags have other values there.

use std::collections::{BTreeMap, BTreeSet};

use composed_tags::{
    CHECK, Composed, FailingPatch, NoEffect, PatchFailure, PatchedText, ResourceTag, ResourceTags, TagUpdate,
    composed_tags, findings_of_composite, findings_of_scope, refusal_of_tag,
};
use metadata_propagation::tags::TagReport;
use metadata_propagation::{Cluster, Report, Settings, Stance, TagDelivery, Tags, evaluate, tags_of_kind};
use serde_json::{Value, json};
use topology::{ObjectPath, ObjectStep};

use crate::check::of_finding;
use crate::object::{ObjectId, create, group_and_version};
use crate::object_finding::{FindingLevel, ObjectFinding};
use crate::templates::{Example, ExampleOrigin};

/// What the resources of a Composition depend on.
pub(crate) struct Surroundings<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) cluster: &'s dyn Cluster,
    /// Its environment as JSON, if all of it is known.
    pub(crate) environment: Option<String>,
}

/// The code of a cloud tag that has another value in a resource; all codes of facts about values.
pub(crate) const OTHER_VALUE: &str = "tags-other-value";
pub(crate) const VALUES: [&str; 3] = [OTHER_VALUE, PATCHED_TAG_REFUSED, NESTED_OTHER];
const PATCHED_TAG_REFUSED: &str = "tags-patched-tag-refused";
const NESTED_OTHER: &str = "tags-nested-other";

/// What is refused or has other tags in the resources that a Composition composes for one of these composites. The first
/// one that a finding is about is named; of further ones, only what is new is said.
pub(crate) fn composed_findings(
    composition: &str,
    composites: &[Example],
    surroundings: &Surroundings<'_>,
) -> Vec<ObjectFinding> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let settings = surroundings.settings;
    for example in composites {
        let Example { origin, composite } = example;
        let composite = tagged(composite, origin, settings, surroundings.cluster);
        // What is malformed is found without a composite too.
        let of_composite = findings_of_composite(composition, &composite.to_string(), &settings.cloud_tags);
        let of_composite = of_composite.into_iter().flatten().filter(|finding| finding.stance != Stance::Ignore);
        let mut of_composite: Vec<ObjectFinding> = of_composite.filter_map(|it| of_finding(&it.widen())).collect();
        if example.is_object() {
            let of_values = surroundings.of_values(composition, &composite);
            let is_new = |it: &ObjectFinding| {
                !of_composite.iter().any(|other| (&other.resource, other.reason) == (&it.resource, it.reason))
            };
            let of_values: Vec<ObjectFinding> = of_values.into_iter().filter(is_new).collect();
            of_composite.extend(of_values);
        }
        let is_new = |it: &ObjectFinding| {
            !seen.contains(&(it.at.clone(), it.reason))
                && !found.iter().any(|other: &ObjectFinding| it.is_same_fault(other))
        };
        let new: Vec<ObjectFinding> = of_composite.into_iter().filter(is_new).collect();
        seen.extend(new.iter().map(|finding| (finding.at.clone(), finding.reason)));
        let named = |finding: ObjectFinding| match example.is_object() || !is_of_base(&finding) {
            true => ObjectFinding { message: format!("with {origin}, {}", finding.message), ..finding },
            false => without_value(finding),
        };
        found.extend(new.into_iter().map(named));
    }
    found
}

/// Whether it is about a value in the base of a resource.
fn is_of_base(finding: &ObjectFinding) -> bool {
    ObjectPath::parse(&finding.at).steps.iter().any(|step| *step == ObjectStep::Field("base".to_owned()))
}

/// A composite that is made from a schema lacks tags, and fields without a type: a value in a base remains there that a
/// patch replaces with others.
fn without_value(finding: ObjectFinding) -> ObjectFinding {
    let message = format!("with a composite that lacks what a patch reads, {}", finding.message);
    let level = finding.level.min(FindingLevel::Warning);
    ObjectFinding { message, level, verdict: Some(TagDelivery::CannotTell), ..finding }
}

impl Surroundings<'_> {
    /// What the values of one composite, which has all its tags, make of patches.
    fn of_values(&self, composition: &str, composite: &Value) -> Vec<ObjectFinding> {
        let (text, tags) = (composite.to_string(), &self.settings.cloud_tags);
        let Ok(Composed { resources, failing, .. }) =
            composed_tags(composition, &text, self.environment.as_deref(), tags)
        else {
            return Vec::new();
        };
        let is_exempt = |name: &str| resources.iter().any(|resource| resource.is_exempt && resource.name == name);
        let failing: Vec<ObjectFinding> = failing
            .iter()
            .filter(|patch| !patch.resource.as_deref().is_some_and(is_exempt))
            .map(|patch| self.of_failing(patch))
            .collect();
        if failing.iter().any(|finding| finding.resource.is_empty()) {
            return failing;
        }
        let tags: BTreeMap<&str, &str> = composite
            .pointer("/spec/cloudTags")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| Some((&**key, value.as_str()?)))
            .collect();
        let has_nested = resources.iter().any(|resource| resource.nested.is_some());
        let own = has_nested.then(|| self.report_of_tags(composite)).flatten();
        let mut found = failing;
        let is_written = |resource: &&ResourceTags| resource.update != TagUpdate::Never(NoEffect::Observing);
        for resource in resources.iter().filter(is_written).filter(|resource| !resource.is_exempt) {
            found.extend(self.of_resource(resource, &tags));
            found.extend(self.of_nested(resource, &tags, own.as_ref()));
        }
        found
    }

    fn of_failing(&self, patch: &FailingPatch) -> ObjectFinding {
        let message = match &patch.resource {
            None => format!("no resource is composed: {}", patch.failure),
            Some(name) => format!("resource `{name}` is not created: {}", patch.failure),
        };
        let reason = match &patch.failure {
            PatchFailure::Transform(_) => "tags-transform-fails",
            PatchFailure::Refused(_) => "tags-value-not-text",
        };
        let resource = patch.resource.clone().unwrap_or_default();
        self.finding((&patch.at, &resource), message, (reason, Some(TagDelivery::Fails)))
    }

    /// The tags of the composite that have another value, and other tags that the cloud does not accept.
    fn of_resource(&self, resource: &ResourceTags, tags: &BTreeMap<&str, &str>) -> Vec<ObjectFinding> {
        let name = &resource.name;
        let mut found = Vec::new();
        for (key, ResourceTag { value, by, .. }) in &resource.tags {
            let known = match value {
                PatchedText::Known(text) => Some(&**text),
                PatchedText::Unknown(_) => None,
            };
            match (tags.get(&**key), known) {
                (Some(tag), Some(known)) if known != *tag => {
                    let message = format!(
                        "resource `{name}`: cloud tag `{key}` is `{known}`, and not `{tag}` as in the composite"
                    );
                    found.push(self.finding((by, name), message, (OTHER_VALUE, Some(TagDelivery::Lost))));
                }
                (Some(_), _) => {}
                (None, _) => {
                    let (group, kind) = (&resource.group, &resource.kind);
                    let is_checked = resource.refused.is_none()
                        && tags_of_kind(group, kind).is_some_and(|known| matches!(known.tags, Tags::Map(_)));
                    let refusal = refusal_of_tag(group, kind, (key, known.unwrap_or_default())).filter(|_| is_checked);
                    let Some((cloud, problem)) = refusal else { continue };
                    let message =
                        format!("resource `{name}`: the API of `{cloud}` does not accept tag `{key}`: {problem}");
                    let finding = self.finding((by, name), message, (PATCHED_TAG_REFUSED, None));
                    found.push(ObjectFinding { level: FindingLevel::Warning, ..finding });
                }
            }
        }
        found
    }

    /// The tags of the composite that a nested one does not get of its labels.
    fn of_nested(
        &self,
        resource: &ResourceTags,
        tags: &BTreeMap<&str, &str>,
        parent: Option<&TagReport>,
    ) -> Vec<ObjectFinding> {
        let name = &resource.name;
        let Some(own) = self.tags_of_nested(resource, parent) else { return Vec::new() };
        let is_other = |(key, tag): &(&&str, &&str)| own.get(**key).is_none_or(|own| own != **tag);
        let other = tags.iter().filter(is_other).filter(|(key, _)| !resource.tags.contains_key(**key));
        let finding = |(key, tag): (&&str, &&str)| {
            let what = match own.get(*key) {
                Some(own) => format!("its labels set cloud tag `{key}` to `{own}`, and not to `{tag}`"),
                None => format!("none of its labels propagates to cloud tag `{key}`"),
            };
            let message = format!("resource `{name}`: {what}");
            self.finding((&resource.at, name), message, (NESTED_OTHER, Some(TagDelivery::Lost)))
        };
        other.map(finding).collect()
    }

    /// The tags that the policy sets on a nested composite. `None` if its labels are not known, it gets none, or its profile
    /// spells keys in another way.
    fn tags_of_nested(&self, resource: &ResourceTags, parent: Option<&TagReport>) -> Option<BTreeMap<String, String>> {
        let nested = resource.nested.as_deref().filter(|_| resource.has_known_metadata)?;
        let own = self.report_of_tags(&serde_json::from_str(nested).ok()?)?;
        (own.profile == parent?.profile && !own.tags.is_empty()).then_some(own.tags)
    }

    fn report_of_tags(&self, composite: &Value) -> Option<TagReport> {
        report_of(composite, self.settings, self.cluster)?.cloud_tags
    }

    fn finding(
        &self,
        (at, resource): (&str, &str),
        message: String,
        (reason, verdict): (&'static str, Option<TagDelivery>),
    ) -> ObjectFinding {
        let level = match self.settings.cloud_tags.compositions {
            Stance::Reject => FindingLevel::Error,
            Stance::Warn | Stance::Ignore => FindingLevel::Warning,
        };
        let found = ObjectFinding::new(level, CHECK, at, message);
        ObjectFinding { resource: resource.to_owned(), reason, verdict, ..found }
    }
}
/// What is not created because composites have a namespace, or because they have none.
pub(crate) fn scope_findings(composition: &str, are_namespaced: bool, settings: &Settings) -> Vec<ObjectFinding> {
    // What is malformed is found without a composite too.
    let found = findings_of_scope(composition, are_namespaced, &settings.cloud_tags).into_iter().flatten();
    found.filter(|finding| finding.stance != Stance::Ignore).filter_map(|it| of_finding(&it.widen())).collect()
}

/// What the policy reports about a composite.
pub(crate) fn report_of(composite: &Value, settings: &Settings, cluster: &dyn Cluster) -> Option<Report> {
    let text = |path| composite.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = group_and_version(text("/apiVersion"));
    let id = ObjectId::new(group, text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
    let json = composite.to_string();
    evaluate(&create(&id, version, &json), settings, cluster).report
}

/// A composite with the tags that the policy sets. Of one that is made from a schema, labels are not known, and neither
/// are fields without a type.
fn tagged(composite: &Value, origin: &ExampleOrigin, settings: &Settings, cluster: &dyn Cluster) -> Value {
    let report = report_of(composite, settings, cluster);
    let mut composite = composite.clone();
    let is_made = matches!(origin, ExampleOrigin::Schema(_));
    if let Some(spec) = composite.get_mut("spec") {
        if is_made {
            remove_empty(spec);
        }
        let tags =
            report.and_then(|report| report.cloud_tags).map(|report| report.tags).filter(|tags| !tags.is_empty());
        match (spec.as_object_mut(), tags) {
            (Some(spec), Some(tags)) => _ = spec.insert("cloudTags".to_owned(), json!(tags)),
            (Some(spec), None) if is_made => _ = spec.remove("cloudTags"),
            _ => {}
        }
    }
    composite
}

fn remove_empty(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.values_mut().for_each(remove_empty);
        fields.retain(|_, field| field.as_object().is_none_or(|object| !object.is_empty()));
    }
}
