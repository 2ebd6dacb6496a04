//! A live cluster: what is asked of it, what is printed, and how each failure ends.
#![cfg(feature = "cluster")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what tests are made of may fail like a test")]

mod api;
mod deployed;
#[expect(dead_code, reason = "only the files of an archive are read here")]
mod repository;

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs};

use api::{Api, Does, kubeconfig, propagate};
use deployed::with_version;
use repository::Repository;

fn fleet() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fleet.yaml")).unwrap()
}

fn no_rule(_: &str) -> Option<Does> {
    None
}

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
fn what_is_forbidden_is_named_once_and_the_rest_is_answered() {
    let api = Api::start("forbidden", &fleet(), 500, |path| {
        let is_forbidden = path.contains("/nodes") || path.contains("/devmachines");
        is_forbidden.then_some(Does::Fails(403, "nodes is forbidden: User \"jane\" cannot list resource \"nodes\""))
    });
    let (code, out, err) = api.run(&["explain", "MachineSet/c1-md0-x7k2p", "team"]);
    let expected = "cannot read `devmachines.infrastructure.cluster.x-k8s.io, nodes`: `SERVER` (context `prod`) denied the request (403): \
                    nodes is forbidden: User \"jane\" cannot list resource \"nodes\"\n";
    assert_eq!((code, &*err), (Some(2), expected));
    assert!(
        out.contains(
            "MachineSet fleet/c1-md0-x7k2p\n  metadata.labels, spec.template.metadata.labels: payments (missing)"
        ),
        "{out}"
    );
}

#[test]
fn where_everything_is_forbidden_one_namespace_may_not_be() {
    let api = Api::start("namespaces", &fleet(), 500, |path| {
        (path.contains('?') && !path.contains("/namespaces/fleet/"))
            .then_some(Does::Fails(403, "not in this namespace"))
    });
    let forbidden = "error: `SERVER` (context `prod`) denied the request (403): not in this namespace";
    let (code, out, err) = api.run(&["check", "--live", "-A"]);
    assert_eq!(
        (code, &*out, &*err),
        (Some(2), "", &*format!("{forbidden}; use `--namespace` to read a single namespace\n"))
    );
    let (code, out, err) = api.run(&["check", "--live", "-n", "secret"]);
    assert_eq!((code, &*out, &*err), (Some(2), "", &*format!("{forbidden}\n")));
    let (code, out, err) = api.run(&["explain", "cluster/c1", "region"]);
    assert_eq!((code, out.lines().next()), (Some(2), Some("Cluster fleet/c1")), "{err}");
}

/// Each is an error with exit code 2, and names server and context.
#[test]
fn what_goes_wrong_is_one_sentence() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    type Rule = fn(&str) -> Option<Does>;
    let rules: [(&str, Rule, &str); 6] = [
        (
            "expired",
            |_| Some(Does::Fails(401, "Unauthorized")),
            "`SERVER` (context `prod`) does not accept the credentials (401): they are expired or wrong; log in again",
        ),
        (
            "expires-later",
            |path| path.contains("/machinesets?").then_some(Does::Fails(401, "Unauthorized")),
            "`SERVER` (context `prod`) does not accept the credentials (401): they are expired or wrong; log in again",
        ),
        (
            "hangs",
            |_| Some(Does::Hangs),
            "`SERVER` (context `prod`) did not answer within 1 s; `--request-timeout` sets the limit",
        ),
        (
            "hangs-later",
            |path| path.contains("/machines?").then_some(Does::Hangs),
            "`SERVER` (context `prod`) did not answer within 1 s; `--request-timeout` sets the limit",
        ),
        (
            "other",
            |_| Some(Does::Says("<html>hello</html>")),
            "unexpected response of `SERVER` (context `prod`) to `/apis`: expected value at line 1 column 1",
        ),
        (
            "nothing",
            |_| Some(Does::Fails(404, "not found")),
            "`SERVER` (context `prod`) is not a Kubernetes API server",
        ),
    ];
    for (name, rule, expected) in rules {
        let api = Api::start(name, &fleet(), 500, rule);
        let begin = Instant::now();
        let (code, out, err) = api.run(&["explain", "Machine/c1-cp-0", "--request-timeout", "1s"]);
        assert_eq!((code, &*out, &*err), (Some(2), "", &*format!("error: {expected}\n")), "{name}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{name}: {:?}", begin.elapsed());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live");
    fs::create_dir_all(&folder).unwrap();
    let exec = "{ exec: { apiVersion: client.authentication.k8s.io/v1, command: \"false\", interactiveMode: Never } }";
    for (name, text, arguments, expected) in [
        (
            "away",
            kubeconfig(&format!("http://{unused}"), "{ token: t }"),
            &[][..],
            format!(
                "cannot reach `http://{unused}` (context `prod`): client error (Connect): tcp connect error: Connection \
                 refused (os error 111)"
            ),
        ),
        (
            "context",
            kubeconfig("http://a", "{ token: t }"),
            &["--context", "staging"],
            "the kubeconfig `CONFIG` has no context `staging`; its contexts: `prod`, `other`".to_owned(),
        ),
        (
            "current",
            kubeconfig("http://a", "{ token: t }").replace("current-context: prod\n", ""),
            &[],
            "the kubeconfig `CONFIG` has no current context; its contexts: `prod`, `other`".to_owned(),
        ),
        (
            "plugin",
            kubeconfig("http://a", exec),
            &[],
            "cannot get credentials for `http://a` (context `prod`)".to_owned(),
        ),
        (
            "broken",
            "{".to_owned(),
            &[],
            "cannot use the kubeconfig `CONFIG`: failed to parse kubeconfig YAML".to_owned(),
        ),
        (
            "missing",
            String::new(),
            &["--kubeconfig", "none"],
            "cannot use the kubeconfig `none`: failed to read kubeconfig from".to_owned(),
        ),
    ] {
        let config = folder.join(format!("{name}.config"));
        fs::write(&config, text).unwrap();
        let output = propagate(&config, &["explain", "Machine/m"]).args(arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap().replace(&config.display().to_string(), "CONFIG");
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with(&format!("error: {expected}")), "{name}: {err}");
    }
}

#[test]
fn a_slow_server_is_waited_for() {
    let api = Api::start("slow", &fleet(), 500, |_| Some(Does::Waits(Duration::from_millis(300))));
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0", "--request-timeout", "2s"]);
    assert_eq!((code, &*err), (Some(0), ""));
}

#[test]
fn a_kind_that_the_server_fails_to_list_is_named() {
    let api = Api::start("webhook", &fleet(), 500, |path| {
        path.contains("/devmachines").then_some(Does::Fails(500, "conversion webhook failed"))
    });
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0"]);
    let expected = "cannot read `devmachines.infrastructure.cluster.x-k8s.io`: `SERVER` (context `prod`) returned an error (500): conversion \
                    webhook failed\n";
    assert_eq!((code, &*err), (Some(2), expected));
}

#[test]
fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    let asked = AtomicUsize::new(0);
    let api = Api::start("busy", &fleet(), 500, move |path| {
        (path.contains("/machines?") && asked.fetch_add(1, Ordering::Relaxed) == 0).then_some(Does::Fails(429, "busy"))
    });
    let (code, _, err) = api.run(&["explain", "Machine/c1-cp-0"]);
    assert_eq!((code, &*err), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    let api = Api::start("interrupt", &fleet(), 500, |_| Some(Does::Hangs));
    let mut child = api.command(&["explain", "Machine/m"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while api.asked().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(api.shown(child.wait_with_output().unwrap()), (Some(130), String::new(), String::new()));
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
    let repository = Repository::read(&repository::folder().join("another-template.txtar"));
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

/// The policy for Cluster API of deploy/ in a cluster with Cluster API.
fn installation() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files =
        ["policy-server.yaml", "rbac.yaml", "cluster-api.yaml"].map(|name| root.join("../../deploy").join(name));
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

#[test]
fn node_groups_of_a_live_cluster_get_commands_for_it() {
    let yaml = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/autoscaler.in/topology.yaml"));
    let api = Api::start("autoscaler", &yaml.unwrap(), 500, no_rule);
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
