//! The guard rails, as a table: what each checks, what it finds, and how it reacts by default; and their settings.

use kubernetes::settings::{Stance, Users};
use serde::{Deserialize, Serialize};

/// One guard rail.
#[derive(Debug)]
pub struct Guard {
    /// Its name in code.
    pub rail: GuardRail,
    /// The setting that decides how it reacts, such as `guards.adoption`.
    pub setting: &'static str,
    /// How it reacts if the settings do not say.
    pub default: Stance,
    /// What it checks.
    pub on: &'static str,
    /// What it finds.
    pub finds: &'static str,
    /// What happens if it is not refused.
    pub because: &'static str,
    /// What to do about it.
    pub help: &'static str,
    /// The heading in docs/guards.md that says more, as a link anchor; empty for the whole page.
    pub heading: &'static str,
}

/// The guard rails, a row for each: what the settings say about it, its field there, its name in code, and the columns of
/// [`Guard`].
macro_rules! guards {
    ($($(#[$of_field:meta])* $field:ident => $Rail:ident {
        $setting:literal $default:ident $($column:ident: $text:literal,)+
    })+) => {
        /// The guard rails, the most severe first.
        ///
        /// Source: core/reconcilers/machineset/machineset_controller.go `getMachinesForMachineSet` and `shouldAdopt`;
        /// core/reconcilers/machinedeployment/machinedeployment_controller.go `getMachineSetsForDeployment`;
        /// controlplane/kubeadm/reconcilers/kubeadmcontrolplane `matchesInfraMachine` and `adoptMachines`;
        /// core/reconcilers/topology/cluster/current_state.go `getCurrentMachineDeploymentState`; util/labels/helpers.go
        /// `GetManagedLabels`. The damage was observed with the real controllers; Cluster API's own webhooks allow all of it.
        pub const GUARDS: &[Guard] = &[
            $(Guard { rail: GuardRail::$Rail, setting: $setting, default: Stance::$default, $($column: $text),+ },)+
        ];

        /// The guard rails by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum GuardRail {
            $(#[doc = $setting] $Rail,)+
        }

        /// What each guard rail leads to.
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields, rename_all = "camelCase")]
        pub struct Guards {
            $($(#[$of_field])* pub $field: Stance,)+
            /// User names or groups, compared exactly, that may set the annotation `exempt`; everybody where the list is empty.
            pub exempt_by: Users,
        }

        impl Default for Guards {
            fn default() -> Self {
                Guards { $($field: Stance::$default,)+ exempt_by: Users::default() }
            }
        }

        impl Guards {
            /// Whether all guard rails are off.
            pub fn ignored() -> Guards {
                Guards { $($field: Stance::Ignore,)+ exempt_by: Users::default() }
            }

            /// What a guard rail leads to.
            pub fn stance(&self, rail: GuardRail) -> Stance {
                match rail {
                    $(GuardRail::$Rail => self.$field,)+
                }
            }
        }
    };
}

guards! {
    /// A label by which the owner selects a Machine or MachineSet, or the ownerReference to it, is removed or changed.
    selector_labels => SelectorLabels {
        "guards.selectorLabels" Reject
        on: "Machine, MachineSet",
        finds: "a label by which the owner selects the object, or the ownerReference to its controller, is removed or changed",
        because: "the owner creates a replacement, or another controller adopts the object",
        help: "keep the label and the ownerReference; to remove a Machine, delete it",
        heading: "",
    }
    /// The selector of a MachineDeployment or MachineSet changes.
    selector_change => SelectorChange {
        "guards.selectorChange" Reject
        on: "MachineDeployment, MachineSet",
        finds: "`spec.selector` changes",
        because: "Machines that it no longer selects are orphaned, and new ones are created",
        help: "keep the selector; create a new object for another selector",
        heading: "",
    }
    /// An object without a controller gets labels that name an owner, or labels of a topology; a Machine of another
    /// controller gets the label of a control plane.
    adoption => Adoption {
        "guards.adoption" Reject
        on: "Machine, MachineSet, MachineDeployment, MachinePool",
        finds: "an object without a controller gets labels that name an owner, or labels of a topology; a Machine of another controller gets the label of a control plane",
        because: "the owner adopts it, and may delete it at once; two objects for one entry stop a topology, and a Machine of another controller stops a KubeadmControlPlane",
        help: "remove the labels that name an owner, or set the ownerReference to the controller that owns the object",
        heading: "adoption",
    }
    /// A map that propagates gets a key that Cluster API or a client sets itself.
    reserved_keys => ReservedKeys {
        "guards.reservedKeys" Warn
        on: "topology, class, machine templates",
        finds: "a map that propagates gets a key that Cluster API or a client sets itself",
        because: "it is overwritten on child objects, or harms all of them: pauses them, or has Machines replaced over and over",
        help: "remove the key from the map, and set it on the object that it is meant for",
        heading: "reserved-keys",
    }
    /// A template below a topology gets a key that is neither in the topology nor in the class.
    template_keys => TemplateKeys {
        "guards.templateKeys" Warn
        on: "machine templates below a topology",
        finds: "a key that is neither in the topology nor in the class is added or changed",
        because: "no controller reverts it, and every child object gets it",
        help: "set the key in the metadata of the topology's entry or of its class",
        heading: "",
    }
    /// A key looks meant for Nodes and meets none of the criteria.
    #[serde(alias = "nodeUnreachable")]
    node_keys => NodeKeys {
        "guards.nodeKeys" Warn
        on: "topology, class, machine templates, Machine",
        finds: "a key looks meant for Nodes and meets none of the criteria",
        because: "it stays on the Machine, and Cluster API does not say so",
        help: "use a key below `node.cluster.x-k8s.io`, or add the key to the manager's flag `--additional-sync-machine-labels`",
        heading: "keys-for-nodes",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
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
