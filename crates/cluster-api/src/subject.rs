//! What the object under review is, in the terms of the rules.

use std::ops::Deref;

use kubernetes::{MapKind, Object, ReviewedObject};

use crate::catalog::keys::{PAUSED, TOPOLOGY_DRY_RUN};
use crate::catalog::{KindRow, Place};
use crate::json::{Document, Json, Malformed, Map};

/// The object under review, and its place in the rules.
pub struct Subject<'e> {
    reviewed: ReviewedObject<'e>,
    /// `None` if no rule reads or writes objects of this kind.
    pub place: Option<Place>,
    /// The row of its kind; `None` if the rules neither read nor write it.
    pub row: Option<&'static KindRow>,
}

impl<'e> Deref for Subject<'e> {
    type Target = ReviewedObject<'e>;

    fn deref(&self) -> &Self::Target {
        &self.reviewed
    }
}

impl<'e> Subject<'e> {
    /// An object, and the place that its kind has in the rules.
    pub fn new(place: Option<Place>, reviewed: ReviewedObject<'e>) -> Self {
        let kind = &reviewed.review.kind;
        let row = KindRow::of(&kind.group, &kind.kind);
        Subject { reviewed, place, row }
    }

    /// The same object with another text.
    pub fn rewritten(&self, object: &'e Document<'_>) -> Result<Self, Malformed> {
        Ok(Subject { reviewed: self.reviewed.rewritten(object)?, ..*self })
    }

    /// The same object as it is stored; for CREATE as it would be stored.
    pub(crate) fn as_stored(&self) -> Result<Self, Malformed> {
        Ok(Subject { reviewed: self.reviewed.as_stored()?, ..*self })
    }

    pub fn is_kubeadm(&self) -> bool {
        self.review.kind.kind == "KubeadmControlPlane"
    }

    /// Whether this is a dry run of the topology controller: it applies the stored object and the desired one as dry
    /// runs, and writes if the results differ. If the policy completed the stored object in that dry run, the two would
    /// not differ and the write would never happen.
    ///
    /// Source: util/topology/topology.go, `IsDryRunRequest`; core/reconcilers/topology/cluster/structuredmerge/dryrun.go.
    pub fn is_topology_dry_run(&self) -> bool {
        self.review.dry_run && self.object.annotations.contains_key(TOPOLOGY_DRY_RUN)
    }

    /// One map of a place of the stored object; empty for CREATE.
    pub(crate) fn old_map(&self, place: Place, map: MapKind) -> Result<Map<'e>, Malformed> {
        match self.old()? {
            Some(old) => place.map(old, map, None),
            None => Ok(Map::default()),
        }
    }

    /// The machine template of this object, if it has one.
    pub(crate) fn template(&self) -> Option<Place> {
        self.place.and(self.row?.template)
    }
}

/// Whether an object is paused by its annotation, or by its own `spec`.
pub(crate) fn is_paused(object: &Object<'_>) -> bool {
    has_paused_annotation(object) || object.spec.get("paused").is_ok_and(Json::is_true)
}

/// Whether an object has the annotation that pauses it. Presence counts, whatever the value.
pub fn has_paused_annotation(object: &Object<'_>) -> bool {
    object.annotations.contains_key(PAUSED)
}
