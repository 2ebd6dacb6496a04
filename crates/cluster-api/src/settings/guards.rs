//! `guards`.

use serde::{Deserialize, Serialize};

use crate::catalog::guards::{
    ADOPTION, GuardRail, NODE_KEYS, RESERVED_KEYS, SELECTOR_CHANGE, SELECTOR_LABELS, TEMPLATE_KEYS,
};
use setting_types::Stance;
use setting_types::Users;

/// What each guard rail leads to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Guards {
    /// A label by which the owner selects a Machine or MachineSet, or the ownerReference to it, is removed or changed.
    pub selector_labels: Stance,
    /// The selector of a MachineDeployment or MachineSet changes.
    pub selector_change: Stance,
    /// An object without a controller gets labels that name an owner, or labels of a topology.
    pub adoption: Stance,
    /// A map that propagates gets a key that Cluster API or a client sets itself.
    pub reserved_keys: Stance,
    /// A template below a topology gets a key that is neither in the topology nor in the class.
    pub template_keys: Stance,
    /// A key looks meant for Nodes and meets none of the criteria.
    #[serde(alias = "nodeUnreachable")]
    pub node_keys: Stance,
    /// User names or groups, compared exactly, that may set the annotation `exempt`; everybody where the list is empty.
    pub exempt_by: Users,
}

impl Default for Guards {
    fn default() -> Self {
        Guards {
            selector_labels: SELECTOR_LABELS.default,
            selector_change: SELECTOR_CHANGE.default,
            adoption: ADOPTION.default,
            reserved_keys: RESERVED_KEYS.default,
            template_keys: TEMPLATE_KEYS.default,
            node_keys: NODE_KEYS.default,
            exempt_by: Users::default(),
        }
    }
}

impl Guards {
    /// Whether all guard rails are off.
    ///
    /// ```
    /// use cluster_api::catalog::guards::GuardRail;
    /// use cluster_api::settings::Guards;
    /// use setting_types::Stance;
    ///
    /// assert_eq!(Guards::ignored().stance(GuardRail::Adoption), Stance::Ignore);
    /// ```
    #[must_use]
    pub fn ignored() -> Guards {
        Guards {
            selector_labels: Stance::Ignore,
            selector_change: Stance::Ignore,
            adoption: Stance::Ignore,
            reserved_keys: Stance::Ignore,
            template_keys: Stance::Ignore,
            node_keys: Stance::Ignore,
            exempt_by: Users::default(),
        }
    }

    /// What a guard rail leads to.
    ///
    /// ```
    /// use cluster_api::catalog::guards::GuardRail;
    /// use cluster_api::settings::Guards;
    /// use setting_types::Stance;
    ///
    /// assert_eq!(Guards::default().stance(GuardRail::Adoption), Stance::Reject);
    /// ```
    #[must_use]
    pub fn stance(&self, rail: GuardRail) -> Stance {
        match rail {
            GuardRail::SelectorLabels => self.selector_labels,
            GuardRail::SelectorChange => self.selector_change,
            GuardRail::Adoption => self.adoption,
            GuardRail::ReservedKeys => self.reserved_keys,
            GuardRail::TemplateKeys => self.template_keys,
            GuardRail::NodeKeys => self.node_keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::catalog::guards::GUARDS;
    use crate::test_settings::Settings;

    #[test]
    fn every_guard_has_its_setting_and_every_setting_its_guard() {
        let mut settings = serde_json::to_value(Guards::default()).unwrap();
        settings.as_object_mut().unwrap().remove("exemptBy");
        let settings: BTreeMap<String, Stance> = serde_json::from_value(settings).unwrap();
        let table: BTreeMap<String, Stance> =
            GUARDS.iter().map(|guard| (guard.setting.replace("guards.", ""), guard.default)).collect();
        assert_eq!(settings, table);
    }

    #[test]
    fn the_former_name_of_node_keys_is_read() {
        let guards = Settings::from_json(r#"{"guards":{"nodeUnreachable":"reject"}}"#).unwrap().guards;
        assert_eq!(guards.node_keys, Stance::Reject);
    }

    #[test]
    fn every_setting_decides_about_its_own_guard() {
        for guard in GUARDS {
            let (section, field) = guard.setting.split_once('.').unwrap();
            let text = format!(r#"{{"{section}":{{"{field}":"ignore"}}}}"#);
            let guards = Settings::from_json(&text).unwrap().guards;
            let ignored: Vec<&str> = GUARDS
                .iter()
                .filter(|guard| guards.stance(guard.rail) == Stance::Ignore)
                .map(|guard| guard.setting)
                .collect();
            assert_eq!(ignored, [guard.setting]);
        }
    }
}
