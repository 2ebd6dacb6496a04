//! What is not propagated, and why.

use serde::Serialize;
use serde::ser::Serializer;

use crate::fact::{ClusterApiFact, EntryCount, SetInstead};
use kubernetes::{EntryNoun, MapKind, NamedEntry, NamedSource, SourcePlace, names};

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

names! {
    /// Why an entry was not propagated.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    SkipReason {
        /// Nothing propagates from this place to this kind.
        NotPropagated = "not propagated from there";
        /// A source with higher precedence has another value.
        Overridden = "overridden by a source with higher precedence";
        /// Cluster API sets this label itself.
        Forced = "Cluster API sets this label itself";
        /// The key is used for bookkeeping by a controller, a client or this policy.
        ControllerOwned = "the key belongs to a controller, a client or this policy";
        /// The annotation defers an upgrade of the topology, not of the object.
        UpgradeHold = "the annotation defers upgrades of the topology and has no meaning on this object";
        /// The key meets no criterion for Nodes.
        NodeCriteria = "the key meets none of the criteria for syncing to Nodes";
        /// A patch of the ClusterClass may set something else.
        ClassPatches = "a patch of the ClusterClass may set a different value";
        /// The class has no infrastructure for the Machines of its control plane.
        NoMachineInfrastructure = "not set in `spec.machineTemplate`: the ClusterClass has no `spec.controlPlane.machineInfrastructure`";
        /// The object has no taints yet, and the settings do not say that the cluster's feature gate for taints is on.
        TaintsGate = "the object has no taints yet, and `clusterApi.taints` is off";
        /// A kubelet writes the Node, and the admission plugin NodeRestriction does not allow it to set this label.
        NodeRestriction = "NodeRestriction forbids a kubelet to set this label";
        /// The API server rejects the key.
        IllegalKey = "the API server does not accept this key";
        /// The API server rejects the value.
        IllegalValue = "the API server does not accept this value";
        /// The list would have more elements than the API server allows.
        TooManyElements = "the API server does not accept this many elements";
        /// The annotations of the object would have more bytes together than the API server allows.
        AnnotationsTooLarge = "annotations of an object are limited to 256 KiB in total";
    }
}

impl Skipped {
    /// The map of the entry; `None` for a field.
    pub fn map(&self) -> Option<MapKind> {
        match self.carried {
            Carried::Map(map) => Some(map),
            Carried::Field => None,
        }
    }

    /// The warning about an entry that the request sets at a place from which nothing propagates.
    pub fn misplaced(&self) -> Option<ClusterApiFact> {
        let map = self.map()?;
        let entry = NamedEntry { noun: map.entry(), key: self.key.clone() };
        Some(ClusterApiFact::NotPropagatedFromHere { entry, instead: self.instead.clone()? })
    }

    /// The warning if the API server would reject the entry; `None` if it would not.
    pub fn refusal(&self) -> Option<ClusterApiFact> {
        let fact: fn(NamedEntry, NamedSource) -> ClusterApiFact = match self.reason {
            SkipReason::IllegalKey => |entry, source| ClusterApiFact::InvalidKey { entry, source },
            SkipReason::IllegalValue => |entry, source| ClusterApiFact::InvalidValue { entry, source },
            SkipReason::TooManyElements => |entry, source| ClusterApiFact::ListTooLong { entry, source },
            SkipReason::AnnotationsTooLarge => |entry, source| ClusterApiFact::AnnotationTooLarge { entry, source },
            _ => return None,
        };
        let (noun, map) = match self.carried {
            Carried::Map(map) => (EntryNoun::from(map), Some(map)),
            Carried::Field => (EntryNoun::Field, None),
        };
        let entry = NamedEntry { noun: noun.as_str(), key: self.key.clone() };
        Some(fact(entry, NamedSource::new(&self.from.object, Some(&self.from.path_of(map)))))
    }
}

impl SkipReason {
    /// Whether the API server would reject an object with the entry.
    pub fn is_illegal(self) -> bool {
        use SkipReason::{AnnotationsTooLarge, IllegalKey, IllegalValue, TooManyElements};
        matches!(self, IllegalKey | IllegalValue | TooManyElements | AnnotationsTooLarge)
    }
}

/// What is omitted because the API server would reject it: each entry, and once all entries that do not fit.
pub fn of_illegal(skipped: &[Skipped]) -> Vec<ClusterApiFact> {
    let is_too_large = |skip: &&Skipped| skip.reason == SkipReason::AnnotationsTooLarge;
    let too_large = skipped.iter().filter(is_too_large).count();
    let together = (too_large > 0).then_some(ClusterApiFact::AnnotationsTooLarge { entries: EntryCount(too_large) });
    let single = skipped.iter().filter(|skip| !is_too_large(skip)).filter_map(Skipped::refusal);
    single.chain(together).collect()
}
