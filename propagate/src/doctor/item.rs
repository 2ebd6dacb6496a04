//! The objects that are checked, with their fields.

use fleet::{Fleet, FleetObject};
use serde_json::Value;

/// The group of Kubewarden's own kinds.
pub(crate) const KUBEWARDEN: &str = "policies.kubewarden.io";

/// An object, and its fields.
pub(crate) struct Item<'f> {
    pub(crate) object: &'f FleetObject,
    pub(crate) json: Value,
}

impl Item<'_> {
    /// The value at a path such as `/spec/image`; null if there is none.
    pub(crate) fn at(&self, path: &str) -> &Value {
        self.json.pointer(path).unwrap_or(&Value::Null)
    }

    /// The text at a path; empty if there is none.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }

    /// The versions of a definition that are served.
    pub(crate) fn served(&self) -> impl Iterator<Item = &Value> {
        let versions = self.at("/spec/versions").as_array().into_iter().flatten();
        versions.filter(|version| version.get("served") == Some(&Value::Bool(true)))
    }

    /// A label.
    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.at("/metadata/labels").get(key)?.as_str()
    }
}

/// The objects of a fleet, with their fields.
pub(crate) fn items(fleet: &Fleet) -> Vec<Item<'_>> {
    let item = |object: &'_ FleetObject| serde_json::from_str(&object.json).unwrap_or_default();
    fleet.objects().map(|object| Item { object, json: item(object) }).collect()
}

/// The texts of a list.
pub(crate) fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
