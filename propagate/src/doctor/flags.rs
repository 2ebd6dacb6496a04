//! Settings that repeat flags of the core manager.

use std::collections::BTreeSet;

use metadata_propagation::{ClusterApi, Pattern, Version};

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::managers::{Manager, with_core_managers};
use super::policy::InstalledPolicy;

/// The feature gate that `clusterApi.taints` follows.
const TAINTS: &str = "MachineTaintPropagation";

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    with_core_managers(installation, results, |policy, settings, core, results| {
        let findings = [taints(policy, settings, core), patterns(policy, settings, core)];
        results
            .judge(&policy.title(), findings.concat(), || format!("settings and the flags of {} agree", core.place()));
    });
}

/// The feature gate, if the flag contains it: its default depends on the version.
fn taints<'a>(policy: &InstalledPolicy<'a>, settings: &ClusterApi, core: &Manager<'a>) -> Vec<InstallationFinding<'a>> {
    let gates = core.flag("feature-gates");
    let gate = gates.iter().rev().find_map(|gate| gate.strip_prefix(TAINTS)?.strip_prefix('='));
    let is_on = match gate {
        Some(value) => value.eq_ignore_ascii_case("true"),
        None => return Vec::new(),
    };
    if is_on == settings.taints {
        return Vec::new();
    }
    vec![policy.warning(
        policy.setting("clusterApi.taints"),
        format!(": `clusterApi.taints` is {}, but {} has `{TAINTS}={is_on}`", settings.taints, core.place()),
        "taints then propagate either at admission only, or by the manager only",
        format!("set `clusterApi.taints: {is_on}`"),
    )]
}

/// The expressions for Nodes, both lists.
fn patterns<'a>(
    policy: &InstalledPolicy<'a>,
    settings: &ClusterApi,
    core: &Manager<'a>,
) -> Vec<InstallationFinding<'a>> {
    let (labels, annotations) = (&settings.node.additional_labels, &settings.node.additional_annotations);
    let lists: [(&str, &str, &[Pattern], Version); 2] = [
        ("additional-sync-machine-labels", "additionalLabels", labels, Version::NODE_LABEL_EXPRESSIONS),
        ("additional-sync-machine-annotations", "additionalAnnotations", annotations, Version::NODE_ANNOTATIONS),
    ];
    let mut findings = Vec::new();
    for (flag, name, set, _) in lists.into_iter().filter(|(_, _, _, since)| settings.version.at_least(*since)) {
        let given: BTreeSet<String> = core.flag(flag).into_iter().map(str::to_owned).collect();
        let set: BTreeSet<String> = set.iter().map(text).collect();
        if given == set {
            continue;
        }
        let join = |list: &BTreeSet<String>| match list.is_empty() {
            true => "nothing".to_owned(),
            false => list.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", "),
        };
        let (set, given, place) = (join(&set), join(&given), core.place());
        findings.push(policy.warning(
            policy.setting(&format!("clusterApi.node.{name}")),
            format!(": `clusterApi.node.{name}` has {set}, but `--{flag}` of {place} has {given}"),
            "the policy adds and reports other keys for Nodes than the manager syncs",
            format!("set the expressions of `--{flag}` in `clusterApi.node.{name}`"),
        ));
    }
    findings
}

fn text(pattern: &Pattern) -> String {
    serde_json::to_value(pattern).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
