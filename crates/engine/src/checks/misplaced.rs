//! Labels and annotations put where nothing propagates from: why they will not arrive, and where they would.

use std::collections::BTreeSet;

use crate::admission::subject::Subject;
use crate::catalog::keys::{TEMPLATE_HASH, TOPOLOGY_OWNED, is_never, prefix};
use crate::catalog::place::{MapKind, Place};
use crate::catalog::rules::Rule;
use crate::catalog::version::Version;
use crate::json::Malformed;
use crate::report::not_applicable::NotApplicableReason;
use crate::report::outcome::Report;
use crate::report::skipped::{Carried, SkipReason, Skipped};
use crate::report::warnings;

/// The keys that this request adds or changes at a place that goes nowhere, although the object has a machine template
/// that would carry them.
///
/// Keys of Cluster API and of controllers are left out, and keys that the template has as well, or that came from above
/// (`carried`). Where it is not known what comes from above, nothing is said.
///
/// # Errors
/// When the object has another shape than Kubernetes gives it.
pub(crate) fn wrong_places(
    subject: &Subject<'_>,
    report: &Report,
    carried: &BTreeSet<(MapKind, String)>,
    version: Version,
) -> Result<(Vec<Skipped>, Vec<String>), Malformed> {
    let mut skipped = Vec::new();
    let mut told = Vec::new();
    let knows = report.inert.as_ref().is_none_or(|inert| inert.reason == NotApplicableReason::NoOwner);
    // Not every control plane of others has a machine template to put anything under.
    let has_template = subject.place != Some(Place::ControlPlane)
        || subject.is_kubeadm()
        || subject.object.spec.at(&["machineTemplate"], None)?.is_some();
    let places = subject.place.zip(subject.template());
    let Some((place, template)) = places.filter(|_| knows && has_template) else {
        return Ok((skipped, told));
    };
    for map in MapKind::BOTH {
        if !Rule::reading(place, map, version).any(|rule| rule.to.is_empty()) {
            continue;
        }
        let old = subject.old_map(place, map)?;
        let in_template = subject.object.map(template, map, None)?;
        for (key, value) in subject.object.top_level(map) {
            let of_controllers = match map {
                MapKind::Labels => key == TEMPLATE_HASH,
                MapKind::Annotations => is_never(key),
            };
            let of_cluster_api = of_controllers || prefix(key).ends_with("cluster.x-k8s.io");
            let has_its_place = || carried.contains(&(map, key.to_string()));
            if of_cluster_api || old.get(key) == Some(value) || in_template.contains_key(key) || has_its_place() {
                continue;
            }
            skipped.push(Skipped {
                carried: Carried::Map(map),
                key: key.clone().into_owned(),
                from: report.object.clone(),
                reason: SkipReason::NotPropagated,
                value: None,
            });
            let entry = map.entry();
            told.push(warnings::short(
                &format!("{entry} `{key}` goes nowhere; put it under {}", place_for(subject, template, map)),
                key,
            ));
        }
    }
    Ok((skipped, told))
}

/// Where a key would have to stand to reach the Machines: as far up as the object is controlled.
pub(crate) fn place_for(subject: &Subject<'_>, template: Place, map: MapKind) -> String {
    let of_cluster = subject.object.labels.contains_key(TOPOLOGY_OWNED);
    let (kind, place) = match subject.place {
        Some(Place::ControlPlane) if of_cluster => ("Cluster ", Place::ControlPlaneTopology),
        Some(Place::MachineDeployment) if of_cluster => ("Cluster ", Place::MachineDeploymentTopology),
        Some(Place::MachinePool) if of_cluster => ("Cluster ", Place::MachinePoolTopology),
        Some(Place::MachineSet) if subject.object.controller().is_some() => {
            ("MachineDeployment ", Place::MachineDeploymentTemplate)
        }
        _ => ("", template),
    };
    // The map is the one the sentence began with; room is short.
    let map =
        if place == template || subject.place == Some(Place::MachineSet) { format!(".{map}") } else { String::new() };
    format!("{kind}{}{map}", place.to_string().trim_start_matches('.'))
}
