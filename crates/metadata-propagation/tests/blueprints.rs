//! The blueprints of `examples/` deliver `spec.cloudTags`, and are refused without what delivers it.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use testkit::answer::Answer;
use testkit::cluster::ApiServer;
use testkit::runner::created;

const BLUEPRINTS: [&str; 5] = ["aws-bucket", "aws-instance", "generic-vm", "hetzner-server", "openstack-instance"];

fn read(blueprint: &str, file: &str) -> Result<Value> {
    testkit::yaml(&format!("examples/blueprints/{blueprint}/{file}.yaml"))
}

/// The answer when an object is created, and lost tags are refused.
fn check(object: &Value) -> Result<Answer> {
    check_as("alice", object)
}

fn check_as(username: &str, object: &Value) -> Result<Answer> {
    let composites = json!([{
        "apiGroups": ["blueprints.plexsphere.com"], "provider": { "path": "spec.parameters.provider" },
    }]);
    let opted_in = json!({ "scope": "platform", "cloudTagPropagation": true });
    let definitions = json!({ "platform/env": opted_in, "acme:checkout/owner": opted_in });
    let settings = json!({ "cloudTags": {
        "composites": composites, "definitions": definitions, "xrds": "reject", "compositions": "reject",
    } });
    created(username, object, &settings, &ApiServer::default())
}

#[test]
fn every_blueprint_is_listed() -> Result<()> {
    let folder = std::fs::read_dir(testkit::root().join("examples/blueprints"))?;
    let mut names: Vec<String> =
        folder.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<_>>()?;
    names.retain(|name| !["README.md", "nested", "strict-settings.yaml"].contains(&name.as_str()));
    names.sort();
    assert_eq!(names, BLUEPRINTS);
    Ok(())
}

#[test]
fn every_blueprint_is_clean() -> Result<()> {
    for blueprint in BLUEPRINTS {
        for file in ["xrd", "composition"] {
            let answer = check(&read(blueprint, file)?)?;
            ensure!(answer.accepted && answer.patch.is_empty(), "{blueprint}/{file}: {answer:?}");
            // Notes say what the tags of a kind do not reach.
            let findings = answer.report["findings"].as_array().into_iter().flatten();
            let problems: Vec<&Value> = findings.filter(|finding| finding["stance"] != "ignore").collect();
            assert_eq!(problems, Vec::<&Value>::new(), "{blueprint}/{file}");
        }
    }
    Ok(())
}

/// Taking the declaration out of any served version, or the path out of the Composition, is refused.
#[test]
fn no_blueprint_is_clean_without_its_tags() -> Result<()> {
    for blueprint in BLUEPRINTS {
        let xrd = read(blueprint, "xrd")?;
        for (index, _) in xrd["spec"]["versions"].as_array().context("versions")?.iter().enumerate() {
            let mut without = xrd.clone();
            let schema = &mut without["spec"]["versions"][index]["schema"]["openAPIV3Schema"];
            let properties = schema["properties"]["spec"]["properties"].as_object_mut().context("properties")?;
            properties.remove("cloudTags").context("cloudTags")?;
            ensure!(!check(&without)?.accepted, "{blueprint} version {index}");
        }
        let text = read(blueprint, "composition")?.to_string();
        let without = text.replace("spec.cloudTags", "spec.otherTags");
        ensure!(without != text && !check(&serde_json::from_str(&without)?)?.accepted, "{blueprint}");
    }
    Ok(())
}

/// The sample composite is one that its definition serves, and nothing of it is pruned, its tags included.
#[test]
fn no_composite_is_pruned() -> Result<()> {
    for blueprint in BLUEPRINTS {
        let (xrd, mut composite) = (read(blueprint, "xrd")?, read(blueprint, "composite")?);
        let spec = &xrd["spec"];
        assert_eq!(composite["kind"], spec["names"]["kind"], "{blueprint}");
        let is_namespaced = spec["scope"] == "Namespaced";
        assert_eq!(composite["metadata"]["namespace"].is_string(), is_namespaced, "{blueprint}");
        assert!(composite["spec"]["parameters"]["provider"].is_string(), "{blueprint}");
        let versions = spec["versions"].as_array().context("versions")?;
        let served = |version: &&Value| {
            let name =
                format!("{}/{}", spec["group"].as_str().unwrap_or_default(), version["name"].as_str().unwrap_or("?"));
            version["served"] == true && composite["apiVersion"] == name
        };
        let version = versions.iter().find(served).with_context(|| format!("{blueprint} is of no served version"))?;
        composite["spec"]["cloudTags"] = json!({ "plexsphere:platform/env": "production" });
        let schema = &version["schema"]["openAPIV3Schema"]["properties"]["spec"];
        assert_eq!(pruned(&composite["spec"], schema), composite["spec"], "{blueprint}");
    }
    Ok(())
}

/// What Crossplane composes of a composite, by the first resource of a Composition, as it writes it.
fn composed(parent: &Value, composition: &Value) -> Result<Value> {
    let resource = composition.pointer("/spec/pipeline/0/input/resources/0").context("resource")?;
    let field = |object: &Value, name: &str| object.get(name).cloned().with_context(|| name.to_owned());
    let metadata = json!({
        "generateName": "shop-", "namespace": "checkout", "labels": { "crossplane.io/composite": "shop" },
        "annotations": { "crossplane.io/composition-resource-name": "instance" },
        "ownerReferences": [{ "apiVersion": field(parent, "apiVersion")?, "kind": field(parent, "kind")?, "name": "shop",
            "uid": "u", "controller": true, "blockOwnerDeletion": true }],
    });
    let mut child = field(resource, "base")?;
    child.as_object_mut().context("base")?.insert("metadata".to_owned(), metadata);
    for patch in field(resource, "patches")?.as_array().context("patches")? {
        let path = field(patch, "fromFieldPath")?;
        ensure!(field(patch, "toFieldPath")? == path);
        let path = path.as_str().context("fromFieldPath")?;
        let pointer = match path.split_once('[') {
            Some((above, key)) => {
                format!("/{}/{}", above.replace('.', "/"), key.trim_end_matches(']').replace('/', "~1"))
            }
            None => format!("/{}", path.replace('.', "/")),
        };
        let value = parent.pointer(&pointer).with_context(|| path.to_owned())?.clone();
        let (above, key) = pointer.rsplit_once('/').context("pointer")?;
        let target = child.pointer_mut(above).and_then(Value::as_object_mut).with_context(|| above.to_owned())?;
        match (target.get_mut(key).and_then(Value::as_object_mut), value) {
            (Some(merged), Value::Object(value)) => merged.extend(value),
            (_, value) => {
                target.insert(key.replace("~1", "/"), value);
            }
        }
    }
    Ok(child)
}

#[test]
fn a_composite_below_another_one_has_its_tags_either_way() -> Result<()> {
    let expected =
        json!({ "plexsphere:acme:checkout/owner": "team-checkout", "plexsphere:platform/env": "production" });
    let (xrd, mut parent) = (read("nested", "xrd")?, read("nested", "composite")?);
    ensure!(check(&xrd)?.accepted);
    let stamped = check(&parent)?;
    assert_eq!(stamped.report["cloudTags"]["tags"], expected);
    parent["spec"]["cloudTags"] = expected.clone();
    for (way, is_forwarded) in [("tags", true), ("labels", false)] {
        let composition = read("nested", &format!("composition-{way}"))?;
        let answer = check(&composition)?;
        ensure!(answer.accepted, "{way}: {answer:?}");
        let child = composed(&parent, &composition)?;
        let answer = check_as("system:serviceaccount:crossplane-system:crossplane", &child)?;
        ensure!(answer.accepted, "{way}: {answer:?}");
        assert_eq!(answer.patch.is_empty(), is_forwarded, "{way}: {:?}", answer.patch);
        let tags = &answer.report["cloudTags"];
        assert_eq!(tags[if is_forwarded { "forwarded" } else { "tags" }], expected, "{way}");
    }
    Ok(())
}

/// Under strict profiles the tags of every sample composite are such as its cloud itself takes.
#[test]
fn every_cloud_takes_the_tags_of_its_strict_profile() -> Result<()> {
    let composites = json!([{
        "apiGroups": ["blueprints.plexsphere.com"], "provider": { "path": "spec.parameters.provider" },
    }]);
    let profiles =
        json!({ "aws": "aws-strict", "hetzner": "hetzner-strict", "openstack": "openstack-strict", "oracle": "oci" });
    let mut settings = json!({ "cloudTags": { "composites": composites, "profiles": profiles, "definitions": {} } });
    for blueprint in BLUEPRINTS {
        let mut composite = read(blueprint, "composite")?;
        let labels = composite["metadata"]["labels"].as_object().cloned().unwrap_or_default();
        // The specification's example keys, where a sample has none of its own.
        let assignments = json!({ "platform/env": "production", "acme:checkout/owner": "team-red" }).to_string();
        composite["metadata"]["annotations"] = json!({ "labels.plexsphere.com/assignments": assignments });
        for key in labels.keys().map(String::as_str).chain(["platform/env", "acme:checkout/owner"]) {
            let definition = json!({ "scope": "platform", "cloudTagPropagation": true });
            settings["cloudTags"]["definitions"][key] = definition;
        }
        let answer = created("alice", &composite, &settings, &ApiServer::default())?;
        let verdicts = answer.report["cloudTags"]["cloud"].as_object().cloned().context("verdicts")?;
        ensure!(verdicts.len() >= 2 && verdicts.values().all(|it| it == "accepted"), "{blueprint}: {verdicts:?}");
    }
    Ok(())
}

/// What structural pruning leaves of an object, as far as these schemas go.
fn pruned(value: &Value, schema: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let kept = fields.iter().filter_map(|(key, value)| {
        let schema = schema["properties"].get(key).or_else(|| schema.get("additionalProperties"))?;
        Some((key.clone(), pruned(value, schema)))
    });
    Value::Object(kept.collect::<Map<_, _>>())
}
