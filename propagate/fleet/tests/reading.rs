//! What is found in texts, with its position, and what is reported of the rest.

use fleet::{Fleet, Locator, Severity, Source};

fn fleet(texts: &[(&str, &str)]) -> Fleet {
    let source = |(name, text): &(&str, &str)| Source { name: (*name).to_owned(), text: (*text).to_owned() };
    Fleet::read(texts.iter().map(source).collect())
}

fn ids(fleet: &Fleet) -> Vec<String> {
    fleet.objects().map(|object| format!("{} {}", object.api_version(), object.id)).collect()
}

/// Each problem as `name:line:column severity message`.
fn problems(fleet: &Fleet) -> Vec<String> {
    let mut locator = Locator::new(fleet.sources());
    let told = |severity| match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let problem = |problem: &fleet::Problem| {
        let position = locator.position(problem.source, problem.at);
        let name = fleet.sources().get(problem.source).map_or("", |source| &source.name);
        format!("{name}:{}:{} {} {}", position.line, position.column, told(problem.severity), problem.message)
    };
    fleet.problems().iter().map(problem).collect()
}

#[test]
fn objects_of_streams_lists_and_json_are_found() {
    let fleet = fleet(&[
        (
            "a.yaml",
            "apiVersion: v1\nkind: Node\nmetadata: {name: w}\n---\napiVersion: a.b/v1\nkind: K\nmetadata:\n  name: k\n  namespace: s\n",
        ),
        ("b.yaml", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: m}}\n"),
        (
            "c.json",
            r#"{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","items":[{"metadata":{"name":"x","namespace":"s"}}]}"#,
        ),
        (
            "d.json",
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"generateName\":\"g-\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"o\"}}",
        ),
    ]);
    assert_eq!(
        ids(&fleet),
        ["v1 Node w", "a.b/v1 K s/k", "v1 Node m", "cluster.x-k8s.io/v1beta2 Machine s/x", "v1 Node g-", "v1 Node o"]
    );
    assert_eq!(problems(&fleet), Vec::<String>::new());
    let machine = fleet.objects().nth(3).unwrap();
    assert_eq!(
        &*machine.json,
        r#"{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"name":"x","namespace":"s"}}"#
    );
}

#[test]
fn what_cannot_be_read_is_reported_and_hides_nothing() {
    let fleet = fleet(&[(
        "a.yaml",
        "# values\nreplicas: 3\n---\n  a: [1\nb: 2\n---\nkind: K\napiVersion: v1\nmetadata: {}\n---\napiVersion: v1\nkind: Node\nmetadata:\n  name: w\n  name: o\n---\n- 1\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\n",
    )]);
    assert_eq!(ids(&fleet), ["v1 Node o"]);
    assert_eq!(
        problems(&fleet),
        [
            "a.yaml:2:1 note not a Kubernetes object: `apiVersion` or `kind` is missing",
            "a.yaml:5:2 error cannot read this document: invalid YAML: illegal placement of ':' indicator",
            "a.yaml:7:1 note no object: K without `metadata.name`",
            "a.yaml:15:3 warning key `name` occurs twice in the same mapping; the last value is used",
            "a.yaml:17:1 note not a Kubernetes object: `apiVersion` or `kind` is missing",
            "a.yaml:19:1 error `apiVersion`, `kind`, `metadata.name` and `metadata.namespace` must be strings (`y` and `n` \
             are booleans)",
        ]
    );
}

#[test]
fn of_two_objects_of_one_name_the_first_counts() {
    let node = "apiVersion: v1\nkind: Node\nmetadata:\n  name: w\n  labels: {of: ";
    let fleet = fleet(&[("a.yaml", &format!("{node} first}}\n")), ("b.yaml", &format!("---\n{node} second}}\n"))]);
    assert_eq!(ids(&fleet), ["v1 Node w"]);
    assert!(fleet.objects().all(|object| object.json.contains("first")));
    assert_eq!(problems(&fleet), ["b.yaml:5:9 warning Node w is already defined in a.yaml:4; this one is skipped"]);
}

/// What is pointed at, as `line:column text`, with `~` in front of what is not the very entry.
fn located(text: &str, number: usize, at: &str, keys: &[&str]) -> String {
    let fleet = fleet(&[("a", text)]);
    let Some(object) = fleet.objects().nth(number) else { return "no such object".to_owned() };
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let place = Locator::new(fleet.sources()).locate(&object.origin, at, &keys);
    let mark = if place.is_exact { "" } else { "~" };
    format!("{mark}{}:{} {}", place.position.line, place.position.column, text.get(place.span).unwrap_or_default())
}

#[test]
fn a_path_of_the_engine_is_found_in_the_text() {
    let text = "---\napiVersion: v1\nkind: K\nmetadata:\n  name: k\n  labels:\n    a.b/c: x\n    empty:\nspec:\n  list:\n  - name: one\n    a.b: {c: 1}\n  - name: two\n    template: {metadata: {labels: {team: red}}}\n";
    for (at, keys, expected) in [
        ("", &[][..], "5:9 k"),
        ("metadata.labels", &["a.b/c"], "7:12 x"),
        ("metadata.labels", &["no", "a.b/c"], "7:12 x"),
        ("metadata.labels", &["no"], "~6:3 labels"),
        ("metadata.labels", &[], "6:3 labels"),
        ("metadata.labels", &["empty"], "8:5 empty"),
        ("metadata.annotations", &["x"], "~4:1 metadata"),
        ("spec.list[0].a.b.c", &[], "12:14 1"),
        ("spec.list[two].template.metadata.labels", &["team"], "14:42 red"),
        ("spec.list[1].template.metadata", &[], "14:16 metadata"),
        ("spec.list[7].x", &[], "~10:3 list"),
        ("nothing.here", &[], "~5:9 k"),
    ] {
        assert_eq!(located(text, 0, at, keys), expected, "{at} {keys:?}");
    }
}

#[test]
fn a_path_is_found_in_lists_and_in_json() {
    let yaml = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: m}\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: w\n";
    assert_eq!(located(yaml, 1, "metadata.name", &[]), "10:11 w");
    assert_eq!(located(yaml, 1, "metadata.labels", &["x"]), "~9:3 metadata");
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n  {\"apiVersion\": \"v1\", \"kind\": \"Node\",\n   \"metadata\": {\"name\": \"m\", \"labels\": {\"a\": \"b\"}}}]}";
    assert_eq!(located(json, 0, "metadata.labels", &["a"]), "3:46 \"b\"");
}
