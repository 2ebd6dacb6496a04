//! Objects of v1beta1 as v1beta2: what conversion webhooks do, so that two versions can be compared.

mod mismatch;
mod rewrite;
mod tables;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
use serde_json::Value;

pub(crate) use self::mismatch::version_mismatches;
use self::rewrite::Rewrite;
use self::tables::{CONVERSIONS, KindConversion};
use crate::object::{FleetObject, ObjectId, group_and_version};
use crate::relations::text;

/// The version to which objects are converted.
const NEWEST: &str = "v1beta2";

/// Two objects of one kind in one version, and the version; `None` if they cannot be compared.
pub(super) fn in_one_version<'v>(
    id: &ObjectId,
    [old_version, new_version]: [&'v str; 2],
    [old, new]: [&'v Value; 2],
) -> Option<(&'v str, [Cow<'v, Value>; 2])> {
    if old_version == new_version {
        return Some((new_version, [Cow::Borrowed(old), Cow::Borrowed(new)]));
    }
    let converted = |version: &str, object: &Value| {
        let mut object = object.clone();
        convert(id, version, &mut object).then_some(Cow::Owned(object))
    };
    Some((NEWEST, [converted(old_version, old)?, converted(new_version, new)?]))
}

/// The same for objects of a fleet; `None` if they are in one version already, or cannot be compared.
pub(super) fn of_objects([old, new]: [&FleetObject; 2], values: [&Value; 2]) -> Option<[(FleetObject, Value); 2]> {
    if old.version == new.version {
        return None;
    }
    let (version, [was, is]) = in_one_version(&new.id, [&old.version, &new.version], values)?;
    let converted = |object: &FleetObject, value: Cow<'_, Value>| {
        let (version, json) = (version.to_owned(), value.to_string().into());
        (FleetObject { version, json, ..object.clone() }, value.into_owned())
    };
    Some([converted(old, was), converted(new, is)])
}

/// An object of v1beta1 with fields whose defaults its webhook takes from deprecated ones.
pub(super) fn with_defaults<'v>(id: &ObjectId, version: &str, object: &'v Value) -> Cow<'v, Value> {
    let sections = conversion(id).filter(|_| version == "v1beta1").map_or(&[][..], |conversion| conversion.sections);
    let defaults = sections.iter().flat_map(|(base, rewrites)| {
        rewrites
            .iter()
            .copied()
            .flatten()
            .filter(|rewrite| matches!(rewrite, Rewrite::Default(..)))
            .map(move |it| (base, it))
    });
    defaults.fold(Cow::Borrowed(object), |mut object, (base, rewrite)| {
        rewrite::each_at(object.to_mut(), base, &mut |section| rewrite::one(section, rewrite));
        object
    })
}

/// Two objects of Cluster API as they are stored: in one version.
pub(crate) fn as_stored(objects: [&Value; 2]) -> [Cow<'_, Value>; 2] {
    let [one, other] = objects.map(|object| group_and_version(text(object, "apiVersion")).1);
    if one == other {
        return objects.map(Cow::Borrowed);
    }
    objects.map(|object| {
        let mut converted = object.clone();
        in_newest(&mut converted);
        Cow::Owned(converted)
    })
}

/// Converts an object of Cluster API to its newest version, if its kind and version are known.
pub(super) fn in_newest(object: &mut Value) {
    let (group, version) = group_and_version(text(object, "apiVersion"));
    let (id, version) = (ObjectId::new(group, text(object, "kind"), "", ""), version.to_owned());
    convert(&id, &version, object);
}

/// Whether objects of a kind are converted.
pub(crate) fn is_converted(id: &ObjectId) -> bool {
    conversion(id).is_some()
}

fn conversion(id: &ObjectId) -> Option<&'static KindConversion> {
    let is_known_group = [CORE_GROUP, BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP].contains(&&*id.group);
    CONVERSIONS.iter().find(|conversion| is_known_group && conversion.kind == id.kind)
}

/// Converts an object from v1beta1, or v1alpha1 if its kind has that, if it is not in v1beta2. Returns whether it is now.
pub(super) fn convert(id: &ObjectId, version: &str, object: &mut Value) -> bool {
    match (version, conversion(id)) {
        (NEWEST, Some(_)) => true,
        ("v1beta1" | "v1alpha1", Some(conversion)) if version == "v1beta1" || !conversion.alpha.is_empty() => {
            if version == "v1alpha1" {
                rewrite::all(object, conversion.alpha);
            }
            for (base, rewrites) in conversion.sections {
                rewrite::each_at(object, base, &mut |section| {
                    rewrites.iter().for_each(|rewrites| rewrite::all(section, rewrites));
                });
            }
            if let Some(api_version) = object.get_mut("apiVersion") {
                *api_version = Value::String(format!("{}/{NEWEST}", id.group));
            }
            true
        }
        _ => false,
    }
}
