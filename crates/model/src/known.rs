//! Known differences between the final states with and without the policy.

use crate::location::{EntryLocation, EntrySource};
use crate::world::World;

/// A reason for which an entry may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownDifference {
    /// The policy restored a value that another manager co-owned with Cluster API, and that manager stays an owner.
    /// Without the policy the edit ends the co-ownership, and Cluster API becomes the only owner.
    SharesKept,
}

impl KnownDifference {
    /// All.
    pub const ALL: [KnownDifference; 1] = [KnownDifference::SharesKept];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            KnownDifference::SharesKept => "shares-kept",
        }
    }

    /// Whether it explains an entry in the settled world with the policy. The entries that follow from it differ too.
    #[must_use]
    pub fn explains(self, with: &World, location: EntryLocation) -> bool {
        let entry =
            with.object(location.kind).map(|object| *object.at(location.slot, location.key)).unwrap_or_default();
        let is_so = match self {
            KnownDifference::SharesKept => !entry.kept.in_both(entry.owners).is_empty(),
        };
        is_so
            || match location.source() {
                EntrySource::Topology => false,
                EntrySource::Owner(above) => self.explains(with, above),
            }
    }
}
