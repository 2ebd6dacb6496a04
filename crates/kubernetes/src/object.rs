//! A Kubernetes object, as far as it is read: its metadata, and maps by place.

use std::fmt;

use crate::json::{Document, Json, Malformed, Map};

/// A Kubernetes object. What is absent is empty.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    pub root: Json<'a>,
    pub spec: Json<'a>,
    pub status: Json<'a>,
    /// The API version without its group.
    pub version: &'a str,
    /// The name, or the generateName if there is none.
    pub name: &'a str,
    pub namespace: &'a str,
    pub uid: &'a str,
    pub labels: Map<'a>,
    pub annotations: Map<'a>,
    pub owners: Vec<OwnerReference<'a>>,
    pub(crate) controller: Option<OwnerReference<'a>>,
    pub managed_fields: Json<'a>,
    /// Whether it has a deletion timestamp.
    pub deleting: bool,
}

/// One entry of `metadata.ownerReferences`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnerReference<'a> {
    pub api_version: &'a str,
    pub kind: &'a str,
    pub name: &'a str,
    pub uid: &'a str,
    pub is_controller: bool,
}

impl<'a> OwnerReference<'a> {
    fn read(json: Json<'a>) -> Result<Self, Malformed> {
        let mut owner = OwnerReference::default();
        for (key, value) in json.fields()? {
            match key {
                "apiVersion" => owner.api_version = text(value)?,
                "kind" => owner.kind = text(value)?,
                "name" => owner.name = text(value)?,
                "uid" => owner.uid = text(value)?,
                "controller" => owner.is_controller = value.is_true(),
                _ => {}
            }
        }
        Ok(owner)
    }

    /// The API group; empty for the core group.
    pub fn group(&self) -> &'a str {
        group_and_version(self.api_version).0
    }

    /// The version without the group.
    pub fn version(&self) -> &'a str {
        group_and_version(self.api_version).1
    }

    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.kind == kind && self.group() == group
    }
}

impl<'a> Object<'a> {
    /// Reads an object's version and metadata; everything else is read on first use.
    ///
    /// # Errors
    /// When the text is not an object, or its metadata does not have the structure that Kubernetes defines.
    pub fn read(document: &'a Document<'_>) -> Result<Self, Malformed> {
        let root = document.root();
        if root.is_null() {
            return Err(root.malformed("is not an object"));
        }
        let mut object = Object {
            root,
            spec: root.absent(),
            status: root.absent(),
            version: "",
            name: "",
            namespace: "",
            uid: "",
            labels: Map::default(),
            annotations: Map::default(),
            owners: Vec::new(),
            controller: None,
            managed_fields: root.absent(),
            deleting: false,
        };
        let mut metadata = root.absent();
        for (key, value) in root.fields()? {
            match key {
                "apiVersion" => object.version = text(value)?.rsplit('/').next().unwrap_or_default(),
                "metadata" => metadata = value,
                "spec" => object.spec = value,
                "status" => object.status = value,
                _ => {}
            }
        }
        object.read_metadata(metadata)?;
        Ok(object)
    }

    fn read_metadata(&mut self, metadata: Json<'a>) -> Result<(), Malformed> {
        let mut generate_name = "";
        for (key, value) in metadata.fields()? {
            match key {
                "name" => self.name = text(value)?,
                "generateName" => generate_name = text(value)?,
                "namespace" => self.namespace = text(value)?,
                "uid" => self.uid = text(value)?,
                "labels" => self.labels = value.as_map()?,
                "annotations" => self.annotations = value.as_map()?,
                "ownerReferences" => {
                    self.owners = value.elements()?.map(OwnerReference::read).collect::<Result<_, _>>()?;
                    self.controller = self.owners.iter().find(|owner| owner.is_controller).copied();
                }
                "deletionTimestamp" => self.deleting = !value.is_null(),
                "managedFields" => self.managed_fields = value,
                _ => {}
            }
        }
        if self.name.is_empty() {
            self.name = generate_name;
        }
        Ok(())
    }

    /// The value under a path from the object's root; if the path leads through a list, a step `[]`, `entry` is the
    /// element to use.
    pub fn at(&self, path: &[&str], entry: Option<Json<'a>>) -> Result<Json<'a>, Malformed> {
        if let Some(entry) = entry
            && let Some(list) = path.iter().position(|step| *step == "[]")
        {
            return entry.at(path.get(list + 1..).unwrap_or_default());
        }
        match path {
            ["spec", path @ ..] => self.spec.at(path),
            path => self.root.at(path),
        }
    }

    /// The object's own labels or annotations.
    pub fn top_level(&self, map: MapKind) -> &Map<'a> {
        map.of(&self.labels, &self.annotations)
    }

    /// The owner that is the controller, if any.
    pub fn controller(&self) -> Option<&OwnerReference<'a>> {
        self.controller.as_ref()
    }
}

/// A string, empty if it is absent.
fn text(value: Json<'_>) -> Result<&str, Malformed> {
    match value.as_str() {
        Some(text) => Ok(text),
        None => value.present().map_or(Ok(""), Json::as_string),
    }
}

/// The parts of an apiVersion; the core group is empty.
pub fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// One of the two maps of a block of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapKind {
    Labels,
    Annotations,
}

impl MapKind {
    /// Both maps, in the page's order.
    pub const BOTH: [MapKind; 2] = [MapKind::Labels, MapKind::Annotations];

    /// The map's name inside a `metadata`.
    pub fn field(self) -> &'static str {
        self.of("labels", "annotations")
    }

    /// What belongs to this map, of two things.
    pub fn of<T>(self, labels: T, annotations: T) -> T {
        match self {
            MapKind::Labels => labels,
            MapKind::Annotations => annotations,
        }
    }

    /// One entry of the map.
    pub fn entry(self) -> &'static str {
        self.of("label", "annotation")
    }
}

impl fmt::Display for MapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.field())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: impl FnOnce(&Object<'_>)) {
        expected(&Object::read(&Document::new(text)).unwrap());
    }

    #[test]
    fn nulls_count_as_absent() {
        check(
            r#"{"apiVersion":null,"metadata":{"labels":null,"name":null,"deletionTimestamp":null},"spec":null}"#,
            |it| {
                assert_eq!((it.version, it.name, it.deleting), ("", "", false));
                assert_eq!(it.spec.string(&["clusterName"]).unwrap(), None);
            },
        );
        check(r#"{"metadata":null}"#, |it| assert_eq!(it.labels, Map::default()));
    }

    #[test]
    fn metadata_is_read() {
        let text = r#"{"spec":{"clusterName":"c1"},"apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{"generateName":"m-",
            "namespace":"fleet","uid":"1","labels":{"a":"b"},"deletionTimestamp":"2026-01-01T00:00:00Z"}}"#;
        check(text, |it| {
            assert_eq!((it.version, it.name, it.namespace, it.uid), ("v1beta2", "m-", "fleet", "1"));
            assert_eq!((it.labels.get("a"), it.deleting), (Some("b"), true));
            assert_eq!(it.spec.string(&["clusterName"]).unwrap(), Some("c1"));
        });
    }

    #[test]
    fn a_field_is_known_however_it_is_written() {
        check(r#"{"\u006detadata":{"l\u0061bels":{"\u0061":"b"}}}"#, |it| assert_eq!(it.labels.get("a"), Some("b")));
    }

    #[test]
    fn a_name_goes_before_a_generate_name() {
        for metadata in [r#"{"name":"m-1","generateName":"m-"}"#, r#"{"generateName":"m-","name":"m-1"}"#] {
            check(&format!(r#"{{"metadata":{metadata}}}"#), |it| assert_eq!(it.name, "m-1"));
        }
    }

    #[test]
    fn another_shape_is_named() {
        for (text, expected) in [
            ("[]", "`object` is not an object"),
            ("null", "`object` is not an object"),
            ("{} x", "`object` is not an object"),
            (r#"{"metadata":7}"#, "`metadata` is not an object"),
            (r#"{"metadata":{"uid":7}}"#, "`metadata.uid` is not a string"),
            (r#"{"metadata":{"ownerReferences":[{"name":7}]}}"#, "`metadata.ownerReferences[0].name` is not a string"),
            (r#"{"apiVersion":{}}"#, "`apiVersion` is not a string"),
        ] {
            assert_eq!(Object::read(&Document::new(text)).unwrap_err().to_string(), expected);
        }
    }
}
