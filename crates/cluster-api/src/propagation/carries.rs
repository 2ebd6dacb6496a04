//! Which keys a rule propagates.

use crate::catalog::{Criterion, Keys, Rule, keys};
use crate::settings::{ClusterApi, NodeSync};
use kubernetes::settings::Pattern;

impl Rule {
    /// Whether the rule propagates a key with these settings.
    pub(crate) fn carries(&self, key: &str, settings: &ClusterApi) -> bool {
        match &self.keys {
            Keys::Every => true,
            Keys::Except(keys) => !keys.contains(&key),
            Keys::Only(criteria) => criteria.iter().any(|criterion| criterion.is_met(key, &settings.node)),
            Keys::OptIn => settings.opt_in.machine_to_infra.iter().any(|selected| selected == key),
        }
    }
}

impl ClusterApi {
    /// Whether the settings propagate keys of a Machine without a controller to the objects that belong to it.
    pub(super) fn carries_from_machines(&self) -> bool {
        !self.opt_in.machine_to_infra.is_empty()
    }
}

impl Criterion {
    fn is_met(&self, key: &str, node: &NodeSync) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.is_match(key));
        match self {
            Criterion::Prefix(prefix) => keys::prefix(key) == *prefix,
            Criterion::Domain(domain) => keys::belongs_to(key, domain),
            Criterion::AdditionalLabels => any(&node.additional_labels),
            Criterion::AdditionalAnnotations => any(&node.additional_annotations),
        }
    }
}
