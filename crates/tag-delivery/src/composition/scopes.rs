//! Whether the resources of a Composition can have the scope of their composite.
//!
//! Source: Crossplane, internal/controller/apiextensions/composite/composition_functions.go, `Compose`, and
//! composition_render.go, `RenderComposedResourceMetadata`.

use super::field_path::FieldPathStep;
use super::{SimulatedValue, created};
use crate::carriers::is_namespaced;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::Fails;
use crate::faults::Faults;
use crate::json::{Json, Malformed};
use tag_rules::CloudTags;

/// Adds a fault for every resource that is not created because of the scope of its composite.
pub(crate) fn faults_of_scope<'a>(
    spec: Json<'a>,
    is_composite_namespaced: bool,
    composites: &CloudTags,
    faults: &mut Faults<'a>,
) -> Result<(), Malformed> {
    let resources = created(spec, SimulatedValue::composite(&[]), composites)?;
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
    Ok(())
}
