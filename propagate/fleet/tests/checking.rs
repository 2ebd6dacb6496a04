//! What is found in objects that are stored as they are written.

use fleet::{Checker, Fleet, Locator, Source};
use metadata_propagation::Settings;

/// Each finding as `line:column level check message`, each object that was not compared with its reason.
fn check(text: &str, settings: &str) -> Vec<String> {
    let fleet = Fleet::read(vec![Source { name: "a.yaml".to_owned(), text: text.to_owned() }]);
    assert_eq!(fleet.problems(), []);
    let checker = Checker::new(&Settings::from_json(settings).unwrap_or_default());
    let mut locator = Locator::new(fleet.sources());
    let mut lines = Vec::new();
    for object in fleet.objects() {
        let checked = checker.check(object, &fleet);
        for finding in checked.findings {
            let place = locator.locate(&object.origin, &finding.at, &finding.keys);
            let (line, column) = (place.position.line, place.position.column);
            lines.push(format!("{line}:{column} {:?} {} {}", finding.level, finding.check, finding.message));
        }
        lines.extend(checked.inert.map(|inert| format!("{}: {inert}", object.id)));
    }
    lines
}

const SET: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: {name: ms, namespace: fleet, uid: u}
spec:
  clusterName: c1
  selector: {matchLabels: {team: red}}
  template: {metadata: {labels: {team: red}}}
---
";

const MACHINE: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: m
  namespace: fleet
  ownerReferences:
  - {apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, uid: u, controller: true}
";

#[test]
fn drift_is_located_where_it_is_or_would_be_written() {
    let missing = check(&format!("{SET}{MACHINE}"), "{}");
    let team =
        "label `team` in `metadata.labels` must be `red`: set on MachineSet fleet/ms (.spec.template.metadata.labels)";
    assert_eq!(missing.last(), Some(&format!("15:1 Error drift {team}")));
    assert_eq!(missing.len(), 3, "{missing:#?}");
    let labels =
        "  labels:\n    team: blue\n    cluster.x-k8s.io/cluster-name: c1\n    cluster.x-k8s.io/set-name: ms\n";
    let wrong = check(&format!("{SET}{MACHINE}{labels}"), "{}");
    assert_eq!(wrong.last(), Some(&format!("21:11 Error drift {team}")));
}

#[test]
fn what_guards_find_is_found_in_an_object_that_differs_too() {
    let deployment = SET.replace("MachineSet", "MachineDeployment").replace("name: ms", "name: md");
    let owner = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: md, uid: u, controller: true}";
    let set = SET.split_once("---\n").map_or("", |(_, set)| set);
    let set = set.replace("uid: u}", &format!("uid: v, ownerReferences: [{owner}]}}"));
    let set = set.replace("{team: red}}}\n", "{team: red, kubernetes.io/os: linux}}}\n");
    let lines = check(&format!("{deployment}{set}"), "{}");
    let guarded: Vec<&String> = lines.iter().filter(|line| line.starts_with("19:")).collect();
    let sentence = "label `kubernetes.io/os` is not synced to Nodes; to sync such labels, use the manager's flag \
                    `--additional-sync-machine-labels` and `clusterApi.node.additionalLabels`";
    assert_eq!(guarded, [&format!("19:63 Warning guards.nodeKeys {sentence}")], "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains(" Error drift ")), "{lines:#?}");
}

#[test]
fn a_missing_owner_is_reported_and_is_no_finding() {
    let missing = "Machine fleet/m: cluster.x-k8s.io/v1beta2 MachineSet fleet/ms was not found".to_owned();
    for settings in ["{}", r#"{"lookup":{"onMissing":"reject"}}"#] {
        assert_eq!(check(MACHINE, settings), std::slice::from_ref(&missing));
    }
}

#[test]
fn labels_that_do_not_propagate_are_reported_at_their_place() {
    let deployment = "apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: md
  namespace: fleet
  labels: {team: red}
spec: {clusterName: c1}
";
    let sentence = "label `team` is not propagated from here; set it in `spec.template.metadata.labels`";
    assert_eq!(
        check(deployment, "{}"),
        [
            format!("6:18 Warning misplaced {sentence}"),
            "MachineDeployment fleet/md: no owner propagates anything to it".to_owned()
        ]
    );
}

#[test]
fn what_an_object_cannot_be_given_is_reported_at_the_object() {
    let above = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: {name: ms, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1}}
spec: {clusterName: c1, template: {metadata: {labels: {team: red team, cluster.x-k8s.io/cluster-name: c1}}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: m
  namespace: fleet
  labels: {cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/set-name: ms}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
spec: {clusterName: c1}
";
    let sentence = "label `team` not propagated: the value is not valid; change it on MachineSet fleet/ms (.spec.template.metadata.labels)";
    let expected = [
        "8:62 Error refused the value `red team` of label `team` is not valid".to_owned(),
        "MachineSet fleet/ms: no owner propagates anything to it".to_owned(),
        format!("15:3 Warning illegal {sentence}"),
    ];
    assert_eq!(check(above, "{}"), expected);
}

#[test]
fn an_object_of_another_shape_is_a_finding_at_its_place() {
    let text = MACHINE.replace("  namespace: fleet\n", "  namespace: fleet\n  labels: {a: 1}\n");
    assert_eq!(
        check(&text, "{}"),
        [
            "6:3 Error unreadable cannot read Machine fleet/m: `metadata.labels` is not a map of strings: the value of `a` \
             is not a string"
        ]
    );
}

/// `object: message` of every finding of the check `unreadable`.
fn unreadable(text: &str) -> Vec<String> {
    let fleet = Fleet::read(vec![Source { name: "a.yaml".to_owned(), text: text.to_owned() }]);
    assert_eq!(fleet.problems(), []);
    let checked = Checker::new(&Settings::default()).fleet(&fleet);
    let findings = fleet.objects().zip(checked).flat_map(|(object, checked)| {
        let id = object.id.clone();
        checked
            .findings
            .into_iter()
            .filter(|it| it.check == "unreadable")
            .map(move |it| format!("{id}: {}", it.message))
    });
    findings.collect()
}

#[test]
fn what_others_are_made_from_is_read_as_their_parent() {
    let object = |kind: &str, spec: &str| {
        format!("apiVersion: cluster.x-k8s.io/v1beta2\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n")
    };
    for (kind, spec, problem) in [
        ("MachineDeployment", "{selector: [a]}", "`spec.selector` is not an object"),
        ("MachineSet", "{selector: {matchLabels: [a]}}", "`spec.selector.matchLabels` is not a map of strings"),
        (
            "MachineDeployment",
            "{selector: {x: y}}",
            "`spec.selector` has unknown field `x`; set labels in `matchLabels`",
        ),
        ("Cluster", "{topology: {class: [c]}}", "`spec.topology.class` is not a string"),
        ("ClusterClass", "{controlPlane: {templateRef: a}}", "`spec.controlPlane.templateRef` is not an object"),
        (
            "ClusterClass",
            "{controlPlane: {templateRef: {name: 1}}}",
            "`spec.controlPlane.templateRef.name` is not a string",
        ),
        ("ClusterClass", "{patches: {a: b}}", "`spec.patches` is not a list"),
    ] {
        let expected =
            format!("{kind} default/x: cannot read {kind} default/x as the parent of other objects: {problem}");
        assert_eq!(unreadable(&object(kind, spec)), [expected], "{kind} {spec}");
    }
}

#[test]
fn a_parent_that_can_be_read_is_no_finding() {
    for text in [SET, &format!("{SET}{MACHINE}")] {
        assert_eq!(unreadable(text), Vec::<String>::new());
    }
}
