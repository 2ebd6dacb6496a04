//! Objects that are not checked, or not against everything: their ClusterClass is not among the files, or no setting names
//! their API group.

use fleet::{Fleet, FleetObject, Locator, count};
use metadata_propagation::{Settings, concerns};
use serde_json::Value;

use crate::classes;
use crate::output::report::{NotChecked, Where};

/// What is not checked in a root.
pub(super) fn unchecked(fleet: &Fleet, root: Option<&str>, settings: &Settings) -> Vec<NotChecked> {
    let mut locator = Locator::new(fleet.sources());
    let mut entry = |object: &FleetObject, message: String, settings: Option<String>| {
        let place = locator.locate(&object.origin, "", &[]);
        let place = Where::of(fleet, place.source, place.span, place.position);
        NotChecked { root: root.map(str::to_owned), message, settings, place }
    };
    let mut found = Vec::new();
    for class in classes::missing(fleet) {
        found.push(entry(class.cluster, class.sentence("checked against it"), None));
    }
    for (definition, group) in fleet.composite_groups() {
        let is_skipped = |object: &&FleetObject| object.id.group == group && !concerns(&object.review(), settings);
        let objects = fleet.objects().filter(is_skipped).count();
        if objects > 0 {
            let are = if objects == 1 { "is" } else { "are" };
            let objects = count(objects, "object");
            let message = format!("no setting names the API group `{group}`: {objects} {are} not checked");
            found.push(entry(definition, message, Some(lines(fleet, &group))));
        }
    }
    found
}

/// The settings that name an API group, its claims, and where its composites say which provider they are for.
fn lines(fleet: &Fleet, group: &str) -> String {
    let definitions: Vec<Value> = fleet
        .composite_definitions()
        .filter_map(|definition| serde_json::from_str(&definition.json).ok())
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
    format!(
        "add to the settings:\ncloudTags:\n  composites:\n    - {{ apiGroups: [{group}], provider: {{ {provider} }}{claims} }}"
    )
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
