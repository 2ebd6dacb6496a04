//! The rule behind a change, as the report names it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, Serializer};

use super::datum::Datum;
use crate::names;
use crate::object::MapKind;

/// The rule behind a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeRule {
    /// A row of a table about Cluster API, as the table prints it.
    Row(Arc<str>),
    /// A topology has the entry from its own Cluster's metadata.
    ClusterToTopology {
        /// The map of the Cluster's metadata.
        map: MapKind,
        /// The map in the topology.
        at: Arc<str>,
    },
    /// The policy's own annotation.
    Record,
    /// The Machine controller's record on a Node.
    NodeRecord,
    /// The source of the entry is no longer known.
    SourceDropped,
    /// A declaration that is added to a definition.
    Declaration,
    /// A label becomes the tag.
    Label(String),
    /// A label of another object becomes the tag.
    LabelOf {
        /// The label.
        label: String,
        /// The object.
        object: String,
    },
    /// The tag has the policy's prefix.
    NoLabel,
    /// A parent's Composition forwards the tag.
    Forwarded,
    /// A map without entries is removed.
    EmptyMap,
    /// The tags are left as they are stored.
    AsStored(StoredTags),
}

names! {
    /// Why tags are left as they are stored.
    StoredTags {
        /// The composite was adopted.
        Adopted = "an adopted composite gets no new tags";
        /// The Cluster of the infrastructure cluster was adopted.
        AdoptedCluster = "an adopted Cluster gets no new tags";
        /// The composite is being deleted.
        Deleting = "a composite that is being deleted gets no new tags";
        /// The object is a claim.
        Claim = "a claim gets no new tags";
        /// Its assignments cannot be used.
        UnusableAssignments = "its assignments cannot be used";
        /// The same for the assignments of an object that it has labels from.
        UnusableSource = "assignments of another object cannot be used";
        /// An object that it has labels from cannot be read.
        SourceUnread = "an object whose labels become tags cannot be read";
        /// The registry cannot be read.
        RegistryUnread = "the label registry cannot be read";
        /// The registry that may define this label cannot be read.
        DefinitionUnread = "the registry that may define its label cannot be read";
        /// The Cluster of the infrastructure cluster is paused, not known, or cannot be read.
        ClusterNotCompared = "the labels of its Cluster are not compared";
    }
}

impl ChangeRule {
    /// The rule in words.
    pub fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            ChangeRule::Row(line) => line,
            ChangeRule::ClusterToTopology { map, at } => {
                let (map, setting) = (map.field(), "clusterApi.optIn.clusterToTopology");
                return format!("`Cluster.metadata.{map}` => `Cluster.{at}` (`{setting}`)").into();
            }
            ChangeRule::Record => "record of the keys that this policy added",
            ChangeRule::NodeRecord => "record of the keys that are set from the Machine",
            ChangeRule::SourceDropped => "added by this policy, no longer set on its source",
            ChangeRule::Declaration => "a served version must declare `spec.cloudTags` as a map of strings",
            ChangeRule::Label(label) => return ["label `", label, "` propagates to cloud tags"].concat().into(),
            ChangeRule::LabelOf { label, object } => {
                return ["label `", label, "` of ", object, " propagates to cloud tags"].concat().into();
            }
            ChangeRule::NoLabel => "no label propagates to this tag",
            ChangeRule::Forwarded => "the parent composite forwards it",
            ChangeRule::EmptyMap => "no tags are left",
            ChangeRule::AsStored(reason) => reason.as_str(),
        })
    }
}

impl StoredTags {
    /// Whether a user may remove stored tags: no label will set them again.
    pub const fn allows_removal(self) -> bool {
        matches!(self, StoredTags::Adopted | StoredTags::AdoptedCluster | StoredTags::Deleting | StoredTags::Claim)
    }
}

impl fmt::Display for ChangeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Datum for ChangeRule {}
impl Datum for StoredTags {}

impl Serialize for ChangeRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}
