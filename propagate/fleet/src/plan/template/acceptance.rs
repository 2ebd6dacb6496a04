//! Whether a template may be edited in place: by the webhook of its provider, or the schema of its kind.

use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP};
use serde_json::Value;

use crate::object::ObjectId;
use crate::plan::bare::bare;
use crate::plan::reason;

/// Whether an edit in place is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum Acceptance {
    /// It is.
    Accepted,
    /// It is refused, because of the field at this path.
    Refused(&'static str),
    /// It is not known, for this reason.
    Unknown(&'static str),
}

/// One kind of template.
struct TemplateKind {
    kind: &'static str,
    /// The paths whose values cannot change.
    fixed: &'static [&'static str],
    /// Paths below them whose values can; `*` is every element of a list.
    free: &'static [&'static str],
    /// Whether the values can only not change as long as they are set: transition rules of a schema.
    is_if_set: bool,
    /// One of the paths, and the value that its schema sets where there is none.
    default: Option<(&'static str, &'static str)>,
    /// What becomes of the dry-run with which the topology's controller compares a template.
    dry_run: DryRun,
}

/// What becomes of a dry-run that changes a template of a topology: only a webhook that excepts it lets the topology's
/// controller replace the template by another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum DryRun {
    /// It is accepted.
    Accepted,
    /// It is refused up to this release of the provider.
    RefusedUpTo(&'static str),
    /// It is refused.
    Refused,
}

const fn fixed(kind: &'static str, fixed: &'static [&'static str]) -> TemplateKind {
    TemplateKind { kind, fixed, free: &[], is_if_set: false, default: None, dry_run: DryRun::Accepted }
}

const fn strict(kind: &'static str, fixed: &'static [&'static str]) -> TemplateKind {
    TemplateKind { dry_run: DryRun::Refused, ..self::fixed(kind, fixed) }
}

const fn strict_up_to(release: &'static str, kind: &'static str, fixed: &'static [&'static str]) -> TemplateKind {
    TemplateKind { dry_run: DryRun::RefusedUpTo(release), ..self::fixed(kind, fixed) }
}

const fn free(kind: &'static str) -> TemplateKind {
    fixed(kind, &[])
}

const SPEC: &[&str] = &["spec"];
const TEMPLATE_SPEC: &[&str] = &["spec.template.spec"];

/// Templates of released providers, by kind. For a kind without a row it is not known.
///
/// Sources, the `ValidateUpdate` of each kind if no other is named. Cluster API v1.14: bootstrap/kubeadm/webhooks,
/// controlplane/kubeadm/webhooks, test/infrastructure/docker/webhooks (for kinds `Docker…` v1.11). AWS: webhooks and
/// bootstrap/eks/webhooks. Azure: internal/webhooks. Canonical: bootstrap/api/v1beta2. CloudStack: api/v1beta3. Cloud
/// Director: api/v1beta3. DigitalOcean: api/webhooks. Equinix Metal (Packet): api/v1beta1. Google Cloud: webhooks and
/// exp/webhooks. Hetzner: pkg/webhook. Hivelocity: api/v1alpha1. IBM Cloud: internal/webhooks. K3s: bootstrap/api/v1beta2.
/// KubeVirt: pkg/webhookhandler/validator.go, for the cluster the rule in api/v1alpha1/kubevirtclustertemplate_types.go.
/// MAAS: api/v1beta1. Metal3: internal/webhooks. OpenStack: pkg/webhooks. Oracle: api/v1beta2. Outscale: api/v1beta1, which the
/// API server calls for each version.
/// Proxmox: internal/webhook. RKE2: bootstrap/api and controlplane/api. Scaleway: internal/webhook/v1alpha2. Talos:
/// api/v1beta1 of the bootstrap provider. Tinkerbell: api/v1beta1. vSphere: internal/webhooks.
///
/// Those with `strict` do not except the dry-run of the topology's controller (`IsDryRunRequest`, before v1.11
/// `ShouldSkipImmutabilityChecks`, in util/topology of Cluster API): for Proxmox until #832, for Talos until #258, both merged
/// after the release in the row. Rules of a schema cannot except it. Templates of infrastructure clusters and control planes are
/// not compared so.
///
/// Linode and IONOS Cloud: the rules of their CustomResourceDefinitions; they have no webhooks for templates. Neither
/// webhooks for updates nor such rules have Nutanix, Harvester, k0smotron, LXC, and the other kinds of AWS, Azure, Canonical,
/// Cloud Director, Google Cloud, IBM Cloud, K3s and Oracle that are free here.
#[rustfmt::skip]
const TEMPLATE_KINDS: &[TemplateKind] = &[
    free("KubeadmConfigTemplate"),
    fixed("KubeadmControlPlaneTemplate",    TEMPLATE_SPEC),
    fixed("DevClusterTemplate",             TEMPLATE_SPEC),
    fixed("DevMachineTemplate",             TEMPLATE_SPEC),
    fixed("DockerClusterTemplate",          TEMPLATE_SPEC),
    fixed("DockerMachineTemplate",          TEMPLATE_SPEC),

    fixed("AWSClusterTemplate",             SPEC),
    fixed("AWSMachineTemplate",             TEMPLATE_SPEC),
    free("AWSManagedClusterTemplate"),
    free("EKSConfigTemplate"),
    free("NodeadmConfigTemplate"),
    free("AzureASOManagedClusterTemplate"),
    free("AzureASOManagedControlPlaneTemplate"),
    free("AzureASOManagedMachinePoolTemplate"),
    fixed("AzureClusterTemplate",           TEMPLATE_SPEC),
    fixed("AzureMachineTemplate",           TEMPLATE_SPEC),
    free("AzureManagedClusterTemplate"),
    free("CK8sConfigTemplate"),
    free("CK8sControlPlaneTemplate"),
    strict("CloudStackMachineTemplate", &[
        "spec.template.spec.offering", "spec.template.spec.diskOffering.id", "spec.template.spec.diskOffering.name",
        "spec.template.spec.sshKey", "spec.template.spec.template", "spec.template.spec.details",
        "spec.template.spec.affinity", "spec.template.spec.affinityGroupIDs",
    ]),
    fixed("DOClusterTemplate",              SPEC),
    strict("DOMachineTemplate",              SPEC),
    fixed("GCPClusterTemplate",             SPEC),
    strict("GCPMachineTemplate",             SPEC),
    fixed("GCPManagedClusterTemplate",      SPEC),
    free("GKEConfigTemplate"),
    free("HarvesterClusterTemplate"),
    free("HarvesterMachineTemplate"),
    fixed("HCloudMachineTemplate",          SPEC),
    free("HCloudRemediationTemplate"),
    fixed("HetznerBareMetalMachineTemplate", SPEC),
    free("HetznerBareMetalRemediationTemplate"),
    fixed("HetznerClusterTemplate",         SPEC),
    fixed("HivelocityClusterTemplate",      SPEC),
    fixed("HivelocityMachineTemplate",      SPEC),
    free("HivelocityRemediationTemplate"),
    fixed("IBMPowerVSClusterTemplate",      SPEC),
    free("IBMPowerVSMachineTemplate"),
    free("IBMVPCClusterTemplate"),
    free("IBMVPCMachineTemplate"),
    TemplateKind { is_if_set: true, ..fixed("IonosCloudClusterTemplate", &["spec.template.spec.location"]) },
    TemplateKind { is_if_set: true, default: Some(("spec.template.spec.type", "ENTERPRISE")), ..strict("IonosCloudMachineTemplate", IONOS) },
    free("K0sControlPlaneTemplate"),
    free("K0smotronControlPlaneTemplate"),
    free("K0sWorkerConfigTemplate"),
    free("KThreesConfigTemplate"),
    free("KThreesControlPlaneTemplate"),
    fixed("KubevirtClusterTemplate",        SPEC),
    strict("KubevirtMachineTemplate",        SPEC),
    TemplateKind { is_if_set: true, ..fixed("LinodeClusterTemplate", LINODE_CLUSTER) },
    TemplateKind { is_if_set: true, ..strict("LinodeMachineTemplate", LINODE) },
    free("LXCClusterTemplate"),
    free("LXCMachineTemplate"),
    strict("MaasMachineTemplate", &["spec.template.spec.image", "spec.template.spec.minCPU", "spec.template.spec.minMemory"]),
    free("Metal3ClusterTemplate"),
    fixed("Metal3DataTemplate",             &["spec.metaData", "spec.networkData"]),
    free("Metal3MachineTemplate"),
    free("Metal3RemediationTemplate"),
    free("NutanixClusterTemplate"),
    free("NutanixMachineTemplate"),
    fixed("OpenStackClusterTemplate",       TEMPLATE_SPEC),
    TemplateKind { free: &["spec.template.spec.ports.*.allowedAddressPairs"], ..fixed("OpenStackMachineTemplate", TEMPLATE_SPEC) },
    free("OCIClusterTemplate"),
    free("OCIMachineTemplate"),
    free("OCIManagedClusterTemplate"),
    free("OCIManagedControlPlaneTemplate"),
    free("OCIManagedMachinePoolTemplate"),
    fixed("OscClusterTemplate",             TEMPLATE_SPEC),
    strict_up_to("v1.5.0", "OscMachineTemplate",             TEMPLATE_SPEC),
    free("PacketMachineTemplate"),
    free("ProxmoxClusterTemplate"),
    strict_up_to("v0.9.0", "ProxmoxMachineTemplate",         SPEC),
    free("RemoteClusterTemplate"),
    free("RemoteMachineTemplate"),
    free("RKE2ConfigTemplate"),
    fixed("RKE2ControlPlaneTemplate",       &["spec.template.spec.registrationMethod"]),
    fixed("ScalewayMachineTemplate",        TEMPLATE_SPEC),
    strict_up_to("v0.7.0-alpha.2", "TalosConfigTemplate",            SPEC),
    strict("TinkerbellMachineTemplate",      SPEC),
    fixed("VCDClusterTemplate",             TEMPLATE_SPEC),
    free("VCDMachineTemplate"),
    fixed("VSphereClusterTemplate",         TEMPLATE_SPEC),
    fixed("VSphereMachineTemplate",         TEMPLATE_SPEC),
];

/// Kinds in groups of their own that have the row of their name: internal/webhooks/vmware of vSphere.
const OTHER_GROUPS: &[(&str, &str)] = &[("vmware.infrastructure.cluster.x-k8s.io", "VSphereMachineTemplate")];

const IONOS: &[&str] = &[
    "spec.template.spec.datacenterID",
    "spec.template.spec.failoverIP",
    "spec.template.spec.networkID",
    "spec.template.spec.type",
];

const LINODE_CLUSTER: &[&str] = &[
    "spec.template.spec.network.enableVPCBackends",
    "spec.template.spec.network.useVlan",
    "spec.template.spec.nodeBalancerFirewallRef",
    "spec.template.spec.vpcID",
    "spec.template.spec.vpcRef",
];

#[rustfmt::skip]
const LINODE: &[&str] = &[
    "spec.template.spec.authorizedKeys", "spec.template.spec.authorizedUsers", "spec.template.spec.backupID",
    "spec.template.spec.backupsEnabled", "spec.template.spec.diskEncryption", "spec.template.spec.firewallRef",
    "spec.template.spec.group", "spec.template.spec.image", "spec.template.spec.interfaces",
    "spec.template.spec.ipv6Options", "spec.template.spec.linodeInterfaces", "spec.template.spec.networkHelper",
    "spec.template.spec.placementGroupRef", "spec.template.spec.privateIP", "spec.template.spec.region",
    "spec.template.spec.rootPass", "spec.template.spec.type", "spec.template.spec.vpcID", "spec.template.spec.vpcRef",
];

/// Whether a template of this kind may become another one. What a provider's webhook defaults is compared as written.
pub(in crate::plan) fn acceptance(id: &ObjectId, old: &Value, new: &Value) -> Acceptance {
    let is_known = [BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP].contains(&&*id.group)
        || OTHER_GROUPS.contains(&(&id.group, &id.kind));
    let Some(row) = TEMPLATE_KINDS.iter().find(|row| is_known && row.kind == id.kind) else {
        return Acceptance::Unknown(reason::UNKNOWN_KIND);
    };
    let [old, new] = [old, new].map(|object| without(object, row.free));
    let differs = |path: &&&str| {
        let pointer = format!("/{}", path.replace('.', "/"));
        let default = row.default.filter(|(of, _)| of == *path).map(|(_, value)| Value::from(value));
        let [old, new] = [&old, &new].map(|object| object.pointer(&pointer).and_then(bare).or_else(|| default.clone()));
        old != new && (!row.is_if_set || old.is_some() && new.is_some())
    };
    row.fixed.iter().find(differs).map_or(Acceptance::Accepted, |path| Acceptance::Refused(path))
}

/// What becomes of the dry-run of a template that becomes another one, and the path because of which it is not accepted.
pub(in crate::plan) fn dry_run(id: &ObjectId, old: &Value, new: &Value) -> (DryRun, &'static str) {
    let row = TEMPLATE_KINDS.iter().find(|row| row.kind == id.kind);
    match (row, acceptance(id, old, new)) {
        (Some(row), Acceptance::Refused(path)) => (row.dry_run, path),
        _ => (DryRun::Accepted, ""),
    }
}

fn without(object: &Value, paths: &[&str]) -> Value {
    let mut object = object.clone();
    for path in paths {
        let steps: Vec<&str> = path.split('.').collect();
        remove(&mut object, &steps);
    }
    object
}

fn remove(value: &mut Value, steps: &[&str]) {
    match (steps, value) {
        ([field], Value::Object(fields)) => {
            fields.remove(*field);
        }
        (["*", rest @ ..], Value::Array(elements)) => elements.iter_mut().for_each(|element| remove(element, rest)),
        ([field, rest @ ..], Value::Object(fields)) => {
            if let Some(below) = fields.get_mut(*field) {
                remove(below, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Acceptance::{Accepted, Refused, Unknown};
    use super::*;

    #[test]
    fn each_provider_decides_which_parts_of_a_template_may_change() {
        let machine = |spec: Value| json!({ "spec": { "template": { "spec": spec } } });
        let image = |name: &str| machine(json!({ "image": name, "tags": [name] }));
        let labels = |value: &str| json!({ "spec": { "template": { "metadata": { "labels": { "a": value } } } } });
        let pairs = |address: &str, name: &str| {
            machine(json!({ "ports": [{ "name": name, "allowedAddressPairs": [{ "ipAddress": address }] }] }))
        };
        for (kind, old, new, expected) in [
            ("DevMachineTemplate", image("a"), image("b"), Refused("spec.template.spec")),
            ("DevMachineTemplate", labels("a"), labels("b"), Accepted),
            ("DevMachineTemplate", machine(json!({ "a": null, "b": [] })), machine(json!({})), Accepted),
            ("HCloudMachineTemplate", labels("a"), labels("b"), Refused("spec")),
            ("Metal3MachineTemplate", image("a"), image("b"), Accepted),
            ("KubeadmConfigTemplate", image("a"), image("b"), Accepted),
            ("MaasMachineTemplate", image("a"), image("b"), Refused("spec.template.spec.image")),
            (
                "IonosCloudMachineTemplate",
                machine(json!({})),
                machine(json!({ "type": "VCPU" })),
                Refused("spec.template.spec.type"),
            ),
            ("IonosCloudMachineTemplate", machine(json!({})), machine(json!({ "type": "ENTERPRISE" })), Accepted),
            ("TinkerbellMachineTemplate", labels("a"), labels("b"), Refused("spec")),
            ("LinodeMachineTemplate", image("a"), image("b"), Refused("spec.template.spec.image")),
            ("LinodeMachineTemplate", machine(json!({ "tags": ["a"] })), image("a"), Accepted),
            ("OpenStackMachineTemplate", pairs("10.0.0.1", "p"), pairs("10.0.0.2", "p"), Accepted),
            ("OpenStackMachineTemplate", pairs("10.0.0.1", "p"), pairs("10.0.0.1", "q"), Refused("spec.template.spec")),
            ("AcmeMachineTemplate", image("a"), image("b"), Unknown(reason::UNKNOWN_KIND)),
        ] {
            let id = ObjectId::new(INFRASTRUCTURE_GROUP, kind, "", "");
            assert_eq!(acceptance(&id, &old, &new), expected, "{kind} {old} {new}");
        }
        let vmware = |kind: &str| {
            let id = ObjectId::new(&format!("vmware.{INFRASTRUCTURE_GROUP}"), kind, "", "");
            acceptance(&id, &image("a"), &image("b"))
        };
        assert_eq!(vmware("VSphereMachineTemplate"), Refused("spec.template.spec"));
        assert_eq!(vmware("VSphereClusterTemplate"), Unknown(reason::UNKNOWN_KIND));
    }
}
