//! The entries of the world: which object, which map of it, which key; and who may own one.

use std::fmt;

/// The possible values of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelValue {
    /// `red`
    Red,
    /// `blue`
    Blue,
}

/// The two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKey {
    /// The label `team`.
    Team,
    /// The annotation `note`.
    Note,
}

/// The three objects, from the source down. Each has its controller, with the same index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModelKind {
    /// The MachineDeployment of the topology.
    Deployment,
    /// Its MachineSet.
    Set,
    /// The Machine of the MachineSet.
    Machine,
}

/// The two metadata locations of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// `metadata`
    Own,
    /// `spec.template.metadata`, which a Machine does not have.
    Template,
}

/// Where an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryLocation {
    /// The object.
    pub kind: ModelKind,
    /// The location in it.
    pub slot: Slot,
    /// The key.
    pub key: EntryKey,
}

/// Where the value of an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntrySource {
    /// The Cluster's topology.
    Topology,
    /// An entry of the owner object.
    Owner(EntryLocation),
}

/// A field manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldManager {
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
    /// Velero, which recreates objects.
    Velero,
    /// A Go client, whose Update requests do not name a field manager: its user agent does.
    GoClient,
    /// `propagate backfill --server-side`.
    Backfill,
    /// An administrator's empty patches: this manager never owns anything.
    Patch,
}

/// A set of field managers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Managers(u8);

impl ModelValue {
    /// Both.
    pub const ALL: [ModelValue; 2] = [ModelValue::Red, ModelValue::Blue];

    /// As it is written.
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

impl EntryKey {
    /// Both.
    pub const ALL: [EntryKey; 2] = [EntryKey::Team, EntryKey::Note];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            EntryKey::Team => "team",
            EntryKey::Note => "note",
        }
    }

    /// The map that it is in.
    pub fn map(self) -> &'static str {
        match self {
            EntryKey::Team => "labels",
            EntryKey::Note => "annotations",
        }
    }
}

/// The name of the MachineDeployment, as the topology controller generates one: the policy lets another controller create
/// an object for an entry of a topology only under such a name.
pub(crate) const DEPLOYMENT: &str = "c1-workers-7h4bm";

impl ModelKind {
    /// From the source down.
    pub const ALL: [ModelKind; 3] = [ModelKind::Deployment, ModelKind::Set, ModelKind::Machine];

    /// As Kubernetes calls it.
    pub fn text(self) -> &'static str {
        match self {
            ModelKind::Deployment => "MachineDeployment",
            ModelKind::Set => "MachineSet",
            ModelKind::Machine => "Machine",
        }
    }

    /// The name of the only object of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Deployment => DEPLOYMENT,
            ModelKind::Set => "ms",
            ModelKind::Machine => "m",
        }
    }

    /// The kind of its owner; the owner of the MachineDeployment is the Cluster.
    pub fn owner(self) -> Option<ModelKind> {
        match self {
            ModelKind::Deployment => None,
            ModelKind::Set => Some(ModelKind::Deployment),
            ModelKind::Machine => Some(ModelKind::Set),
        }
    }

    /// The controller that applies the object.
    pub fn controller(self) -> FieldManager {
        match self {
            ModelKind::Deployment => FieldManager::Topology,
            ModelKind::Set => FieldManager::Deployment,
            ModelKind::Machine => FieldManager::Set,
        }
    }

    /// The metadata locations of the object.
    pub fn slots(self) -> &'static [Slot] {
        match self {
            ModelKind::Deployment | ModelKind::Set => &[Slot::Own, Slot::Template],
            ModelKind::Machine => &[Slot::Own],
        }
    }

    /// Every entry of the object.
    pub fn locations(self) -> impl Iterator<Item = EntryLocation> {
        let keys = move |slot: &Slot| EntryKey::ALL.map(|key| EntryLocation { kind: self, slot: *slot, key });
        self.slots().iter().flat_map(keys)
    }
}

impl EntryLocation {
    /// Every entry, sources before the entries that depend on them.
    pub fn all() -> impl Iterator<Item = EntryLocation> {
        ModelKind::ALL.into_iter().flat_map(ModelKind::locations)
    }

    /// Where the value of an entry comes from.
    pub fn source(self) -> EntrySource {
        let above = |kind, slot| EntrySource::Owner(EntryLocation { kind, slot, key: self.key });
        match (self.kind, self.slot, self.key) {
            (ModelKind::Deployment, ..) => EntrySource::Topology,
            (ModelKind::Set, Slot::Own, EntryKey::Note) => above(ModelKind::Deployment, Slot::Own),
            (ModelKind::Set, ..) => above(ModelKind::Deployment, Slot::Template),
            (ModelKind::Machine, ..) => above(ModelKind::Set, Slot::Template),
        }
    }
}

impl FieldManager {
    /// All managers that can own something.
    pub const OWNERS: [FieldManager; 8] = [
        FieldManager::Topology,
        FieldManager::Deployment,
        FieldManager::Set,
        FieldManager::Argo,
        FieldManager::Alice,
        FieldManager::Velero,
        FieldManager::GoClient,
        FieldManager::Backfill,
    ];

    /// As `metadata.managedFields` names it.
    pub fn text(self) -> &'static str {
        match self {
            FieldManager::Topology => "capi-topology",
            FieldManager::Deployment => "capi-machinedeployment",
            FieldManager::Set => "capi-machineset",
            FieldManager::Argo => "argocd-controller",
            FieldManager::Alice => "kubectl-edit",
            FieldManager::Velero => "velero-server",
            FieldManager::GoClient => "inventory",
            FieldManager::Backfill => "metadata-propagation-backfill",
            FieldManager::Patch => "kubectl-patch",
        }
    }

    /// Whether it writes with server-side apply.
    pub fn applies(self) -> bool {
        !matches!(self, FieldManager::Alice | FieldManager::Velero | FieldManager::GoClient | FieldManager::Patch)
    }

    /// Whether its requests name it in their options, so that the policy knows who writes.
    ///
    /// Source: k8s.io/apiserver/pkg/endpoints/handlers/update.go: `managerOrUserAgent` is not what admission gets.
    pub fn is_named(self) -> bool {
        self != FieldManager::GoClient
    }

    /// Whether it is a Cluster API controller.
    pub fn is_controller(self) -> bool {
        matches!(self, FieldManager::Topology | FieldManager::Deployment | FieldManager::Set)
    }

    /// The user of its requests.
    pub fn user(self) -> &'static str {
        match self {
            FieldManager::Topology | FieldManager::Deployment | FieldManager::Set => {
                "system:serviceaccount:capi-system:capi-manager"
            }
            FieldManager::Argo => "system:serviceaccount:argocd:argocd-application-controller",
            FieldManager::Velero => "system:serviceaccount:velero:velero",
            FieldManager::GoClient => "system:serviceaccount:inventory:inventory",
            FieldManager::Alice => "alice",
            FieldManager::Backfill | FieldManager::Patch => "admin",
        }
    }
}

impl Managers {
    /// The empty set.
    pub const NOBODY: Managers = Managers(0);

    /// One manager alone.
    pub fn only(manager: FieldManager) -> Managers {
        Managers::NOBODY.and(manager)
    }

    /// With one manager more.
    pub fn and(self, manager: FieldManager) -> Managers {
        Managers(self.0 | 1 << manager as u8)
    }

    /// Without one manager.
    pub fn without(self, manager: FieldManager) -> Managers {
        Managers(self.0 & !(1 << manager as u8))
    }

    /// Whether a manager is among them.
    pub fn has(self, manager: FieldManager) -> bool {
        self.0 & 1 << manager as u8 != 0
    }

    /// The intersection of both sets.
    pub fn in_both(self, other: Managers) -> Managers {
        Managers(self.0 & other.0)
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The managers in the order of [`FieldManager::OWNERS`].
    pub fn each(self) -> impl Iterator<Item = FieldManager> {
        FieldManager::OWNERS.into_iter().filter(move |manager| self.has(*manager))
    }
}

/// Such as `capi-machineset and kubectl-edit`.
impl fmt::Display for Managers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.each().map(FieldManager::text).collect();
        f.write_str(&if names.is_empty() { "nobody".to_owned() } else { names.join(" and ") })
    }
}

/// Such as `Machine, label team` and `MachineSet's template, annotation note`.
impl fmt::Display for EntryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.slot == Slot::Template { "'s template" } else { "" };
        let entry = self.key.map().trim_end_matches('s');
        write!(f, "{}{of}, {entry} {}", self.kind.text(), self.key.text())
    }
}
