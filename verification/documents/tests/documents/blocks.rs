//! Every fenced block of the documents: YAML is evaluated, commands exist.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use metadata_propagation::Settings;
use serde_json::{Value, json};
use testkit::case::CaseDocument;
use testkit::cluster::ApiServer;
use testkit::runner::created;

use documents::{FencedBlock, blocks, documents};

fn all(language: &str) -> Result<Vec<FencedBlock>> {
    let mut all = Vec::new();
    for document in documents()? {
        all.extend(blocks(&document)?.0.into_iter().filter(|block| block.kind.split(' ').next() == Some(language)));
    }
    Ok(all)
}

/// The words after a fence define the type of a YAML block, and thus how it is checked.
#[test]
fn every_block_of_yaml_is_what_it_says() -> Result<()> {
    let blocks = all("yaml")?;
    for FencedBlock { at, kind, text } in &blocks {
        // Several documents are no value.
        if kind == "yaml case" {
            is_answered(text).with_context(|| at.clone())?;
            continue;
        }
        let value: Value = serde_saphyr::from_str(text).with_context(|| at.clone())?;
        let checked = match kind.as_str() {
            "yaml settings" => Settings::validate(&value.to_string()).map_err(Into::into),
            "yaml rules" => are_rules(&value),
            "yaml policy" => is_part_of_a_policy(&value),
            "yaml manifest" => is_admitted(&value),
            "yaml values" => are_values(&value),
            "yaml xrd-spec-properties" => keeps_cloud_tags(&value),
            // The test `generated` compares it with what the engine answers.
            "yaml result" => Ok(()),
            // propagate/tests/pipelines.rs runs them.
            "yaml workflow" | "yaml gitlab" | "yaml pre-commit" => Ok(()),
            other => bail!("{at}: what is `{other}`?"),
        };
        checked.with_context(|| at.clone())?;
    }
    ensure!(blocks.len() >= 10, "only {} blocks were found", blocks.len());
    Ok(())
}

/// A case, evaluated by the engine and compared with its `expect`, if any.
fn is_answered(text: &str) -> Result<()> {
    for case in CaseDocument::read("case", text, &json!({}))?.into_iter().flat_map(|document| document.cases) {
        let answers = case.answers()?;
        ensure!(case.expect.is_none() || case.differences(&answers).is_empty(), "{answers:?}");
    }
    Ok(())
}

/// Rules of a ClusterAdmissionPolicy: kinds by name, and only kinds that the policy checks.
fn are_rules(value: &Value) -> Result<()> {
    for rule in value.as_array().context("no list")? {
        let fields: Vec<&String> = rule.as_object().context("no rule")?.keys().collect();
        ensure!(fields == ["apiGroups", "apiVersions", "operations", "resources"], "{fields:?}");
        for field in fields {
            let words: Vec<&str> = rule[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let known = |word: &&str| field != "operations" || ["CREATE", "UPDATE"].contains(word);
            ensure!(
                !words.is_empty() && words.iter().all(|word| known(word) && !word.contains('*')),
                "{field}: {words:?}"
            );
        }
    }
    Ok(())
}

/// The fields of a ClusterAdmissionPolicy's spec, policies.kubewarden.io/v1.
const POLICY_FIELDS: [&str; 17] = [
    "backgroundAudit",
    "contextAwareResources",
    "failurePolicy",
    "matchConditions",
    "matchPolicy",
    "message",
    "mode",
    "module",
    "mutating",
    "namespaceSelector",
    "objectSelector",
    "policyServer",
    "rules",
    "settings",
    "sideEffects",
    "timeoutEvalSeconds",
    "timeoutSeconds",
];

fn is_part_of_a_policy(value: &Value) -> Result<()> {
    let fields = value["spec"].as_object().context("no spec")?;
    for name in fields.keys() {
        ensure!(POLICY_FIELDS.contains(&&**name), "a policy has no field `{name}`");
    }
    Ok(())
}

/// Values of the chart, whose settings the engine accepts.
fn are_values(values: &Value) -> Result<()> {
    let schema = documents::read("deploy/charts/metadata-propagation-policy/values.schema.json")?;
    jsonschema::validate(&serde_json::from_str(&schema)?, values).map_err(|error| anyhow::anyhow!("{error}"))?;
    for section in ["clusterApi", "cloudTags"] {
        if let Some(settings) = values[section].get("settings") {
            Settings::validate(&settings.to_string())?;
        }
    }
    Ok(())
}

fn is_admitted(object: &Value) -> Result<()> {
    let answer = created("alice", object, &json!({}), &ApiServer::default())?;
    ensure!(answer.accepted && answer.warnings.is_empty(), "{answer:?}");
    Ok(())
}

/// With the block among the properties of a composite's spec, tags are kept; without it, they are lost.
fn keeps_cloud_tags(properties: &Value) -> Result<()> {
    let composites = json!([{ "apiGroups": ["example.com"], "provider": { "fixed": "aws" } }]);
    let settings = json!({ "cloudTags": { "composites": composites, "xrds": "reject" } });
    let xrd = |properties: &Value| {
        let spec = json!({ "type": "object", "properties": properties });
        let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
        json!({
            "apiVersion": "apiextensions.crossplane.io/v2", "kind": "CompositeResourceDefinition",
            "metadata": { "name": "xs.example.com" },
            "spec": {
                "group": "example.com", "names": { "kind": "X", "plural": "xs" },
                "versions": [{ "name": "v1", "served": true, "referenceable": true, "schema": schema }],
            },
        })
    };
    let answered = |properties: &Value| created("alice", &xrd(properties), &settings, &ApiServer::default());
    let answer = answered(properties)?;
    ensure!(answer.accepted && answer.report["findings"].is_null(), "{answer:?}");
    ensure!(!answered(&json!({}))?.accepted, "without the block nothing is lost");
    Ok(())
}

#[test]
fn every_command_exists() -> Result<()> {
    let blocks = all("console")?;
    // Sessions, with prompts and output, are run by propagate.
    for FencedBlock { at, text, .. } in blocks.iter().filter(|block| !block.text.starts_with("$ ")) {
        for line in text.replace("\\\n", " ").lines() {
            command_exists(line).with_context(|| format!("{at}: {line}"))?;
        }
    }
    ensure!(blocks.len() >= 5, "only {} blocks were found", blocks.len());
    let mut spans = 0;
    for document in documents()? {
        let (_, text) = documents::blocks(&document)?;
        for span in text.split('`').skip(1).step_by(2) {
            let span = span.replace('\n', " ");
            let program = span.split(' ').find(|word| !word.contains('=')).unwrap_or_default();
            if ["make", "cargo"].contains(&program) && span != program {
                command_exists(&span).with_context(|| format!("{document}: {span}"))?;
                spans += 1;
            }
        }
    }
    ensure!(spans >= 10, "only {spans} commands were found");
    Ok(())
}

/// Checks the parts of a shell line that name something in this repository.
fn command_exists(line: &str) -> Result<()> {
    let mut folder = testkit::root();
    for command in line.split("&&") {
        let words: Vec<&str> = command
            .split_whitespace()
            .skip_while(|word| word.split_once('=').is_some())
            .map(|word| word.trim_matches(['[', ']']))
            .collect();
        let (program, words) = words.split_first().context("no command")?;
        let after = |flags: &[&str]| {
            let pairs = words.windows(2).filter(|pair| flags.contains(&pair[0]));
            pairs.map(|pair| pair[1].to_owned()).collect::<Vec<String>>()
        };
        let files: Vec<String> = match *program {
            // Into a clone of this repository, whose files are here.
            "cd" if words == ["metadata-propagation-policy"] => Vec::new(),
            "cd" => {
                folder = folder.join(words.first().context("cd where?")?);
                vec![".".to_owned()]
            }
            "make" => {
                let makefile = fs::read_to_string(testkit::root().join("Makefile"))?;
                for target in words.iter().filter(|word| !word.contains('=')) {
                    ensure!(makefile.lines().any(|line| line.starts_with(&format!("{target}:"))), "no target {target}");
                }
                Vec::new()
            }
            "cargo" => return cargo_knows(words),
            "go" => {
                let word = words.get(2).context("go run . what?")?;
                let main = fs::read_to_string(folder.join("main.go"))?;
                ensure!(words.starts_with(&["run", "."]) && main.contains(&format!("\"{word}\"")), "no command {word}");
                words.iter().skip(3).filter(|word| word.contains('/')).map(|_| ".".to_owned()).collect()
            }
            "kubectl" | "helm" => {
                let values = after(&["-f", "--filename", "--values"]);
                values.into_iter().filter(|file| file != "values.yaml").collect()
            }
            "kwctl" => after(&["--request-path", "--replay-host-capabilities-interactions", "--settings-path"]),
            "propagate" => words.iter().filter(|word| word.ends_with(".yaml")).map(|word| (*word).to_owned()).collect(),
            // They use nothing from this repository.
            "cosign" | "gh" | "git" | "rustup" | "sha256sum" => Vec::new(),
            script if script.starts_with("verification/scripts/") => vec![script.to_owned()],
            other => bail!("nothing is known about `{other}`"),
        };
        for file in files {
            ensure!(folder.join(&file).exists(), "no file {file}");
        }
    }
    Ok(())
}

/// Packages, programs, tests and cases that a cargo command names.
fn cargo_knows(words: &[&str]) -> Result<()> {
    let root = testkit::root();
    let of = |name: &str| -> Result<PathBuf> {
        let wanted = format!("\nname = \"{name}\"\n");
        let mut folders = vec![root.clone(), root.join("propagate"), root.join("playground")];
        for home in ["crates", "propagate", "verification"] {
            for entry in fs::read_dir(root.join(home))? {
                folders.push(entry?.path());
            }
        }
        let is_wanted = |folder: &PathBuf| {
            fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|manifest| manifest.contains(&wanted))
        };
        folders.into_iter().find(is_wanted).with_context(|| format!("no package {name}"))
    };
    let mut folder = root.clone();
    for pair in words.windows(2) {
        match pair[0] {
            "-p" | "--package" => folder = of(pair[1])?,
            "--bin" | "--test" => {
                let within = if pair[0] == "--bin" { "src/bin" } else { "tests" };
                let path = folder.join(within).join(pair[1]);
                ensure!(
                    path.with_extension("rs").exists() || path.join("main.rs").exists(),
                    "no file {}",
                    path.display()
                );
            }
            _ => {}
        }
    }
    Ok(())
}
