//! The tags that the resources of one composite get from its Composition: each with its value, and where it is set.

mod filters;
mod immutable;
mod limits;
mod patched_text;
mod reader;
mod refused;
mod transform;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use raw_json::{Document, Malformed};
use tag_delivery::carriers::{Tags, fields_besides};
use tag_delivery::fault::TagFault;
use tag_delivery::simulation::{SimulatedValue, Simulation, steps_in};
use tag_rules::CloudTags;

use self::filters::Filters;
use self::patched_text::PatchedFrom;
pub use self::patched_text::PatchedText;
use self::reader::{Reader, of_resource};
pub use self::refused::{CHECK, findings_of_composite, findings_of_scope};
pub use self::transform::TransformFailure;
pub use tag_delivery::simulation::refusal_of_tag;

/// What a Composition composes for one composite, as far as tags are concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    /// The resources, in their order; one that has tags in several fields, such as those of its volumes, once for each.
    pub resources: Vec<ResourceTags>,
    /// Steps whose resources, or what they do to tags, are not known: the path of each, and why.
    pub unknown: Vec<(String, TagFault)>,
    /// Why nothing is composed, and the path.
    pub failure: Option<(String, TagFault)>,
    /// Patches that fail for this composite.
    pub failing: Vec<FailingPatch>,
}

/// A patch that fails for one composite, and not for every one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingPatch {
    /// Its path.
    pub at: String,
    /// The resource that is not created; `None` if nothing is composed.
    pub resource: Option<String>,
    /// Why.
    pub failure: PatchFailure,
}

/// Why a patch fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchFailure {
    /// A transform fails.
    Transform(TransformFailure),
    /// The API server refuses the value.
    Refused(TagFault),
}

/// The end of a sentence, without a final stop.
impl fmt::Display for PatchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchFailure::Transform(failure) => failure.fmt(f),
            PatchFailure::Refused(fault) => fault.fmt(f),
        }
    }
}

/// The tags of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTags {
    /// Its name in the Composition.
    pub name: String,
    /// The path of its entry there.
    pub at: String,
    /// The API group of its kind.
    pub group: String,
    /// The version of its kind.
    pub version: String,
    /// Its kind.
    pub kind: String,
    /// The field for tags; empty if the kind has none, or none is known.
    pub field: Cow<'static, str>,
    /// The tags, by key. Of a list of strings, each is a key.
    pub tags: BTreeMap<String, ResourceTag>,
    /// Whether the map of tags is set, and has none.
    pub has_empty_map: bool,
    /// Whether the annotation for exemptions is in its base, with a reason.
    pub is_exempt: bool,
    /// Expressions of function-cel-filter that have to be true, or else it is not composed.
    pub conditions: Vec<String>,
    /// Why its tags are not known.
    pub doubt: Option<TagFault>,
    /// Why the API server or the cloud refuses it.
    pub refused: Option<TagFault>,
    /// What a provider does with a change of its tags.
    pub update: TagUpdate,
    /// Whether Crossplane merges the map into the one that is stored, and removes no key.
    pub is_merged: bool,
    /// For a nested composite: the object, as far as it is known.
    pub nested: Option<String>,
    /// Whether all of its metadata is known.
    pub has_known_metadata: bool,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTag {
    /// Its value.
    pub value: PatchedText,
    /// The path of the patch, or of the value in a base, that sets it.
    pub by: String,
    /// Whether Crossplane keeps the value that is stored.
    pub is_kept: bool,
    /// Whether a patch takes it from the environment.
    pub is_of_environment: bool,
}

/// What a provider does with a change of the tags of a resource that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagUpdate {
    /// It changes them in place.
    InPlace,
    /// … and does not create the resource.
    InPlaceOnly,
    /// It refuses the change.
    Refused,
    /// Nothing.
    Never(NoEffect),
    /// Nothing until the end of a pause.
    Waits,
}

/// Why a change of tags does not reach the cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoEffect {
    /// The policies do not include updates.
    WithoutUpdate,
    /// The provider reads the cloud's resource, and neither creates, changes nor deletes it.
    Observing,
    /// The provider refuses the policies.
    UnsupportedPolicies,
    /// Only `spec.initProvider` has the tag.
    InitProvider,
    /// Crossplane 1 merges what it applies.
    ///
    /// Source: Crossplane 1.20.13, internal/controller/apiextensions/composite/composition_pt.go, `NewPTComposer`;
    /// crossplane-runtime 1.20.6, pkg/resource/api.go, `APIPatchingApplicator`.
    MergePatch,
    /// … and an option of the patch keeps the value.
    ///
    /// Source: composite/merge.go, `mergeReplace`.
    KeepMapValues,
}

/// A sentence about the change, lower case, no final stop.
impl fmt::Display for NoEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoEffect::WithoutUpdate => "without `Update` in `managementPolicies`",
            NoEffect::Observing => "by its `managementPolicies` the provider only observes it",
            NoEffect::UnsupportedPolicies => "providers refuse this set of `managementPolicies`",
            NoEffect::InitProvider => "`spec.initProvider` is only read at creation",
            NoEffect::MergePatch => "in `mode: Resources` Crossplane applies a merge patch, which removes no tag",
            NoEffect::KeepMapValues => "`keepMapValues` keeps the value that the resource has",
        })
    }
}

/// The tags of the resources that a Composition composes for a composite, which has all its tags, in an environment, if it
/// is known. All are JSON.
///
/// # Errors
/// When the Composition does not have the structure that Crossplane defines, or its patches expand to more than the limit.
pub fn composed_tags(
    composition: &str,
    composite: &str,
    environment: Option<&str>,
    settings: &CloudTags,
) -> Result<Composed, Malformed> {
    let filters = Filters::of(composition);
    let [composition, composite] = [composition, composite].map(Document::new);
    let environment = environment.map(Document::new);
    let (spec, composite) = (composition.root().get("spec")?, composite.root());
    let environment = environment.as_ref().map_or(SimulatedValue::Unknown, |it| SimulatedValue::Given(it.root()));
    let sources = [SimulatedValue::Given(composite), environment];
    let Simulation { resources: simulated, unknown, failure, environment } = Simulation::of(spec, sources, settings)?;
    let environment = if let SimulatedValue::Given(environment) = environment { Some(environment) } else { None };
    let from = PatchedFrom { composite, environment };
    let (mut resources, mut failing) = (Vec::new(), Vec::new());
    for resource in simulated.iter().filter(|resource| !resource.base.is_null()) {
        let reader = Reader { resource, from };
        let failing_here = reader.failing();
        let refused = failing_here.iter().find_map(|patch| match &patch.failure {
            PatchFailure::Refused(fault) => Some(fault.clone()),
            PatchFailure::Transform(_) => None,
        });
        failing.extend(failing_here);
        let Some(mut own) = of_resource(&reader) else { continue };
        own.refused = own.refused.or(refused);
        own.conditions = filters.of_resource(&own.name);
        let besides = fields_besides(resource.kind.group, resource.kind.kind);
        let besides = besides.map(|field| {
            let (tags, _) = reader.tags(Tags::Map(field), &steps_in(field, &resource.object));
            ResourceTags { field: field.into(), tags, refused: None, has_empty_map: false, ..own.clone() }
        });
        let besides: Vec<ResourceTags> =
            besides.chain(reader.initial(&own)).filter(|resource| !resource.tags.is_empty()).collect();
        resources.push(own);
        resources.extend(besides);
    }
    Ok(Composed { resources, unknown, failure, failing })
}
