//! Which kinds a policy reads, according to its rules and its settings.

use std::collections::BTreeMap;

use fleet::plural;
use metadata_propagation::{GRANTS, Grant, ROUTES, Settings};

use super::installation::Installation;
use super::policy::InstalledPolicy;
use crate::registries::named as registries;

const CORE: &str = "cluster.x-k8s.io";
const CONTROL_PLANE: &str = "controlplane.cluster.x-k8s.io";
const INFRASTRUCTURE: &str = "infrastructure.cluster.x-k8s.io";
const BOOTSTRAP: &str = "bootstrap.cluster.x-k8s.io";
const LABELS: &str = "labels.plexsphere.com";

/// A kind that is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Need {
    pub(crate) group: String,
    pub(crate) kind: String,
    /// The versions in which it may be read: one of them is sufficient.
    pub(crate) versions: Vec<String>,
    /// The names of the objects that are read; none if any object of the kind may be read.
    pub(crate) names: Vec<String>,
}

impl Need {
    /// The resource with its group, in kubectl's notation.
    pub(crate) fn resource(&self, installation: &Installation<'_>) -> String {
        let resource = installation.resource(&self.group, &self.kind);
        if self.group.is_empty() { resource } else { format!("{resource}.{}", self.group) }
    }
}

/// The kinds that a policy reads and that are installed, as far as that is known.
pub(crate) fn needs(installation: &Installation<'_>, policy: &InstalledPolicy<'_>, settings: &Settings) -> Vec<Need> {
    let classes = classes(policy, settings);
    let mut found: BTreeMap<(&str, &str), Need> = BTreeMap::new();
    let routes = ROUTES.iter().filter(|route| route.of.split(", ").any(|of| classes.contains(&of)));
    let gets = routes.flat_map(|route| route.gets).map(|(name, _)| *name);
    // Whether the Cluster is paused is read before anything is changed.
    let paused = Some("Cluster").filter(|_| policy.is_for_cluster_api() && !classes.is_empty());
    for name in gets.chain(paused) {
        for grant in granted(name, installation, policy, settings) {
            let Some(versions) = versions(installation, grant) else { continue };
            let names = if grant.kind == "LabelRegistry" { registries(settings) } else { Vec::new() };
            let (group, kind) = (grant.group.to_owned(), grant.kind.to_owned());
            found.insert((grant.group, grant.kind), Need { group, kind, versions, names });
        }
    }
    let mut needs: Vec<Need> = found.into_values().collect();
    if let Some(tenant) = settings.cloud_tags.sources.tenant.as_ref().filter(|_| classes.contains(&"Composite"))
        && let Some((kind, group)) = tenant.kind.split_once('.')
    {
        let versions = vec![tenant.version.to_string()];
        needs.push(Need { group: group.to_owned(), kind: kind.to_owned(), versions, names: Vec::new() });
    }
    if policy.is_for_cluster_api() {
        let further = settings.lookup.api_versions.iter().filter_map(|(name, version)| {
            let (kind, group) = name.split_once('.')?;
            let versions = vec![version.to_string()];
            Some(Need { group: group.to_owned(), kind: kind.to_owned(), versions, names: Vec::new() })
        });
        for need in further {
            needs.retain(|known| (&known.group, &known.kind) != (&need.group, &need.kind));
            needs.push(need);
        }
    }
    needs
}

/// The entries in the first column of `ROUTES` for the objects of the policy's rules.
fn classes(policy: &InstalledPolicy<'_>, settings: &Settings) -> Vec<&'static str> {
    let mut classes = Vec::new();
    for rule in policy.rules() {
        for (group, resource) in rule.groups.iter().flat_map(|group| rule.resources.iter().map(move |it| (*group, *it)))
        {
            if group != "*" && resource != "*" {
                classes.extend(class(group, resource, settings));
                continue;
            }
            let of_group = |known: &str| group == "*" || known == group;
            let named = KNOWN.iter().filter(|(known, name)| of_group(known) && (resource == "*" || *name == resource));
            classes.extend(named.filter_map(|(group, resource)| class(group, resource, settings)));
            let groups = settings.cloud_tags.composites.iter().flat_map(|composites| &composites.api_groups);
            classes.extend(groups.filter(|known| of_group(known)).filter_map(|group| class(group, resource, settings)));
        }
    }
    classes
}

/// A resource of each class, for rules with wildcards.
const KNOWN: &[(&str, &str)] = &[
    (CORE, "machinedeployments"),
    (CORE, "machinesets"),
    (CORE, "machinepools"),
    (CORE, "machines"),
    (CONTROL_PLANE, "kubeadmcontrolplanes"),
    (INFRASTRUCTURE, "devmachines"),
    (BOOTSTRAP, "kubeadmconfigs"),
    ("", "nodes"),
    (LABELS, "labelregistries"),
];

fn class(group: &str, resource: &str, settings: &Settings) -> Option<&'static str> {
    let has_registry = settings.cloud_tags.registry.is_some() || settings.cloud_tags.reads_namespaces();
    let is_composite = || {
        let mut groups = settings.cloud_tags.composites.iter().flat_map(|composites| &composites.api_groups);
        groups.any(|known| **known == *group)
    };
    match (group, resource) {
        (CONTROL_PLANE | INFRASTRUCTURE | BOOTSTRAP, resource) if resource.ends_with("templates") => None,
        (CORE, "machinedeployments") => Some("MachineDeployment"),
        (CORE, "machinesets") => Some("MachineSet"),
        (CORE, "machinepools") => Some("MachinePool"),
        (CORE, "machines") => Some("Machine"),
        (CONTROL_PLANE, _) => Some("ControlPlane"),
        (INFRASTRUCTURE, resource) if resource.ends_with("clusters") => {
            let kinds = &settings.cluster_api.cloud_tags.kinds;
            kinds.iter().any(|kind| plural(kind) == resource).then_some("InfraCluster")
        }
        (INFRASTRUCTURE | BOOTSTRAP, _) => Some("InfraMachine"),
        ("", "nodes") => Some("Node"),
        (LABELS, "labelregistries") => (registries(settings).len() > 1).then_some("LabelRegistry"),
        _ => (has_registry && is_composite()).then_some("Composite"),
    }
}

/// The kinds of a name in `ROUTES`.
fn granted(
    name: &str,
    installation: &Installation<'_>,
    policy: &InstalledPolicy<'_>,
    settings: &Settings,
) -> Vec<&'static Grant> {
    let is_in_rules = |grant: &Grant| {
        policy
            .rules()
            .iter()
            .any(|rule| rule.groups.contains(&CONTROL_PLANE) && rule.resources.contains(&&*plural(grant.kind)))
    };
    let is_known = |grant: &Grant| match installation.served(grant.group, grant.kind) {
        Some(versions) => !versions.is_empty(),
        None => grant.kind == "KubeadmControlPlane" || is_in_rules(grant),
    };
    let is_meant = |grant: &&Grant| match name {
        "ControlPlane" => grant.group == CONTROL_PLANE && !grant.kind.ends_with("Template") && is_known(grant),
        "ControlPlaneTemplate" => grant.group == CONTROL_PLANE && grant.kind.ends_with("Template"),
        "LabelRegistry" => grant.kind == name && settings.cloud_tags.registry.is_some(),
        "Namespace" => grant.kind == name && settings.cloud_tags.reads_namespaces(),
        name => grant.kind == name,
    };
    GRANTS.iter().filter(is_meant).collect()
}

/// The versions of a grant that are served; `None` if the kind is not installed.
fn versions(installation: &Installation<'_>, grant: &Grant) -> Option<Vec<String>> {
    let known = grant.versions.iter().map(|version| (*version).to_owned());
    match installation.served(grant.group, grant.kind) {
        None => Some(known.collect()),
        Some(served) => {
            Some(known.filter(|version| served.contains(version)).collect::<Vec<_>>()).filter(|it| !it.is_empty())
        }
    }
}
