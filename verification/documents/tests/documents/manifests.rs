//! The form, the metadata and the documents agree with one another and with the settings' defaults.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use fleet::plural;
use metadata_propagation::Settings;
use serde_json::{Value, json};
use testkit::yaml;

use documents::blocks;

/// The first settings that a document shows.
fn shown(document: &str) -> Result<Value> {
    let (blocks, _) = blocks(document)?;
    let block = blocks.into_iter().find(|block| block.kind == "yaml settings").context("no settings")?;
    serde_saphyr::from_str(&block.text).context(block.at)
}

/// Every setting with its default, as docs/settings.md prints them from the schema.
pub(crate) fn defaults() -> Result<Value> {
    shown("docs/settings.md")
}

#[test]
fn the_documented_defaults_are_what_no_settings_mean() -> Result<()> {
    let meant = |settings: &str| Settings::from_json(settings).map(|settings| format!("{settings:?}"));
    assert_eq!(meant(&defaults()?.to_string())?, meant("{}")?);
    Ok(())
}

/// Compares every setting that is written out with its default.
pub(crate) fn are_defaults(at: &str, shown: &Value) -> Result<()> {
    let defaults = defaults()?;
    let mut paths = Vec::new();
    leaves(shown, "", &mut paths);
    for path in paths {
        assert_eq!(shown.pointer(&path), defaults.pointer(&path), "{at}: {path}");
    }
    Ok(())
}

#[test]
fn usage_shows_defaults() -> Result<()> {
    are_defaults("docs/usage.md", &shown("docs/usage.md")?)
}

/// The paths of all values that are not objects with fields.
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
    // A form has no maps of objects. The registry has no default, since it replaces the definitions.
    expected.retain(|path| path != "/cloudTags/definitions");
    expected.push("/cloudTags/registry/names".to_owned());
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
fn the_rules_ask_for_the_writes_of_named_kinds() -> Result<()> {
    for rule in yaml("policy-metadata.yml")?["rules"].as_array().context("rules")? {
        for resource in rule["resources"].as_array().context("resources")? {
            let resource = resource.as_str().unwrap_or_default();
            assert!(!resource.contains(['*', '/']), "{resource}");
            // A new template rolls out nothing; guards check those of control planes.
            let rolls_out = resource.ends_with("templates") && !resource.ends_with("controlplanetemplates");
            // Deleting a registry that the settings name is reviewed too, to prevent accidental deletion.
            let operations: &[&str] = match resource {
                "labelregistries" => &["CREATE", "UPDATE", "DELETE"],
                _ if rolls_out => &["UPDATE"],
                _ => &["CREATE", "UPDATE"],
            };
            assert_eq!(rule["operations"], serde_json::json!(operations), "{resource}");
        }
    }
    Ok(())
}

#[test]
fn the_catalog_lists_the_kinds_of_the_rules() -> Result<()> {
    let metadata = yaml("policy-metadata.yml")?;
    let listed = metadata["annotations"]["io.artifacthub.resources"].as_str().context("resources")?;
    let kinds: BTreeSet<String> = listed.split(", ").map(plural).collect();
    let rules = metadata["rules"].as_array().into_iter().flatten();
    let resources = rules.flat_map(|rule| rule["resources"].as_array().into_iter().flatten());
    assert_eq!(kinds, resources.filter_map(Value::as_str).map(str::to_owned).collect());
    Ok(())
}

/// The policy's only host call is reading one object; this test fails if it needs more.
#[test]
fn the_policy_needs_one_capability_of_its_host() -> Result<()> {
    assert_eq!(yaml("policy-metadata.yml")?["hostCapabilities"], json!(["kubernetes/get_resource"]));
    Ok(())
}

/// A completed Node is still a valid Node: it deserializes as Kubernetes' own type.
#[test]
fn a_completed_node_is_still_a_node() -> Result<()> {
    let case = testkit::case::corpus()?.into_iter().find(|case| case.name == "node/node_role_labels_propagate");
    let case = case.context("no such case")?;
    let review = case.reviews.first().context("no review")?;
    let answer = testkit::module::Module::policy()?.validate(review, &case.settings, &case.cluster)?;
    let node = testkit::patch::patched(&review["object"], &answer.patch)?;
    let node: k8s_openapi::api::core::v1::Node = serde_json::from_value(node)?;
    let labels = node.metadata.labels.unwrap_or_default();
    assert!(labels.keys().any(|key| key.starts_with("node-role.kubernetes.io/")), "{labels:?}");
    Ok(())
}
