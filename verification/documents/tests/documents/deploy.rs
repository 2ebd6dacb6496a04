//! The manifests of deploy/ agree with the engine's tables, the metadata, the settings' defaults and one another.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use fleet::plural;
use metadata_propagation::GRANTS;
use serde_json::{Value, json};
use testkit::yaml;

use crate::manifests::{are_defaults, defaults};
use documents::policies::{objects, policies};

/// Group and name of a resource.
type Resource = (String, String);

fn object(path: &str, kind: &str) -> Result<Value> {
    objects(path)?.into_iter().find(|object| object["kind"] == kind).with_context(|| format!("{path}: no {kind}"))
}

fn strings(value: &Value) -> impl Iterator<Item = String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

/// What the rules of a policy, of a role or of Helm values name.
fn resources(rules: &Value) -> BTreeSet<Resource> {
    let mut resources = BTreeSet::new();
    for rule in rules.as_array().into_iter().flatten() {
        // Helm values have one group per rule.
        let groups = strings(&rule["apiGroups"]).chain(rule["apiGroup"].as_str().map(str::to_owned));
        for group in groups {
            resources.extend(strings(&rule["resources"]).map(|name| (group.clone(), name)));
        }
    }
    resources
}

/// The resources that `contextAwareResources` grants.
fn granted(spec: &Value) -> BTreeSet<Resource> {
    let grants = spec["contextAwareResources"].as_array().into_iter().flatten();
    grants
        .map(|grant| ["apiVersion", "kind"].map(|field| grant[field].as_str().unwrap_or_default().to_owned()).into())
        .collect()
}

#[test]
fn each_policy_fails_as_its_purpose_asks() -> Result<()> {
    let how = |spec: &Value| json!([spec["mode"], spec["failurePolicy"], spec["mutating"], spec["backgroundAudit"]]);
    let policies: BTreeMap<String, Value> = policies()?.iter().map(|(name, spec)| (name.clone(), how(spec))).collect();
    assert_eq!(
        serde_json::to_value(policies)?,
        json!({
            "cloud-tags.yaml": ["protect", "Fail", true, false],
            "cluster-api.yaml": ["protect", "Ignore", true, false],
            "nodes.yaml": ["protect", "Ignore", true, false],
            "verify-cloud-tags.yaml": ["monitor", "Ignore", false, true],
            "verify-kubeadm.yaml": ["monitor", "Ignore", false, true],
            "verify.yaml": ["monitor", "Ignore", false, true],
        })
    );
    Ok(())
}

#[test]
fn what_the_policy_for_cluster_api_writes_out_are_defaults() -> Result<()> {
    are_defaults("deploy/cluster-api.yaml", &policies()?["cluster-api.yaml"]["settings"])
}

#[test]
fn a_policy_for_reports_has_the_settings_of_the_one_that_writes() -> Result<()> {
    let policies = policies()?;
    for (report, writes) in [
        ("verify.yaml", "cluster-api.yaml"),
        ("verify-kubeadm.yaml", "cluster-api.yaml"),
        ("verify-cloud-tags.yaml", "cloud-tags.yaml"),
    ] {
        let mut settings = policies[writes]["settings"].clone();
        settings["mode"] = json!("verify");
        assert_eq!(policies[report]["settings"], settings, "{report}");
        let objects: BTreeSet<Resource> = resources(&policies[report]["rules"]);
        assert!(objects.is_subset(&resources(&policies[writes]["rules"])), "{report}: {objects:?}");
        assert_eq!(granted(&policies[report]), granted(&policies[writes]), "{report}");
    }
    Ok(())
}

/// Composite kinds are defined by users, so the metadata cannot name them.
#[test]
fn two_policies_divide_the_rules_of_the_metadata() -> Result<()> {
    let (policies, metadata) = (policies()?, yaml("policy-metadata.yml")?);
    let rules = |spec: &Value| spec["rules"].as_array().cloned().unwrap_or_default();
    let mut divided = rules(&policies["cluster-api.yaml"]);
    let of_tags = rules(&policies["cloud-tags.yaml"]);
    divided.extend(of_tags.into_iter().filter(|rule| rule["apiGroups"] != json!(["blueprints.plexsphere.com"])));
    assert_eq!(divided, rules(&metadata));
    Ok(())
}

#[test]
fn the_metadata_grants_what_the_engine_reads_and_two_policies_divide_it() -> Result<()> {
    let policies = policies()?;
    let all: BTreeSet<Resource> = GRANTS
        .iter()
        .flat_map(|grant| {
            let api_version = |version| format!("{}/{version}", grant.group).trim_start_matches('/').to_owned();
            grant.versions.iter().map(move |version| (api_version(version), grant.kind.to_owned()))
        })
        .collect();
    assert_eq!(granted(&yaml("policy-metadata.yml")?), all);
    let (of_tags, rest): (BTreeSet<Resource>, _) =
        all.into_iter().partition(|(_, kind)| ["LabelRegistry", "Namespace"].contains(&&**kind));
    assert_eq!(granted(&policies["cloud-tags.yaml"]), of_tags);
    assert_eq!(granted(&policies["cluster-api.yaml"]), rest);
    Ok(())
}

#[test]
fn the_account_of_the_policy_server_may_get_what_the_engine_reads() -> Result<()> {
    let role = object("deploy/rbac.yaml", "ClusterRole")?;
    let read: BTreeSet<Resource> = GRANTS.iter().map(|grant| (grant.group.to_owned(), plural(grant.kind))).collect();
    assert_eq!(resources(&role["rules"]), read);
    for rule in role["rules"].as_array().context("rules")? {
        assert_eq!(rule["verbs"], json!(["get"]));
    }
    let values = yaml("deploy/policy-server-values.yaml")?;
    let permissions = values["policyServer"]["permissions"].as_array().context("permissions")?;
    let ours: Vec<&Value> = permissions.iter().filter(|rule| rule["verbs"] == json!(["get"])).collect();
    assert_eq!(resources(&json!(ours)), read);
    Ok(())
}

#[test]
fn every_policy_runs_on_the_policy_server_whose_account_is_bound() -> Result<()> {
    let server = object("deploy/policy-server.yaml", "PolicyServer")?;
    let account = object("deploy/policy-server.yaml", "ServiceAccount")?;
    let binding = object("deploy/rbac.yaml", "ClusterRoleBinding")?;
    let (name, namespace) = (&account["metadata"]["name"], &account["metadata"]["namespace"]);
    assert_eq!(&server["spec"]["serviceAccountName"], name);
    assert_eq!(binding["subjects"], json!([{ "kind": "ServiceAccount", "name": name, "namespace": namespace }]));
    for (path, spec) in policies()? {
        assert_eq!(spec["policyServer"], server["metadata"]["name"], "{path}");
    }
    Ok(())
}

/// What the audit scanner needs: kinds by name, in one version, and permission to list them.
#[test]
fn the_scanner_may_list_what_the_policies_for_reports_ask_about() -> Result<()> {
    let mut asked = BTreeSet::new();
    for (name, spec) in policies()?.into_iter().filter(|(_, spec)| spec["backgroundAudit"] == json!(true)) {
        for rule in spec["rules"].as_array().context("rules")? {
            assert_eq!(strings(&rule["apiVersions"]).count(), 1, "{name}");
        }
        asked.extend(resources(&spec["rules"]));
    }
    let role = object("deploy/verify-rbac.yaml", "ClusterRole")?;
    assert_eq!(resources(&role["rules"]), asked);
    for rule in role["rules"].as_array().context("rules")? {
        assert_eq!(rule["verbs"], json!(["get", "list"]));
    }
    Ok(())
}

/// The role of a job that touches objects, and its Pod, whose account has this role and no other.
#[expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]
fn touch_job(file: &str) -> Result<(Value, Value)> {
    let kinds: Vec<Value> = objects(file)?.iter().map(|object| object["kind"].clone()).collect();
    assert_eq!(kinds, ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "CronJob"]);
    let role = object(file, "ClusterRole")?;
    let account = object(file, "ServiceAccount")?["metadata"].take();
    let subject = json!({ "kind": "ServiceAccount", "name": account["name"], "namespace": account["namespace"] });
    let binding = object(file, "ClusterRoleBinding")?;
    assert_eq!(binding["subjects"], json!([subject]));
    assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
    let mut job = object(file, "CronJob")?;
    assert_eq!(job["metadata"]["namespace"], account["namespace"]);
    let pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"].take();
    assert_eq!(pod["serviceAccountName"], account["name"]);
    Ok((role, pod))
}

#[test]
fn the_job_that_touches_composites_may_list_get_and_patch_them_and_nothing_else() -> Result<()> {
    let (role, pod) = touch_job("deploy/cloud-tags-touch.yaml")?;
    let writes = &policies()?["cloud-tags.yaml"];
    let groups = &writes["settings"]["cloudTags"]["composites"][0]["apiGroups"];
    let of_composites = writes["rules"].as_array().context("rules")?.iter().filter(|rule| rule["apiGroups"] == *groups);
    let composites: Vec<&Value> = of_composites.collect();
    assert_eq!(resources(&role["rules"]), resources(&json!(composites)));
    for rule in role["rules"].as_array().context("rules")? {
        assert_eq!(rule["verbs"], json!(["get", "list", "patch"]));
    }
    let named: Vec<String> =
        resources(&role["rules"]).into_iter().map(|(group, name)| format!("{name}.{group}")).collect();
    // Removes an annotation that does not exist: only the policy's additions are written.
    let touch = "metadata-propagation.plexsphere.com/touched-";
    let expected = json!(["annotate", named.join(","), "--all", "--all-namespaces", touch]);
    assert_eq!(pod["containers"][0]["args"], expected);
    Ok(())
}

/// It reads what `propagate` reads of Cluster API, and patches what is below a control plane.
#[test]
fn the_job_that_touches_objects_below_third_party_control_planes_may_patch_these_and_nothing_else() -> Result<()> {
    let (role, pod) = touch_job("deploy/third-party-touch.yaml")?;
    let rules = role["rules"].as_array().context("rules")?;
    let of = |verbs: Value| resources(&rules.iter().filter(|rule| rule["verbs"] == verbs).cloned().collect());
    let read = object("deploy/propagate-rbac.yaml", "ClusterRole")?;
    let is_of_cluster_api = |(group, name): &Resource| {
        group.ends_with("cluster.x-k8s.io") || name == "nodes" || group == "labels.plexsphere.com"
    };
    let expected: BTreeSet<Resource> = resources(&read["rules"]).into_iter().filter(is_of_cluster_api).collect();
    assert_eq!(of(json!(["get", "list"])), expected);
    let patched = [("bootstrap.", "*"), ("", "machines"), ("infrastructure.", "*")];
    let patched = patched.map(|(group, name)| (format!("{group}cluster.x-k8s.io"), name.to_owned()));
    assert_eq!(of(json!(["patch"])), BTreeSet::from(patched));
    let list = "/objects/list.json";
    assert_eq!(
        pod["initContainers"][0]["args"],
        json!(["backfill", "--live", "--all-namespaces", "--third-party", list])
    );
    let touch = "metadata-propagation.plexsphere.com/touched-";
    assert_eq!(pod["containers"][0]["args"], json!(["annotate", "--filename", list, touch]));
    Ok(())
}

/// `verification/conformance/cluster` evaluates the conditions; this test checks that they name the same controllers as the
/// settings.
#[test]
fn the_match_conditions_list_the_controllers_of_the_settings() -> Result<()> {
    let conditions = yaml("deploy/match-conditions.yaml")?["spec"]["matchConditions"].take();
    let listed: Vec<(&str, Vec<&str>)> = conditions
        .as_array()
        .context("matchConditions")?
        .iter()
        .map(|condition| {
            let names = condition["expression"].as_str().unwrap_or_default().split('\'').skip(1).step_by(2);
            (condition["name"].as_str().unwrap_or_default(), names.filter(|name| name.contains(':')).collect())
        })
        .collect();
    let defaults = defaults()?;
    let controllers = defaults["clusterApi"]["controllers"].as_array().into_iter().flatten();
    let controllers: Vec<&str> = controllers.filter_map(Value::as_str).collect();
    assert_eq!(
        listed,
        [
            ("no-controllers", controllers.clone()),
            ("no-dry-runs-of-controllers", controllers.clone()),
            ("no-idle-updates-of-controllers", controllers),
            ("no-idle-updates", vec![]),
        ]
    );
    for (path, spec) in policies()? {
        let expected = if path == "cluster-api.yaml" { json!([conditions[0]]) } else { Value::Null };
        assert_eq!(spec["matchConditions"], expected, "{path}");
    }
    Ok(())
}

/// The namespaces of Rancher's Clusters and of Cluster API's managers.
#[test]
fn on_rancher_the_scanner_sees_clusters() -> Result<()> {
    let skipped: Vec<String> = strings(&yaml("deploy/rancher-values.yaml")?["global"]["skipNamespaces"]).collect();
    assert!(skipped.contains(&"kube-system".to_owned()), "{skipped:?}");
    assert!(!skipped.iter().any(|name| name == "fleet-default" || name == "capi-system"), "{skipped:?}");
    Ok(())
}
