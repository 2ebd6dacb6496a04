//! Which fields of an object are read.

use std::ops::Deref;

use serde::{Serialize, Serializer};

use crate::json::Embedded;

/// The fields of an object that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Masks {
    fields: &'static [&'static str],
    /// The same as a JSON list: a request sends the masks with each read, and they never change.
    json: &'static str,
}

/// The masks of some fields.
#[macro_export]
macro_rules! masks {
    ($first:literal $(, $other:literal)* $(,)?) => {
        $crate::Masks::of(&[$first $(, $other)*], concat!("[\"", $first, $("\",\"", $other,)* "\"]"))
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
