//! Which object to read, and which of its fields.

use std::fmt;
use std::ops::Deref;

use crate::json::Embedded;
use crate::object::OwnerReference;
use serde::{Serialize, Serializer};

/// An object to read.
#[derive(Debug, Clone, Copy)]
pub struct ObjectQuery<'a> {
    pub group: &'a str,
    /// The version that the reference names, if any.
    pub version: Option<&'a str>,
    /// Kind, namespace and name.
    pub object: ObjectName<'a>,
    /// The uid that the reference names; empty if it names none.
    pub uid: &'a str,
    pub masks: Masks,
}

impl<'a> ObjectQuery<'a> {
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
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
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

/// The fields of an object that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Masks {
    fields: &'static [&'static str],
    /// The same as a JSON list: a request sends the masks with each read, and they never change.
    json: &'static str,
}

/// The masks of some fields, by what is above them: `masks!["spec": "paused", "replicas"; "status": "phase"]`.
#[macro_export]
macro_rules! masks {
    ($first_above:literal: $first:literal $(, $more:literal)* $(; $above:literal: $($field:literal),+)* $(;)?) => {
        $crate::Masks::of(
            &[
                concat!($first_above, ".", $first)
                $(, concat!($first_above, ".", $more))*
                $($(, concat!($above, ".", $field))+)*
            ],
            concat!(
                "[\"", $first_above, ".", $first,
                $("\",\"", $first_above, ".", $more,)*
                $($("\",\"", $above, ".", $field,)+)*
                "\"]"
            ),
        )
    };
}

impl Masks {
    /// No masks: the whole object is read.
    pub const NONE: Masks = Masks { fields: &[], json: "[]" };

    /// For the macro [`masks`](crate::masks!): `json` is the list of `fields`.
    #[doc(hidden)]
    pub const fn of(fields: &'static [&'static str], json: &'static str) -> Masks {
        Masks { fields, json }
    }
}

/// Dotted paths.
impl Deref for Masks {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        self.fields
    }
}

impl Serialize for Masks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Embedded(self.json).serialize(serializer)
    }
}
