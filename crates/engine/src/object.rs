//! A Kubernetes object, as far as it is read: its metadata, and maps by place.

use std::borrow::Cow;

use serde::Deserialize;

use crate::json::{Json, Malformed, Map};
use crate::keys::PAUSED;
use crate::place::{MapKind, Place};

/// A Kubernetes object.
#[derive(Debug, Clone)]
pub(crate) struct Object<'a> {
    version: Cow<'a, str>,
    /// `spec`, empty where there is none.
    pub(crate) spec: Json<'a>,
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
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnerReference<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) uid: Cow<'a, str>,
    #[serde(default)]
    pub(crate) controller: Option<bool>,
}

impl OwnerReference<'_> {
    pub(crate) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    pub(crate) fn version(&self) -> &str {
        self.api_version.split_once('/').map_or(&*self.api_version, |(_, version)| version)
    }

    pub(crate) fn is(&self, group: &str, kind: &str) -> bool {
        self.group() == group && self.kind == kind
    }

    pub(crate) fn is_controller(&self) -> bool {
        self.controller == Some(true)
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
            name: Cow::default(),
            namespace: Cow::default(),
            uid: Cow::default(),
            labels: Map::new(),
            annotations: Map::new(),
            owners: Vec::new(),
            managed_fields: None,
            deleting: false,
        };
        for (key, value) in Json::new(text, "").present_fields()? {
            match &*key {
                "apiVersion" => object.version = version_of(value.as_string()?),
                "spec" => object.spec = value,
                "metadata" => object.read_metadata(&value)?,
                _ => {}
            }
        }
        Ok(object)
    }

    fn read_metadata(&mut self, metadata: &Json<'a>) -> Result<(), Malformed> {
        for (key, value) in metadata.present_fields()? {
            match &*key {
                "name" => self.name = value.as_string()?,
                "generateName" if self.name.is_empty() => self.name = value.as_string()?,
                "namespace" => self.namespace = value.as_string()?,
                "uid" => self.uid = value.as_string()?,
                "labels" => self.labels = value.as_map()?,
                "annotations" => self.annotations = value.as_map()?,
                "ownerReferences" => {
                    self.owners = value.elements()?.iter().map(Json::parse).collect::<Result<_, _>>()?
                }
                "deletionTimestamp" => self.deleting = true,
                "managedFields" => self.managed_fields = Some(value),
                _ => {}
            }
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

fn version_of(api_version: Cow<'_, str>) -> Cow<'_, str> {
    match api_version {
        Cow::Borrowed(text) => Cow::Borrowed(text.rsplit('/').next().unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.rsplit('/').next().unwrap_or(&text).to_owned()),
    }
}
