//! What prevents the resources of one composite, which has all its tags, from being created: what the API server or a cloud
//! refuses in them, and the scope of their kinds.

use kubernetes::group_and_version;
use raw_json::{Document, Json, Malformed};
use tag_delivery::Finding;
use tag_delivery::carriers::is_namespaced;
use tag_delivery::fault::TagFault;
use tag_delivery::simulation::FaultSeverity::Fails;
use tag_delivery::simulation::{
    ComposedResource, Faults, FieldPathStep, Policies, SimulatedValue, Simulation, judge_values,
};
use tag_rules::{Cloud, CloudTags, Provider, TagRules};

use crate::limits::{judge_other_cloud, judge_tags};

/// The setting of the check that decides about Compositions.
pub const CHECK: &str = "cloudTags.compositions";

/// What the API server or the cloud refuses in the resources that a Composition composes for one composite. Both are JSON.
///
/// # Errors
/// When the Composition does not have the structure that Crossplane defines, or its patches expand to more than the limit.
pub fn findings_of_composite(
    composition: &str,
    composite: &str,
    settings: &CloudTags,
) -> Result<Vec<Finding>, Malformed> {
    let [composition, composite] = [composition, composite].map(Document::new);
    let (spec, composite, mut faults) = (composition.root().get("spec")?, composite.root(), Faults::default());
    let tags = composite.at(&["spec", "cloudTags"])?;
    let has_tag = |key: &str| tags.get(key).is_ok_and(|value| !value.is_null());
    let (profile, cloud) = profile(spec, composite, settings)?;
    for resource in &created(spec, SimulatedValue::Given(composite), settings)? {
        let Some(known) = resource.kind.known else { continue };
        faults.about_resource(resource.name);
        if Policies::of(resource) != Policies::Observing && !judge_values(resource, known, &mut faults) {
            judge_tags(resource, has_tag, Some(profile.tags()), &mut faults);
            judge_other_cloud(resource, has_tag, (profile, cloud), &mut faults);
        }
    }
    Ok(faults.findings(spec, CHECK, settings.compositions))
}

/// The resources that a Composition, which is JSON, does not create because its composites have a namespace, or because they
/// have none.
///
/// Source: Crossplane, internal/controller/apiextensions/composite/composition_functions.go, `Compose`, and
/// composition_render.go, `RenderComposedResourceMetadata`.
///
/// # Errors
/// As for [`findings_of_composite`].
pub fn findings_of_scope(
    composition: &str,
    is_composite_namespaced: bool,
    settings: &CloudTags,
) -> Result<Vec<Finding>, Malformed> {
    let composition = Document::new(composition);
    let (spec, mut faults) = (composition.root().get("spec")?, Faults::default());
    let resources = created(spec, SimulatedValue::composite(&[]), settings)?;
    let composite = spec.string(&["compositeTypeRef", "kind"])?.unwrap_or_default();
    for resource in &resources {
        let kind = resource.kind;
        let Some(namespaced) = is_namespaced(kind.group, kind.kind) else { continue };
        let has_namespace = resource.object.get(&["metadata", "namespace"].map(FieldPathStep::Field)).is_ok();
        // As kubectl writes it.
        let name = [kind.kind, kind.group].join(".");
        let (kind, composite) = (name.trim_end_matches('.').into(), composite.into());
        faults.about_resource(resource.name);
        match (is_composite_namespaced, namespaced) {
            (true, false) => faults.add(Fails, resource.at, TagFault::ClusterScoped { kind, composite }),
            (false, true) if !has_namespace => {
                faults.add(Fails, resource.at, TagFault::WithoutNamespace { kind, composite });
            }
            _ => {}
        }
    }
    Ok(faults.findings(spec, CHECK, settings.compositions))
}

/// Why the API server or the cloud refuses a resource, if it is composed for this composite.
pub(crate) fn refusal(resource: &ComposedResource<'_>, composite: Json<'_>) -> Option<TagFault> {
    let mut faults = Faults::default();
    let tags = composite.at(&["spec", "cloudTags"]).ok();
    let has_tag = |key: &str| tags.is_some_and(|tags| tags.get(key).is_ok_and(|value| !value.is_null()));
    if resource.kind.known.is_some_and(|known| !judge_values(resource, known, &mut faults)) {
        judge_tags(resource, has_tag, None, &mut faults);
    }
    // A field of the status exists once the resources that it is from do.
    let is_refusal =
        |fault: &&TagFault| !matches!(fault, TagFault::RequiredAndAbsent { from } if from.0.starts_with("status."));
    faults.refusals().into_iter().chain(resource.failures()).find(is_refusal).cloned()
}

/// The resources that a composite gets and that are not exempt; none if the Composition fails.
fn created<'a>(
    spec: Json<'a>,
    composite: SimulatedValue<'a>,
    settings: &CloudTags,
) -> Result<Vec<ComposedResource<'a>>, Malformed> {
    let Simulation { resources, .. } = Simulation::of(spec, [composite, SimulatedValue::Unknown], settings)?;
    Ok(resources.into_iter().filter(|resource| !resource.base.is_null() && !resource.is_exempt()).collect())
}

/// The profile that spells and limits the tags of one composite, and the cloud whose interface they are for, if that is
/// known.
fn profile(
    spec: Json<'_>,
    composite: Json<'_>,
    settings: &CloudTags,
) -> Result<(TagRules, Option<&'static Cloud>), Malformed> {
    let api_version = spec.string(&["compositeTypeRef", "apiVersion"])?.unwrap_or_default();
    let kind = spec.string(&["compositeTypeRef", "kind"])?.unwrap_or_default();
    let entry = settings.of_group(group_and_version(api_version).0);
    let provider = entry.and_then(|entry| match &entry.provider {
        Provider::Fixed(provider) => Some(provider.as_str()),
        Provider::ByKind(kinds) => kinds.get(kind).map(String::as_str),
        Provider::Path(path) => path.steps().try_fold(composite, |here, step| here.get(step)).ok()?.as_str(),
    });
    let provider = provider.unwrap_or_default();
    let rules = TagRules::of(settings, provider);
    Ok((rules, rules.cloud(provider)))
}
