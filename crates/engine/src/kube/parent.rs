//! An object above the one under review, as it was read.

use crate::catalog::place::{MapKind, Place};
use crate::json::document::{Document, Json};
use crate::json::{Malformed, Map};
use crate::kube::object::Object;
use crate::kube::query::{ObjectName, ObjectQuery};
use crate::kube::stop::Stop;
use crate::report::not_applicable::NotApplicableReason;

/// An object that was read.
pub(crate) struct Parent<'a> {
    pub(crate) object: Object<'a>,
    pub(crate) name: ObjectName<'a>,
}

impl<'a> Parent<'a> {
    /// # Errors
    /// When the text is not a Kubernetes object, or has another uid than the reference.
    pub(crate) fn read(answer: &'a Document<'_>, query: &ObjectQuery<'a>) -> Result<Self, Stop> {
        let name = query.object;
        let object = Object::read(answer).map_err(|malformed| Stop::unreadable(name.to_string(), malformed))?;
        if !query.uid.is_empty() && !object.uid.is_empty() && query.uid != object.uid {
            return Err(Stop::not_applicable(NotApplicableReason::ParentOfAnotherUid, name.to_string()));
        }
        Ok(Parent { object, name })
    }

    /// An object that propagates: it is not being deleted and not paused.
    ///
    /// # Errors
    /// Like [`Parent::read`], and when the object is being deleted or has the paused annotation.
    pub(crate) fn active(answer: &'a Document<'_>, query: &ObjectQuery<'a>) -> Result<Self, Stop> {
        let parent = Parent::read(answer, query)?;
        if parent.object.deleting {
            return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, parent.name.to_string()));
        }
        if parent.object.has_paused_annotation() {
            return Err(Stop::not_applicable(NotApplicableReason::Paused, parent.name.to_string()));
        }
        Ok(parent)
    }

    /// One map of one place of the object; `entry` is as for [`Object::at`].
    ///
    /// # Errors
    /// When it has another type.
    pub(crate) fn map(&self, place: Place, map: MapKind, entry: Option<Json<'a>>) -> Result<Map<'a>, Stop> {
        self.readable(self.object.map(place, map, entry))
    }

    /// The value under a path of the object's `spec`.
    ///
    /// # Errors
    /// When a value on the path has another type.
    pub(crate) fn spec(&self, path: &[&str]) -> Result<Json<'a>, Stop> {
        self.readable(self.object.spec.at(path))
    }

    /// The string under a path of the object's `spec`; `None` if it is absent, null or empty.
    ///
    /// # Errors
    /// When it has another type.
    pub(crate) fn string(&self, path: &[&str]) -> Result<Option<&'a str>, Stop> {
        self.readable(self.object.spec.string(path))
    }

    /// What was read of the object.
    ///
    /// # Errors
    /// When it has another type: the error names this object, not the one under review.
    pub(crate) fn readable<T>(&self, read: Result<T, Malformed>) -> Result<T, Stop> {
        read.map_err(|malformed| Stop::unreadable(self.name.to_string(), malformed))
    }

    /// Whether this Cluster is paused, by field or annotation.
    ///
    /// # Errors
    /// When `spec` is not an object.
    pub(crate) fn is_paused_cluster(&self) -> Result<bool, Stop> {
        Ok(self.spec(&["paused"])?.is_true() || self.object.has_paused_annotation())
    }
}
