//! Other versions of CoreDNS that the webhook of control planes refuses.

use serde_json::Value;

use super::release::Release;
use super::{Refusal, path, refusal, written};

/// The versions of CoreDNS, each with a migration from the one before it.
///
/// Source: `Versions` in migration/versions.go of github.com/coredns/corefile-migration v1.0.35.
#[rustfmt::skip]
const VERSIONS: [&str; 58] = [
    "1.1.3", "1.1.4", "1.2.0", "1.2.1", "1.2.2", "1.2.3", "1.2.4", "1.2.5", "1.2.6", "1.3.0", "1.3.1", "1.4.0", "1.5.0", "1.5.1", "1.5.2",
    "1.6.0", "1.6.1", "1.6.2", "1.6.3", "1.6.4", "1.6.5", "1.6.6", "1.6.7", "1.6.9", "1.7.0", "1.7.1", "1.8.0", "1.8.3", "1.8.4", "1.8.5",
    "1.8.6", "1.8.7", "1.9.0", "1.9.1", "1.9.2", "1.9.3", "1.9.4", "1.10.0", "1.10.1", "1.11.0", "1.11.1", "1.11.3", "1.11.4", "1.12.0",
    "1.12.1", "1.12.2", "1.12.3", "1.12.4", "1.13.0", "1.13.1", "1.13.2", "1.14.0", "1.14.1", "1.14.2", "1.14.3", "1.14.4", "1.14.6", "1.14.7",
];

/// A version that Cluster API cannot migrate CoreDNS to.
///
/// Source: `validateCoreDNSVersion` in controlplane/kubeadm/webhooks/admission/kubeadmcontrolplane.go of Cluster API v1.14, and
/// `ValidUpMigration` in migration/migrate.go of corefile-migration.
pub(super) fn not_migrated(old: &Value, new: &Value) -> Vec<Refusal> {
    const TAG: &str = "/spec/kubeadmConfigSpec/clusterConfiguration/dns/imageTag";
    const SKIPPED: &str = "/metadata/annotations/controlplane.cluster.x-k8s.io~1skip-coredns";
    let [was, is] = [old, new].map(|object| written(object, TAG));
    let Some((was, is)) = was.zip(is).filter(|_| new.pointer(SKIPPED).is_none()) else { return Vec::new() };
    let [Some(from), Some(to)] = [was, is].map(|tag| Release::read(&tag.replace('_', "+"))) else { return Vec::new() };
    let number = |release: Release| VERSIONS.iter().position(|version| Release::read(version) == Some(release));
    let is_migrated = number(from).zip(number(to)).is_some_and(|(from, to)| from < to);
    let message = || format!("Cluster API v1.14 has no migration of CoreDNS from `{was}` to `{is}`");
    Vec::from_iter((from != to && !is_migrated).then(|| refusal(path(TAG), message())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_are_in_their_order_and_are_migrated_in_it() {
        assert!(VERSIONS.is_sorted_by_key(|version| Release::read(version)));
        let plane =
            |tag: &str| json!({"spec": {"kubeadmConfigSpec": {"clusterConfiguration": {"dns": {"imageTag": tag}}}}});
        for (was, is, expected) in [
            ("v1.11.3", "v1.12.1", 0),
            ("v1.12.1", "v1.11.3", 1),
            ("v1.12.1", "v1.99.0", 1),
            ("v1.12.9", "v1.13.0", 1),
            ("v1.12.9", "1.12.9_build.2", 0),
            ("v1.12.1", "latest", 0),
        ] {
            assert_eq!(not_migrated(&plane(was), &plane(is)).len(), expected, "{was} {is}");
        }
        let mut skipping = plane("v1.11.3");
        skipping["metadata"] = json!({"annotations": {"controlplane.cluster.x-k8s.io/skip-coredns": ""}});
        assert_eq!(not_migrated(&plane("v1.12.1"), &skipping), []);
    }
}
