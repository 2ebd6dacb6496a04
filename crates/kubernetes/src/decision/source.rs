//! Where an entry comes from: an object, and a path in it.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::object::MapKind;
use crate::query::ObjectName;

/// The path of an object's own metadata.
const OWN_METADATA: &str = ".metadata";

/// An object that entries come from: its kind, namespace and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceObject(Arc<str>);

impl SourceObject {
    /// An object by its kind and its name; `name` begins with the namespace and a slash if it has one.
    pub fn new(kind: &str, name: &dyn fmt::Display) -> SourceObject {
        SourceObject(format!("{kind} {name}").into())
    }

    /// Kind, namespace and name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&ObjectName<'_>> for SourceObject {
    fn from(name: &ObjectName<'_>) -> SourceObject {
        SourceObject(name.to_string().into())
    }
}

impl fmt::Display for SourceObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An object, and the place in it that an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePlace {
    pub object: SourceObject,
    /// The place, such as `.spec.template.metadata`, or a field; `None` for the object's own metadata.
    pub path: Option<Box<str>>,
}

impl From<SourceObject> for SourcePlace {
    fn from(object: SourceObject) -> SourcePlace {
        SourcePlace { object, path: None }
    }
}

/// The object, and the place in it unless that is the object's own metadata.
impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.object.as_str())?;
        match &self.path {
            Some(path) => [" ", path].into_iter().try_for_each(|text| f.write_str(text)),
            None => Ok(()),
        }
    }
}

impl Serialize for SourcePlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl SourcePlace {
    /// The path of one of the maps of the place, or of a field, with a dot before it.
    pub fn path_of(&self, map: Option<MapKind>) -> String {
        let place = self.path.as_deref().unwrap_or(OWN_METADATA);
        map.map_or_else(|| place.to_owned(), |map| [place, ".", map.field()].concat())
    }
}

/// The path of a map or of a field in an object that entries come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePath {
    path: Arc<str>,
    /// The length of the part before the map; the whole length for a field.
    place: usize,
}

impl SourcePath {
    /// A map of a place, such as `.spec.template.metadata`.
    pub fn of_map(place: &str, map: MapKind) -> SourcePath {
        SourcePath { path: [place, ".", map.field()].concat().into(), place: place.len() }
    }

    /// A map of the object's own metadata.
    pub fn of_own(map: MapKind) -> SourcePath {
        SourcePath::of_map(OWN_METADATA, map)
    }

    pub fn of_field(path: &str) -> SourcePath {
        SourcePath { path: path.into(), place: path.len() }
    }

    /// The path, with a dot before it.
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// The place that has the map, or the field; `None` for the object's own metadata.
    pub fn place(&self) -> Option<&str> {
        self.path.get(..self.place).filter(|place| *place != OWN_METADATA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_printed_after_its_object_unless_it_is_its_own_metadata() {
        let object = SourceObject::new("MachineSet", &"fleet/ms");
        let template = SourcePath::of_map(".spec.template.metadata", MapKind::Labels);
        let own = SourcePath::of_own(MapKind::Labels);
        let field = SourcePath::of_field(".spec.deletion.order");
        for (path, map, printed, whole) in [
            (template, Some(MapKind::Labels), " .spec.template.metadata", ".spec.template.metadata.labels"),
            (own, Some(MapKind::Labels), "", ".metadata.labels"),
            (field, None, " .spec.deletion.order", ".spec.deletion.order"),
        ] {
            let place = SourcePlace { object: object.clone(), path: path.place().map(Box::from) };
            assert_eq!(place.to_string(), format!("MachineSet fleet/ms{printed}"));
            assert_eq!((place.path_of(map), path.as_str()), (whole.to_owned(), whole));
        }
    }
}
