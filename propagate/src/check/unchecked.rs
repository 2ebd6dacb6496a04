//! Objects that are not checked, or not against everything: their ClusterClass is not among the files, or no setting names
//! their API group.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fleet::{CROSSPLANE_GROUP, Fleet, FleetObject, Locator, ObjectFindings, count};
use metadata_propagation::Settings;
use metadata_propagation::tags::SEEDED;
use serde_json::Value;

use crate::classes::{is_definition, missing};
use crate::output::report::{NotChecked, Where};

/// Why an object is not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UncheckedReason {
    /// It is a composite, defines composites or composes their resources, and no setting names their API group.
    NoSetting(String),
    /// It is a template of Cluster API without metadata that propagates.
    Template,
    /// No rule reads such objects.
    NoRule,
}

/// The end of a sentence about an object that is not checked.
impl fmt::Display for UncheckedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UncheckedReason::NoSetting(group) => write!(f, "no setting names the API group `{group}`"),
            UncheckedReason::Template => f.write_str("templates are only read for the Clusters that use them"),
            UncheckedReason::NoRule => f.write_str("no rule reads objects of this kind"),
        }
    }
}

/// Why each object of a root is not checked, in the order of the objects; `None` for those that are.
pub(super) fn reasons(fleet: &Fleet, checked: &[ObjectFindings], settings: &Settings) -> Vec<Option<UncheckedReason>> {
    let defined: BTreeSet<String> = fleet.composite_groups().into_iter().map(|(_, group)| group).collect();
    let reason = |(object, checked): (&FleetObject, &ObjectFindings)| {
        if !checked.findings.is_empty() {
            return None;
        }
        if let Some(group) = group_of_composites(object) {
            let is_named = settings.cloud_tags.has_group(&group);
            return (!is_named).then_some(UncheckedReason::NoSetting(group));
        }
        match &object.id.group {
            _ if checked.is_concerned => None,
            group if defined.contains(group) => Some(UncheckedReason::NoSetting(group.clone())),
            group if is_definition(&object.id) && group.ends_with("cluster.x-k8s.io") => {
                Some(UncheckedReason::Template)
            }
            _ => Some(UncheckedReason::NoRule),
        }
    };
    fleet.objects().zip(checked).map(reason).collect()
}

/// What is not checked in a root, with the reasons of its objects.
pub(super) fn notes(
    fleet: &Fleet,
    root: Option<&str>,
    reasons: &[Option<UncheckedReason>],
    settings: &Settings,
) -> Vec<NotChecked> {
    let mut locator = Locator::new(fleet.sources());
    let mut entry = |object: &FleetObject, message: String, settings: Option<String>| {
        let place = Where::of_object(fleet, object, &mut locator);
        NotChecked { root: root.map(str::to_owned), message, settings, place }
    };
    let mut found = Vec::new();
    for class in missing(fleet) {
        found.push(entry(class.cluster, class.sentence("checked against it"), None));
    }
    let mut unnamed: BTreeMap<&str, Vec<&FleetObject>> = BTreeMap::new();
    for (object, reason) in fleet.objects().zip(reasons) {
        if let Some(UncheckedReason::NoSetting(group)) = reason {
            unnamed.entry(group.as_str()).or_default().push(object);
        }
    }
    for (group, objects) in unnamed {
        let composite = objects.iter().find(|object| object.id.group == group);
        let Some(shown) = composite.or(objects.first()).copied() else { continue };
        let are = if objects.len() == 1 { "is" } else { "are" };
        let number = count(objects.len(), "object");
        let reason = UncheckedReason::NoSetting(group.to_owned());
        let message = format!("{reason}: {number} {are} not checked");
        found.push(entry(shown, message, Some(lines(fleet, (group, &objects), settings))));
    }
    found
}

/// The API group of the composites that a CompositeResourceDefinition defines or a Composition is for.
fn group_of_composites(object: &FleetObject) -> Option<String> {
    if object.id.group != CROSSPLANE_GROUP {
        return None;
    }
    let pointer = match &*object.id.kind {
        "CompositeResourceDefinition" => "/spec/group",
        "Composition" => "/spec/compositeTypeRef/apiVersion",
        _ => return None,
    };
    let json = object.value();
    let text = json.pointer(pointer)?.as_str()?;
    let group = if object.id.kind == "Composition" { text.split_once('/')?.0 } else { text };
    Some(group.to_owned()).filter(|group| !group.is_empty())
}

/// The settings that name an API group, its claims, where its composites say which provider they are for, and a label that
/// becomes a tag unless the settings already define some.
fn lines(fleet: &Fleet, (group, objects): (&str, &[&FleetObject]), settings: &Settings) -> String {
    let definitions: Vec<Value> = fleet
        .composite_definitions()
        .map(FleetObject::value)
        .filter(|definition: &Value| definition.pointer("/spec/group").and_then(Value::as_str) == Some(group))
        .collect();
    let claims: Vec<&str> =
        definitions.iter().filter_map(|definition| definition.pointer("/spec/claimNames/kind")?.as_str()).collect();
    let claims = match claims.is_empty() {
        true => String::new(),
        false => format!(", claimKinds: [{}]", claims.join(", ")),
    };
    let path = definitions.iter().find_map(|definition| {
        let versions = definition.pointer("/spec/versions")?.as_array()?;
        versions.iter().find_map(|version| provider(version.pointer("/schema/openAPIV3Schema")?, ""))
    });
    let provider = path.map_or_else(|| "fixed: generic".to_owned(), |path| format!("path: {path}"));
    let tags = &settings.cloud_tags;
    let labels = match tags.definitions.is_empty() && tags.registry.is_none() {
        true => format!(
            "\n  definitions: # each label that becomes a cloud tag\n    {}: {{ scope: platform, cloudTagPropagation: true }}",
            example(group, objects)
        ),
        false => String::new(),
    };
    format!(
        "add to the settings:\ncloudTags:\n  composites:\n    - {{ apiGroups: [{group}], provider: {{ {provider} }}{claims} }}{labels}"
    )
}

/// A label of a platform that one of the composites has, or else a common one.
fn example(group: &str, objects: &[&FleetObject]) -> String {
    let of = |object: &&FleetObject| {
        let json = object.value();
        let labels = json.pointer("/metadata/labels")?.as_object()?;
        labels.keys().find(|key| is_of_platform(key)).cloned()
    };
    let mut composites = objects.iter().filter(|object| object.id.group == group);
    composites.find_map(of).unwrap_or_else(|| "platform/env".to_owned())
}

/// Whether a label is one that a platform may define: `platform/NAME`, unless every registry has it.
fn is_of_platform(key: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    key.strip_prefix("platform/").is_some_and(is_name) && !SEEDED.contains(&key)
}

/// The path of a field `provider` in a schema.
fn provider(schema: &Value, path: &str) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let own = properties.get("provider").filter(|field| field.get("type").is_some_and(|it| it == "string"));
    own.map(|_| below("provider")).or_else(|| {
        properties.iter().filter(|(name, _)| *name != "status").find_map(|(name, field)| provider(field, &below(name)))
    })
}
