//! Where the policy is known to end otherwise than without it.

use crate::spot::{Source, Spot};
use crate::world::World;

/// A reason for which an entry may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// The policy set a value before its controller did, or after its only owner had let go of it, and the source
    /// dropped it before the controller came. Nobody owns the value, so nobody removes it.
    SetAndDropped,
    /// The policy restored a value of which somebody besides Cluster API had a share, who keeps it. Without the policy
    /// the edit ends the share, and Cluster API takes the value back alone.
    SharesKept,
}

impl Known {
    /// All.
    pub const ALL: [Known; 2] = [Known::SetAndDropped, Known::SharesKept];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Known::SetAndDropped => "set-and-dropped",
            Known::SharesKept => "shares-kept",
        }
    }

    /// Whether it explains an entry of the world with the policy when nobody acts any more. What is after the entry differs too.
    #[must_use]
    pub fn explains(self, with: &World, spot: Spot) -> bool {
        let entry = with.object(spot.kind).map(|object| *object.at(spot.slot, spot.key)).unwrap_or_default();
        let is_so = match self {
            Known::SetAndDropped => entry.is_policys,
            Known::SharesKept => !entry.kept.in_both(entry.owners).is_empty(),
        };
        is_so
            || match spot.source() {
                Source::Topology => false,
                Source::Above(above) => self.explains(with, above),
            }
    }
}
