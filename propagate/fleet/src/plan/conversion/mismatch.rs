//! Fields that an object has although only another version has them, as after an edit of `apiVersion` alone.

use std::fmt;

use serde_json::Value;

use super::rewrite::{Rewrite, sections};
use super::tables::Section;
use super::{NEWEST, conversion};
use crate::object::{ObjectId, group_and_version};
use crate::plan::path::EditPath;
use crate::relations::text;

/// A field that the version of its object does not have, or not in this form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VersionMismatch {
    /// Its path.
    pub(crate) at: String,
    /// The version of the object.
    version: String,
    /// The version that has the field.
    of: &'static str,
    instead: Counterpart,
}

/// What a version has instead of a field of another one.
#[derive(Debug, PartialEq, Eq)]
enum Counterpart {
    /// The field with this path.
    Field(String),
    /// Another form of it.
    Form(&'static str),
    Nothing,
}

/// One sentence: lower case, no final stop, input in backticks.
impl fmt::Display for VersionMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VersionMismatch { version, of, instead, .. } = self;
        match instead {
            Counterpart::Field(path) => write!(f, "this field is one of {of}: in {version} it is `{path}`"),
            Counterpart::Nothing => write!(f, "this field is one of {of}: {version} does not have it"),
            Counterpart::Form(form) => write!(f, "this has the form of {of}: in {version} it is {form}"),
        }
    }
}

/// The fields of an object that its version does not have: the API server refuses them, unless field validation is off.
pub(crate) fn version_mismatches(id: &ObjectId, object: &Value) -> Vec<VersionMismatch> {
    let (_, version) = group_and_version(text(object, "apiVersion"));
    let (is_newest, other) = match version {
        NEWEST => (true, "v1beta1"),
        "v1beta1" => (false, NEWEST),
        _ => return Vec::new(),
    };
    let Some(conversion) = conversion(id) else { return Vec::new() };
    let mismatch = |of| move |(at, instead)| VersionMismatch { at, version: version.to_owned(), of, instead };
    let mut found = Vec::new();
    for (base, rewrites) in conversion.sections {
        for (path, section) in sections(object, base) {
            let fields =
                rewrites.iter().copied().flatten().flat_map(|rewrite| fields(rewrite, section, &path, is_newest));
            let fields = fields.map(|(at, instead)| match instead {
                Counterpart::Field(path) if is_newest => (at, Counterpart::Field(settled(conversion.sections, path))),
                instead => (at, instead),
            });
            found.extend(fields.map(mismatch(other)));
        }
    }
    let of_alpha = conversion.alpha.iter().flat_map(|rewrite| fields(rewrite, object, "", true));
    found.extend(of_alpha.map(mismatch("v1alpha1")));
    let is_below = |field: &VersionMismatch, above: &VersionMismatch| {
        field.at.strip_prefix(&above.at).is_some_and(|rest| rest.starts_with('.'))
    };
    // Of a field and what is in it, the one that has another path is named.
    let is_named = |field: &VersionMismatch| {
        !found.iter().any(|other| match &field.instead {
            Counterpart::Nothing => is_below(other, field),
            _ => is_below(field, other) && matches!(other.instead, Counterpart::Field(_)),
        })
    };
    let named: Vec<bool> = found.iter().map(is_named).collect();
    found.into_iter().zip(named).filter_map(|(field, is_named)| is_named.then_some(field)).collect()
}

/// The path of a field that one section moves, after the other sections.
fn settled(sections: &[Section], path: String) -> String {
    sections.iter().fold(path, |path, (base, rewrites)| {
        let moved = rewrites.iter().copied().flatten().find_map(|rewrite| match rewrite {
            Rewrite::Move(old, new) | Rewrite::Seconds(old, [new, ..]) => {
                (path == format!("{base}.{old}")).then(|| format!("{base}.{new}"))
            }
            _ => None,
        });
        moved.unwrap_or(path)
    })
}

/// The fields of a section that a rewrite finds in the other version only, with `base` as the path of the section. `is_newest` is
/// the version of the section.
fn fields(rewrite: &Rewrite, section: &Value, base: &str, is_newest: bool) -> Vec<(String, Counterpart)> {
    let path = |field: &str| if base.is_empty() { field.to_owned() } else { format!("{base}.{field}") };
    let is_written = |field: &str| EditPath::parse(field).value(section).is_some_and(|value| !value.is_null());
    let other = |field: &str, instead| Vec::from_iter(is_written(field).then(|| (path(field), instead)));
    let moved = |field: &str, instead: &str| other(field, Counterpart::Field(path(instead)));
    match rewrite {
        Rewrite::Move(old, new) | Rewrite::Template(old, new) | Rewrite::Conditions(old, new) => {
            if is_newest {
                moved(old, new)
            } else {
                moved(new, old)
            }
        }
        Rewrite::Default(old, new) if is_newest => moved(old, new),
        Rewrite::Seconds(old, new) if is_newest => new.first().map(|new| moved(old, new)).unwrap_or_default(),
        Rewrite::Seconds(old, new) => new.iter().flat_map(|new| moved(new, old)).collect(),
        Rewrite::Reference(of) => {
            let [version, group] = ["apiVersion", "apiGroup"].map(|field| format!("{of}.{field}"));
            if is_newest { moved(&version, &group) } else { moved(&group, &version) }
        }
        Rewrite::Drop(old) if is_newest && !old.contains('*') => other(old, Counterpart::Nothing),
        Rewrite::Arguments(of) => match EditPath::parse(of).value(section) {
            Some(Value::Object(_)) if is_newest => other(of, Counterpart::Form("a list of names and values")),
            Some(Value::Array(_)) if !is_newest => other(of, Counterpart::Form("a map")),
            _ => Vec::new(),
        },
        Rewrite::Default(..) | Rewrite::Drop(_) | Rewrite::DropFalse(_) | Rewrite::NoCloudProvider => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_the_other_version_has_is_found() {
        let found = |group: &str, version: &str, kind: &str, spec: Value| {
            let id = ObjectId::new(group, kind, "", "o");
            let object = json!({ "apiVersion": format!("{}/{version}", id.group), "kind": kind, "spec": spec });
            version_mismatches(&id, &object)
                .iter()
                .map(|field| (field.at.clone(), field.to_string()))
                .collect::<Vec<_>>()
        };
        let both = json!({ "infrastructureRef": { "apiVersion": "g/v1", "apiGroup": "g", "kind": "T", "name": "t" },
            "deletion": { "nodeDrainTimeoutSeconds": 1 }, "nodeDrainTimeout": "1s" });
        let owned = |found: &[(&str, &str)]| -> Vec<(String, String)> {
            found.iter().map(|(at, message)| ((*at).to_owned(), (*message).to_owned())).collect()
        };
        assert_eq!(
            found(CORE_GROUP, "v1beta2", "Machine", both.clone()),
            owned(&[
                (
                    "spec.nodeDrainTimeout",
                    "this field is one of v1beta1: in v1beta2 it is `spec.deletion.nodeDrainTimeoutSeconds`"
                ),
                (
                    "spec.infrastructureRef.apiVersion",
                    "this field is one of v1beta1: in v1beta2 it is `spec.infrastructureRef.apiGroup`"
                ),
            ])
        );
        assert_eq!(
            found(CORE_GROUP, "v1beta1", "Machine", both),
            owned(&[
                (
                    "spec.deletion.nodeDrainTimeoutSeconds",
                    "this field is one of v1beta2: in v1beta1 it is `spec.nodeDrainTimeout`"
                ),
                (
                    "spec.infrastructureRef.apiGroup",
                    "this field is one of v1beta2: in v1beta1 it is `spec.infrastructureRef.apiVersion`"
                ),
            ])
        );
        let class = json!({ "workers": { "machineDeployments": [{ "class": "w", "template": { "bootstrap": { "ref": { "name": "b" } } } }] } });
        let (at, message) = (
            "spec.workers.machineDeployments[w].template.bootstrap.ref",
            "this field is one of v1beta1: in v1beta2 it is `spec.workers.machineDeployments[w].bootstrap.templateRef`",
        );
        assert_eq!(found(CORE_GROUP, "v1beta2", "ClusterClass", class), owned(&[(at, message)]));
        let arguments = json!({ "clusterConfiguration": { "apiServer": { "extraArgs": { "a": "1" } } } });
        assert_eq!(
            found(BOOTSTRAP_GROUP, "v1beta2", "KubeadmConfig", arguments.clone()),
            owned(&[(
                "spec.clusterConfiguration.apiServer.extraArgs",
                "this has the form of v1beta1: in v1beta2 it is a list of names and values"
            )])
        );
        assert_eq!(found(BOOTSTRAP_GROUP, "v1beta1", "KubeadmConfig", arguments), []);
        assert_eq!(
            found(CONTROL_PLANE_GROUP, "v1beta1", "RKE2ControlPlane", json!({ "agentConfig": { "version": "v1" } })),
            owned(&[("spec.agentConfig.version", "this field is one of v1alpha1: in v1beta1 it is `spec.version`")])
        );
        let moved_twice =
            "this field is one of v1beta1: in v1beta2 it is `spec.machineTemplate.spec.infrastructureRef`";
        assert_eq!(
            found(CONTROL_PLANE_GROUP, "v1beta2", "RKE2ControlPlane", json!({ "infrastructureRef": { "name": "t" } })),
            owned(&[("spec.infrastructureRef", moved_twice)])
        );
    }
}
