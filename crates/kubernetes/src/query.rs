//! Which object to read.

use std::fmt;

use crate::masks::Masks;
use crate::object::OwnerReference;

/// An object to read.
#[derive(Debug, Clone, Copy)]
pub struct ObjectQuery<'a> {
    /// The API group.
    pub group: &'a str,
    /// The version that the reference names, if any.
    pub version: Option<&'a str>,
    /// Kind, namespace and name.
    pub object: ObjectName<'a>,
    /// The uid that the reference names; empty if it names none.
    pub uid: &'a str,
    /// The fields that are read.
    pub masks: Masks,
}

impl<'a> ObjectQuery<'a> {
    /// An object by its name only.
    pub fn named(group: &'a str, object: ObjectName<'a>, masks: Masks) -> Self {
        ObjectQuery { group, version: None, object, uid: "", masks }
    }

    /// The object that an ownerReference points to.
    pub fn owner(owner: &OwnerReference<'a>, namespace: &'a str, masks: Masks) -> Self {
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
pub struct ObjectName<'a> {
    /// The kind.
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
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
