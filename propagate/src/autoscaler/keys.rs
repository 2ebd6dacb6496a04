//! The annotations of node groups, as cluster-autoscaler reads them.
//!
//! Source: kubernetes/autoscaler, cluster-autoscaler/cloudprovider/clusterapi: clusterapi_utils.go, clusterapi_unstructured.go.

use std::fmt;

use metadata_propagation::{is_label_key, is_label_value};

/// The annotation with labels.
pub(crate) const LABELS: &str = "capacity.cluster-autoscaler.kubernetes.io/labels";
/// The annotation with taints.
pub(crate) const TAINTS: &str = "capacity.cluster-autoscaler.kubernetes.io/taints";
/// The prefix of all annotations about the capacity of Nodes.
pub(crate) const CAPACITY: &str = "capacity.cluster-autoscaler.kubernetes.io/";
/// Annotations with a quantity.
pub(crate) const QUANTITIES: &[&str] = &["cpu", "memory", "ephemeral-disk"];
/// Annotations with an integer.
pub(crate) const INTEGERS: &[&str] = &["gpu-count", "maxPods"];

/// The annotation with the minimum size, if `CAPI_GROUP` is not set for the autoscaler.
pub(crate) const MIN_SIZE: &str = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
/// The annotation with the maximum size.
pub(crate) const MAX_SIZE: &str = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";

/// The domains whose labels newer autoscalers read from the template of a node group: these, and all below the last
/// two.
const MANAGED: &[&str] = &["node-role.kubernetes.io", "node-restriction.kubernetes.io", "node.cluster.x-k8s.io"];

/// A taint; kubelets allow one of each key and effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taint {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) effect: String,
}

impl Taint {
    /// Whether another one replaces it.
    pub(crate) fn is_same(&self, other: &Taint) -> bool {
        (&self.key, &self.effect) == (&other.key, &other.effect)
    }
}

impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.value {
            "" => write!(f, "{}:{}", self.key, self.effect),
            value => write!(f, "{}={value}:{}", self.key, self.effect),
        }
    }
}

/// Whether newer autoscalers read a label from the template of a node group, without any annotation.
pub(crate) fn is_managed(key: &str) -> bool {
    let domain = key.split('/').next().unwrap_or_default();
    MANAGED.iter().enumerate().any(|(number, managed)| {
        let is_below = || domain.strip_suffix(managed).is_some_and(|rest| rest.ends_with('.'));
        domain == *managed || number > 0 && is_below()
    })
}

/// The entries of the annotation with labels, in order; an `Err` contains an entry that the autoscaler ignores, or
/// treats as a label that no Node can have.
pub(crate) fn labels(value: &str) -> Vec<Result<(String, String), &str>> {
    let entry = |entry| match str::split_once(entry, '=') {
        Some((key, value)) if is_label_key(key) && is_label_value(value) => Ok((key.to_owned(), value.to_owned())),
        _ => Err(entry),
    };
    value.split(',').map(entry).collect()
}

/// The entries of the annotation with taints; an `Err` contains an entry that the autoscaler ignores, or that has no
/// effect.
pub(crate) fn taints(value: &str) -> Vec<Result<Taint, &str>> {
    const EFFECTS: &[&str] = &["NoExecute", "NoSchedule", "PreferNoSchedule"];
    let entry = |entry: &'_ str| {
        let (pair, effect) = entry.split_once(':')?;
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let taint = Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() };
        Some(taint).filter(|_| EFFECTS.contains(&effect) && is_label_key(key) && is_label_value(value))
    };
    value.split(',').map(|text| entry(text).ok_or(text)).collect()
}

/// Whether Kubernetes accepts a text as a quantity.
pub(crate) fn is_quantity(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let (number, unit) = number.split_at(end);
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() < 2;
    let exponent = unit.strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
    let is_exponent = exponent.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    const UNITS: &[&str] = &["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    is_number && (UNITS.contains(&unit) || is_exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_split_at_commas_and_the_first_equals_sign() {
        let label = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        let expected = [label("a", "b"), label("example.com/c", ""), Err(" d=e"), Err("f"), Err("g=h=i"), Err("")];
        assert_eq!(labels("a=b,example.com/c=, d=e,f,g=h=i,"), expected);
    }

    #[test]
    fn a_taint_has_an_effect() {
        let taint = |key: &str, value: &str, effect: &str| {
            Ok(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned() })
        };
        let expected = [
            taint("a", "b", "NoSchedule"),
            taint("c", "", "NoExecute"),
            Err("d"),
            Err("e=f=g:NoSchedule"),
            Err("h:i:j"),
            Err("k:Never"),
            Err(" l:NoSchedule"),
        ];
        assert_eq!(taints("a=b:NoSchedule,c:NoExecute,d,e=f=g:NoSchedule,h:i:j,k:Never, l:NoSchedule"), expected);
    }

    #[test]
    fn a_managed_label_has_one_of_three_domains() {
        for (key, expected) in [
            ("node-role.kubernetes.io/worker", true),
            ("a.node-role.kubernetes.io/worker", false),
            ("node-restriction.kubernetes.io/a", true),
            ("a.node.cluster.x-k8s.io/b", true),
            ("anode.cluster.x-k8s.io/b", false),
            ("team", false),
        ] {
            assert_eq!(is_managed(key), expected, "{key}");
        }
    }

    #[test]
    fn quantities_are_those_of_kubernetes() {
        for (text, expected) in [
            ("16", true),
            ("16000m", true),
            ("128Gi", true),
            ("1.5", true),
            ("1e3", true),
            ("", false),
            ("16 GB", false),
            ("1.2.3", false),
            ("1e", false),
            ("Gi", false),
        ] {
            assert_eq!(is_quantity(text), expected, "{text}");
        }
    }
}
