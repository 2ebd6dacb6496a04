//! The installation of the policy in a live cluster.

use std::fs;
use std::path::Path;

use crate::api::{Api, Does};
use crate::deployed::with_version;
use crate::{fleet, no_rule};

/// The policy for Cluster API of deploy/ in a cluster with Cluster API.
fn installation() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["policy-server.yaml", "rbac.yaml", "cluster-api.yaml"].map(|name| root.join("../deploy").join(name));
    let files = files.into_iter().chain([root.join("tests/doctor/managers.yaml")]);
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file).unwrap()).collect();
    let kinds = ["Cluster", "ClusterClass", "MachineDeployment", "MachineSet", "Machine", "MachinePool"].map(|kind| {
        let plural = fleet::plural(kind);
        format!(
            "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{ name: {plural}.cluster.x-k8s.io }}
spec:
  group: cluster.x-k8s.io
  names: {{ kind: {kind}, plural: {plural} }}
  versions: [{{ name: v1beta1, served: false }}, {{ name: v1beta2, served: true }}]
"
        )
    });
    let active = "\nstatus: { policyStatus: active }\nspec:\n  module:";
    let text = [texts, kinds.to_vec()].concat().join("\n---\n").replace("\nspec:\n  module:", active);
    with_version(&text)
}

#[test]
fn an_installation_is_read_with_get_and_judged() {
    let yaml = installation().replace("properties: { cloudTags:", "properties: { tags:");
    let api = Api::start("doctor", &yaml, 500, no_rule);
    let (code, out, err) = api.run(&["doctor"]);
    let file = api.kubeconfig().with_file_name("installation.yaml");
    fs::write(&file, &yaml).unwrap();
    assert_eq!((code, &*out, &*err), (Some(0), &*api.run(&["doctor", "installation.yaml"]).1, ""));
    assert!(out.ends_with("15 checks: nothing found; 15 passed, 0 skipped\n"), "{out}");
    let expected = "\
GET /api/v1
GET /api/v1/serviceaccounts?limit=500
GET /apis
GET /apis/apiextensions.crossplane.io/v2
GET /apis/apiextensions.crossplane.io/v2/compositeresourcedefinitions?limit=500
GET /apis/apiextensions.k8s.io/v1
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterclasses.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterpolicyreports.wgpolicyk8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterreports.openreports.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/k0scontrolplanes.controlplane.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/kthreescontrolplanes.controlplane.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/kubeadmcontrolplanes.controlplane.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/labelregistries.labels.plexsphere.com
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/machinedeployments.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/machinepools.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/machines.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/machinesets.cluster.x-k8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/policyreports.wgpolicyk8s.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/reports.openreports.io
GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/rke2controlplanes.controlplane.cluster.x-k8s.io
GET /apis/apps/v1
GET /apis/apps/v1/deployments?limit=500
GET /apis/policies.kubewarden.io/v1
GET /apis/policies.kubewarden.io/v1/clusteradmissionpolicies?limit=500
GET /apis/policies.kubewarden.io/v1/policyservers?limit=500
GET /apis/rbac.authorization.k8s.io/v1
GET /apis/rbac.authorization.k8s.io/v1/clusterrolebindings?limit=500
GET /apis/rbac.authorization.k8s.io/v1/clusterroles?limit=500";
    assert_eq!(api.asked().join("\n"), expected);
}

#[test]
fn what_may_not_be_read_of_an_installation_does_not_pass() {
    let yaml = installation().replace("properties: { cloudTags:", "properties: { tags:");
    let api = Api::start("doctor-forbidden", &yaml, 500, |path| {
        let is_forbidden = path.contains("/clusterrolebindings") || path.contains("/deployments");
        is_forbidden.then_some(Does::Fails(403, "User \"jane\" cannot list it"))
    });
    let (code, out, err) = api.run(&["doctor"]);
    let rest: Vec<&str> = out.lines().filter(|line| !line.starts_with("ok[")).collect();
    let expected = "\
skipped[permissions]: cannot read `deployments.apps`, `clusterrolebindings.rbac.authorization.k8s.io`
skipped[controllers]: cannot read `deployments.apps`
skipped[version]: cannot read `deployments.apps`
skipped[flags]: cannot read `deployments.apps`

15 checks: nothing found; 11 passed, 4 skipped";
    let forbidden = "cannot read `clusterrolebindings.rbac.authorization.k8s.io, deployments.apps`: `SERVER` (context `prod`) \
                     denied the request (403): User \"jane\" cannot list it\n";
    assert_eq!((code, &*rest.join("\n"), &*err), (Some(2), expected, forbidden));
}

#[test]
fn a_cluster_without_the_policy_is_reported_as_such() {
    let api = Api::start("doctor-none", &fleet(), 500, no_rule);
    let (code, out, err) = api.run(&["doctor"]);
    let expected = "\
error[installed]: no policy runs a module named `metadata-propagation-policy`
 |
 = note: nothing is propagated at admission, and no guard rail is on
 = help: apply deploy/policy-server.yaml, deploy/rbac.yaml and deploy/cluster-api.yaml, or install the chart


1 check: 1 error; 0 passed, 0 skipped
";
    assert_eq!((code, &*out, &*err), (Some(1), expected, ""));
}
