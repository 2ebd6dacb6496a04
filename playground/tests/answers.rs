//! The answers that the page receives, one test per question.

#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

use metadata_propagation::tags::{PROFILES, STRICT_PROFILES};
use serde_json::{Value, json};

fn asked(question: &Value) -> Value {
    serde_json::from_str(&playground::answer(&question.to_string())).unwrap()
}

fn text(name: &str, text: &str) -> Value {
    json!({ "name": name, "text": text })
}

fn check(manifests: &str, settings: &str) -> Value {
    let texts = (text("manifests", manifests), text("settings", settings));
    asked(&json!({ "ask": "check", "manifests": texts.0, "settings": texts.1 }))
}

const COMPOSITES: &str =
    "cloudTags: { composites: [{ apiGroups: [x.org], provider: { fixed: aws } }], compositions: reject }";

fn composition(patches: &str) -> String {
    format!(
        "apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {{ name: c }}
spec:
  compositeTypeRef: {{ apiVersion: x.org/v1, kind: X }}
  mode: Pipeline
  pipeline:
    - step: s
      functionRef: {{ name: function-patch-and-transform }}
      input:
        apiVersion: pt.fn.crossplane.io/v1beta1
        kind: Resources
        resources:
          - name: vpc
            base: {{ apiVersion: ec2.aws.upbound.io/v1beta1, kind: VPC, spec: {{ forProvider: {{}} }} }}
            patches: [{patches}]
"
    )
}

#[test]
fn a_resource_that_loses_tags_is_found_at_its_name() {
    let text = composition("");
    let answer = check(&text, COMPOSITES);
    let at = text.find("vpc").unwrap();
    let finding = &answer["objects"][0]["findings"][0];
    assert_eq!(answer["marks"], json!([]));
    assert_eq!(
        finding,
        &json!({
            "level": "error",
            "check": "cloudTags.compositions",
            "verdict": "lost",
            "at": finding["at"],
            "text": "manifests",
            "from": at,
            "to": at + 3,
            "line": 14,
            "severity": "error",
            "message": "resource `vpc`: `spec.cloudTags` is not patched to `spec.forProvider.tags`",
        })
    );
}

#[test]
fn a_composition_that_keeps_tags_has_no_findings() {
    let text = composition("{ fromFieldPath: spec.cloudTags, toFieldPath: spec.forProvider.tags }");
    let object = &check(&text, COMPOSITES)["objects"][0];
    assert_eq!((&object["isConcerned"], &object["findings"]), (&json!(true), &json!([])));
    let object = &check(&text, "")["objects"][0];
    assert_eq!((&object["isConcerned"], &object["findings"]), (&json!(false), &json!([])));
}

#[test]
fn unusable_settings_are_marked_and_nothing_is_checked() {
    let answer = check("apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n", "mode: 7\n");
    let message = "mode: expected `mutate` or `verify`, found a number";
    let mark = json!({ "text": "settings", "from": 6, "to": 7, "line": 1, "severity": "error", "message": message });
    assert_eq!(answer, json!({ "marks": [mark], "objects": [] }));
}

#[test]
fn aliases_that_multiply_are_a_problem_at_their_line() {
    let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, of) in ('b'..='j').zip('a'..='i') {
        bomb += &format!("{name}: &{name} [*{of},*{of},*{of},*{of},*{of},*{of},*{of},*{of},*{of}]\n");
    }
    let marks = check(&bomb, "")["marks"].clone();
    assert_eq!(marks[0]["severity"], "error");
    assert_eq!(marks[0]["message"], "cannot read this document: too large when aliases are expanded");
    assert_eq!(marks.as_array().unwrap().len(), 1);
}

const SET: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: { namespace: a, name: ms, uid: u }
spec: { clusterName: c, template: { metadata: { labels: { team: red } } } }
";

const CLUSTER: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { namespace: a, name: c }
---
";

const MACHINE: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  namespace: a
  name: m
  ownerReferences: [{ apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, uid: u, controller: true }]
spec: { clusterName: c }
";

#[test]
fn a_write_is_answered_with_patch_kubectl_and_request() {
    let answer = asked(&json!({
        "ask": "edit", "old": text("old", ""), "new": text("new", MACHINE), "settings": text("settings", ""),
        "others": text("others", &format!("{CLUSTER}{SET}")),
        "user": "alice",
    }));
    let write = &answer["writes"][0];
    let labels = json!({ "cluster.x-k8s.io/set-name": "ms", "team": "red" });
    assert_eq!(write["patch"], json!([{ "op": "add", "path": "/metadata/labels", "value": labels }]));
    assert!(write["kubectl"].as_str().unwrap().ends_with("machine.cluster.x-k8s.io/m created"), "{}", write["kubectl"]);
    let request = &write["request"];
    assert_eq!((&request["operation"], &request["resource"]["resource"]), (&json!("CREATE"), &json!("machines")));
    assert_eq!((&request["userInfo"]["username"], &request["oldObject"]), (&json!("alice"), &Value::Null));
}

#[test]
fn objects_are_written_in_their_order() {
    let answer = asked(&json!({
        "ask": "edit", "old": text("old", ""), "new": text("new", &format!("{SET}---\n{MACHINE}")),
        "others": text("others", CLUSTER), "settings": text("settings", ""),
    }));
    let labels = &answer["writes"][1]["stored"]["metadata"]["labels"];
    assert_eq!(labels["team"], "red");
}

#[test]
fn effects_in_other_objects_are_reported() {
    let answer = asked(&json!({
        "ask": "edit", "old": text("old", SET), "new": text("new", &SET.replace("red", "blue")),
        "others": text("others", &format!("{CLUSTER}{}", MACHINE.replace("spec:", "  labels: { team: red }\nspec:"))),
        "settings": text("settings", ""),
    }));
    let entry = |title: &str, is_predicted: bool| json!({ "title": title, "isPredicted": is_predicted, "at": "metadata.labels", "key": "team", "from": "red", "to": "blue" });
    assert_eq!(answer["further"], json!([entry("Machine a/m", false)]));
}

#[test]
fn owners_that_a_variable_affects_are_reported_with_the_patch() {
    let class = include_str!("../../examples/quick-start/class.yaml");
    let edited = class.replace("value: 3.6.0", "value: 3.6.1");
    let [_, cluster, ..] = edited.split("---\n").collect::<Vec<_>>()[..] else { panic!("no Cluster") };
    let answer = asked(&json!({
        "ask": "edit", "old": text("old", class), "new": text("new", cluster), "others": text("others", ""),
        "settings": text("settings", ""),
    }));
    let chain = "Cluster default/my-cluster spec.topology.variables → variable `etcdImageTag` → patch `etcdImageTag` → KubeadmControlPlane \
        spec.kubeadmConfigSpec.clusterConfiguration.etcd.local.imageTag: \"3.6.0\" → \"3.6.1\"";
    let owner = json!({
        "effect": "rollout", "text": "KubeadmControlPlane default/my-cluster-*: rollout of 3 Machines", "because": [chain],
    });
    assert_eq!(answer["owners"], json!([owner]));
}

#[test]
fn a_refusal_is_printed_as_kubectl_prints_it() {
    let answer = asked(&json!({
        "ask": "edit", "old": text("old", ""), "new": text("new", MACHINE), "others": text("others", ""),
        "settings": text("settings", "lookup: { onMissing: reject }"),
    }));
    assert_eq!(
        answer["writes"][0]["kubectl"],
        "Error from server: admission webhook \"…\" denied the request: Machine a/m: cannot read \
         cluster.x-k8s.io/v1beta2 MachineSet a/ms: not found (`lookup.onMissing` is `reject`)"
    );
    assert_eq!((&answer["writes"][0]["code"], &answer["marks"][0]["line"]), (&json!(403), &json!(5)));
}

#[test]
fn a_key_is_followed_down_to_what_controllers_make() {
    let answer = asked(&json!({
        "ask": "path", "manifests": text("manifests", &format!("{SET}---\n{CLUSTER}")), "settings": text("settings", ""), "key": "team",
    }));
    let titles: Vec<&str> =
        answer["objects"].as_array().unwrap().iter().map(|object| object["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["MachineSet a/ms", "Cluster a/c", "Machine a/ms-*", "Node ms-*"]);
    assert_eq!((&answer["roots"], &answer["objects"][0]["children"]), (&json!([1]), &json!([2])));
    let placement = &answer["objects"][0]["placements"][0];
    assert_eq!(
        (&placement["at"], &placement["state"], &placement["place"]["line"]),
        (&json!("spec.template.metadata.labels"), &json!("set"), &json!(4))
    );
    let placement = &answer["objects"][2]["placements"][0];
    assert_eq!((&placement["value"], &placement["state"]), (&json!("red"), &json!("predicted")));
    assert_eq!(answer["objects"][3]["placements"][0]["state"], "not-propagated");
}

#[test]
fn labels_have_a_cell_under_every_profile() {
    let answer = asked(&json!({ "ask": "matrix", "labels": text("labels", "platform/env: prod\n") }));
    let names = |columns: &Value| {
        columns.as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&answer["specified"]), PROFILES.iter().map(|profile| profile.name).collect::<Vec<_>>());
    assert_eq!(names(&answer["strict"]), STRICT_PROFILES.iter().map(|profile| profile.name).collect::<Vec<_>>());
    assert_eq!(
        answer["specified"][1]["cells"],
        json!([{ "tag": "plexsphere:platform/env", "key": 23, "value": 4, "cloud": "refused: key-character-class" }])
    );
    assert_eq!(
        answer["strict"][2]["cells"],
        json!([{ "tag": "plexsphere/platform.env", "key": 12, "value": 4, "cloud": "accepted" }])
    );
}

#[test]
fn labels_that_are_no_map_of_strings_are_a_problem() {
    for (labels, line, message) in [
        ("- a\n", 1, "not a map of keys and values"),
        ("a: b\nc: 7\n", 2, "the value of `c` is not a string"),
        ("a: [\n", 1, "invalid YAML"),
    ] {
        let answer = asked(&json!({ "ask": "matrix", "labels": text("labels", labels) }));
        assert_eq!(answer["marks"][0]["line"], line, "{labels}");
        assert!(answer["marks"][0]["message"].as_str().unwrap().starts_with(message), "{answer}");
    }
}
