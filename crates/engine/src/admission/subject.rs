//! What the object under review is, in the terms of the rules.

use std::cell::OnceCell;

use crate::admission::request::Review;
use crate::catalog::kinds::KindRow;
use crate::catalog::place::{MapKind, Place};
use crate::json::document::Document;
use crate::json::{Malformed, Map};
use crate::kube::object::Object;
use crate::kube::query::ObjectName;

/// The object under review.
pub(crate) struct Subject<'e> {
    /// `None` if no rule reads or writes objects of this kind.
    pub(crate) place: Option<Place>,
    pub(crate) review: &'e Review<'e>,
    /// The object as it would be stored.
    pub(crate) object: Object<'e>,
    /// Whether the request writes the object exactly as it is stored, byte for byte.
    pub(crate) is_unchanged: bool,
    /// The row of its kind; `None` if the rules neither read nor write it.
    pub(crate) row: Option<&'static KindRow>,
    stored: &'e Stored<'e>,
}

/// The stored object, which is read on first use.
pub(crate) struct Stored<'e> {
    document: Option<Document<'e>>,
    read: OnceCell<Result<Option<Object<'e>>, Malformed>>,
}

impl<'e> Stored<'e> {
    pub(crate) fn new(document: Option<Document<'e>>) -> Self {
        Stored { document, read: OnceCell::new() }
    }

    /// An object that is written exactly as it is stored is read once.
    fn is_as_written(&'e self, object: &Object<'e>) {
        self.read.get_or_init(|| Ok(Some(object.clone())));
    }

    fn object(&'e self) -> Result<Option<&'e Object<'e>>, Malformed> {
        let read = || self.document.as_ref().map(Object::read).transpose();
        self.read.get_or_init(read).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

impl<'e> Subject<'e> {
    /// # Errors
    /// When the object does not have the structure of a Kubernetes object.
    pub(crate) fn read(
        place: Option<Place>,
        review: &'e Review<'e>,
        object: &'e Document<'_>,
        stored: &'e Stored<'e>,
    ) -> Result<Self, Malformed> {
        let object = Object::read(object)?;
        let is_unchanged = review.object == review.old_object;
        if is_unchanged {
            stored.is_as_written(&object);
        }
        let row = KindRow::of(&review.kind.group, &review.kind.kind);
        Ok(Subject { place, review, object, is_unchanged, row, stored })
    }

    /// The same object with another text.
    ///
    /// # Errors
    /// Like [`Subject::read`].
    pub(crate) fn rewritten(&self, object: &'e Document<'_>) -> Result<Self, Malformed> {
        Ok(Subject { object: Object::read(object)?, ..*self })
    }

    /// The same object as it is stored; for CREATE as it would be stored.
    ///
    /// # Errors
    /// Like [`Subject::old`].
    pub(crate) fn as_stored(&self) -> Result<Self, Malformed> {
        let object = self.old()?.unwrap_or(&self.object).clone();
        Ok(Subject { object, ..*self })
    }

    /// Whether its kind is KubeadmControlPlane.
    pub(crate) fn is_kubeadm(&self) -> bool {
        self.review.kind.kind == "KubeadmControlPlane"
    }

    /// Whether this is a dry run of the topology controller: it applies the stored object and the desired one as dry
    /// runs, and writes if the results differ. If the policy completed the stored object in that dry run, the two would
    /// not differ and the write would never happen.
    ///
    /// Source: util/topology/topology.go, `IsDryRunRequest`; core/reconcilers/topology/cluster/structuredmerge/dryrun.go.
    pub(crate) fn is_topology_dry_run(&self) -> bool {
        self.review.dry_run && self.object.has_topology_dry_run_annotation()
    }

    /// The stored object; `None` for CREATE. It is read on first use.
    ///
    /// # Errors
    /// When it does not have the structure of a Kubernetes object.
    pub(crate) fn old(&self) -> Result<Option<&'e Object<'e>>, Malformed> {
        self.stored.object()
    }

    /// A label as it is stored, else as it is written: the stored value first, so that an edit cannot change what the
    /// object belongs to.
    ///
    /// # Errors
    /// Like [`Subject::old`].
    pub(crate) fn stored_label(&self, key: &str) -> Result<Option<&'e str>, Malformed> {
        let stored = self.old()?.and_then(|old| old.labels.get(key));
        Ok(stored.or_else(|| self.object.labels.get(key)))
    }

    /// One map of a place of the stored object; empty for CREATE.
    ///
    /// # Errors
    /// Like [`Subject::old`].
    pub(crate) fn old_map(&self, place: Place, map: MapKind) -> Result<Map<'e>, Malformed> {
        match self.old()? {
            Some(old) => old.map(place, map, None),
            None => Ok(Map::default()),
        }
    }

    /// The namespace, empty for cluster-scoped objects.
    pub(crate) fn namespace(&self) -> &'e str {
        let review: &'e Review<'e> = self.review;
        if review.namespace.is_empty() { self.object.namespace } else { &review.namespace }
    }

    /// The name, or for CREATE the generateName.
    pub(crate) fn name(&self) -> &'e str {
        let review: &'e Review<'e> = self.review;
        if review.name.is_empty() { self.object.name } else { &review.name }
    }

    /// Kind, namespace and name.
    pub(crate) fn title(&self) -> ObjectName<'e> {
        let review: &'e Review<'e> = self.review;
        ObjectName { kind: &review.kind.kind, namespace: self.namespace(), name: self.name() }
    }

    /// Namespace and name, or only the name of a cluster-scoped object.
    pub(crate) fn full_name(&self) -> String {
        let (namespace, name) = (self.namespace(), self.name());
        if namespace.is_empty() { name.to_owned() } else { [namespace, "/", name].concat() }
    }

    /// The machine template of this object, if it has one.
    pub(crate) fn template(&self) -> Option<Place> {
        self.place.and(self.row?.template)
    }
}
