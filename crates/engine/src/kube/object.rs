//! A Kubernetes object, as far as it is read: its metadata, and maps by place.

use std::borrow::Cow;

use crate::json::scan::Scanner;

use crate::catalog::keys::PAUSED;
use crate::catalog::place::{MapKind, Place};
use crate::json::{self, Json, Malformed, Map};

/// A Kubernetes object.
#[derive(Debug, Clone)]
pub(crate) struct Object<'a> {
    version: Cow<'a, str>,
    /// `spec`, empty where there is none.
    pub(crate) spec: Json<'a>,
    /// `status`, empty where there is none.
    pub(crate) status: Json<'a>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) namespace: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) labels: Map<'a>,
    pub(crate) annotations: Map<'a>,
    pub(crate) owners: Vec<OwnerReference<'a>>,
    pub(crate) managed_fields: Option<Json<'a>>,
    pub(crate) deleting: bool,
}

/// One entry of `metadata.ownerReferences`.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnerReference<'a> {
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) controller: bool,
}

impl<'a> OwnerReference<'a> {
    fn read(json: &Json<'a>) -> Result<Self, Malformed> {
        let mut owner = OwnerReference::default();
        for (name, value) in json.present_fields()? {
            match &*name {
                "apiVersion" => owner.api_version = value.as_string()?,
                "kind" => owner.kind = value.as_string()?,
                "name" => owner.name = value.as_string()?,
                "uid" => owner.uid = value.as_string()?,
                "controller" => owner.controller = value.text() == "true",
                _ => {}
            }
        }
        Ok(owner)
    }

    pub(crate) fn group(&self) -> &str {
        group_and_version(&self.api_version).0
    }

    pub(crate) fn version(&self) -> &str {
        group_and_version(&self.api_version).1
    }

    pub(crate) fn is(&self, group: &str, kind: &str) -> bool {
        self.group() == group && self.kind == kind
    }

    pub(crate) fn is_controller(&self) -> bool {
        self.controller
    }
}

impl<'a> Object<'a> {
    /// Reads an object's version and metadata in one pass; everything else stays as it is until it is asked for.
    ///
    /// # Errors
    /// When the text is not an object, or its metadata has another shape than Kubernetes gives it.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Malformed> {
        let mut object = Object {
            version: Cow::default(),
            spec: Json::new("{}", "spec"),
            status: Json::new("{}", "status"),
            name: Cow::default(),
            namespace: Cow::default(),
            uid: Cow::default(),
            labels: Map::new(),
            annotations: Map::new(),
            owners: Vec::new(),
            managed_fields: None,
            deleting: false,
        };
        let mut problem = None;
        let mut scanner = Scanner::new(text);
        let root = scanner.object(|key, scanner| {
            let key = &*json::string(scanner.slice(key))?;
            if key == "metadata" {
                return object.scan_metadata(scanner, &mut problem);
            }
            let value = scanner.value()?;
            let value = scanner.slice(value);
            if value != "null"
                && let Err(malformed) = object.read_root(key, value)
            {
                problem.get_or_insert(malformed);
            }
            Some(())
        });
        match (root.filter(|()| scanner.is_done()), problem) {
            (_, Some(malformed)) => Err(malformed),
            (Some(()), None) => Ok(object),
            (None, None) => Err(Malformed { path: "object".to_owned(), problem: "is not an object".to_owned() }),
        }
    }

    /// Reads `metadata` where it stands; `None` where it is no JSON.
    fn scan_metadata(&mut self, scanner: &mut Scanner<'a>, problem: &mut Option<Malformed>) -> Option<()> {
        if !scanner.is_at_object() {
            let value = scanner.value()?;
            if scanner.slice(value) != "null" {
                let malformed = Malformed { path: "metadata".to_owned(), problem: "is not an object".to_owned() };
                problem.get_or_insert(malformed);
            }
            return Some(());
        }
        scanner.object(|key, scanner| {
            let value = scanner.value()?;
            let (key, value) = (scanner.slice(key), scanner.slice(value));
            if value != "null"
                && let Err(malformed) = self.read_metadata(&json::string(key)?, value)
            {
                problem.get_or_insert(malformed);
            }
            Some(())
        })
    }

    fn read_root(&mut self, key: &str, value: &'a str) -> Result<(), Malformed> {
        match key {
            "apiVersion" => self.version = version_of(Json::new(value, "apiVersion").as_string()?),
            "spec" => self.spec = Json::new(value, "spec"),
            "status" => self.status = Json::new(value, "status"),
            _ => {}
        }
        Ok(())
    }

    fn read_metadata(&mut self, key: &str, value: &'a str) -> Result<(), Malformed> {
        let at = |name: &str| Json::new(value, format!("metadata.{name}"));
        match key {
            "name" => self.name = at("name").as_string()?,
            "generateName" if self.name.is_empty() => self.name = at("generateName").as_string()?,
            "namespace" => self.namespace = at("namespace").as_string()?,
            "uid" => self.uid = at("uid").as_string()?,
            "labels" => self.labels = at("labels").as_map()?,
            "annotations" => self.annotations = at("annotations").as_map()?,
            "ownerReferences" => {
                for owner in at("ownerReferences").elements()? {
                    self.owners.push(OwnerReference::read(&owner)?);
                }
            }
            "deletionTimestamp" => self.deleting = true,
            "managedFields" => self.managed_fields = Some(at("managedFields")),
            _ => {}
        }
        Ok(())
    }

    /// One map of one place of this object. `element` picks an entry of a list by a field's value.
    ///
    /// # Errors
    /// When something on the way has another shape.
    pub(crate) fn map(&self, place: Place, map: MapKind, element: Option<(&str, &str)>) -> Result<Map<'a>, Malformed> {
        match place.path(&self.version) {
            ["spec", rest @ ..] => match self.spec.at(rest, element)? {
                Some(metadata) => metadata.map(&[map.field()]),
                None => Ok(Map::new()),
            },
            _ => Ok(self.top_level(map).clone()),
        }
    }

    /// The object's own labels or annotations.
    pub(crate) fn top_level(&self, map: MapKind) -> &Map<'a> {
        match map {
            MapKind::Labels => &self.labels,
            MapKind::Annotations => &self.annotations,
        }
    }

    /// The API version without its group.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Presence counts, whatever the value.
    pub(crate) fn has_paused_annotation(&self) -> bool {
        self.annotations.contains_key(PAUSED)
    }

    /// The owner that is the controller, if any.
    pub(crate) fn controller(&self) -> Option<&OwnerReference<'a>> {
        self.owners.iter().find(|owner| owner.is_controller())
    }
}

/// The parts of an apiVersion; the core group is empty.
pub(crate) fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

fn version_of(api_version: Cow<'_, str>) -> Cow<'_, str> {
    match api_version {
        Cow::Borrowed(text) => Cow::Borrowed(text.rsplit('/').next().unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.rsplit('/').next().unwrap_or(&text).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_count_as_absent() {
        let object =
            Object::parse(r#"{"apiVersion":null,"metadata":{"labels":null,"name":null},"spec":null}"#).unwrap();
        assert_eq!((object.version(), &*object.name), ("", ""));
        assert_eq!(object.spec.string(&["clusterName"]).unwrap(), None);
        assert!(Object::parse(r#"{"metadata":null}"#).unwrap().labels.is_empty());
    }

    #[test]
    fn metadata_is_read_where_it_stands() {
        let object = Object::parse(
            r#"{"spec":{"clusterName":"c1"},"apiVersion":"cluster.x-k8s.io/v1beta2","metadata":{"generateName":"m-",
                "namespace":"fleet","uid":"1","labels":{"a":"b"},"deletionTimestamp":"2026-01-01T00:00:00Z"}}"#,
        )
        .unwrap();
        assert_eq!(
            (object.version(), &*object.name, &*object.namespace, &*object.uid),
            ("v1beta2", "m-", "fleet", "1")
        );
        assert_eq!(object.spec.string(&["clusterName"]).unwrap().as_deref(), Some("c1"));
        assert!(object.deleting);
    }

    #[test]
    fn a_field_is_known_however_it_is_written() {
        let object = Object::parse(r#"{"\u006detadata":{"l\u0061bels":{"\u0061":"b"}}}"#).unwrap();
        assert_eq!(object.labels, Map::from([("a".into(), "b".into())]));
    }

    #[test]
    fn a_name_goes_before_a_generate_name() {
        for metadata in [r#"{"name":"m-1","generateName":"m-"}"#, r#"{"generateName":"m-","name":"m-1"}"#] {
            assert_eq!(Object::parse(&format!(r#"{{"metadata":{metadata}}}"#)).unwrap().name, "m-1");
        }
    }

    #[test]
    fn another_shape_is_named() {
        for (text, expected) in [
            ("[]", "`object` is not an object"),
            ("{} x", "`object` is not an object"),
            (r#"{"metadata":7}"#, "`metadata` is not an object"),
            (r#"{"metadata":{"uid":7}}"#, "`metadata.uid` is not a string"),
            (r#"{"apiVersion":{}}"#, "`apiVersion` is not a string"),
        ] {
            assert_eq!(Object::parse(text).unwrap_err().to_string(), expected);
        }
    }
}
