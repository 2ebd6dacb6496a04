//! What is answered about a live cluster.

use std::fs;
use std::path::Path;

use crate::api::Api;
use crate::archive::Archive;
use crate::{fleet, no_rule};

#[test]
fn a_label_is_explained_in_a_live_cluster() {
    let api = Api::start("explain", &fleet(), 500, no_rule);
    let (code, out, err) = api.run(&["explain", "Machine/c1-md0-x7k2p-1", "team"]);
    let expected = "\
ClusterClass fleet/standard
  spec.workers.machineDeployments[worker].metadata.labels: platform (set here) clusterclasses.cluster.x-k8s.io/fleet/standard:37:37
Cluster fleet/c1
  spec.topology.workers.machineDeployments[md0].metadata.labels: payments (set here) clusters.cluster.x-k8s.io/fleet/c1:37:41
MachineDeployment fleet/c1-md0
  metadata.labels, spec.template.metadata.labels: payments (missing) machinedeployments.cluster.x-k8s.io/fleet/c1-md0:5:9
    `.spec.topology.workers.machineDeployments[i].metadata.labels` => `MachineDeployment.labels`, `MachineDeployment.spec.template.metadata.labels`
  from ClusterClass fleet/standard .spec.workers.machineDeployments[i].metadata: platform not propagated
    overridden by a source with higher precedence
    help: change the source with higher precedence, or remove the key there
MachineSet fleet/c1-md0-x7k2p
  metadata.labels, spec.template.metadata.labels: payments (missing) machinesets.cluster.x-k8s.io/fleet/c1-md0-x7k2p:5:9
    `.spec.template.metadata.labels` => `MachineSet.labels`, `MachineSet.spec.template.metadata.labels`
Machine fleet/c1-md0-x7k2p-1
  metadata.labels: payments (missing)
    `.spec.template.metadata.labels` => `Machine.labels`, `InfraMachine.labels`, `BootstrapConfig.labels`
Node worker-1
  from Machine fleet/c1-md0-x7k2p-1: not propagated
    the key meets none of the criteria for syncing to Nodes
    help: use `node.cluster.x-k8s.io/team`, or add the label to the manager's flag `--additional-sync-machine-labels` and to `clusterApi.node.additionalLabels`
";
    assert_eq!((code, &*out, &*err), (Some(0), expected, ""));
}

#[test]
fn manifests_are_planned_against_the_cluster() {
    let applied = "\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: c1, labels: { region: south } }
";
    let api = Api::start("plan", &fleet(), 500, no_rule);
    let folder = api.kubeconfig().parent().unwrap().to_owned();
    fs::write(folder.join("cluster.yaml"), applied).unwrap();
    let (code, out, err) = api.run(&["plan", "cluster.yaml"]);
    let expected = "\
Cluster fleet/c1 changes
  no effect metadata.labels: replaces no Machines
  ~ metadata.labels region=south (was north)

replaces 0 Machines, deletes 0, relabels 1 object
";
    assert_eq!((code, &*out, &*err), (Some(1), expected, ""));
    fs::write(folder.join("same.yaml"), applied.replace("south", "north")).unwrap();
    assert_eq!(api.run(&["plan", "same.yaml"]), (Some(0), "nothing changes\n".to_owned(), String::new()));
    let twice = "error: Cluster fleet/c1 is defined in cluster.yaml:3 and in same.yaml:3: it is not known which one counts; pass the \
        files of one of them\n";
    assert_eq!(api.run(&["plan", "--live", "cluster.yaml", "same.yaml"]), (Some(2), String::new(), twice.to_owned()));
    let asked = api.asked();
    assert!(asked.iter().all(|asked| asked.starts_with("GET ")), "{asked:?}");
}

#[test]
fn a_plan_against_a_cluster_is_the_one_between_two_trees() {
    let repositories = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/repositories");
    let repository = Archive::read(&repositories.join("another-template.txtar"));
    let read = |file: &str| repository.files.iter().find(|(path, _)| path == file).unwrap().1.clone();
    let files = ["class.yaml", "templates.yaml", "clusters.yaml"];
    let stored = files.map(|file| read(&format!("before/{file}"))).join("---\n");
    let api = Api::start("two-trees", &stored, 500, no_rule);
    let folder = api.kubeconfig().parent().unwrap().to_owned();
    // What is applied need not have what is stored.
    let class = read("after/class.yaml");
    let replicas = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: c1, namespace: fleet }
spec: { topology: { controlPlane: { replicas: 1 } } }
";
    fs::create_dir_all(folder.join("applied")).unwrap();
    fs::write(folder.join("applied/class.yaml"), &class).unwrap();
    fs::write(folder.join("applied/cluster.yaml"), replicas).unwrap();
    fs::write(folder.join("old.yaml"), &stored).unwrap();
    let clusters = read("before/clusters.yaml").replace("controlPlane: {replicas: 3}", "controlPlane: {replicas: 1}");
    fs::write(folder.join("new.yaml"), [class, read("before/templates.yaml"), clusters].join("---\n")).unwrap();
    let of_cluster = api.run(&["plan", "--live", "--namespace", "fleet", "applied"]);
    let of_trees = api.run(&["plan", "old.yaml", "new.yaml"]);
    assert_eq!(of_cluster, of_trees);
    let total = of_cluster.1.lines().last().unwrap().to_owned();
    assert_eq!((of_cluster.0, &*total), (Some(1), "replaces 5 Machines, deletes 2"));
    assert!(api.asked().iter().all(|asked| asked.starts_with("GET ")));
}

#[test]
fn commands_are_for_the_cluster_that_was_asked() {
    let api = Api::start("backfill", &fleet(), 500, no_rule);
    let (code, out, err) = api.run(&["backfill", "--context", "prod"]);
    let commands: Vec<&str> = out.lines().filter(|line| !line.starts_with('#')).collect();
    let objects = [
        "MachineDeployment.cluster.x-k8s.io c1-md0 -n fleet",
        "MachineSet.cluster.x-k8s.io c1-md0-x7k2p -n fleet",
        "Machine.cluster.x-k8s.io c1-md0-x7k2p-1 -n fleet",
        "Node worker-1",
        "KubeadmConfig.bootstrap.cluster.x-k8s.io c1-md0-x7k2p-1 -n fleet",
        "DevMachine.infrastructure.cluster.x-k8s.io c1-md0-x7k2p-1 -n fleet",
        "KubeadmControlPlane.controlplane.cluster.x-k8s.io c1-cp -n fleet",
        "Machine.cluster.x-k8s.io c1-cp-0 -n fleet",
    ];
    let expected = objects.map(|object| format!("kubectl --context=prod patch {object} --type=merge -p '{{}}'"));
    assert_eq!((code, &*err), (Some(0), ""));
    assert_eq!(commands, expected);
}

#[test]
fn a_picture_is_drawn_of_a_live_cluster() {
    let api = Api::start("graph", &fleet(), 500, no_rule);
    let file = api.kubeconfig().with_file_name("fleet.yaml");
    fs::write(&file, fleet()).unwrap();
    let (code, live, err) = api.run(&["graph", "team", "--format", "dot"]);
    assert_eq!((code, &*err), (Some(0), ""));
    let (_, of_file, _) = api.run(&["graph", "team", "--format", "dot", "--filename", "fleet.yaml"]);
    // Objects come in another order, which gives them other numbers.
    let nodes = |picture: &str| {
        let labels = picture.lines().filter_map(|line| Some(line.split_once(" [label=")?.1.to_owned()));
        labels.collect::<std::collections::BTreeSet<String>>()
    };
    assert_eq!((nodes(&live), nodes(&live).len()), (nodes(&of_file), 11));
}

#[test]
fn node_groups_of_a_live_cluster_get_commands_for_it() {
    let yaml = fs::read_to_string(Archive::unpack("autoscaler", "autoscaler").join("topology.yaml")).unwrap();
    let api = Api::start("autoscaler", &yaml, 500, no_rule);
    let (code, out, err) = api.run(&["autoscaler", "--context", "prod"]);
    let expected = r#"# MachineDeployment fleet/c1-md0-x7k2p: 2 findings
#   warning: Nodes get label `node-role.kubernetes.io/worker=`, but `capacity.cluster-autoscaler.kubernetes.io/labels` does not have it: an autoscaler without pull request kubernetes/autoscaler#8713 does not scale up for Pods that select it
#   warning: Nodes get label `node.cluster.x-k8s.io/pool=blue`, but `capacity.cluster-autoscaler.kubernetes.io/labels` does not have it: an autoscaler without pull request kubernetes/autoscaler#8713 does not scale up for Pods that select it
# the topology controller sets the annotations of MachineDeployment fleet/c1-md0-x7k2p from entry `md0` of its Cluster
kubectl --context=prod patch Cluster.cluster.x-k8s.io c1 -n fleet --type=json -p '[{"op":"test","path":"/spec/topology/workers/machineDeployments/1/name","value":"md0"},{"op":"add","path":"/spec/topology/workers/machineDeployments/1/metadata/annotations/capacity.cluster-autoscaler.kubernetes.io~1labels","value":"node-role.kubernetes.io/worker=,node.cluster.x-k8s.io/pool=blue"}]'
# MachineDeployment fleet/c1-other-b4v9z: 1 finding
#   warning: Nodes get label `node.cluster.x-k8s.io/pool=blue`, but `capacity.cluster-autoscaler.kubernetes.io/labels` does not have it: an autoscaler without pull request kubernetes/autoscaler#8713 does not scale up for Pods that select it
# the topology controller sets the annotations of MachineDeployment fleet/c1-other-b4v9z from entry `other` of its Cluster
kubectl --context=prod patch Cluster.cluster.x-k8s.io c1 -n fleet --type=json -p '[{"op":"test","path":"/spec/topology/workers/machineDeployments/0/name","value":"other"},{"op":"add","path":"/spec/topology/workers/machineDeployments/0/metadata","value":{}},{"op":"add","path":"/spec/topology/workers/machineDeployments/0/metadata/annotations","value":{}},{"op":"add","path":"/spec/topology/workers/machineDeployments/0/metadata/annotations/capacity.cluster-autoscaler.kubernetes.io~1labels","value":"node.cluster.x-k8s.io/pool=blue"}]'
"#;
    assert_eq!((code, &*out, &*err), (Some(1), expected, ""));
    assert!(api.asked().iter().all(|asked| asked.starts_with("GET ")), "{:?}", api.asked());
}
