//! What the webhook of ClusterClasses refuses in `spec.kubernetesVersions`.
//!
//! Source: `validateKubernetesVersions` in core/webhooks/admission/clusterclass.go of Cluster API v1.14.

use serde_json::Value;

use crate::fields::list;
use crate::obstacle::TopologyRefusal;

/// Versions have to increase, and leave out no minor version. Texts that are no versions, such as `${VERSION}`, are not
/// compared.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let listed: Vec<&str> = list(class, &["spec", "kubernetesVersions"]).iter().filter_map(Value::as_str).collect();
    let refusal = |(number, pair): (usize, &[&str])| {
        let [previous, version] = pair else { return None };
        let path = format!("spec.kubernetesVersions[{}]", number + 1);
        Some(TopologyRefusal::object("ClusterClass", path, reason(previous, version)?))
    };
    listed.windows(2).enumerate().filter_map(refusal).collect()
}

fn reason(previous: &str, version: &str) -> Option<String> {
    let (old, new) = (numbers(previous)?, numbers(version)?);
    let is_greater = new > old || new == old && previous != version;
    let [_, old_minor, _] = old;
    let [_, minor, _] = new;
    match () {
        () if !is_greater => Some(format!("`{version}` is not greater than `{previous}`")),
        () if minor != old_minor && Some(minor) != old_minor.checked_add(1) => {
            Some(format!("`{version}` leaves out a minor version after `{previous}`"))
        }
        () => None,
    }
}

/// Major, minor and patch number; pre-releases and builds of one version are not compared.
pub(crate) fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.strip_prefix('v').unwrap_or(version).split(['-', '+']).next()?;
    let numbers: Vec<u64> = core.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_increase_by_one_minor_version_at_most() {
        for (versions, expected) in [
            (json!(["v1.35.0", "v1.35.4", "v1.36.1", "v1.36.1+build.2", "${NEXT}"]), Vec::new()),
            (
                json!(["v1.36.1", "v1.35.0"]),
                vec!["`spec.kubernetesVersions[1]` of ClusterClass: `v1.35.0` is not greater than `v1.36.1`"],
            ),
            (
                json!(["v1.35.0", "v1.35.0"]),
                vec!["`spec.kubernetesVersions[1]` of ClusterClass: `v1.35.0` is not greater than `v1.35.0`"],
            ),
            (
                json!(["v1.34.2", "v1.35.0", "v1.37.0"]),
                vec![
                    "`spec.kubernetesVersions[2]` of ClusterClass: `v1.37.0` leaves out a minor version after `v1.35.0`",
                ],
            ),
        ] {
            let found: Vec<String> =
                refusals(&json!({"spec": {"kubernetesVersions": versions}})).iter().map(ToString::to_string).collect();
            assert_eq!(found, expected);
        }
    }
}
