//! The guard rails, as a table: what each checks, what it finds, and how it reacts by default.

use setting_types::stance::Stance;

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

/// The guard rails by name: code matches on it to find each one's check and setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardRail {
    /// `guards.selectorLabels`.
    SelectorLabels,
    /// `guards.selectorChange`.
    SelectorChange,
    /// `guards.adoption`.
    Adoption,
    /// `guards.reservedKeys`.
    ReservedKeys,
    /// `guards.templateKeys`.
    TemplateKeys,
    /// `guards.nodeKeys`.
    NodeKeys,
}

/// The guard rails, the most severe first.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `getMachinesForMachineSet` and `shouldAdopt`;
/// core/reconcilers/machinedeployment/machinedeployment_controller.go `getMachineSetsForDeployment`;
/// controlplane/kubeadm/reconcilers/kubeadmcontrolplane `matchesInfraMachine` and `adoptMachines`;
/// core/reconcilers/topology/cluster/current_state.go `getCurrentMachineDeploymentState`; util/labels/helpers.go
/// `GetManagedLabels`. The damage was observed with the real controllers; Cluster API's own webhooks allow all of it.
pub const GUARDS: &[Guard] = &[SELECTOR_LABELS, SELECTOR_CHANGE, ADOPTION, RESERVED_KEYS, TEMPLATE_KEYS, NODE_KEYS];

pub(crate) const SELECTOR_LABELS: Guard = Guard {
    rail: GuardRail::SelectorLabels,
    setting: "guards.selectorLabels",
    default: Stance::Reject,
    on: "Machine, MachineSet",
    finds: "a label by which the owner selects the object, or the ownerReference to its controller, is removed or changed",
    because: "the owner creates a replacement, nothing reverts the edit, and deleting the Cluster hangs",
    help: "keep the label and the ownerReference; to remove a Machine, delete it",
    heading: "",
};

pub(crate) const SELECTOR_CHANGE: Guard = Guard {
    rail: GuardRail::SelectorChange,
    setting: "guards.selectorChange",
    default: Stance::Reject,
    on: "MachineDeployment, MachineSet",
    finds: "`spec.selector` changes",
    because: "Machines that it no longer selects are orphaned, and new ones are created",
    help: "keep the selector; create a new object for another selector",
    heading: "",
};

pub(crate) const ADOPTION: Guard = Guard {
    rail: GuardRail::Adoption,
    setting: "guards.adoption",
    default: Stance::Reject,
    on: "Machine, MachineSet, MachineDeployment, MachinePool",
    finds: "an object without a controller gets labels that name an owner, or labels of a topology",
    because: "the owner adopts it, and may delete it at once; two objects for one entry stop a topology",
    help: "remove the labels that name an owner, or set the ownerReference to the controller that owns the object",
    heading: "adoption",
};

pub(crate) const RESERVED_KEYS: Guard = Guard {
    rail: GuardRail::ReservedKeys,
    setting: "guards.reservedKeys",
    default: Stance::Warn,
    on: "topology, class, machine templates",
    finds: "a map that propagates gets a key that Cluster API or a client sets itself",
    because: "it is overwritten on child objects, or harms all of them: pauses them, or has Machines replaced over and over",
    help: "remove the key from the map, and set it on the object that it is meant for",
    heading: "reserved-keys",
};

pub(crate) const TEMPLATE_KEYS: Guard = Guard {
    rail: GuardRail::TemplateKeys,
    setting: "guards.templateKeys",
    default: Stance::Warn,
    on: "machine templates below a topology",
    finds: "a key that is neither in the topology nor in the class is added or changed",
    because: "no controller reverts it, and every child object gets it",
    help: "set the key in the metadata of the topology's entry or of its class",
    heading: "",
};

pub(crate) const NODE_KEYS: Guard = Guard {
    rail: GuardRail::NodeKeys,
    setting: "guards.nodeKeys",
    default: Stance::Warn,
    on: "topology, class, machine templates, Machine",
    finds: "a key looks meant for Nodes and meets none of the criteria",
    because: "it stays on the Machine, and Cluster API does not say so",
    help: "use a key below `node.cluster.x-k8s.io`, or add the key to the manager's flag `--additional-sync-machine-labels`",
    heading: "keys-for-nodes",
};
