//! The versions that an upgrade goes through.
//!
//! Source: `GetUpgradePlanFromClusterClassVersions` and `DefaultAndValidateUpgradePlans` in
//! exp/topology/desiredstate/upgrade_plan.go of Cluster API v1.14.

use serde_json::Value;

use crate::admission::numbers;
use crate::fields::list;

/// The versions that a control plane gets one after the other: the last one that the class lists of each minor version. None
/// if the class lists no versions.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"kubernetesVersions": ["v1.33.1", "v1.34.0", "v1.34.2", "v1.35.0"]}});
/// assert_eq!(topology::control_plane_steps(&class, "v1.33.1", "v1.35.0"), ["v1.34.2", "v1.35.0"]);
/// ```
#[must_use]
pub fn control_plane_steps<'c>(class: &'c Value, from: &str, to: &'c str) -> Vec<&'c str> {
    let (Some(first), Some(last)) = (numbers(from), numbers(to)) else { return Vec::new() };
    let listed = list(class, &["spec", "kubernetesVersions"]).iter().filter_map(Value::as_str);
    let within = listed.filter_map(|version| Some((numbers(version)?, version)));
    let mut steps: Vec<([u64; 3], &str)> = Vec::new();
    for (version, written) in within.filter(|(version, _)| *version > first && *version <= last) {
        let is_same = |step: &[u64; 3]| step.iter().take(2).eq(version.iter().take(2));
        // Patch releases of the minor version at the beginning are left out, unless the upgrade ends there.
        if version.iter().take(2).eq(first.iter().take(2)) && !last.iter().take(2).eq(first.iter().take(2)) {
            continue;
        }
        match steps.last_mut().filter(|(step, _)| is_same(step)) {
            Some(step) => *step = (version, written),
            None => steps.push((version, written)),
        }
    }
    steps.into_iter().map(|(_, written)| written).collect()
}

/// The versions that workers get one after the other: they stay behind by three minor versions at most.
///
/// ```
/// use serde_json::json;
///
/// let class = json!({"spec": {"kubernetesVersions": ["v1.30.0", "v1.31.0", "v1.32.0", "v1.33.0", "v1.34.0", "v1.35.0"]}});
/// assert_eq!(topology::worker_steps(&class, "v1.30.0", "v1.33.0"), ["v1.33.0"]);
/// assert_eq!(topology::worker_steps(&class, "v1.30.0", "v1.35.0"), ["v1.33.0", "v1.35.0"]);
/// ```
#[must_use]
pub fn worker_steps<'c>(class: &'c Value, from: &str, to: &'c str) -> Vec<&'c str> {
    let of_control_plane = control_plane_steps(class, from, to);
    let minor = |version: &str| numbers(version).map(|[_, minor, _]| minor);
    let first = minor(from).unwrap_or_default();
    let is_needed = |step: &&str| {
        let distance = minor(step).and_then(|minor| minor.checked_sub(first)).unwrap_or_default();
        distance > 0 && distance % 3 == 0 && minor(step) != minor(to)
    };
    let last = of_control_plane.last().copied();
    of_control_plane.into_iter().filter(is_needed).chain(last).collect()
}
