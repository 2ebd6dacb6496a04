//! What Cluster API's webhooks refuse in an edit.

use serde_json::Value;

use super::dns::not_migrated;
use super::objects::etcd;
use super::release::Release;
use super::{EditRule, Refusal, refusal, written};
use crate::relations::text;

/// Edits that people write; not all that the webhooks check.
///
/// Sources, in Cluster API v1.14: the `validate` of core/webhooks/admission, and `validateTopologyVersionUpdate` in
/// core/webhooks/admission/cluster.go; `allowedPaths`, `validateVersion` and `validateClusterConfiguration` in
/// controlplane/kubeadm/webhooks/admission/kubeadmcontrolplane.go.
#[rustfmt::skip]
pub(super) const EDIT_RULES: &[EditRule] = &[
    EditRule { kinds: &["Machine", "MachineDeployment", "MachineHealthCheck", "MachinePool", "MachineSet"], finds: other_cluster },
    EditRule { kinds: &["MachineDeployment", "MachinePool", "MachineSet"], finds: removed_bootstrap },
    EditRule { kinds: &["Cluster"], finds: older_topology },
    EditRule { kinds: &["Cluster"], finds: pending_hook },
    EditRule { kinds: &["Cluster"], finds: removed_parts },
    EditRule { kinds: &["Cluster"], finds: added_topology },
    EditRule { kinds: &["KubeadmControlPlane"], finds: skipped_version },
    EditRule { kinds: &["KubeadmControlPlane"], finds: fixed_configuration },
    EditRule { kinds: &["KubeadmControlPlane"], finds: not_migrated },
    EditRule { kinds: &["KubeadmControlPlane"], finds: removed_section },
    EditRule { kinds: &["KubeadmControlPlane"], finds: other_etcd },
];

const SKIPS_VERSION_CHECK: &str = "unsafe.topology.cluster.x-k8s.io/disable-update-version-check";
const SKIPS_CLASS_CHECK: &str = "unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check";

fn other_cluster(old: &Value, new: &Value) -> Vec<Refusal> {
    let names = written(old, "/spec/clusterName").zip(written(new, "/spec/clusterName"));
    let is_refused = names.is_some_and(|(old, new)| old != new);
    Vec::from_iter(is_refused.then(|| refusal("spec.clusterName", "this field cannot change")))
}

fn removed_bootstrap(old: &Value, new: &Value) -> Vec<Refusal> {
    let has = |object: &Value| {
        let bootstrap = object.pointer("/spec/template/spec/bootstrap");
        bootstrap.is_some_and(|it| {
            ["configRef", "dataSecretName"].iter().any(|name| it.get(name).is_some_and(|it| !is_zero(it)))
        })
    };
    let message = "a `configRef` or a `dataSecretName` is required";
    Vec::from_iter((has(old) && !has(new)).then(|| refusal("spec.template.spec.bootstrap", message)))
}

/// The refusal of an upgrade of a topology over several minor versions, unless its class plans such upgrades.
pub(crate) fn skipped_by_topology(old: &Value, new: &Value) -> Option<Refusal> {
    let (was, is) = releases(old, new, "/spec/topology/version")?;
    let is_refused = is.skips_from(was) && checks_version(new);
    let message = "an upgrade cannot leave out a minor version, because the ClusterClass lists no `kubernetesVersions`";
    is_refused.then(|| refusal("spec.topology.version", message))
}

fn older_topology(old: &Value, new: &Value) -> Vec<Refusal> {
    let Some((was, is)) = releases(old, new, "/spec/topology/version") else { return Vec::new() };
    let is_refused = is < was && checks_version(new);
    Vec::from_iter(is_refused.then(|| refusal("spec.topology.version", "the version of a topology cannot decrease")))
}

/// Another version while a hook of the last upgrade is to be called.
fn pending_hook(old: &Value, new: &Value) -> Vec<Refusal> {
    let differs = releases(old, new, "/spec/topology/version").is_some_and(|(was, is)| was != is);
    let is_refused = differs && is_pending(new, "AfterClusterUpgrade") && checks_version(new);
    let message = "the version cannot change while the hook AfterClusterUpgrade of the last upgrade is pending";
    Vec::from_iter(is_refused.then(|| refusal("spec.topology.version", message)))
}

/// Whether a Cluster's annotation lists a hook that is to be called.
pub(crate) fn is_pending(cluster: &Value, hook: &str) -> bool {
    const PENDING: &str = "runtime.cluster.x-k8s.io/pending-hooks";
    let listed = cluster.pointer("/metadata/annotations").map_or("", |annotations| text(annotations, PENDING));
    listed.split(',').any(|listed| listed == hook)
}

/// Whether the webhook checks the version of a topology.
pub(crate) fn checks_version(cluster: &Value) -> bool {
    !has_annotation(cluster, SKIPS_VERSION_CHECK)
}

fn removed_parts(old: &Value, new: &Value) -> Vec<Refusal> {
    let is_set = |object: &Value, field: &str| {
        object.pointer(&format!("/spec/{field}")).and_then(Value::as_object).is_some_and(|fields| !fields.is_empty())
    };
    // The topology's controller sets the references, so that files need not have them.
    let fields: &[&str] =
        if is_set(new, "topology") { &[] } else { &["topology", "controlPlaneRef", "infrastructureRef"] };
    let removed = fields.iter().filter(|field| is_set(old, field) && !is_set(new, field));
    removed.map(|field| refusal(format!("spec.{field}"), "this field cannot be removed")).collect()
}

fn added_topology(old: &Value, new: &Value) -> Vec<Refusal> {
    let has_topology = |object: &Value| object.pointer("/spec/topology").is_some_and(|topology| !topology.is_null());
    let is_refused = !has_topology(old) && has_topology(new) && !has_annotation(new, SKIPS_CLASS_CHECK);
    Vec::from_iter(is_refused.then(|| refusal("spec.topology", "a topology cannot be added to an existing Cluster")))
}

fn skipped_version(old: &Value, new: &Value) -> Vec<Refusal> {
    let Some((was, is)) = releases(old, new, "/spec/version") else { return Vec::new() };
    let message = "an upgrade cannot leave out a minor version";
    Vec::from_iter(is.skips_from(was).then(|| refusal("spec.version", message)))
}

fn fixed_configuration(old: &Value, new: &Value) -> Vec<Refusal> {
    const FIXED: [&str; 3] = ["controlPlaneEndpoint", "certificatesDir", "caCertificateValidityPeriodDays"];
    let differs = |field: &&str| {
        let [old, new] = [old, new].map(|object| {
            let value = object.pointer(&format!("/spec/kubeadmConfigSpec/clusterConfiguration/{field}"));
            value.filter(|value| !value.is_null() && value.as_str() != Some(""))
        });
        old != new
    };
    let at = |field| format!("spec.kubeadmConfigSpec.clusterConfiguration.{field}");
    FIXED.into_iter().filter(differs).map(|field| refusal(at(field), "this field cannot change")).collect()
}

/// A section of kubeadm's configuration that is gone as a whole: `allowedPaths` has only what is in it.
fn removed_section(old: &Value, new: &Value) -> Vec<Refusal> {
    const SECTIONS: [&str; 3] = ["clusterConfiguration", "initConfiguration", "joinConfiguration"];
    // Fields of v1beta1 that v1beta2 does not have.
    const DROPPED: [&str; 5] = ["apiVersion", "kind", "clusterName", "kubernetesVersion", "networking"];
    let has = |object: &Value, section: &&str| {
        let fields = object.pointer(&format!("/spec/kubeadmConfigSpec/{section}")).and_then(Value::as_object);
        fields.is_some_and(|fields| fields.iter().any(|(name, it)| !DROPPED.contains(&&**name) && !is_zero(it)))
    };
    let removed = SECTIONS.into_iter().filter(|section| has(old, section) && !has(new, section));
    removed
        .map(|section| refusal(format!("spec.kubeadmConfigSpec.{section}"), "it cannot be removed as a whole"))
        .collect()
}

/// Whether a value is left out where it is written: absent, or an object of such.
fn is_zero(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(|fields| fields.values().all(is_zero))
}

fn other_etcd(old: &Value, new: &Value) -> Vec<Refusal> {
    let is_refused = etcd(old, "external").is_some() != etcd(new, "external").is_some();
    let at = "spec.kubeadmConfigSpec.clusterConfiguration.etcd";
    Vec::from_iter(is_refused.then(|| refusal(at, "etcd cannot change between stacked and external")))
}

fn releases(old: &Value, new: &Value, pointer: &str) -> Option<(Release, Release)> {
    Some((Release::read(written(old, pointer)?)?, Release::read(written(new, pointer)?)?))
}

fn has_annotation(object: &Value, key: &str) -> bool {
    object.pointer("/metadata/annotations").is_some_and(|annotations| annotations.get(key).is_some())
}
