//! Cloud tags: composites, registries, definitions and Compositions.

use std::iter;

use serde_json::{Value, json};

use super::{Grown, HOLE, Shape, core, entries, keys, listed, nested, of_group, owner, with};

const GROUP: &str = "blueprints.plexsphere.com";
const API_VERSION: &str = "blueprints.plexsphere.com/v1alpha1";
const CROSSPLANE: &str = "system:serviceaccount:crossplane-system:crossplane";

pub(super) fn shapes() -> Vec<Shape> {
    [composites(), registries(), definitions(), compositions()].into_iter().flatten().collect()
}

/// The settings of tags, and more.
fn settings(more: Value) -> Value {
    let composites = json!([{ "apiGroups": [GROUP], "provider": { "fixed": "aws" } }]);
    with(json!({ "cloudTags": { "composites": composites } }), "/cloudTags", more)
}

fn definitions_of(prefix: &str, count: usize) -> Value {
    let definition = json!({ "scope": "domain", "cloudTagPropagation": true });
    Value::Object(keys(prefix, count).map(|key| (key, definition.clone())).collect())
}

fn composite(labels: Value, tags: Value) -> Value {
    let object = of_group(API_VERSION, "XAWSEC2Instance", "vm-1", json!({ "cloudTags": tags }));
    with(object, "/metadata/labels", labels)
}

fn composites() -> Vec<Shape> {
    let labels = |count: usize, value: &str| Value::Object(entries("acme/label-", count, value));
    let tags = |count: usize, value: &str| Value::Object(entries("plexsphere:acme/label-", count, value));
    let strict = |more: Value| settings(with(json!({ "profiles": { "aws": "aws-strict" } }), "", more));
    // A nested composite, which Crossplane applies.
    let nested = |labels: Value, tags: Value| {
        let mut parent = owner("XParent", "parent", true);
        parent["apiVersion"] = json!(API_VERSION);
        let owned: serde_json::Map<String, Value> =
            tags.as_object().into_iter().flatten().map(|(key, _)| (format!("f:{key}"), json!({}))).collect();
        let managers = json!([{ "manager": "apiextensions.crossplane.io/composed/x", "operation": "Apply", "apiVersion": API_VERSION,
            "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": { "f:cloudTags": owned } } }]);
        let object = with(composite(labels, tags), "/metadata/ownerReferences", json!([parent]));
        with(object, "/metadata/managedFields", managers)
    };
    vec![
        Shape::new("labels of a new composite, definitions in the settings", move |count| Grown {
            object: composite(labels(count, "a"), json!({})),
            settings: settings(json!({ "definitions": definitions_of("acme/label-", count) })),
            ..Grown::default()
        }),
        Shape::new("labels of a composite, strict profile, tags of others", move |count| Grown {
            old: Some(composite(labels(count, "a"), tags(count, "a"))),
            object: composite(
                labels(count, "b"),
                with(tags(count, "c"), "", Value::Object(entries("other-", count, "x"))),
            ),
            settings: strict(json!({ "definitions": definitions_of("acme/label-", count) })),
            ..Grown::default()
        }),
        Shape::new("cloud tags without labels: composite", move |count| Grown {
            old: Some(composite(json!({}), json!({}))),
            object: composite(json!({}), tags(count, "a")),
            settings: settings(json!({ "definitions": definitions_of("acme/label-", 9) })),
            ..Grown::default()
        }),
        Shape::new("required tags: composite", move |count| Grown {
            object: composite(labels(count, "a"), json!({})),
            settings: settings(json!({
                "definitions": definitions_of("acme/label-", count),
                "required": keys("acme/label-", count).map(|key| json!({ "key": key })).collect::<Vec<_>>(),
            })),
            ..Grown::default()
        }),
        Shape::new("assignments: composite", move |count| {
            let assignments = json!({ "labels.plexsphere.com/assignments": labels(count, "a").to_string() });
            Grown {
                object: with(composite(json!({}), json!({})), "/metadata/annotations", assignments),
                settings: settings(json!({ "definitions": definitions_of("acme/label-", count) })),
                ..Grown::default()
            }
        }),
        Shape::new("forwarded tags, written by Crossplane: nested composite", move |count| Grown {
            old: Some(nested(labels(count, "a"), tags(count, "a"))),
            object: nested(labels(count, "b"), tags(count, "a")),
            settings: settings(json!({ "definitions": definitions_of("acme/label-", count) })),
            username: CROSSPLANE,
            field_manager: "apiextensions.crossplane.io/composed/x",
            ..Grown::default()
        }),
        Shape::new("forwarded tags, removed by a user, strict profile: nested composite", move |count| Grown {
            old: Some(nested(labels(count, "a"), tags(count, "a"))),
            object: nested(labels(count, "a"), json!({})),
            settings: strict(json!({ "definitions": definitions_of("acme/label-", count) })),
            ..Grown::default()
        }),
        Shape::new("labels of a Cluster: AWSCluster", move |count| {
            let object = of_group("infrastructure.cluster.x-k8s.io/v1beta2", "AWSCluster", "c1", json!({}));
            let object = with(object, "/metadata/ownerReferences", json!([owner("Cluster", "c1", true)]));
            Grown {
                object,
                reads: vec![with(core("Cluster", "c1", json!({})), "/metadata/labels", labels(count, "a"))],
                settings: with(
                    settings(json!({ "definitions": definitions_of("acme/label-", count) })),
                    "/clusterApi/cloudTags/kinds",
                    json!(["AWSCluster"]),
                ),
                ..Grown::default()
            }
        }),
    ]
}

fn registry(name: &str, scope: Option<&str>, definitions: Value) -> Value {
    let object =
        of_group("labels.plexsphere.com/v1alpha1", "LabelRegistry", name, json!({ "definitions": definitions }));
    let mut object = match scope {
        Some(scope) => with(object, "/spec/scope", scope),
        None => object,
    };
    object["metadata"]["namespace"].take();
    object
}

fn registries() -> Vec<Shape> {
    let labels = |count: usize| Value::Object(entries("acme/label-", count, "a"));
    let names = json!({ "registry": { "names": ["platform", "acme"] } });
    let (of_write, of_removal) = (names.clone(), names.clone());
    vec![
        Shape::new("keys of two registries: composite", move |count| Grown {
            object: composite(labels(count), json!({})),
            reads: vec![
                registry("platform", None, definitions_of("acme/label-", count)),
                registry("acme", None, definitions_of("acme/label-", count)),
            ],
            settings: settings(names.clone()),
            ..Grown::default()
        }),
        Shape::new("registries that do not exist: composite", move |count| {
            let names: Vec<String> = keys("registry-", count).collect();
            Grown {
                object: composite(labels(count), json!({})),
                settings: settings(json!({ "registry": { "names": names }, "onRegistryFailure": "warn" })),
                ..Grown::default()
            }
        }),
        Shape::new("keys of a registry that is written, and defined in another", move |count| Grown {
            old: Some(registry("acme", None, json!({}))),
            object: registry("acme", None, definitions_of("acme/label-", count)),
            reads: vec![registry("platform", None, definitions_of("acme/label-", count))],
            settings: settings(of_write.clone()),
            ..Grown::default()
        }),
        Shape::new("keys of a registry, removed", move |count| Grown {
            old: Some(registry("acme", Some("platform"), definitions_of("acme/label-", count))),
            object: registry("acme", Some("platform"), json!({})),
            reads: vec![registry("platform", None, json!({}))],
            settings: settings(of_removal.clone()),
            ..Grown::default()
        }),
        Shape::new("keys of a registry, unusable", move |count| Grown {
            object: registry("acme", None, Value::Object(entries("acme/label-", count, "a"))),
            settings: settings(json!({})),
            ..Grown::default()
        }),
    ]
}

/// CompositeResourceDefinitions.
fn definitions() -> Vec<Shape> {
    let definition = |versions: Value| {
        let names = json!({ "kind": "XThing", "plural": "xthings" });
        let mut object = of_group(
            "apiextensions.crossplane.io/v1",
            "CompositeResourceDefinition",
            "xthings.blueprints.plexsphere.com",
            json!({ "group": GROUP, "names": names, "versions": versions }),
        );
        object["metadata"]["namespace"].take();
        object
    };
    let version = |name: String, properties: Value, spec: Value| {
        let spec = with(json!({ "type": "object", "properties": properties }), "", spec);
        json!({ "name": name, "served": true, "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } } })
    };
    let properties =
        |count: usize| Value::Object(keys("p", count).map(|key| (key, json!({ "type": "string" }))).collect());
    let mut shapes = Vec::new();
    for xrds in ["reject", "declare"] {
        let settings = settings(json!({ "xrds": xrds }));
        let (of_properties, of_alternatives) = (settings.clone(), settings.clone());
        shapes.push(Shape::new(format!("versions of a definition, `{xrds}`"), move |count| Grown {
            object: definition(listed(count, |number| version(format!("v{number}"), json!({}), json!({})))),
            settings: settings.clone(),
            ..Grown::default()
        }));
        shapes.push(Shape::new(format!("properties of a definition, `{xrds}`"), move |count| Grown {
            object: definition(json!([version("v1".to_owned(), properties(count), json!({}))])),
            settings: of_properties.clone(),
            ..Grown::default()
        }));
        shapes.push(Shape::new(format!("alternatives and required fields of a definition, `{xrds}`"), move |count| {
            let alternatives = listed(count, |number| json!({ "required": [format!("f{number}")], "properties": { "a": { "maxLength": 3 } } }));
            let spec = json!({ "oneOf": alternatives, "anyOf": alternatives, "required": keys("f", count).collect::<Vec<_>>() });
            Grown { object: definition(json!([version("v1".to_owned(), json!({}), spec)])), settings: of_alternatives.clone(), ..Grown::default() }
        }));
    }
    for (name, open, close) in [
        ("oneOf", "{\"oneOf\":[", "]}"),
        ("items", "{\"items\":", "}"),
        ("properties", "{\"properties\":{\"a\":", "}}"),
    ] {
        shapes.push(Shape::new(format!("schemas in schemas, `{name}`"), move |count| {
            let deep: String = iter::repeat_n(open, count).chain(["{}"]).chain(iter::repeat_n(close, count)).collect();
            let spec = json!({ "oneOf": [HOLE] });
            Grown {
                object: definition(json!([version("v1".to_owned(), json!({}), spec)])),
                settings: settings(json!({})),
                filling: Some([deep, String::new()]),
                ..Grown::default()
            }
        }));
    }
    shapes
}

fn composition(spec: Value) -> Grown {
    let mut object = of_group(
        "apiextensions.crossplane.io/v1",
        "Composition",
        "things",
        json!({
            "compositeTypeRef": { "apiVersion": API_VERSION, "kind": "XThing" },
        }),
    );
    object["metadata"]["namespace"].take();
    Grown {
        object: with(object, "/spec", spec),
        settings: settings(json!({ "compositions": "reject" })),
        ..Grown::default()
    }
}

/// A step of function-patch-and-transform.
fn step(input: Value) -> Value {
    let input = with(json!({ "apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources" }), "", input);
    json!({ "step": "s", "functionRef": { "name": "function-patch-and-transform" }, "input": input })
}

/// A step of function-tag-manager.
fn tag_step(input: Value) -> Value {
    let input = with(json!({ "apiVersion": "tag-manager.fn.crossplane.io/v1beta1", "kind": "ManagedTags" }), "", input);
    json!({ "step": "t", "functionRef": { "name": "function-tag-manager" }, "input": input })
}

fn resource(number: usize, patches: Value) -> Value {
    let base = json!({ "apiVersion": "ec2.aws.upbound.io/v1beta1", "kind": "Instance", "spec": { "forProvider": { "region": "a" } } });
    json!({ "name": format!("r{number}"), "base": base, "patches": patches })
}

fn copied(to: &str) -> Value {
    json!({ "type": "FromCompositeFieldPath", "fromFieldPath": "spec.cloudTags", "toFieldPath": to })
}

const TAGS: &str = "spec.forProvider.tags";

fn compositions() -> Vec<Shape> {
    let pipeline = |steps: Vec<Value>| composition(json!({ "mode": "Pipeline", "pipeline": steps }));
    let resources = |count: usize, patches: Value| listed(count, |number| resource(number, patches.clone()));
    let patches = |count: usize, make: &dyn Fn(usize) -> Value| listed(count, make);
    let text = |number: usize| json!({ "fromFieldPath": "spec.a", "toFieldPath": format!("{TAGS}.key{number}") });
    vec![
        Shape::new("resources with tags: Composition", move |count| {
            pipeline(vec![step(json!({ "resources": resources(count, json!([copied(TAGS)])) }))])
        }),
        Shape::new("resources without tags: Composition", move |count| {
            pipeline(vec![step(json!({ "resources": resources(count, json!([])) }))])
        }),
        Shape::new("resources of Crossplane 1: Composition", move |count| {
            composition(json!({ "resources": resources(count, json!([copied(TAGS)])) }))
        }),
        Shape::new("patches of a resource: Composition", move |count| {
            pipeline(vec![step(json!({ "resources": [resource(0, patches(count, &|_| copied(TAGS)))] }))])
        }),
        Shape::new("patches of different tags: Composition", move |count| {
            pipeline(vec![step(json!({ "resources": [resource(0, patches(count, &text))] }))])
        }),
        Shape::new("patches of a resource with a large base: Composition", move |count| {
            let mut resource = resource(
                0,
                patches(
                    count,
                    &|number| json!({ "fromFieldPath": "spec.a", "toFieldPath": format!("metadata.labels.l{number}") }),
                ),
            );
            resource["base"]["spec"]["forProvider"] = Value::Object(entries("field", count, "a"));
            pipeline(vec![step(json!({ "resources": [resource] }))])
        }),
        Shape::new("patches of elements of a list: Composition", move |count| {
            let mut resource = resource(0, patches(count, &|_| copied("spec.forProvider.list[0].tags")));
            resource["base"]["spec"]["forProvider"]["list"] = listed(count, |_| json!({ "a": 1 }));
            resource["base"]["kind"] = json!("LaunchTemplate");
            pipeline(vec![step(json!({ "resources": [resource] }))])
        }),
        Shape::new("patches of tags in an element of a list: Composition", move |count| {
            let mut resource = resource(0, patches(count, &|_| copied("spec.forProvider.tags[0]")));
            resource["base"]["spec"]["forProvider"]["tags"] = listed(count, |_| json!({ "a": 1 }));
            pipeline(vec![step(json!({ "resources": [resource] }))])
        }),
        Shape::new("patches with wildcards: Composition", move |count| {
            let mut resource = resource(0, patches(count, &|_| copied("spec.forProvider.list[*].tags")));
            resource["base"]["spec"]["forProvider"]["list"] = listed(count, |_| json!({ "a": 1 }));
            pipeline(vec![step(json!({ "resources": [resource] }))])
        }),
        Shape::new("patches with wildcards that match nothing: Composition", move |count| {
            let mut resource = resource(0, patches(count, &|_| copied("spec.forProvider.list[*].b.c")));
            resource["base"]["spec"]["forProvider"]["list"] = listed(count, |_| json!({ "a": 1 }));
            let resources = listed(9, |number| with(resource.clone(), "/name", format!("r{number}")));
            composition(json!({ "resources": resources }))
        }),
        Shape::new("patches of the environment: Composition", move |count| {
            let environment = patches(
                count,
                &|number| json!({ "type": "FromCompositeFieldPath", "fromFieldPath": "spec.cloudTags", "toFieldPath": format!("tags.k{number}") }),
            );
            let read = patches(
                count,
                &|_| json!({ "type": "FromEnvironmentFieldPath", "fromFieldPath": "tags", "toFieldPath": TAGS }),
            );
            pipeline(vec![step(json!({ "environment": { "patches": environment }, "resources": [resource(0, read)] }))])
        }),
        Shape::new("tags in the environment, read by each patch: Composition", move |count| {
            let mut environment = vec![
                json!({ "type": "FromCompositeFieldPath", "fromFieldPath": "spec.cloudTags", "toFieldPath": "tags" }),
            ];
            environment.extend((0..count).map(|number| json!({ "type": "FromCompositeFieldPath", "fromFieldPath": "spec.a", "toFieldPath": format!("tags.k{number}") })));
            let read = patches(
                count,
                &|_| json!({ "type": "FromEnvironmentFieldPath", "fromFieldPath": "tags", "toFieldPath": TAGS }),
            );
            pipeline(vec![step(json!({ "environment": { "patches": environment }, "resources": [resource(0, read)] }))])
        }),
        Shape::new("a patch set of each resource: Composition", move |count| {
            let set = json!([{ "name": "all", "patches": patches(count, &text) }]);
            let use_it = json!([{ "type": "PatchSet", "patchSetName": "all" }]);
            pipeline(vec![step(json!({ "patchSets": set, "resources": resources(count, use_it) }))])
        }),
        Shape::new("steps: Composition", move |count| {
            pipeline(
                (0..count)
                    .map(|number| step(json!({ "resources": [resource(number, json!([copied(TAGS)]))] })))
                    .collect(),
            )
        }),
        Shape::new("steps of tags, and resources: Composition", move |count| {
            let tags = json!({ "addTags": [{ "type": "FromCompositeFieldPath", "fromFieldPath": "spec.cloudTags" }] });
            let first = step(json!({ "resources": resources(count, json!([])) }));
            pipeline(iter::once(first).chain(iter::repeat_n(tag_step(tags), count)).collect())
        }),
        Shape::new("tags that a step adds, and resources: Composition", move |count| {
            let tags = json!({ "addTags": [{ "type": "FromValue", "tags": entries("plexsphere:k", count, "a") }],
                "removeTags": [{ "type": "FromValue", "keys": keys("plexsphere:r", count).collect::<Vec<_>>() }] });
            let first = step(json!({ "resources": resources(count, json!([copied(TAGS)])) }));
            pipeline(vec![first, tag_step(tags)])
        }),
        Shape::new("lists in lists in a base: Composition", move |count| {
            let mut resource = resource(0, json!([copied(TAGS)]));
            resource["base"]["spec"]["forProvider"]["deep"] = json!(HOLE);
            Grown {
                filling: Some([nested(count, "1"), String::new()]),
                ..pipeline(vec![step(json!({ "resources": [resource] }))])
            }
        }),
        Shape::new("regular expressions: Composition", move |count| {
            let expression = format!("({})+", "[a-z]{1,9}(b|c)*x?".repeat(count));
            let transforms =
                json!([{ "type": "string", "string": { "type": "Regexp", "regexp": { "match": expression } } }]);
            let patch = json!({ "fromFieldPath": "spec.a", "toFieldPath": TAGS, "transforms": transforms });
            pipeline(vec![step(json!({ "resources": [resource(0, json!([patch]))] }))])
        }),
    ]
}
