//! Which object to read.

use std::fmt;

use crate::catalog::groups::CORE_GROUP;
use crate::catalog::masks::Masks;
use crate::kube::object::OwnerReference;
use crate::report::source::SourceObject;

/// An object to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectQuery<'a> {
    pub(crate) group: &'a str,
    /// The version that the reference names, if any.
    pub(crate) version: Option<&'a str>,
    pub(crate) object: ObjectName<'a>,
    /// The uid that the reference names; empty if it names none.
    pub(crate) uid: &'a str,
    pub(crate) masks: Masks,
}

impl<'a> ObjectQuery<'a> {
    /// A kind of Cluster API's core group, by name only.
    pub(crate) fn core(kind: &'a str, namespace: &'a str, name: &'a str, masks: Masks) -> Self {
        let object = ObjectName { kind, namespace, name };
        ObjectQuery { group: CORE_GROUP, version: None, object, uid: "", masks }
    }

    /// The object that an ownerReference points to.
    pub(crate) fn owner(owner: &OwnerReference<'a>, namespace: &'a str, masks: Masks) -> Self {
        ObjectQuery {
            group: owner.group(),
            version: Some(owner.version()),
            object: ObjectName { kind: owner.kind, namespace, name: owner.name },
            uid: owner.uid,
            masks,
        }
    }
}

/// The name of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjectName<'a> {
    pub(crate) kind: &'a str,
    /// Empty for cluster-scoped kinds.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl ObjectName<'_> {
    /// The object as one that entries come from.
    pub(crate) fn source(&self) -> SourceObject {
        SourceObject::titled(self.kind, self.to_string())
    }
}

/// Kind, namespace and name.
impl fmt::Display for ObjectName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        f.write_str(" ")?;
        if !self.namespace.is_empty() {
            f.write_str(self.namespace)?;
            f.write_str("/")?;
        }
        f.write_str(self.name)
    }
}
