//! Labels and annotations that are set where they do not propagate, and where to set them instead.

use crate::catalog::keys::{NODE_DOMAIN, TEMPLATE_HASH, TOPOLOGY_OWNED, belongs_to, is_never, prefix};
use crate::catalog::tools::is_set_by_tools;
use crate::catalog::{Place, Rule};
use crate::fact::SetInstead;
use crate::json::Malformed;
use crate::propagation::metadata::SourceKeys;
use crate::settings::ClusterApi;
use crate::skipped::{Carried, SkipReason, Skipped};
use crate::subject::Subject;
use kubernetes::{MapKind, NotApplicable, NotApplicableReason, SourceObject};

/// The keys that this request adds or changes at a place from which nothing propagates, although the object has a
/// machine template that would propagate them.
///
/// Excluded are keys of Cluster API, of controllers, of tools that apply manifests and of `clusterApi.ignoreMisplaced`,
/// and keys that the template also has or that propagate from `above`. If the sources are not known, nothing is
/// reported.
pub fn wrong_places(
    subject: &Subject<'_>,
    inert: Option<&NotApplicable>,
    source_keys: &SourceKeys<'_>,
    settings: &ClusterApi,
) -> Result<Vec<Skipped>, Malformed> {
    let mut skipped = Vec::new();
    let knows = inert.is_none_or(|inert| inert.reason == NotApplicableReason::NoOwner);
    // Some control planes of other providers have no machine template.
    let has_template = subject.place != Some(Place::ControlPlane)
        || subject.is_kubeadm()
        || !subject.object.spec.get("machineTemplate")?.is_null();
    let places = subject.place.zip(subject.template());
    let Some((place, template)) = places.filter(|_| knows && has_template) else {
        return Ok(skipped);
    };
    for map in MapKind::BOTH {
        if !Rule::reading(place, map, settings.version).any(|rule| rule.to.is_empty()) {
            continue;
        }
        let old = subject.old_map(place, map)?;
        let in_template = template.map(&subject.object, map, None)?;
        for (key, value) in subject.object.top_level(map).iter() {
            let of_controllers = match map {
                MapKind::Labels => key == TEMPLATE_HASH,
                MapKind::Annotations => is_never(key),
            };
            // Keys for Nodes are the user's, although their domain is one of Cluster API's.
            let of_cluster_api =
                of_controllers || prefix(key).ends_with("cluster.x-k8s.io") && !belongs_to(key, NODE_DOMAIN);
            let is_ignored =
                || settings.ignore_misplaced.iter().any(|ignored| *key == **ignored || belongs_to(key, ignored));
            let has_its_place = || source_keys.has(map, key);
            if of_cluster_api
                || is_set_by_tools(key)
                || is_ignored()
                || old.get(key) == Some(value)
                || in_template.contains_key(key)
                || has_its_place()
            {
                continue;
            }
            skipped.push(Skipped {
                carried: Carried::Map(map),
                key: key.to_owned(),
                from: SourceObject::from(&subject.title()).into(),
                reason: SkipReason::NotPropagated,
                value: None,
                instead: Some(set_instead(subject, template, map)),
            });
        }
    }
    Ok(skipped)
}

/// Where to set a key so that it reaches the Machines: in the topmost object that controls this one.
pub(crate) fn set_instead(subject: &Subject<'_>, template: Place, map: MapKind) -> SetInstead {
    let is_of_topology = subject.object.labels.contains_key(TOPOLOGY_OWNED);
    let place = match subject.place {
        Some(Place::ControlPlane) if is_of_topology => Place::ControlPlaneTopology,
        Some(Place::MachineDeployment) if is_of_topology => Place::MachineDeploymentTopology,
        Some(Place::MachinePool) if is_of_topology => Place::MachinePoolTopology,
        Some(Place::MachineSet) if subject.object.controller().is_some() => Place::MachineDeploymentTemplate,
        _ => return SetInstead::Here(format!("{template}.{map}").trim_start_matches('.').to_owned()),
    };
    SetInstead::Source([place.owner(), &place.to_string()].concat())
}
