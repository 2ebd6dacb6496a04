//! The object under review.

use std::cell::OnceCell;

use crate::json::{Document, Malformed};
use crate::object::Object;
use crate::query::ObjectName;
use crate::request::{Operation, Review};

/// The object under review.
pub struct ReviewedObject<'e> {
    pub review: &'e Review<'e>,
    /// The object as it would be stored.
    pub object: Object<'e>,
    /// Whether the request writes the object exactly as it is stored, byte for byte.
    pub is_unchanged: bool,
    stored: &'e Stored<'e>,
}

/// The stored object, which is read on first use.
pub struct Stored<'e> {
    document: Option<Document<'e>>,
    read: OnceCell<Result<Option<Object<'e>>, Malformed>>,
}

impl<'e> Stored<'e> {
    /// The object of a document; none for CREATE.
    pub fn new(document: Option<Document<'e>>) -> Self {
        Stored { document, read: OnceCell::new() }
    }

    /// An object that is written exactly as it is stored is read once.
    fn is_as_written(&'e self, object: &Object<'e>) {
        self.read.get_or_init(|| Ok(Some(object.clone())));
    }

    /// The object; `None` for CREATE.
    pub fn object(&'e self) -> Result<Option<&'e Object<'e>>, Malformed> {
        let read = || self.document.as_ref().map(Object::read).transpose();
        self.read.get_or_init(read).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }
}

impl<'e> ReviewedObject<'e> {
    /// Reads the object under review, and defers the stored one.
    pub fn read(review: &'e Review<'e>, object: &'e Document<'_>, stored: &'e Stored<'e>) -> Result<Self, Malformed> {
        let object = as_admitted(review, object, stored)?;
        let is_unchanged = review.object == review.old_object;
        if is_unchanged {
            stored.is_as_written(&object);
        }
        Ok(ReviewedObject { review, object, is_unchanged, stored })
    }

    /// The same object with another text.
    pub fn rewritten(&self, object: &'e Document<'_>) -> Result<Self, Malformed> {
        Ok(ReviewedObject { object: as_admitted(self.review, object, self.stored)?, ..*self })
    }

    /// The same object as it is stored; for CREATE as it would be stored.
    pub fn as_stored(&self) -> Result<Self, Malformed> {
        let object = self.old()?.unwrap_or(&self.object).clone();
        Ok(ReviewedObject { object, ..*self })
    }

    /// The stored object; `None` for CREATE. It is read on first use.
    pub fn old(&self) -> Result<Option<&'e Object<'e>>, Malformed> {
        self.stored.object()
    }

    /// A label as it is stored, else as it is written: the stored value first, so that an edit cannot change what the
    /// object belongs to.
    pub fn stored_label(&self, key: &str) -> Result<Option<&'e str>, Malformed> {
        let stored = self.old()?.and_then(|old| old.labels.get(key));
        Ok(stored.or_else(|| self.object.labels.get(key)))
    }

    /// The namespace, empty for cluster-scoped objects.
    pub fn namespace(&self) -> &'e str {
        let review: &'e Review<'e> = self.review;
        if review.namespace.is_empty() { self.object.namespace } else { &review.namespace }
    }

    /// The name, or for CREATE the generateName.
    pub fn name(&self) -> &'e str {
        let review: &'e Review<'e> = self.review;
        if review.name.is_empty() { self.object.name } else { &review.name }
    }

    /// Kind, namespace and name.
    pub fn title(&self) -> ObjectName<'e> {
        let review: &'e Review<'e> = self.review;
        ObjectName { kind: &review.kind.kind, namespace: self.namespace(), name: self.name() }
    }

    /// Namespace and name, or only the name of a cluster-scoped object.
    pub fn full_name(&self) -> String {
        let (namespace, name) = (self.namespace(), self.name());
        if namespace.is_empty() { name.to_owned() } else { [namespace, "/", name].concat() }
    }
}

/// An object as the API server takes it: it clears the `deletionTimestamp` that a user creates an object with, and sets
/// the stored one again that an update leaves out, both after admission. A review without a user name is about an object
/// that is stored already.
///
/// Source: kubernetes, staging/src/k8s.io/apiserver/pkg/registry/rest/create.go, `BeforeCreate`; staging/src/k8s.io/
/// apimachinery/pkg/api/validation/objectmeta.go, `ValidateObjectMetaAccessorUpdate`.
fn as_admitted<'e>(
    review: &'e Review<'e>,
    object: &'e Document<'_>,
    stored: &'e Stored<'e>,
) -> Result<Object<'e>, Malformed> {
    let object = Object::read(object)?;
    let is_created = review.operation == Operation::Create && !review.username.is_empty();
    let was_deleted =
        || review.object != review.old_object && stored.object().ok().flatten().is_some_and(|old| old.deleting);
    Ok(Object { deleting: !is_created && (object.deleting || was_deleted()), ..object })
}
