//! How a policy is run, compared with docs/operating.md.

use metadata_propagation::Mode;
use serde_json::Value;

use super::finding::{CheckResults, InstallationFinding};
use super::installation::Installation;
use super::needs::needs;
use super::policy::InstalledPolicy;

/// The seconds that an evaluation with several reads may need: docs/operating.md.
const EVALUATION: u64 = 8;

/// Kubewarden's default if a policy sets no `timeoutSeconds`.
const TIMEOUT: u64 = 10;

pub(crate) fn run<'a>(installation: &Installation<'a>, results: &mut CheckResults<'a>) {
    for policy in &installation.policies {
        let findings = [changes(policy), failure(policy), times(installation, policy), scope(policy)].concat();
        let mode = policy.spec("mode").and_then(Value::as_str).unwrap_or("protect");
        let note = if mode == "monitor" { "; with `mode: monitor` nothing is changed or rejected" } else { "" };
        results.judge(&policy.title(), findings, || format!("fields of `spec` are as documented{note}"));
    }
}

/// Whether it may write, and whether reports about it make sense.
fn changes<'a>(policy: &InstalledPolicy<'a>) -> Vec<InstallationFinding<'a>> {
    let mut findings = Vec::new();
    let is_true = |field: &str, default: bool| policy.spec(field).and_then(Value::as_bool).unwrap_or(default);
    let is_mutate = policy.settings.as_ref().is_ok_and(|settings| settings.mode == Mode::Mutate);
    if !is_mutate || policy.kind.is_group {
        return findings;
    }
    if !is_true("mutating", false) {
        findings.push(policy.error(
            "spec.mutating",
            " has `mode: mutate` in its settings, but `mutating` is not true",
            "the PolicyServer rejects each request that the policy would have changed",
            "set `spec.mutating: true`, or `mode: verify` in the settings",
        ));
    }
    if is_true("backgroundAudit", true) {
        findings.push(policy.warning(
            "spec.backgroundAudit",
            " has `mode: mutate` in its settings, but `backgroundAudit` is not false",
            "the audit scanner ignores patches, so it reports an object without its labels as passed",
            "set `spec.backgroundAudit: false`; deploy/verify.yaml is for policy reports",
        ));
    }
    findings
}

/// What happens while no PolicyServer answers.
fn failure<'a>(policy: &InstalledPolicy<'a>) -> Vec<InstallationFinding<'a>> {
    let is_ignore = policy.spec("failurePolicy").is_some_and(|value| value == "Ignore");
    let is_monitor = policy.spec("mode").is_some_and(|mode| mode == "monitor");
    let has_tags = policy.settings.as_ref().is_ok_and(|settings| !settings.cloud_tags.composites.is_empty());
    let at = "spec.failurePolicy";
    if !is_ignore && policy.has_group(str::is_empty) {
        return vec![policy.error(
            at,
            " has rules for Nodes, but `failurePolicy` is not `Ignore`",
            "while no PolicyServer answers, no Node can join or report its state, including the Node of the PolicyServer",
            "set `spec.failurePolicy: Ignore`",
        )];
    }
    if !is_ignore && policy.is_for_cluster_api() {
        return vec![policy.warning(
            at,
            " has rules for Cluster API, but `failurePolicy` is not `Ignore`",
            "while no PolicyServer answers, nothing is scaled, remediated or deleted, except by controllers that \
             `matchConditions` lists",
            "set `spec.failurePolicy: Ignore`: Cluster API sets most labels itself, and the next write adds the rest",
        )];
    }
    if is_ignore && has_tags && !is_monitor && !policy.is_for_cluster_api() {
        return vec![policy.warning(
            at,
            " has rules for composites, but `failurePolicy` is `Ignore`",
            "objects that are written while no PolicyServer answers get no cloud tags, and no controller adds them later",
            "set `spec.failurePolicy: Fail`",
        )];
    }
    Vec::new()
}

/// The two time limits.
fn times<'a>(installation: &Installation<'a>, policy: &InstalledPolicy<'a>) -> Vec<InstallationFinding<'a>> {
    let mut findings = Vec::new();
    let evaluation = policy.spec("timeoutEvalSeconds").and_then(Value::as_u64);
    let whole = policy.spec("timeoutSeconds").and_then(Value::as_u64).unwrap_or(TIMEOUT);
    let reads = match &policy.settings {
        Ok(settings) => !needs(installation, policy, settings).is_empty(),
        Err(_) => !policy.grants().is_empty(),
    };
    if reads && evaluation.is_none_or(|seconds| seconds < EVALUATION) {
        let now = evaluation.map_or("is not set".to_owned(), |seconds| format!("is {seconds}"));
        findings.push(policy.warning(
            "spec.timeoutEvalSeconds",
            format!(" reads other objects, but `timeoutEvalSeconds` {now}"),
            "the PolicyServer rejects what takes longer, whatever `failurePolicy` says; its default of two seconds is too \
             short for a slow API server",
            format!("set `spec.timeoutEvalSeconds: {EVALUATION}`"),
        ));
    }
    if let Some(evaluation) = evaluation.filter(|seconds| *seconds > whole) {
        findings.push(policy.error(
            "spec.timeoutSeconds",
            format!(" has `timeoutSeconds` {whole}, less than `timeoutEvalSeconds` {evaluation}"),
            "the API server gives up before the PolicyServer answers",
            format!("set `spec.timeoutSeconds` to {evaluation} or more"),
        ));
    }
    findings
}

/// Which objects are sent to it.
fn scope<'a>(policy: &InstalledPolicy<'a>) -> Vec<InstallationFinding<'a>> {
    let mut findings = Vec::new();
    let is_global = policy.item.object.id.kind.starts_with("Cluster");
    let labels = policy.spec("namespaceSelector").and_then(|selector| selector.get("matchLabels"));
    let is_merged = policy.spec("allowInsideAdmissionControllerNamespace").and_then(Value::as_bool) != Some(true);
    if is_global && is_merged && labels.and_then(Value::as_object).is_some_and(|labels| !labels.is_empty()) {
        findings.push(policy.error(
            "spec.namespaceSelector.matchLabels",
            " has `matchLabels` in `namespaceSelector`, which Kubewarden ignores",
            "the policy also applies to namespaces that the selector excludes",
            "write the same with `matchExpressions`: docs/operating.md",
        ));
    }
    for rule in policy.rules() {
        if rule.groups.contains(&"*") || rule.resources.iter().any(|resource| resource.contains('*')) {
            findings.push(policy.warning(
                rule.at,
                " has `*` in a rule",
                "every object of the group is sent to the policy, and the audit scanner skips the rule",
                "name the resources: docs/operating.md#other-providers",
            ));
        }
    }
    findings
}
