//! The manifests of deploy/, the form and the metadata agree with one another and with the settings' defaults.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use metadata_propagation::{GRANTS, Settings};
use serde_json::{Value, json};

use crate::documents::{blocks, read};

fn yaml(path: &str) -> Result<Value> {
    serde_yaml_ng::from_str(&read(path)?).with_context(|| path.to_owned())
}

/// The first settings that a document shows.
fn shown(document: &str) -> Result<Value> {
    let (blocks, _) = blocks(document)?;
    let block = blocks.into_iter().find(|block| block.kind == "yaml settings").context("no settings")?;
    serde_yaml_ng::from_str(&block.text).context(block.at)
}

/// Every setting with its default, as docs/settings.md prints them from the schema.
fn defaults() -> Result<Value> {
    shown("docs/settings.md")
}

#[test]
fn the_documented_defaults_are_what_no_settings_mean() -> Result<()> {
    let meant = |settings: &str| Settings::from_json(settings).map(|settings| format!("{settings:?}"));
    assert_eq!(meant(&defaults()?.to_string())?, meant("{}")?);
    Ok(())
}

/// Holds every setting that is written out to its default.
fn are_defaults(at: &str, shown: &Value) -> Result<()> {
    let defaults = defaults()?;
    let mut paths = Vec::new();
    leaves(shown, "", &mut paths);
    for path in paths {
        assert_eq!(shown.pointer(&path), defaults.pointer(&path), "{at}: {path}");
    }
    Ok(())
}

#[test]
fn readme_and_usage_show_defaults() -> Result<()> {
    for document in ["README.md", "USAGE.md"] {
        are_defaults(document, &shown(document)?)?;
    }
    Ok(())
}

#[test]
fn what_the_deployed_policy_writes_out_are_defaults() -> Result<()> {
    are_defaults(
        "deploy/cluster-admission-policy.yaml",
        &yaml("deploy/cluster-admission-policy.yaml")?["spec"]["settings"],
    )
}

/// The paths of all that is no object with fields of its own.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value.as_object().filter(|fields| !fields.is_empty()) {
        Some(fields) => fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{name}"), found)),
        None => found.push(path.to_owned()),
    }
}

#[test]
fn the_form_asks_for_every_setting_with_its_default() -> Result<()> {
    let defaults = defaults()?;
    let mut asked = Vec::new();
    for question in yaml("questions-ui.yml")?["questions"].as_array().context("questions")? {
        let variable = question["variable"].as_str().context("variable")?;
        let path = format!("/{}", variable.replace('.', "/"));
        assert_eq!(question.get("default"), defaults.pointer(&path), "{variable}");
        asked.push(path);
    }
    let mut expected = Vec::new();
    leaves(&defaults, "", &mut expected);
    // A form has no maps of objects. The registry has no default, since it stands instead of the definitions.
    expected.retain(|path| path != "/cloudTags/definitions");
    expected.push("/cloudTags/registry/name".to_owned());
    asked.sort();
    expected.sort();
    assert_eq!(asked, expected);
    Ok(())
}

#[test]
fn the_registry_of_the_examples_fits_its_definition() -> Result<()> {
    let crd = yaml("deploy/label-registry-crd.yaml")?;
    let version = &crd["spec"]["versions"][0];
    let served = json!([crd["spec"]["group"], version["name"], crd["spec"]["names"]["kind"], crd["spec"]["scope"]]);
    assert_eq!(served, json!(["labels.plexsphere.com", "v1alpha1", "LabelRegistry", "Cluster"]));
    let definitions = &version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["definitions"];
    assert_eq!(definitions["additionalProperties"]["required"], json!(["scope"]));
    let schema = serde_json::to_value(schemars::schema_for!(metadata_propagation::tags::Definition))?;
    let fields = |schema: &Value| -> Vec<String> {
        schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect()
    };
    assert_eq!(fields(&definitions["additionalProperties"]), fields(&schema));
    Ok(())
}

#[test]
fn the_deployed_settings_are_valid() -> Result<()> {
    for path in ["deploy/cluster-admission-policy.yaml", "deploy/nodes.yaml", "deploy/verify.yaml"] {
        let settings = yaml(path)?["spec"]["settings"].to_string();
        Settings::validate(&settings).with_context(|| path.to_owned())?;
    }
    Ok(())
}

#[test]
fn the_deployed_policy_has_the_rules_of_the_metadata() -> Result<()> {
    let metadata = yaml("policy-metadata.yml")?;
    let policy = yaml("deploy/cluster-admission-policy.yaml")?;
    assert_eq!(policy["spec"]["rules"], metadata["rules"]);
    assert_eq!(policy["spec"]["mutating"], metadata["mutating"]);
    Ok(())
}

/// What the audit scanner needs to go on: kinds by name, each served everywhere, asked for once.
#[test]
fn the_policy_for_reports_is_one_the_scanner_takes() -> Result<()> {
    let policy = yaml("deploy/verify.yaml")?;
    let spec = &policy["spec"];
    assert_eq!(json!([spec["mode"], spec["mutating"], spec["backgroundAudit"]]), json!(["monitor", false, true]));
    assert_eq!(
        spec["rules"],
        json!([{
            "apiGroups": ["cluster.x-k8s.io"],
            "apiVersions": ["v1beta2"],
            "resources":
                ["clusters", "clusterclasses", "machinedeployments", "machinesets", "machines", "machinepools"],
            "operations": ["CREATE", "UPDATE"],
        }])
    );
    let text = read("deploy/verify-rbac.yaml")?;
    let role = serde_yaml_ng::Deserializer::from_str(&text).next().context("no ClusterRole")?;
    let role: Value = serde::Deserialize::deserialize(role)?;
    let rule = &spec["rules"][0];
    let listed = json!([{ "apiGroups": rule["apiGroups"], "resources": rule["resources"], "verbs": ["get", "list"] }]);
    assert_eq!(role["rules"], listed);
    let mut settings = yaml("deploy/cluster-admission-policy.yaml")?["spec"]["settings"].take();
    settings["mode"] = json!("verify");
    assert_eq!(spec["settings"], settings);
    Ok(())
}

/// `conformance/cluster` evaluates the conditions; here they name the controllers that the settings name.
#[test]
fn the_match_conditions_list_the_controllers_of_the_settings() -> Result<()> {
    let fragment = yaml("deploy/match-conditions.yaml")?;
    let listed: Vec<(&str, Vec<&str>)> = fragment["spec"]["matchConditions"]
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
    // They are a choice: the deployed policies have none.
    for path in ["deploy/cluster-admission-policy.yaml", "deploy/nodes.yaml", "deploy/verify.yaml"] {
        assert_eq!(yaml(path)?["spec"]["matchConditions"], Value::Null, "{path}");
    }
    Ok(())
}

#[test]
fn the_rules_ask_for_create_and_update_of_named_kinds() -> Result<()> {
    for rule in yaml("policy-metadata.yml")?["rules"].as_array().context("rules")? {
        for resource in rule["resources"].as_array().context("resources")? {
            let resource = resource.as_str().unwrap_or_default();
            assert!(!resource.contains(['*', '/']), "{resource}");
            // A template that is new rolls out nothing; guards look at those of control planes.
            let rolls_out = resource.ends_with("templates") && !resource.ends_with("controlplanetemplates");
            let operations: &[&str] = if rolls_out { &["UPDATE"] } else { &["CREATE", "UPDATE"] };
            assert_eq!(rule["operations"], serde_json::json!(operations), "{resource}");
        }
    }
    Ok(())
}

/// The resource of a kind.
fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

#[test]
fn the_catalogue_lists_the_kinds_of_the_rules() -> Result<()> {
    let metadata = yaml("policy-metadata.yml")?;
    let listed = metadata["annotations"]["io.artifacthub.resources"].as_str().context("resources")?;
    let kinds: BTreeSet<String> = listed.split(", ").map(plural).collect();
    let rules = metadata["rules"].as_array().into_iter().flatten();
    let resources = rules.flat_map(|rule| rule["resources"].as_array().into_iter().flatten());
    assert_eq!(kinds, resources.filter_map(Value::as_str).map(str::to_owned).collect());
    Ok(())
}

/// Reading one object is all that the policy asks of its host, and a wish for more would be noticed.
#[test]
fn the_policy_needs_one_capability_of_its_host() -> Result<()> {
    assert_eq!(yaml("policy-metadata.yml")?["hostCapabilities"], json!(["kubernetes/get_resource"]));
    Ok(())
}

#[test]
fn the_accounts_permissions_are_gets_of_the_granted_kinds() -> Result<()> {
    let text = read("deploy/rbac.yaml")?;
    let role = serde_yaml_ng::Deserializer::from_str(&text)
        .map(serde::Deserialize::deserialize)
        .collect::<Result<Vec<Value>, _>>()?
        .into_iter()
        .find(|object| object["kind"] == "ClusterRole")
        .context("no ClusterRole")?;
    let mut allowed = Vec::new();
    for rule in role["rules"].as_array().context("rules")? {
        assert_eq!(rule["verbs"], serde_json::json!(["get"]));
        for group in rule["apiGroups"].as_array().into_iter().flatten() {
            for resource in rule["resources"].as_array().into_iter().flatten() {
                allowed.push((
                    group.as_str().unwrap_or_default().to_owned(),
                    resource.as_str().unwrap_or_default().to_owned(),
                ));
            }
        }
    }
    let mut granted: Vec<_> = GRANTS.iter().map(|grant| (grant.group.to_owned(), plural(grant.kind))).collect();
    allowed.sort();
    granted.sort();
    assert_eq!(allowed, granted);
    Ok(())
}

/// A Node that was completed is still a Node: Kubernetes' own type reads it.
#[test]
fn a_completed_node_is_still_a_node() -> Result<()> {
    let case = testkit::case::Case::corpus()?.into_iter().find(|case| case.name == "node/node_role_labels_arrive");
    let case = case.context("no such case")?;
    let review = case.reviews.first().context("no review")?;
    let answer = testkit::module::Module::policy()?.validate(review, &case.settings, &case.cluster)?;
    let node = testkit::runner::patched(&review["object"], &answer.patch)?;
    let node: k8s_openapi::api::core::v1::Node = serde_json::from_value(node)?;
    let labels = node.metadata.labels.unwrap_or_default();
    assert!(labels.keys().any(|key| key.starts_with("node-role.kubernetes.io/")), "{labels:?}");
    Ok(())
}
