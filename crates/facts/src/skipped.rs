//! What is not propagated, and why.

use std::fmt;

use serde::Serialize;
use serde::ser::Serializer;

use crate::datum::{NamedEntry, SetInstead};
use crate::fact::Fact;
use crate::messages::reasons as messages;
use crate::source::SourcePlace;
use kubernetes::map_kind::MapKind;

/// One entry that was not propagated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// What kind of entry it is.
    #[serde(rename = "map")]
    pub carried: Carried,
    /// The entry's key, the field's name.
    pub key: String,
    /// The object and place that has it.
    pub from: SourcePlace,
    /// Why it was not propagated.
    pub reason: SkipReason,
    /// The value that lost, if the same key has or may have another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where to set an entry that the request sets at a place from which nothing propagates.
    #[serde(skip)]
    pub instead: Option<SetInstead>,
}

/// What propagates from object to object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// An entry of a map.
    Map(MapKind),
    /// An in-place mutable field.
    Field,
}

impl Serialize for Carried {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Carried::Map(map) => map.field(),
            Carried::Field => "fields",
        })
    }
}

/// Why an entry was not propagated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// Nothing propagates from this place to this kind.
    NotPropagated,
    /// A source with higher precedence has another value.
    Overridden,
    /// Cluster API sets this label itself.
    Forced,
    /// The key is used for bookkeeping by a controller, a client or this policy.
    ControllerOwned,
    /// The annotation defers an upgrade of the topology, not of the object.
    UpgradeHold,
    /// The key meets no criterion for Nodes.
    NodeCriteria,
    /// A patch of the ClusterClass may set something else.
    ClassPatches,
    /// The class has no infrastructure for the Machines of its control plane.
    NoMachineInfrastructure,
    /// The object has no taints yet, and the settings do not say that the cluster's feature gate for taints is on.
    TaintsGate,
    /// A kubelet writes the Node, and the admission plugin NodeRestriction does not allow it to set this label.
    NodeRestriction,
    /// The API server rejects the key.
    IllegalKey,
    /// The API server rejects the value.
    IllegalValue,
    /// The list would have more elements than the API server allows.
    TooManyElements,
    /// The annotations of the object would have more bytes together than the API server allows.
    AnnotationsTooLarge,
}

impl Skipped {
    /// The map of the entry; `None` for a field.
    #[must_use]
    pub fn map(&self) -> Option<MapKind> {
        match self.carried {
            Carried::Map(map) => Some(map),
            Carried::Field => None,
        }
    }

    /// The warning about an entry that the request sets at a place from which nothing propagates.
    #[must_use]
    pub fn misplaced(&self) -> Option<Fact> {
        let map = self.map()?;
        let entry = NamedEntry { noun: map.entry(), key: self.key.clone() };
        Some(Fact::NotPropagatedFromHere { entry, instead: self.instead.clone()? })
    }
}

impl SkipReason {
    /// Whether the API server would reject an object with the entry.
    pub fn is_illegal(self) -> bool {
        use SkipReason::{AnnotationsTooLarge, IllegalKey, IllegalValue, TooManyElements};
        matches!(self, IllegalKey | IllegalValue | TooManyElements | AnnotationsTooLarge)
    }
}

/// The end of a sentence about the entry.
impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::NotPropagated => messages::NOT_PROPAGATED,
            SkipReason::Overridden => messages::OVERRIDDEN,
            SkipReason::Forced => messages::FORCED,
            SkipReason::ControllerOwned => messages::CONTROLLER_OWNED,
            SkipReason::UpgradeHold => messages::UPGRADE_HOLD,
            SkipReason::NodeCriteria => messages::NODE_CRITERIA,
            SkipReason::ClassPatches => messages::CLASS_PATCHES,
            SkipReason::NoMachineInfrastructure => messages::NO_MACHINE_INFRASTRUCTURE,
            SkipReason::TaintsGate => messages::TAINTS_GATE,
            SkipReason::NodeRestriction => messages::NODE_RESTRICTION,
            SkipReason::IllegalKey => messages::ILLEGAL_KEY,
            SkipReason::IllegalValue => messages::ILLEGAL_VALUE,
            SkipReason::TooManyElements => messages::TOO_MANY_ELEMENTS,
            SkipReason::AnnotationsTooLarge => messages::ANNOTATIONS_TOO_LARGE,
        })
    }
}
