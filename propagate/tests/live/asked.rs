//! What is asked of a live cluster: only what a question needs, page by page.

use std::fs;
use std::path::Path;

use crate::api::{Api, Does, propagate};
use crate::{fleet, no_rule};

#[test]
fn only_what_a_question_needs_is_asked_for_and_only_with_get() {
    let composites = "---
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: { name: xdisks.example.org }
spec: { group: example.org, names: { kind: XDisk, plural: xdisks }, claimNames: { kind: Disk, plural: disks } }
---
apiVersion: example.org/v1
kind: XDisk
metadata: { name: d }
---
apiVersion: example.org/v1
kind: Disk
metadata: { namespace: fleet, name: d }
---
apiVersion: example.org/v1
kind: Secret
metadata: { namespace: fleet, name: s }
---
apiVersion: addons.cluster.x-k8s.io/v1beta2
kind: ClusterResourceSet
metadata: { namespace: fleet, name: r }
---
apiVersion: v1
kind: Secret
metadata: { namespace: fleet, name: s }
";
    let api = Api::start("asked", &(fleet() + composites), 500, no_rule);
    api.run(&["explain", "Machine/c1-cp-0"]);
    let cluster_api = api.asked();
    let expected = "\
GET /api/v1
GET /api/v1/nodes?limit=500
GET /apis
GET /apis/bootstrap.cluster.x-k8s.io/v1beta2
GET /apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/fleet/kubeadmconfigs?limit=500
GET /apis/cluster.x-k8s.io/v1beta2
GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/clusterclasses?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/clusters?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/machinedeployments?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/machines?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/machinesets?limit=500
GET /apis/controlplane.cluster.x-k8s.io/v1beta2
GET /apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/fleet/kubeadmcontrolplanes?limit=500
GET /apis/infrastructure.cluster.x-k8s.io/v1beta2
GET /apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/fleet/devmachines?limit=500";
    assert_eq!(cluster_api.join("\n"), expected);
    let api = Api::start("asked-all", &(fleet() + composites), 500, no_rule);
    api.run(&["check", "--live", "--all-namespaces"]);
    let further: Vec<String> = api.asked().into_iter().filter(|asked| !cluster_api.contains(asked)).collect();
    let expected = "\
GET /apis/apiextensions.crossplane.io/v2
GET /apis/apiextensions.crossplane.io/v2/compositeresourcedefinitions?limit=500
GET /apis/bootstrap.cluster.x-k8s.io/v1beta2/kubeadmconfigs?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/clusterclasses?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/clusters?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/machinedeployments?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/machines?limit=500
GET /apis/cluster.x-k8s.io/v1beta2/machinesets?limit=500
GET /apis/controlplane.cluster.x-k8s.io/v1beta2/kubeadmcontrolplanes?limit=500
GET /apis/example.org/v1
GET /apis/example.org/v1/disks?limit=500
GET /apis/example.org/v1/xdisks?limit=500
GET /apis/infrastructure.cluster.x-k8s.io/v1beta2/devmachines?limit=500";
    assert_eq!(further.join("\n"), expected);
}

#[test]
fn lists_are_read_page_by_page() {
    let whole = Api::start("whole", &fleet(), 500, no_rule);
    let paged = Api::start("paged", &fleet(), 1, no_rule);
    let question = ["explain", "Cluster", "-L", "team"];
    assert_eq!(paged.run(&question), whole.run(&question));
    let machines: Vec<String> = paged.asked().into_iter().filter(|asked| asked.contains("/machines?")).collect();
    let path = "GET /apis/cluster.x-k8s.io/v1beta2/namespaces/fleet/machines";
    assert_eq!(machines, [format!("{path}?limit=500"), format!("{path}?limit=500&continue=at-1")]);
}

#[test]
fn a_list_that_the_server_forgets_is_read_at_once() {
    let whole = Api::start("known", &fleet(), 500, no_rule);
    let api = Api::start("forgotten", &fleet(), 1, |path| {
        path.contains("/machines?limit=500&continue=").then_some(Does::Fails(410, "expired"))
    });
    let question = ["explain", "Cluster", "-L", "team"];
    assert_eq!(api.run(&question), whole.run(&question));
}

#[test]
fn a_class_of_another_namespace_is_asked_for_by_name() {
    let class = "
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: { namespace: classes, name: standard }
spec:
  infrastructure: { templateRef: { apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevClusterTemplate, name: t } }
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DevClusterTemplate
metadata: { namespace: classes, name: t }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { namespace: fleet, name: c1 }
spec: { topology: { classRef: { name: standard, namespace: classes }, version: v1.34.2 } }
";
    let api = Api::start("classes", class, 500, no_rule);
    let (code, out, err) = api.run(&["explain", "cluster/c1"]);
    assert_eq!((code, &*out, &*err), (Some(0), "Cluster fleet/c1\n  nothing propagates to it\n", ""));
    let by_name: Vec<String> = api.asked().into_iter().filter(|asked| asked.contains("/classes/")).collect();
    let expected = [
        "GET /apis/cluster.x-k8s.io/v1beta2/namespaces/classes/clusterclasses/standard",
        "GET /apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/classes/devclustertemplates/t",
    ];
    assert_eq!(by_name, expected);
}

#[test]
fn files_are_read_where_files_are_named_or_there_is_no_kubeconfig() {
    let api = Api::start("files", &fleet(), 500, no_rule);
    let folder = api.kubeconfig().parent().unwrap().join("manifests");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("fleet.yaml"), fleet()).unwrap();
    let place = |out: &str| out.lines().nth(1).map(|line| line.rsplit(' ').next().unwrap().to_owned());
    let (code, out, _) = api.run(&["explain", "cluster/c1", "region", "manifests/"]);
    assert_eq!((code, place(&out)), (Some(0), Some("manifests/fleet.yaml:20:72".to_owned())));
    let (code, out, _) = api.run(&["check", "--fail-on", "reject", "--output", "json"]);
    assert!(code == Some(1) && out.contains("manifests/fleet.yaml"), "{out}");
    assert_eq!(api.asked(), Vec::<String>::new());
    let (code, out, err) = api.run(&["explain", "cluster/c1", "region", "manifests/", "--live"]);
    let expected = "error: cannot read both files and a cluster: remove `manifests/`, or --live, --context, --kubeconfig and --all-namespaces\n";
    assert_eq!((code, &*out, &*err), (Some(2), "", expected));
    let output =
        propagate(Path::new("none"), &["explain", "cluster/c1", "region"]).current_dir(&folder).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), place(&out)), (Some(0), Some("fleet.yaml:20:72".to_owned())));
    let output = propagate(Path::new("none"), &["check", "--live"]).current_dir(&folder).output().unwrap();
    let expected = "error: there is no kubeconfig `none` and this is not a Pod; set `--kubeconfig`, or pass files\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(2), expected.into()));
}

#[test]
fn what_was_asked_is_named_where_nothing_is_found() {
    let api = Api::start("nothing-found", &fleet(), 500, no_rule);
    let expected = "read namespace `default` of `SERVER` (context `other`); use `--namespace` for another namespace, or \
                    `--all-namespaces`\n";
    let (code, out, err) = api.run(&["explain", "Machine/c1-cp-0", "--context", "other"]);
    assert_eq!((code, &*out, &*err), (Some(3), "no Machine/c1-cp-0 among 1 object\n", expected));
    let (code, out, _) = api.run(&["explain", "Machine/fleet/c1-cp-0", "--context", "other"]);
    assert_eq!((code, out.lines().next()), (Some(0), Some("Machine fleet/c1-cp-0")));
}
