//! Keys that look meant for Nodes and do not arrive.

use super::{Entry, Guarded};
use crate::catalog::keys::{NODE_DOMAIN, NODE_RESTRICTION, NODE_ROLE, belongs_to, prefix};
use crate::catalog::place::{MapKind, Place};
use crate::catalog::rules::Rule;
use crate::catalog::version::Version;
use crate::json::Malformed;

/// What somebody who writes one of these into a key means.
const DOMAINS: [&str; 3] = [NODE_ROLE, NODE_RESTRICTION, NODE_DOMAIN];
/// Prefixes of labels that kubelets and cloud providers give to Nodes.
const OF_KUBELETS: [&str; 2] = ["kubernetes.io", "node.kubernetes.io"];

/// A key that looks meant for the Node and meets no criterion.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &Entry<'_>) -> Result<Option<String>, Malformed> {
    let settings = &guarded.settings.cluster_api;
    let mut rules = Rule::reading(Place::Machine, entry.map, settings.version);
    if rules.any(|rule| rule.to.contains(&Place::Node) && rule.carries(entry.key, settings)) {
        return Ok(None);
    }
    let instead = instead(entry.map, entry.key, settings.version);
    Ok(instead.map(|instead| ["does not reach Nodes; ", &instead].concat()))
}

/// What would reach the Node in the place of a key that looks meant for it; `None` where it does not look so.
fn instead(map: MapKind, key: &str, version: Version) -> Option<String> {
    let (prefix, name) = (prefix(key), key.split_once('/').map_or("", |(_, name)| name));
    if map == MapKind::Labels && OF_KUBELETS.contains(&prefix) {
        return Some(["label `", NODE_DOMAIN, "/", name, "` would"].concat());
    }
    let found = |domain: &'static str| key.split_once(domain).map(|(before, after)| (domain, before, after));
    let (domain, before, after) = DOMAINS.into_iter().find_map(found)?;
    if map == MapKind::Annotations {
        if !version.at_least(Version::NODE_EXPRESSIONS) {
            return Some("annotations do so from Cluster API v1.10".to_owned());
        }
        if prefix == domain || (domain != NODE_ROLE && belongs_to(key, domain)) {
            return Some("as a label it would".to_owned());
        }
    }
    let is_prefix = after.is_empty() || after.starts_with('/');
    let before = before.strip_suffix(['-', '.']).unwrap_or(before);
    let spelling: &[&str] = match name {
        _ if before.contains('/') => &[domain, "/", prefix],
        _ if !is_prefix => &[domain, "/", name],
        "" if domain == NODE_ROLE => &[domain, "/", before],
        _ if domain == NODE_ROLE => &[domain, "/", name],
        "" => &[before, ".", domain],
        _ => &[before, ".", domain, "/", name],
    };
    let entry = if domain == NODE_DOMAIN { map } else { MapKind::Labels }.entry();
    Some([&[entry, " `"], spelling, &["` would"]].concat().concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn arrives(map: MapKind, key: &str) -> bool {
        let settings = Settings::from_json("{}").unwrap().cluster_api;
        let mut rules = Rule::reading(Place::Machine, map, Version::NEWEST);
        rules.any(|rule| rule.to.contains(&Place::Node) && rule.carries(key, &settings))
    }

    #[test]
    fn every_near_miss_is_told_a_spelling_that_arrives() {
        for (key, expected) in [
            ("x.node-role.kubernetes.io/worker", "node-role.kubernetes.io/worker"),
            ("x.node-role.kubernetes.io", "node-role.kubernetes.io/x"),
            ("node-role.kubernetes.io.example.com/x", "node-role.kubernetes.io/x"),
            ("gpu-node.cluster.x-k8s.io/a", "gpu.node.cluster.x-k8s.io/a"),
            ("gpu-node.cluster.x-k8s.io", "gpu.node.cluster.x-k8s.io"),
            ("company.xyz/node.cluster.x-k8s.io", "node.cluster.x-k8s.io/company.xyz"),
            ("company.xyz/node-role.kubernetes.io", "node-role.kubernetes.io/company.xyz"),
            ("my-node-restriction.kubernetes.io/zone", "my.node-restriction.kubernetes.io/zone"),
            ("kubernetes.io/os", "node.cluster.x-k8s.io/os"),
            ("node.kubernetes.io/instance-type", "node.cluster.x-k8s.io/instance-type"),
        ] {
            assert!(!arrives(MapKind::Labels, key), "{key}");
            assert!(arrives(MapKind::Labels, expected), "{expected}");
            let told = instead(MapKind::Labels, key, Version::NEWEST);
            assert_eq!(told, Some(format!("label `{expected}` would")), "{key}");
        }
    }

    #[test]
    fn an_annotation_is_told_a_label_or_a_spelling_that_arrives() {
        for (key, expected) in [
            ("node-role.kubernetes.io/note", "as a label it would"),
            ("a.node-restriction.kubernetes.io/note", "as a label it would"),
            ("x.node-role.kubernetes.io/note", "label `node-role.kubernetes.io/note` would"),
            ("gpu-node.cluster.x-k8s.io/a", "annotation `gpu.node.cluster.x-k8s.io/a` would"),
        ] {
            assert_eq!(instead(MapKind::Annotations, key, Version::NEWEST).as_deref(), Some(expected), "{key}");
        }
        assert!(arrives(MapKind::Annotations, "gpu.node.cluster.x-k8s.io/a"));
    }

    #[test]
    fn before_v1_10_no_annotation_reaches_a_node() {
        let told = instead(MapKind::Annotations, "node.cluster.x-k8s.io/a", Version::OLDEST_EDITION);
        assert_eq!(told, Some(format!("annotations do so from Cluster API {}", Version::NODE_EXPRESSIONS)));
    }

    #[test]
    fn what_does_not_look_meant_for_a_node_is_left_alone() {
        for key in ["team", "app.kubernetes.io/name", "cluster.x-k8s.io/a", "example.com/node-role", "node"] {
            assert_eq!(instead(MapKind::Labels, key, Version::NEWEST), None, "{key}");
        }
        assert_eq!(instead(MapKind::Annotations, "kubernetes.io/description", Version::NEWEST), None);
    }
}
