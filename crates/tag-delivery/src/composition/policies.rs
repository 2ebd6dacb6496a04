//! What the provider of a composed resource does to the cloud's resource: by `spec.managementPolicies`, and by the annotation
//! for a pause.

use super::field_path::FieldPathStep;
use super::resource::ComposedResource;
use super::value::SimulatedValue;
use crate::json::Json;

/// The annotation that pauses an object of Crossplane if its value is `true`.
///
/// Source: crossplane-runtime 1.20.6 and 2.4.0, pkg/meta/meta.go, `IsPaused`.
pub const CROSSPLANE_PAUSED: &str = "crossplane.io/paused";

/// What a provider does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policies {
    /// Everything, or it is not known.
    Updating,
    /// It keeps a resource up to date that others create.
    UpdatingOnly,
    /// It creates it with its tags, and never changes them.
    CreatingOnly,
    /// It only observes it: then nothing writes its tags.
    Observing,
    /// Nothing, because of what is named here.
    Paused(&'static str),
    /// Nothing: it refuses this set of policies.
    Unsupported,
}

/// The sets of policies that providers support, each in the order of names.
///
/// Source: crossplane-runtime 1.20.6 and 2.4.0, pkg/reconciler/managed/policies.go, `defaultSupportedManagementPolicies`, and
/// reconciler.go, `Reconcile`: a pause comes first, then the refusal of other sets. No provider of the carriers has others.
#[rustfmt::skip]
const SUPPORTED: [(&[&str], Policies); 15] = [
    (&["*"],                                                       Policies::Updating),
    (&["Create", "Delete", "LateInitialize", "Observe", "Update"], Policies::Updating),
    (&["Create", "Delete", "Observe", "Update"],                   Policies::Updating),
    (&["Create", "LateInitialize", "Observe", "Update"],           Policies::Updating),
    (&["Create", "Observe", "Update"],                             Policies::Updating),
    (&["LateInitialize", "Observe", "Update"],                     Policies::UpdatingOnly),
    (&["Observe", "Update"],                                       Policies::UpdatingOnly),
    (&["Create", "Delete", "LateInitialize", "Observe"],           Policies::CreatingOnly),
    (&["Create", "Delete", "Observe"],                             Policies::CreatingOnly),
    (&["Create", "LateInitialize", "Observe"],                     Policies::CreatingOnly),
    (&["Create", "Observe"],                                       Policies::CreatingOnly),
    (&["Delete", "Observe"],                                       Policies::Observing),
    (&["LateInitialize", "Observe"],                               Policies::Observing),
    (&["Observe"],                                                 Policies::Observing),
    (&[],                                                          Policies::Paused("managementPolicies: []")),
];

impl Policies {
    /// What the provider of a resource does.
    pub fn of(resource: &ComposedResource<'_>) -> Self {
        let paused = given(resource, &["metadata", "annotations", CROSSPLANE_PAUSED]);
        if paused.is_some_and(|value| value.as_str() == Some("true")) {
            return Policies::Paused(CROSSPLANE_PAUSED);
        }
        // A composite may have a field of this name for others.
        let policies = given(resource, &["spec", "managementPolicies"]).filter(|_| !resource.kind.is_composite);
        let names = policies.and_then(Json::as_elements).map(|all| all.map(Json::as_str).collect::<Option<Vec<_>>>());
        let Some(mut names) = names.flatten() else { return Policies::Updating };
        names.sort_unstable();
        names.dedup();
        let row = SUPPORTED.iter().find(|(supported, _)| *supported == names);
        row.map_or(Policies::Unsupported, |(_, policies)| *policies)
    }
}

/// Whether nothing writes the tags of a resource.
pub(super) fn is_observed(resource: &ComposedResource<'_>) -> bool {
    Policies::of(resource) == Policies::Observing
}

/// A value that is known as a whole.
fn given<'a>(resource: &ComposedResource<'a>, path: &[&'static str]) -> Option<Json<'a>> {
    let steps: Vec<FieldPathStep<'a>> = path.iter().copied().map(FieldPathStep::Field).collect();
    match resource.object.get(&steps).as_deref() {
        Ok(SimulatedValue::Given(json)) => Some(*json),
        _ => None,
    }
}
