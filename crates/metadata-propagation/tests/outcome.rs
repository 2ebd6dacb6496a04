//! The parts of an outcome that no answer of the module has: for `propagate`, which works on files.

use metadata_propagation::{GroupVersionKind, MalformedObject, Manifests, Review, Settings, concerns, evaluate};

fn machine(labels: &str) -> String {
    format!(
        r#"{{"operation":"CREATE","namespace":"fleet","name":"m","userInfo":{{}},
        "kind":{{"group":"cluster.x-k8s.io","version":"v1beta2","kind":"Machine"}},
        "object":{{"apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{{"name":"m","labels":{labels},"ownerReferences":[
            {{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","name":"ms","controller":true}}]}}}}}}"#
    )
}

#[test]
fn an_object_that_cannot_be_read_is_named_and_so_is_the_path_in_it() {
    let request = machine("[]");
    let outcome = evaluate(&Review::from_json(&request).unwrap(), &Settings::default(), &Manifests::default());
    assert_eq!(outcome.rejection.unwrap().at.as_deref(), Some("metadata.labels"));
    let MalformedObject { object, problem } = outcome.malformed.unwrap();
    assert_eq!((&*object, &*problem.path), ("Machine fleet/m", "metadata.labels"));
}

#[test]
fn the_facts_of_warnings_are_in_the_outcome_too() {
    let mut cluster = Manifests::default();
    let set = r#"{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","metadata":{"name":"ms"},
        "spec":{"template":{"metadata":{"labels":{"team":"red"}}}}}"#;
    cluster.insert("cluster.x-k8s.io/v1beta2", "MachineSet", "fleet", "ms", set.to_owned());
    let request = machine(r#"{"cluster.x-k8s.io/set-name":"ms"}"#);
    let outcome = evaluate(&Review::from_json(&request).unwrap(), &Settings::default(), &cluster);
    let expected = ["label `team` added: set on MachineSet fleet/ms (.spec.template.metadata.labels)"];
    assert_eq!(outcome.warnings, expected);
    assert_eq!(outcome.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn only_objects_of_kinds_with_a_role_are_read() {
    for (group, kind, expected) in [("cluster.x-k8s.io", "Machine", true), ("apps", "Deployment", false)] {
        let kind = GroupVersionKind { group: group.into(), version: "v1beta2".into(), kind: kind.into() };
        assert_eq!(concerns(&Review { kind, ..Review::default() }, &Settings::default()), expected, "{group}");
    }
}

/// Only what an API server sends has owners of fields that must be kept.
#[test]
fn a_request_is_of_an_api_server() {
    assert!(Review::from_json(&machine("{}")).unwrap().is_of_api_server);
}
