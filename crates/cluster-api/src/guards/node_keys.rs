//! Keys that seem to be meant for Nodes and are not synced to them.

use super::{Guarded, MetadataEntry};
use crate::catalog::keys::{NODE_DOMAIN, NODE_RESTRICTION, NODE_ROLE, belongs_to, prefix};
use crate::catalog::{Place, Rule, Version};
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use kubernetes::{MapKind, NamedEntry, Typed};

/// A key that contains one of these seems to be meant for Nodes.
const DOMAINS: [&str; 3] = [NODE_ROLE, NODE_RESTRICTION, NODE_DOMAIN];
/// Prefixes of labels that kubelets and cloud providers set on Nodes.
const KUBELET_PREFIXES: [&str; 2] = ["kubernetes.io", "node.kubernetes.io"];

/// A key that seems to be meant for the Node and meets no criterion.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &MetadataEntry<'_>) -> Result<Option<ClusterApiFact>, Malformed> {
    let settings = &guarded.settings.cluster_api;
    let mut rules = Rule::reading(Place::Machine, entry.map, settings.version);
    if rules.any(|rule| rule.to.contains(&Place::Node) && rule.carries(entry.key, settings)) {
        return Ok(None);
    }
    let Some(instead) = instead(entry.map, entry.key, settings.version) else { return Ok(None) };
    let (map, entry) = (entry.map, entry.name());
    Ok(Some(match instead {
        Instead::Key(map, key) => {
            ClusterApiFact::NotSynced { entry, other: Typed(NamedEntry { noun: map.entry(), key }) }
        }
        Instead::Expression => ClusterApiFact::NotSyncedWithoutFlag { entry },
        Instead::Label => ClusterApiFact::NotSyncedAsAnnotation { entry },
        Instead::Upgrade => ClusterApiFact::NotSyncedBefore { entry, version: since(map).to_string() },
    }))
}

/// What would be synced to the Node.
#[derive(Debug, PartialEq, Eq)]
enum Instead {
    /// Another key, in one of the maps.
    Key(MapKind, String),
    /// The same label, with an expression in the manager's flags.
    Expression,
    Label,
    /// The same entry, with a newer version of Cluster API.
    Upgrade,
}

/// The first version that syncs more than labels of three domains.
fn since(map: MapKind) -> Version {
    map.of(Version::NODE_LABEL_EXPRESSIONS, Version::NODE_ANNOTATIONS)
}

/// What would be synced to the Node instead of a key that seems to be meant for it; `None` if it does not.
fn instead(map: MapKind, key: &str, version: Version) -> Option<Instead> {
    let (prefix, name) = (prefix(key), key.split_once('/').map_or("", |(_, name)| name));
    if map == MapKind::Labels && KUBELET_PREFIXES.contains(&prefix) {
        return Some(if version.at_least(since(map)) { Instead::Expression } else { Instead::Upgrade });
    }
    // All begin with the same letter: searching for a character is faster than searching for a text.
    let found = |domain: &'static str| {
        key.match_indices('n').find_map(|(at, _)| {
            let (before, found) = key.split_at_checked(at)?;
            Some((domain, before, found.strip_prefix(domain)?))
        })
    };
    let (domain, before, after) = DOMAINS.into_iter().find_map(found)?;
    if map == MapKind::Annotations {
        if !version.at_least(since(map)) {
            return Some(Instead::Upgrade);
        }
        if prefix == domain || (domain != NODE_ROLE && belongs_to(key, domain)) {
            return Some(Instead::Label);
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
    let map = if domain == NODE_DOMAIN { map } else { MapKind::Labels };
    Some(Instead::Key(map, spelling.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_settings::Settings;

    fn is_synced(map: MapKind, key: &str) -> bool {
        let settings = Settings::from_json("{}").unwrap().cluster_api;
        let mut rules = Rule::reading(Place::Machine, map, Version::NEWEST);
        rules.any(|rule| rule.to.contains(&Place::Node) && rule.carries(key, &settings))
    }

    #[test]
    fn every_near_miss_names_a_key_that_is_synced() {
        for (key, expected) in [
            ("x.node-role.kubernetes.io/worker", "node-role.kubernetes.io/worker"),
            ("x.node-role.kubernetes.io", "node-role.kubernetes.io/x"),
            ("node-role.kubernetes.io.example.com/x", "node-role.kubernetes.io/x"),
            ("gpu-node.cluster.x-k8s.io/a", "gpu.node.cluster.x-k8s.io/a"),
            ("gpu-node.cluster.x-k8s.io", "gpu.node.cluster.x-k8s.io"),
            ("company.xyz/node.cluster.x-k8s.io", "node.cluster.x-k8s.io/company.xyz"),
            ("company.xyz/node-role.kubernetes.io", "node-role.kubernetes.io/company.xyz"),
            ("my-node-restriction.kubernetes.io/zone", "my.node-restriction.kubernetes.io/zone"),
        ] {
            assert!(!is_synced(MapKind::Labels, key), "{key}");
            assert!(is_synced(MapKind::Labels, expected), "{expected}");
            let instead = instead(MapKind::Labels, key, Version::NEWEST);
            assert_eq!(instead, Some(Instead::Key(MapKind::Labels, expected.to_owned())), "{key}");
        }
    }

    #[test]
    fn a_label_that_kubelets_give_keeps_its_name() {
        for key in ["kubernetes.io/os", "node.kubernetes.io/instance-type"] {
            let of = |version| instead(MapKind::Labels, key, version);
            assert_eq!(
                (of(Version::NEWEST), of(Version::OLDEST_EDITION)),
                (Some(Instead::Expression), Some(Instead::Upgrade))
            );
        }
    }

    #[test]
    fn a_message_about_an_annotation_names_a_label_or_a_key_that_is_synced() {
        let key = |map, key: &str| Instead::Key(map, key.to_owned());
        for (annotation, expected) in [
            ("node-role.kubernetes.io/note", Instead::Label),
            ("a.node-restriction.kubernetes.io/note", Instead::Label),
            ("x.node-role.kubernetes.io/note", key(MapKind::Labels, "node-role.kubernetes.io/note")),
            ("gpu-node.cluster.x-k8s.io/a", key(MapKind::Annotations, "gpu.node.cluster.x-k8s.io/a")),
        ] {
            let instead = instead(MapKind::Annotations, annotation, Version::NEWEST);
            assert_eq!(instead, Some(expected), "{annotation}");
        }
        assert!(is_synced(MapKind::Annotations, "gpu.node.cluster.x-k8s.io/a"));
    }

    #[test]
    fn before_v1_9_7_no_annotation_is_synced() {
        let instead = instead(MapKind::Annotations, "node.cluster.x-k8s.io/a", Version::OLDEST_EDITION);
        assert_eq!(instead, Some(Instead::Upgrade));
    }

    #[test]
    fn what_does_not_look_meant_for_a_node_is_left_alone() {
        for key in ["team", "app.kubernetes.io/name", "cluster.x-k8s.io/a", "example.com/node-role", "node"] {
            assert_eq!(instead(MapKind::Labels, key, Version::NEWEST), None, "{key}");
        }
        assert_eq!(instead(MapKind::Annotations, "kubernetes.io/description", Version::NEWEST), None);
    }
}
