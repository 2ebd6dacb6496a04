//! Cluster API's own managers, according to their Deployments.

use metadata_propagation::{ClusterApi, Version};
use serde_json::Value;

use super::finding::CheckResults;
use super::image::name_and_tag;
use super::installation::Installation;
use super::item::{Item, texts};
use super::policy::InstalledPolicy;
use super::rbac::Account;

/// The managers that set labels on Cluster API's objects: the label `cluster.x-k8s.io/provider` that clusterctl,
/// Cluster API Operator and Rancher Turtles set, and the name of the image in their released manifests.
const MANAGERS: &[(&str, &str, &str)] = &[
    (CORE, "cluster-api-controller", "the core manager"),
    ("bootstrap-kubeadm", "kubeadm-bootstrap-controller", "the kubeadm bootstrap manager"),
    ("control-plane-kubeadm", "kubeadm-control-plane-controller", "the kubeadm control plane manager"),
];

const CORE: &str = "cluster-api";

/// The label of the Deployments of all providers.
const PROVIDER: &str = "cluster.x-k8s.io/provider";

/// Whether a Deployment runs a manager of Cluster API or of one of its providers.
pub(crate) fn is_manager(deployment: &Value) -> bool {
    let has_label = deployment.pointer("/metadata/labels").is_some_and(|labels| labels.get(PROVIDER).is_some());
    let containers = deployment.pointer("/spec/template/spec/containers").and_then(Value::as_array);
    let mut images = containers.into_iter().flatten().filter_map(|container| container.get("image")?.as_str());
    has_label || images.any(|image| MANAGERS.iter().any(|(_, name, _)| name_and_tag(image).0 == *name))
}

/// A Deployment of Cluster API.
pub(crate) struct Manager<'a> {
    pub(crate) item: &'a Item<'a>,
    /// Such as `the core manager`.
    pub(crate) title: &'static str,
    pub(crate) is_core: bool,
    pub(crate) account: Account,
    pub(crate) image: &'a str,
    arguments: Vec<&'a str>,
}

/// The managers that are installed.
pub(crate) fn managers<'a>(installation: &Installation<'a>) -> Vec<Manager<'a>> {
    installation.of_kind("apps", "Deployment").filter_map(manager).collect()
}

/// Compares the settings of each policy for Cluster API with each core manager.
pub(crate) fn with_core_managers<'a>(
    installation: &Installation<'a>,
    results: &mut CheckResults<'a>,
    compare: impl Fn(&InstalledPolicy<'a>, &ClusterApi, &Manager<'a>, &mut CheckResults<'a>),
) {
    let managers = managers(installation);
    let cores: Vec<_> = managers.iter().filter(|manager| manager.is_core).collect();
    for policy in installation.policies.iter().filter(|policy| policy.is_for_cluster_api()) {
        let Some(settings) = policy.valid_settings(results) else { continue };
        if cores.is_empty() {
            results.not_examined(&policy.title(), "there is no Deployment of the core manager");
        }
        cores.iter().for_each(|core| compare(policy, &settings.cluster_api, core, results));
    }
}

fn manager<'a>(item: &'a Item<'a>) -> Option<Manager<'a>> {
    let containers: Vec<&Value> = item.at("/spec/template/spec/containers").as_array().into_iter().flatten().collect();
    let image = |container: &'a Value| container.get("image").and_then(Value::as_str).unwrap_or_default();
    let label = item.label(PROVIDER);
    let is_meant = |(provider, name, _): &&(&str, &str, &str)| {
        label == Some(provider) || containers.iter().any(|container| name_and_tag(image(container)).0 == *name)
    };
    let (provider, name, title) = MANAGERS.iter().find(is_meant)?;
    let own = containers.iter().find(|container| name_and_tag(image(container)).0 == *name);
    let named = containers.iter().find(|container| container.get("name").is_some_and(|name| name == "manager"));
    let container = own.or(named).or(containers.first()).copied();
    let account = Some(item.text("/spec/template/spec/serviceAccountName")).filter(|name| !name.is_empty());
    Some(Manager {
        item,
        title,
        is_core: *provider == CORE,
        account: Account { namespace: item.object.id.namespace.clone(), name: account.unwrap_or("default").to_owned() },
        image: container.map(image).unwrap_or_default(),
        arguments: ["command", "args"]
            .into_iter()
            .flat_map(|field| texts(container.and_then(|container| container.get(field))))
            .collect(),
    })
}

impl Manager<'_> {
    /// Cluster API's version by the tag of the image; the part after a `-` or `+` makes no difference.
    pub(crate) fn version(&self) -> Option<Version> {
        let (_, tag) = name_and_tag(self.image);
        tag?.split(['-', '+']).next()?.parse().ok()
    }

    /// The values of a flag, in the order in which they are set: after `=`, or as the next argument.
    pub(crate) fn flag(&self, name: &str) -> Vec<&str> {
        let numbers = 0..self.arguments.len();
        let values = numbers.filter_map(|number| {
            let argument = *self.arguments.get(number)?;
            let argument = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))?;
            match argument.strip_prefix(name)? {
                "" => self.arguments.get(number + 1).copied(),
                rest => rest.strip_prefix('='),
            }
        });
        values.flat_map(|value| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// The Deployment.
    pub(crate) fn place(&self) -> String {
        format!("Deployment {}/{}", self.item.object.id.namespace, self.item.object.id.name)
    }
}
