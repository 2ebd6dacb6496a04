//! Where the policy is known to end otherwise than without it.

use crate::spot::{EntrySource, Spot};
use crate::world::World;

/// A reason for which an entry may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownDifference {
    /// The policy set a value before its controller did, or after its only owner had let go of it, and the source
    /// dropped it before the controller came. Nobody owns the value, so nobody removes it.
    SetAndDropped,
    /// The policy restored a value of which somebody besides Cluster API had a share, who keeps it. Without the policy
    /// the edit ends the share, and Cluster API takes the value back alone.
    SharesKept,
}

impl KnownDifference {
    /// All.
    pub const ALL: [KnownDifference; 2] = [KnownDifference::SetAndDropped, KnownDifference::SharesKept];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            KnownDifference::SetAndDropped => "set-and-dropped",
            KnownDifference::SharesKept => "shares-kept",
        }
    }

    /// Whether it explains an entry of the world with the policy when nobody acts any more. What is after the entry differs too.
    #[must_use]
    pub fn explains(self, with: &World, spot: Spot) -> bool {
        let entry = with.object(spot.kind).map(|object| *object.at(spot.slot, spot.key)).unwrap_or_default();
        let is_so = match self {
            KnownDifference::SetAndDropped => entry.is_policys,
            KnownDifference::SharesKept => !entry.kept.in_both(entry.owners).is_empty(),
        };
        is_so
            || match spot.source() {
                EntrySource::Topology => false,
                EntrySource::Above(above) => self.explains(with, above),
            }
    }
}
