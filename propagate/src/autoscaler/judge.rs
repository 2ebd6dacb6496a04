//! Compares the annotations of a node group with what its Nodes get.

use std::collections::BTreeMap;

use fleet::{FindingLevel, meant_annotation};

use super::bootstrap::taints as taints_of;
use super::groups::{NodeGroup, Nodes, SetBy};
use super::keys::{
    CAPACITY, INTEGERS, LABELS, MAX_SIZE, MIN_SIZE, QUANTITIES, TAINTS, Taint, is_managed, is_quantity, labels, taints,
};

/// The result for a node group.
#[derive(Default)]
pub(crate) struct GroupVerdict {
    pub(crate) findings: Vec<(FindingLevel, String)>,
    /// Annotations that need another value; `None` for those that should be removed.
    pub(crate) values: BTreeMap<&'static str, Option<String>>,
}

/// Compares the annotations of a group with what its Nodes get.
pub(crate) fn judge(group: &NodeGroup<'_>) -> GroupVerdict {
    let mut verdict = GroupVerdict::default();
    let misspelled = group.annotations.keys().filter_map(|key| Some((key, meant_annotation(key)?)));
    misspelled.for_each(|(key, meant)| {
        verdict.warning(format!("annotation `{key}` is not read; did you mean `{meant}`?"));
    });
    sizes(group, &mut verdict);
    capacity(group, &mut verdict);
    if let Ok(nodes) = &group.nodes {
        judge_labels(group, nodes, &mut verdict);
        judge_taints(group, nodes, &mut verdict);
    }
    verdict
}

fn sizes(group: &NodeGroup<'_>, verdict: &mut GroupVerdict) {
    let mut sizes = BTreeMap::new();
    for key in [MIN_SIZE, MAX_SIZE] {
        let Some(text) = group.annotations.get(key) else { continue };
        match text.parse::<i64>() {
            Ok(size) if size >= 0 => {
                sizes.insert(key, size);
            }
            _ => verdict.error(format!(
                "annotation `{key}` is `{text}`; it must be a whole number of at least 0, so the group is not scaled"
            )),
        }
    }
    if group.annotations.contains_key(MIN_SIZE) && !group.annotations.contains_key(MAX_SIZE) {
        verdict.error(format!("annotation `{MAX_SIZE}` is not set: the group is not scaled"));
    }
    if let (Some(min), Some(max)) = (sizes.get(MIN_SIZE), sizes.get(MAX_SIZE))
        && (max < min || *max == 0)
    {
        verdict.error(format!("the minimum size is {min} and the maximum size {max}: the group is not scaled"));
    }
}

fn capacity(group: &NodeGroup<'_>, verdict: &mut GroupVerdict) {
    let value = |name: &str| group.annotations.get(&format!("{CAPACITY}{name}"));
    type IsValid = fn(&str) -> bool;
    let kinds: [(&[&str], IsValid, &str); 2] =
        [(QUANTITIES, is_quantity, "quantity"), (INTEGERS, |text| text.parse::<i64>().is_ok(), "whole number")];
    for (names, is_valid, kind) in kinds {
        let written = names.iter().filter_map(|name| Some((name, value(name)?)));
        for (name, value) in written.filter(|(_, value)| !value.is_empty() && !is_valid(value)) {
            verdict.error(format!(
                "annotation `{CAPACITY}{name}` is `{value}`, not a {kind}: the group is not scaled from zero"
            ));
        }
    }
    let missing = ["cpu", "memory"].iter().filter(|name| value(name).is_none_or(String::is_empty));
    let missing: Vec<String> = missing.map(|name| format!("`{CAPACITY}{name}`")).collect();
    if !missing.is_empty() && group.has_capacity != Some(true) {
        let template = match group.has_capacity {
            Some(_) => "its infrastructure template has no `status.capacity`",
            None => "its infrastructure template is not among the objects",
        };
        let message = format!("{} not set, and {template}: the group is not scaled from zero", missing.join(" and "));
        match group.has_capacity {
            Some(_) => verdict.error(message),
            None => verdict.warning(message),
        }
    }
}

fn judge_labels(group: &NodeGroup<'_>, nodes: &Nodes, verdict: &mut GroupVerdict) {
    let written = group.annotations.get(LABELS);
    let mut promised: Vec<(String, String)> = Vec::new();
    for entry in written.filter(|text| !text.is_empty()).map(|text| labels(text)).into_iter().flatten() {
        match entry {
            Ok((key, value)) => {
                promised.retain(|(known, _)| *known != key);
                promised.push((key, value));
            }
            Err(entry) => verdict.error(format!("`{entry}` in `{LABELS}` is not a label of the form KEY=VALUE")),
        }
    }
    let template = group.object.pointer("/spec/template/metadata/labels");
    for (key, (value, origin)) in &nodes.labels {
        let known = promised.iter_mut().find(|(known, _)| known == key);
        match known {
            Some((_, known)) if known == value => continue,
            Some((_, known)) => {
                verdict.error(format!("Nodes get label `{key}={value}`, but `{LABELS}` has `{key}={known}`"));
                value.clone_into(known);
            }
            None => {
                let read = template.and_then(|labels| labels.get(key)?.as_str());
                match read == Some(value) && is_managed(key) {
                    true => verdict.warning(format!(
                        "Nodes get label `{key}={value}`, but `{LABELS}` does not have it: an autoscaler without \
                         pull request kubernetes/autoscaler#8713 does not scale up for Pods that select it"
                    )),
                    false => verdict.error(format!(
                        "Nodes get label `{key}={value}` from {}, but `{LABELS}` does not have it: the autoscaler does not scale up for \
                         Pods that select it",
                        by(*origin)
                    )),
                }
                promised.push((key.clone(), value.clone()));
            }
        }
    }
    promised.retain(|(key, value)| {
        // What kubelets and cloud providers set is not known here.
        let is_elsewhere = || !is_managed(key) && (!nodes.is_whole || is_of_kubernetes(key));
        let is_real = nodes.labels.contains_key(key) || is_elsewhere();
        if !is_real {
            verdict.error(format!(
                "`{LABELS}` has `{key}={value}`, but Nodes do not get it: the autoscaler scales up for Pods that then stay pending"
            ));
        }
        is_real
    });
    let value = promised.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",");
    verdict.value(LABELS, written, value);
}

fn judge_taints(group: &NodeGroup<'_>, nodes: &Nodes, verdict: &mut GroupVerdict) {
    let written = group.annotations.get(TAINTS);
    let mut promised: Vec<Taint> = Vec::new();
    for entry in written.filter(|text| !text.is_empty()).map(|text| taints(text)).into_iter().flatten() {
        match entry {
            Ok(taint) => promised.push(taint),
            Err(entry) => verdict.error(format!("`{entry}` in `{TAINTS}` is not a taint of the form KEY=VALUE:EFFECT")),
        }
    }
    let template = taints_of(group.object.pointer("/spec/template/spec/taints"));
    for (taint, origin) in &nodes.taints {
        match promised.iter_mut().find(|known| known.is_same(taint)) {
            Some(known) if known == taint => continue,
            Some(known) => {
                verdict.error(format!("Nodes get taint `{taint}`, but `{TAINTS}` has `{known}`"));
                taint.clone_into(known);
            }
            None => {
                match template.contains(taint) {
                    true => verdict.warning(format!(
                        "Nodes get taint `{taint}`, but `{TAINTS}` does not have it: an autoscaler that does not read \
                         `spec.template.spec.taints` (kubernetes/autoscaler#9239) scales up for Pods that do not tolerate it"
                    )),
                    false => verdict.error(format!(
                        "Nodes get taint `{taint}` from {}, but `{TAINTS}` does not have it: the autoscaler scales up for Pods that do not \
                         tolerate it",
                        by(*origin)
                    )),
                }
                promised.push(taint.clone());
            }
        }
    }
    promised.retain(|taint| {
        let is_real = !nodes.is_whole || is_of_kubernetes(&taint.key) || nodes.taints.iter().any(|(known, _)| known == taint);
        if !is_real {
            verdict.error(format!(
                "`{TAINTS}` has `{taint}`, but Nodes do not get it: the autoscaler does not scale up for Pods that do not \
                 tolerate it"
            ));
        }
        is_real
    });
    let value = promised.iter().map(Taint::to_string).collect::<Vec<_>>().join(",");
    verdict.value(TAINTS, written, value);
}

/// Whether kubelets and cloud providers set labels of this domain.
fn is_of_kubernetes(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    ["kubernetes.io", "k8s.io"]
        .iter()
        .any(|of| domain.strip_suffix(of).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn by(origin: SetBy) -> &'static str {
    match origin {
        SetBy::Rules => "the propagation rules",
        SetBy::Kubelet => "the bootstrap template",
    }
}

impl GroupVerdict {
    fn error(&mut self, message: String) {
        self.findings.push((FindingLevel::Error, message));
    }

    fn warning(&mut self, message: String) {
        self.findings.push((FindingLevel::Warning, message));
    }

    /// Records the value that an annotation needs.
    fn value(&mut self, key: &'static str, written: Option<&String>, value: String) {
        if written.map_or("", String::as_str) != value {
            self.values.insert(key, Some(value).filter(|value| !value.is_empty()));
        }
    }
}
