//! What the objects in one namespace use from another: the ClusterClass of a Cluster, and the templates that it refers
//! to.

use std::collections::BTreeSet;

use fleet::{class_of, class_templates};
use serde_json::Value;
use serde_json::value::RawValue;

/// Namespaces and names of the classes that Clusters use from namespaces that are not listed.
pub(crate) fn classes(clusters: &[Box<RawValue>], listed: &[String]) -> BTreeSet<(String, String)> {
    let class = |cluster: &RawValue| {
        let cluster: Value = serde_json::from_str(cluster.get()).ok()?;
        let (name, of) = class_of(&cluster)?;
        Some((of.filter(|of| !listed.iter().any(|name| name == of))?.to_owned(), name.to_owned()))
    };
    clusters.iter().filter_map(|cluster| class(cluster)).collect()
}

/// Group, kind and name of each template that a class refers to.
pub(crate) fn templates(class: &str) -> BTreeSet<(String, String, String)> {
    let mut found = BTreeSet::new();
    class_templates(&serde_json::from_str(class).unwrap_or_default(), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn classes_of_other_namespaces_are_asked_for_by_name() {
        let cluster = |topology: Value| to_raw_value(&json!({ "spec": { "topology": topology } })).unwrap();
        let clusters = [
            cluster(json!({ "classRef": { "name": "quick", "namespace": "classes" } })),
            cluster(json!({ "class": "slow", "classNamespace": "classes" })),
            cluster(json!({ "classRef": { "name": "own" } })),
            cluster(json!({ "classRef": { "name": "own", "namespace": "fleet" } })),
            to_raw_value(&json!({ "spec": {} })).unwrap(),
        ];
        let expected = [("classes", "quick"), ("classes", "slow")].map(|(of, name)| (of.to_owned(), name.to_owned()));
        assert_eq!(classes(&clusters, &["fleet".to_owned()]), BTreeSet::from(expected));
    }
}
