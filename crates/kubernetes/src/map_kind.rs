//! The two maps of metadata.

use std::fmt;

/// One of the two maps of a block of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapKind {
    /// `labels`.
    Labels,
    /// `annotations`.
    Annotations,
}

impl MapKind {
    /// Both maps, in the page's order.
    pub const BOTH: [MapKind; 2] = [MapKind::Labels, MapKind::Annotations];

    /// The map's name inside a `metadata`.
    pub fn field(self) -> &'static str {
        self.of("labels", "annotations")
    }

    /// What belongs to this map, of two things.
    pub fn of<T>(self, labels: T, annotations: T) -> T {
        match self {
            MapKind::Labels => labels,
            MapKind::Annotations => annotations,
        }
    }

    /// One entry of the map.
    pub fn entry(self) -> &'static str {
        self.of("label", "annotation")
    }
}

impl fmt::Display for MapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field())
    }
}
