//! Known differences between the final states with and without the policy.

use crate::location::{EntryLocation, EntrySource};
use crate::world::World;

/// A reason for which an entry may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownDifference {
    /// The policy restored a value that another manager co-owned with Cluster API, and that manager stays an owner.
    /// Without the policy the edit ends the co-ownership, and Cluster API becomes the only owner.
    SharesKept,
    /// A Go client whose Update does not name its field manager removed a value that it owned, and the policy restored
    /// it with its stored owners. Admission does not get the user agent, so the policy does not know who removed it.
    UnnamedRemover,
}

impl KnownDifference {
    /// All.
    pub const ALL: [KnownDifference; 2] = [KnownDifference::SharesKept, KnownDifference::UnnamedRemover];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            KnownDifference::SharesKept => "shares-kept",
            KnownDifference::UnnamedRemover => "unnamed-remover",
        }
    }

    /// Whether it explains an entry in the settled world with the policy. The entries that follow from it differ too.
    pub fn explains(self, with: &World, location: EntryLocation) -> bool {
        let object = with.object(location.kind).copied().unwrap_or_default();
        let entry = object.at(location.slot, location.key);
        let is_so = match self {
            KnownDifference::SharesKept => entry.is_kept_removed || !entry.kept.in_both(entry.owners).is_empty(),
            KnownDifference::UnnamedRemover => !entry.returned.in_both(entry.owners).is_empty(),
        };
        is_so
            || match location.source() {
                EntrySource::Topology => false,
                EntrySource::Owner(above) => self.explains(with, above),
            }
    }
}
