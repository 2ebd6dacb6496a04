//! The guard rails, as a table: what each looks at, what it finds, and what follows by default.

use crate::catalog::stance::Stance;

/// One guard rail.
#[derive(Debug)]
pub struct Guard {
    /// Which one it is.
    pub rail: GuardRail,
    /// The setting that decides what follows, such as `guards.adoption`.
    pub setting: &'static str,
    /// What follows where the settings do not say.
    pub default: Stance,
    /// What it looks at.
    pub on: &'static str,
    /// What it finds.
    pub finds: &'static str,
    /// What comes of it where nobody stops it.
    pub because: &'static str,
}

/// The guard rails by name: what looks for each, and the setting of each, are matched on it.
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
    /// `guards.nodeUnreachable`.
    NodeUnreachable,
}

/// The guard rails, the gravest first.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `getMachinesForMachineSet` and `shouldAdopt`;
/// core/reconcilers/machinedeployment/machinedeployment_controller.go `getMachineSetsForDeployment`;
/// controlplane/kubeadm/reconcilers/kubeadmcontrolplane `matchesInfraMachine` and `adoptMachines`;
/// core/reconcilers/topology/cluster/current_state.go `getCurrentMachineDeploymentState`; util/labels/helpers.go
/// `GetManagedLabels`. What each costs was seen on the real controllers; Cluster API's own webhooks allow all of it.
pub const GUARDS: &[Guard] =
    &[SELECTOR_LABELS, SELECTOR_CHANGE, ADOPTION, RESERVED_KEYS, TEMPLATE_KEYS, NODE_UNREACHABLE];

pub(crate) const SELECTOR_LABELS: Guard = Guard {
    rail: GuardRail::SelectorLabels,
    setting: "guards.selectorLabels",
    default: Stance::Reject,
    on: "Machine, MachineSet",
    finds: "a label by which the owner finds the object, or the ownerReference to its controller, goes or changes",
    because: "a replacement is made, nothing heals it, and deleting the Cluster hangs",
};

pub(crate) const SELECTOR_CHANGE: Guard = Guard {
    rail: GuardRail::SelectorChange,
    setting: "guards.selectorChange",
    default: Stance::Reject,
    on: "MachineDeployment, MachineSet",
    finds: "`spec.selector` changes",
    because: "the Machines that it no longer matches are made anew",
};

pub(crate) const ADOPTION: Guard = Guard {
    rail: GuardRail::Adoption,
    setting: "guards.adoption",
    default: Stance::Reject,
    on: "Machine, MachineSet, MachineDeployment, MachinePool",
    finds: "an object without controller gets labels that name an owner, or labels of a topology",
    because: "the owner adopts it, and may delete it at once; two objects for one entry stop a topology",
};

pub(crate) const RESERVED_KEYS: Guard = Guard {
    rail: GuardRail::ReservedKeys,
    setting: "guards.reservedKeys",
    default: Stance::Warn,
    on: "topology, class, machine templates",
    finds: "a map that propagates gets a key that Cluster API or a client sets itself",
    because: "it is overwritten below, or does harm to every descendant: pauses it, rolls it out for ever",
};

pub(crate) const TEMPLATE_KEYS: Guard = Guard {
    rail: GuardRail::TemplateKeys,
    setting: "guards.templateKeys",
    default: Stance::Warn,
    on: "machine templates below a topology",
    finds: "a key that comes neither from topology nor class is added or changed",
    because: "nobody reverts it, and every descendant gets it",
};

pub(crate) const NODE_UNREACHABLE: Guard = Guard {
    rail: GuardRail::NodeUnreachable,
    setting: "guards.nodeUnreachable",
    default: Stance::Warn,
    on: "topology, class, machine templates, Machine",
    finds: "a key looks meant for Nodes and misses the criteria",
    because: "it stops at the Machine without a word",
};
