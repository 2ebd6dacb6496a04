//! `propagate doctor`: the manifests of deploy/ are an installation that works, and each edit of them is found.
//! `TRYCMD=overwrite` rewrites what is expected.
#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

mod deployed;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use deployed::with_version;

/// The manifests of an installation: those of deploy/, and managers.
const FILES: &[&str] = &[
    "deploy/policy-server.yaml",
    "deploy/rbac.yaml",
    "deploy/cluster-api.yaml",
    "deploy/cloud-tags.yaml",
    "deploy/nodes.yaml",
    "deploy/verify.yaml",
    "deploy/verify-kubeadm.yaml",
    "deploy/verify-cloud-tags.yaml",
    "propagate/tests/doctor/managers.yaml",
];

const SERVER: &str = "policy-server.yaml";
const ROLE: &str = "rbac.yaml";
const POLICY: &str = "cluster-api.yaml";
const TAGS: &str = "cloud-tags.yaml";
const NODES: &str = "nodes.yaml";
const MANAGERS: &str = "managers.yaml";

/// A file, a text in it, and its replacement. `DEPLOYED` in a file or an edit is the version of Cluster API in deploy/.
type Edit = (&'static str, &'static str, &'static str);

/// A fact, and the edits that lead to it.
#[rustfmt::skip]
const FINDINGS: &[(&str, &[Edit])] = &[
    ("a_policy_without_context_aware_resources", &[(POLICY, "kind: ClusterAdmissionPolicy", "kind: AdmissionPolicy")]),
    ("a_group_that_is_to_change_objects", &[(TAGS, "kind: ClusterAdmissionPolicy", "kind: ClusterAdmissionPolicyGroup"), (TAGS, "  settings:\n", "  policies: { tags: { module: registry://example.com/metadata-propagation-policy:v0.1.0, settings: { mode: mutate } } }\n  unused:\n")]),
    ("a_policy_server_that_does_not_exist", &[(NODES, "policyServer: metadata-propagation", "policyServer: metadata-propagatoin")]),
    ("an_old_policy_server", &[(SERVER, "policy-server:v1.38.0", "policy-server:v1.32.0")]),
    ("an_image_without_a_version", &[(SERVER, "policy-server:v1.38.0", "policy-server:latest")]),
    ("a_policy_server_without_memory_limit", &[(SERVER, "    memory: 512Mi", "    cpu: 512m"), (SERVER, "policy-server:v1.38.0", "policy-server:v1.37.2")]),
    ("a_policy_server_that_is_not_ready", &[(SERVER, "spec:\n  # The version", "status: { conditions: [{ type: DeploymentReconciled, status: 'False', message: quota exceeded }] }\nspec:\n  # The version")]),
    ("a_policy_that_is_pending", &[(NODES, "spec:\n", "status: { policyStatus: pending, conditions: [{ type: PolicyActive, status: 'False', message: the webhook is not registered }] }\nspec:\n")]),
    ("a_policy_without_its_policy_server", &[(NODES, "policyServer: metadata-propagation", "policyServer: deleted"), (NODES, "spec:\n", "status: { policyStatus: scheduled }\nspec:\n")]),
    ("a_policy_that_is_active", &[(NODES, "spec:\n", "status: { policyStatus: active }\nspec:\n")]),
    ("settings_that_are_not_valid", &[(POLICY, "      onConflict: restore", "      onConflict: keep"), (POLICY, "    guards:\n", "    gaurds:\n")]),
    ("mutate_without_mutating", &[(POLICY, "  mutating: true", "  mutating: false")]),
    ("reports_about_a_policy_that_writes", &[(POLICY, "  backgroundAudit: false", "  backgroundAudit: true")]),
    ("fail_for_cluster_api", &[(POLICY, "failurePolicy: Ignore", "failurePolicy: Fail")]),
    ("fail_for_nodes", &[(NODES, "failurePolicy: Ignore", "failurePolicy: Fail")]),
    ("ignore_for_composites", &[(TAGS, "failurePolicy: Fail", "failurePolicy: Ignore")]),
    ("too_little_time", &[(POLICY, "  timeoutEvalSeconds: 8\n", "")]),
    ("times_in_the_wrong_order", &[(POLICY, "timeoutSeconds: 10", "timeoutSeconds: 5")]),
    ("labels_that_kubewarden_ignores", &[(POLICY, "  mode: protect\n", "  mode: protect\n  namespaceSelector: { matchLabels: { team: red } }\n")]),
    ("rules_that_a_policy_of_a_namespace_never_matches", &[(TAGS, "kind: ClusterAdmissionPolicy", "kind: AdmissionPolicy")]),
    ("a_rule_for_a_group_that_no_setting_names", &[(TAGS, "    - apiGroups: [blueprints.plexsphere.com]\n      apiVersions: [v1alpha1]", "    - apiGroups: [blueprints.plexsphere.com, other.example.org]\n      apiVersions: [v1alpha1]")]),
    ("labels_that_kubewarden_uses", &[(POLICY, "  mode: protect\n", "  mode: protect\n  allowInsideAdmissionControllerNamespace: true\n  namespaceSelector: { matchLabels: { team: red } }\n")]),
    ("a_wildcard_in_a_rule", &[(POLICY, "resources: [awsmachines]", "resources: ['*']")]),
    ("a_kind_that_is_not_granted", &[(NODES, "      kind: Machine\n", "      kind: Pod\n")]),
    ("a_version_that_is_not_granted", &[(POLICY, "      apiVersions: {}", "      apiVersions: { FooControlPlane.controlplane.cluster.x-k8s.io: v1beta1 }")]),
    ("a_permission_that_is_missing", &[(ROLE, "machinesets, machines, machinepools]", "machinesets, machines]")]),
    ("a_permission_that_a_wildcard_needs", &[(POLICY, "resources: [clusters, clusterclasses, machinedeployments, machinesets, machines, machinepools]", "resources: ['*']"), (ROLE, "machinesets, machines, machinepools]", "machinesets, machines]")]),
    ("a_permission_in_one_namespace", &[(ROLE, "kind: ClusterRoleBinding\nmetadata:\n", "kind: RoleBinding\nmetadata:\n  namespace: fleet\n")]),
    ("a_binding_for_another_account", &[(ROLE, "    name: metadata-propagation\n    namespace: kubewarden", "    name: policy-server\n    namespace: kubewarden")]),
    ("an_account_that_does_not_exist", &[(SERVER, "serviceAccountName: metadata-propagation", "serviceAccountName: metadata-propagatoin"), (MANAGERS, "# Cluster API as", "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: policy-server-metadata-propagation, namespace: kubewarden }\n---\n# Cluster API as")]),
    ("a_manager_in_another_namespace", &[(MANAGERS, "namespace: capi-system", "namespace: cluster-api")]),
    ("a_misspelled_controller", &[(POLICY, "serviceaccount:capi-system:capi-manager", "serviceaccount:capi-sytem:capi-manager")]),
    ("a_group_of_everybody", &[(POLICY, "        - system:serviceaccount:cattle-capi-system:capi-manager", "        - system:authenticated")]),
    ("no_core_manager", &[(MANAGERS, "provider: cluster-api,", "provider: other,"), (MANAGERS, "cluster-api-controller:", "other:")]),
    ("a_condition_with_another_list", &[(POLICY, "'system:serviceaccount:cattle-capi-system:capi-manager'", "'system:serviceaccount:flux-system:kustomize-controller'")]),
    ("a_self_check_that_sees_nothing", &[(POLICY, "selfCheck: false", "selfCheck: true")]),
    ("a_version_that_is_too_new", &[(MANAGERS, "cluster-api-controller:DEPLOYED.0", "cluster-api-controller:v1.12.3")]),
    ("a_version_that_is_too_old", &[(POLICY, "version: DEPLOYED", "version: v1.11")]),
    ("a_manager_without_a_version", &[(MANAGERS, "cluster-api-controller:DEPLOYED.0", "cluster-api-controller@sha256:00")]),
    ("a_feature_gate_that_the_settings_do_not_follow", &[(MANAGERS, "MachineTaintPropagation=false", "MachineTaintPropagation=true")]),
    ("labels_that_the_settings_do_not_follow", &[(MANAGERS, "--leader-elect", "\"--additional-sync-machine-labels=^example.com/,team\"")]),
    ("a_flag_and_its_value_as_two_arguments", &[(MANAGERS, "--leader-elect", "--additional-sync-machine-annotations, team")]),
    ("a_rule_for_a_composite_that_is_not_defined", &[(TAGS, "xawsec2instances", "xawsec2instance")]),
    ("a_rule_for_a_version_that_is_not_served", &[(TAGS, "      apiVersions: [v1alpha1]\n      resources: [xawsec2instances]", "      apiVersions: [v1beta1]\n      resources: [xawsec2instances]")]),
    ("a_group_without_a_rule", &[(TAGS, "        - apiGroups: [blueprints.plexsphere.com]", "        - apiGroups: [blueprints.plexsphere.com, other.example.com]")]),
    ("a_kind_that_no_policy_activates", &[(MANAGERS, "apiVersion: apiextensions.crossplane.io/v2", "apiVersion: apiextensions.crossplane.io/v1alpha1\nkind: ManagedResourceActivationPolicy\nmetadata: { name: s3 }\nspec: { activate: ['*.s3.aws.m.upbound.io'] }\n---\napiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: { name: ec2 }\nspec: { pipeline: [{ step: a, input: { resources: [{ base: { apiVersion: ec2.aws.m.upbound.io/v1beta1, kind: Instance } }] } }] }\n---\napiVersion: apiextensions.crossplane.io/v2")]),
    ("reports_of_the_older_api", &[(MANAGERS, "group: openreports.io\n  names: { kind: Report,", "group: wgpolicyk8s.io\n  names: { kind: PolicyReport,"), (MANAGERS, "group: openreports.io\n  names: { kind: ClusterReport,", "group: wgpolicyk8s.io\n  names: { kind: ClusterPolicyReport,")]),
    ("a_registry_that_does_not_exist", &[(TAGS, "      onRegistryFailure: reject", "      registry: { name: defualt }\n      onRegistryFailure: reject"), (MANAGERS, "apiVersion: apiextensions.crossplane.io/v2", "apiVersion: labels.plexsphere.com/v1alpha1\nkind: LabelRegistry\nmetadata: { name: default }\n---\napiVersion: apiextensions.crossplane.io/v2")]),
];

/// Writes the files, edited, into a folder of their own.
fn installation(name: &str, edits: &[Edit]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doctor").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for path in FILES {
        let file = Path::new(path).file_name().unwrap();
        let mut text = with_version(&fs::read_to_string(root.join(path)).unwrap());
        for (_, from, to) in edits.iter().filter(|(of, ..)| *file == **of) {
            let from = with_version(from);
            assert!(text.contains(&from), "{name}: {path} has no `{from}`");
            text = text.replace(&from, to);
        }
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Exit code and what is printed.
fn doctor(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_propagate"));
    let output = command.current_dir(folder).env("KUBECONFIG", "none").arg("doctor").args(arguments).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

#[track_caller]
fn is_expected(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor").join(name);
    if env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&file).unwrap_or_default(), "{name}");
}

#[test]
fn the_manifests_of_deploy_are_an_installation_that_works() {
    let folder = installation("deployed", &[]);
    let (code, text) = doctor(&folder, &["."]);
    is_expected("deployed.txt", &format!("{text}exit code {code}\n"));
    assert!(code == 0 && text.contains("\n15 checks: nothing found; "), "{text}");
}

/// What is printed beyond what is printed of the manifests as they are.
#[test]
fn each_edit_is_found() {
    let (_, deployed) = doctor(&installation("unedited", &[]), &["."]);
    let mut found = Vec::new();
    for (name, edits) in FINDINGS {
        let (code, text) = doctor(&installation(name, edits), &["."]);
        let new: Vec<&str> = text.lines().filter(|line| !line.starts_with("ok[") || !deployed.contains(line)).collect();
        let new: Vec<&str> = new.into_iter().filter(|line| !line.starts_with("skipped[status]")).collect();
        found.push(format!("# {name}\n\n{}\nexit code {code}\n", new.join("\n")));
    }
    let found = found.join("\n");
    is_expected("findings.txt", &found);
    for (check, _) in deployed.lines().filter_map(|line| line.split_once('[')?.1.split_once("]: ")) {
        assert!(found.contains(&format!("error[{check}]")) || found.contains(&format!("warning[{check}]")), "{check}");
    }
}

#[test]
fn programs_get_the_same() {
    let folder = installation("json", &[(SERVER, "policy-server:v1.38.0", "policy-server:v1.32.0")]);
    let (code, text) = doctor(&folder, &[".", "--output", "json"]);
    is_expected("findings.json", &text);
    assert_eq!(code, 1);
}

#[test]
fn warnings_pass_where_only_errors_count() {
    let folder = installation("warnings", &[(POLICY, "failurePolicy: Ignore", "failurePolicy: Fail")]);
    assert_eq!(doctor(&folder, &["."]).0, 1);
    assert_eq!(doctor(&folder, &[".", "--fail-on", "reject"]).0, 0);
}

#[test]
fn without_a_policy_there_is_nothing_to_judge() {
    let folder = installation("none", &[]);
    let expected = "no policy among 9 objects runs a module named `metadata-propagation-policy`\n";
    assert_eq!(doctor(&folder, &["managers.yaml", "rbac.yaml"]), (3, expected.to_owned()));
    let (code, text) = doctor(&folder, &["none.yaml"]);
    assert!(code == 2 && text.starts_with("cannot read `none.yaml`: "), "{code} {text}");
}
