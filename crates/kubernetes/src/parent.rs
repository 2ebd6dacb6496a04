//! An object above the one under review, as it was read.

use crate::json::{Document, Json, Malformed};
use crate::object::Object;
use crate::query::{ObjectName, ObjectQuery};
use crate::read_failure::ReadFailure;

/// An object that was read.
pub struct Parent<'a> {
    /// The object.
    pub object: Object<'a>,
    /// Kind, namespace and name.
    pub name: ObjectName<'a>,
}

impl<'a> Parent<'a> {
    /// The object in an answer to `query`.
    ///
    /// # Errors
    /// When the text is not a Kubernetes object, or has another uid than the reference.
    pub fn read(answer: &'a Document<'_>, query: &ObjectQuery<'a>) -> Result<Self, ReadFailure> {
        let name = query.object;
        let object = Object::read(answer).map_err(|malformed| ReadFailure::unreadable(name.to_string(), malformed))?;
        if !query.uid.is_empty() && !object.uid.is_empty() && query.uid != object.uid {
            return Err(ReadFailure::AnotherUid(name.to_string()));
        }
        Ok(Parent { object, name })
    }

    /// The value under a path of the object's `spec`.
    pub fn spec(&self, path: &[&str]) -> Result<Json<'a>, ReadFailure> {
        self.readable(self.object.spec.at(path))
    }

    /// The string under a path of the object's `spec`; `None` if it is absent, null or empty.
    pub fn string(&self, path: &[&str]) -> Result<Option<&'a str>, ReadFailure> {
        self.readable(self.object.spec.string(path))
    }

    /// What was read of the object.
    ///
    /// # Errors
    /// When it has another type: the error names this object, not the one under review.
    pub fn readable<T>(&self, read: Result<T, Malformed>) -> Result<T, ReadFailure> {
        read.map_err(|malformed| ReadFailure::unreadable(self.name.to_string(), malformed))
    }
}
