//! The entries of the world: which object, which map of it, which key; and who may own one.

use std::fmt;

/// What an entry may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelValue {
    /// `red`
    Red,
    /// `blue`
    Blue,
}

/// The two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// The label `team`.
    Team,
    /// The annotation `note`.
    Note,
}

/// The three objects, from the source down. Each has its controller, which is numbered alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelKind {
    /// The MachineDeployment of the topology.
    Deployment,
    /// Its MachineSet.
    Set,
    /// The Machine of that.
    Machine,
}

/// The two places of an object that have labels and annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// `metadata`
    Own,
    /// `spec.template.metadata`, which a Machine does not have.
    Template,
}

/// Where an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The object.
    pub kind: ModelKind,
    /// The place in it.
    pub slot: Slot,
    /// The key.
    pub key: Key,
}

/// Where the value of an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The Cluster's topology.
    Topology,
    /// An entry of the owner.
    Above(Spot),
}

/// A field manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Manager {
    /// The topology controller.
    Topology,
    /// The MachineDeployment controller.
    Deployment,
    /// The MachineSet controller.
    Set,
    /// Argo CD, with server-side apply and force.
    Argo,
    /// Alice, with `kubectl edit`.
    Alice,
    /// Velero, which makes objects again.
    Velero,
    /// `propagate backfill --server-side`.
    Backfill,
    /// An administrator's empty patches: never an owner of anything.
    Patch,
}

/// A set of field managers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Managers(u8);

impl ModelValue {
    /// Both.
    pub const ALL: [ModelValue; 2] = [ModelValue::Red, ModelValue::Blue];

    /// As it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ModelValue::Red => "red",
            ModelValue::Blue => "blue",
        }
    }

    pub(crate) fn read(text: &str) -> Option<ModelValue> {
        ModelValue::ALL.into_iter().find(|value| value.text() == text)
    }
}

impl Key {
    /// Both.
    pub const ALL: [Key; 2] = [Key::Team, Key::Note];

    /// As it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Key::Team => "team",
            Key::Note => "note",
        }
    }

    /// The map that it is in.
    #[must_use]
    pub fn map(self) -> &'static str {
        match self {
            Key::Team => "labels",
            Key::Note => "annotations",
        }
    }
}

impl ModelKind {
    /// From the source down.
    pub const ALL: [ModelKind; 3] = [ModelKind::Deployment, ModelKind::Set, ModelKind::Machine];

    /// As Kubernetes calls it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ModelKind::Deployment => "MachineDeployment",
            ModelKind::Set => "MachineSet",
            ModelKind::Machine => "Machine",
        }
    }

    /// The name of the only object of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Deployment => "md",
            ModelKind::Set => "ms",
            ModelKind::Machine => "m",
        }
    }

    /// The controller that applies the object.
    #[must_use]
    pub fn controller(self) -> Manager {
        match self {
            ModelKind::Deployment => Manager::Topology,
            ModelKind::Set => Manager::Deployment,
            ModelKind::Machine => Manager::Set,
        }
    }

    /// The places of the object that have labels and annotations.
    #[must_use]
    pub fn slots(self) -> &'static [Slot] {
        match self {
            ModelKind::Deployment | ModelKind::Set => &[Slot::Own, Slot::Template],
            ModelKind::Machine => &[Slot::Own],
        }
    }

    /// Every entry of the object.
    pub fn spots(self) -> impl Iterator<Item = Spot> {
        let keys = move |slot: &Slot| Key::ALL.map(|key| Spot { kind: self, slot: *slot, key });
        self.slots().iter().flat_map(keys)
    }
}

impl Spot {
    /// Every entry, those of sources before those that follow them.
    pub fn all() -> impl Iterator<Item = Spot> {
        ModelKind::ALL.into_iter().flat_map(ModelKind::spots)
    }

    /// Where the value of an entry comes from.
    #[must_use]
    pub fn source(self) -> Source {
        let above = |kind, slot| Source::Above(Spot { kind, slot, key: self.key });
        match (self.kind, self.slot, self.key) {
            (ModelKind::Deployment, ..) => Source::Topology,
            (ModelKind::Set, Slot::Own, Key::Note) => above(ModelKind::Deployment, Slot::Own),
            (ModelKind::Set, ..) => above(ModelKind::Deployment, Slot::Template),
            (ModelKind::Machine, ..) => above(ModelKind::Set, Slot::Template),
        }
    }
}

impl Manager {
    /// All that may own something.
    pub const OWNERS: [Manager; 7] = [
        Manager::Topology,
        Manager::Deployment,
        Manager::Set,
        Manager::Argo,
        Manager::Alice,
        Manager::Velero,
        Manager::Backfill,
    ];

    /// As `metadata.managedFields` names it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Manager::Topology => "capi-topology",
            Manager::Deployment => "capi-machinedeployment",
            Manager::Set => "capi-machineset",
            Manager::Argo => "argocd-controller",
            Manager::Alice => "kubectl-edit",
            Manager::Velero => "velero-server",
            Manager::Backfill => "metadata-propagation-backfill",
            Manager::Patch => "kubectl-patch",
        }
    }

    /// Whether it writes with server-side apply.
    #[must_use]
    pub fn applies(self) -> bool {
        !matches!(self, Manager::Alice | Manager::Velero | Manager::Patch)
    }

    /// Whether it is a controller of Cluster API.
    #[must_use]
    pub fn is_controller(self) -> bool {
        matches!(self, Manager::Topology | Manager::Deployment | Manager::Set)
    }

    /// The user of its requests.
    #[must_use]
    pub fn user(self) -> &'static str {
        match self {
            Manager::Topology | Manager::Deployment | Manager::Set => "system:serviceaccount:capi-system:capi-manager",
            Manager::Argo => "system:serviceaccount:argocd:argocd-application-controller",
            Manager::Velero => "system:serviceaccount:velero:velero",
            Manager::Alice => "alice",
            Manager::Backfill | Manager::Patch => "admin",
        }
    }
}

impl Managers {
    /// Nobody.
    pub const NOBODY: Managers = Managers(0);

    /// One manager alone.
    #[must_use]
    pub fn only(manager: Manager) -> Managers {
        Managers::NOBODY.and(manager)
    }

    /// With one more.
    #[must_use]
    pub fn and(self, manager: Manager) -> Managers {
        Managers(self.0 | 1 << manager as u8)
    }

    /// With one less.
    #[must_use]
    pub fn without(self, manager: Manager) -> Managers {
        Managers(self.0 & !(1 << manager as u8))
    }

    /// Whether a manager is among them.
    #[must_use]
    pub fn has(self, manager: Manager) -> bool {
        self.0 & 1 << manager as u8 != 0
    }

    /// Those that both sets have.
    #[must_use]
    pub fn in_both(self, other: Managers) -> Managers {
        Managers(self.0 & other.0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order in which they are listed.
    pub fn each(self) -> impl Iterator<Item = Manager> {
        Manager::OWNERS.into_iter().filter(move |manager| self.has(*manager))
    }
}

/// Such as `capi-machineset and kubectl-edit`.
impl fmt::Display for Managers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.each().map(Manager::text).collect();
        f.write_str(&if names.is_empty() { "nobody".to_owned() } else { names.join(" and ") })
    }
}

/// Such as `Machine, label team` and `MachineSet's template, annotation note`.
impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.slot == Slot::Template { "'s template" } else { "" };
        let entry = self.key.map().trim_end_matches('s');
        write!(f, "{}{of}, {entry} {}", self.kind.text(), self.key.text())
    }
}
