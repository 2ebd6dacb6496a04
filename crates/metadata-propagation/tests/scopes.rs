//! The cost of the label registry follows the labels of an object, not the number of registries.

use std::cell::Cell;

use anyhow::Result;
use metadata_propagation::{Cluster, Get, LookupError, Manifests, Review, Settings, evaluate};

/// Counts what it is asked.
struct Counting {
    manifests: Manifests,
    reads: Cell<usize>,
}

impl Cluster for Counting {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        self.reads.set(self.reads.get() + 1);
        self.manifests.get(get)
    }
}

const SETTINGS: &str = r#"{"cloudTags": {
    "composites": [{"apiGroups": ["blueprints.example.org"], "provider": {"fixed": "aws"}}],
    "registry": {"byScope": true},
    "belongsTo": {"domain": {"namespaceLabel": "domain"}, "project": {"namespaceLabel": "project"}}}}"#;

const REVIEW: &str = r#"{"operation": "CREATE", "userInfo": {"username": "alice"}, "namespace": "checkout", "name": "db",
    "kind": {"group": "blueprints.example.org", "version": "v1", "kind": "XDatabase"},
    "object": {"apiVersion": "blueprints.example.org/v1", "kind": "XDatabase", "metadata": {"name": "db", "namespace": "checkout",
        "labels": {"platform/env": "prod", "d0/cost": "1", "d7/cost": "2", "app": "web"},
        "annotations": {"labels.plexsphere.com/assignments": "{\"d0:p0/owner\": \"al\"}"}}, "spec": {}}}"#;

/// The reads of a request, and whether it gets its three tags, when this number of domains have registries.
fn reads(domains: usize) -> Result<(usize, bool)> {
    let mut manifests = Manifests::default();
    let mut add = |name: &str, owner: &str, scope: &str, key: &str| {
        let definition = format!(r#""{key}":{{"scope":"{scope}","cloudTagPropagation":true}}"#);
        let spec = format!(r#"{{"scope":"{scope}"{owner},"definitions":{{{definition}}}}}"#);
        let object = format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{spec}}}"#);
        manifests.insert("labels.plexsphere.com/v1alpha1", "LabelRegistry", "", name, object);
    };
    add("platform", "", "platform", "platform/env");
    add("project.d0.p0", r#","domain":"d0","project":"p0""#, "project", "d0:p0/owner");
    for number in 0..domains {
        let domain = format!(r#","domain":"d{number}""#);
        add(&format!("domain.d{number}"), &domain, "domain", &format!("d{number}/cost"));
    }
    let namespace = r#"{"metadata":{"name":"checkout","labels":{"domain":"d0","project":"p0"}}}"#;
    manifests.insert("v1", "Namespace", "", "checkout", namespace.to_owned());
    let cluster = Counting { manifests, reads: Cell::new(0) };
    let outcome = evaluate(&Review::from_json(REVIEW)?, &Settings::from_json(SETTINGS)?, &cluster);
    let tags =
        r#""cloudTags":{"plexsphere:d0/cost":"1","plexsphere:d0:p0/owner":"al","plexsphere:platform/env":"prod"}"#;
    Ok((cluster.reads.get(), outcome.object.is_some_and(|object| object.contains(tags))))
}

/// The Namespace and three registries, through the cache and past it.
#[test]
fn a_thousand_registries_cost_as_much_as_one() -> Result<()> {
    assert_eq!((reads(1)?, reads(1_000)?), ((8, true), (8, true)));
    Ok(())
}
