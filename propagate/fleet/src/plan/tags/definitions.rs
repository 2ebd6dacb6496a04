//! What definitions of composites and of managed resources say about tags.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::{Fact, Settings, TagFault, TagSubject, evaluate, tags_of_kind};
use serde_json::Value;

use crate::fleet::Fleet;
use crate::object::FleetObject;
use crate::relations::text;

/// A CompositeResourceDefinition.
pub(super) struct Definition<'f> {
    pub(super) object: &'f FleetObject,
    pub(super) value: Value,
    /// What becomes of tags, by version; nothing for a version that keeps them.
    pub(super) losses: BTreeMap<String, Loss>,
}

/// What becomes of the tags of a composite.
#[derive(Debug, Clone)]
pub(super) enum Loss {
    /// The API server prunes them.
    Pruned(String),
    /// It prunes every key, and the map stays.
    Emptied(String),
    /// It refuses the composite, does not serve it, or keeps some of them.
    Obstacle(String),
}

impl<'f> Definition<'f> {
    pub(super) fn of(object: &'f FleetObject, settings: &Settings, fleet: &Fleet) -> Definition<'f> {
        let findings = evaluate(&object.review(), settings, fleet).report.unwrap_or_default().findings;
        let losses = findings.into_iter().filter_map(|finding| match finding.message {
            Fact::TagDelivery { fault } => match fault.subject {
                TagSubject::Version(version) => Some((version.0, loss(&fault.fault)?)),
                _ => None,
            },
            _ => None,
        });
        Definition { object, losses: losses.collect(), value: object.value() }
    }
}

fn loss(fault: &TagFault) -> Option<Loss> {
    use TagFault as F;
    Some(match fault {
        F::NotDeclared
        | F::DeclaredElsewhere { .. }
        | F::DeclaredUnder { .. }
        | F::AdditionalPropertiesOfSpec { .. }
        | F::PreservingRoot { .. } => Loss::Pruned(fault.to_string()),
        F::NoAdditionalProperties | F::NoAdditionalPropertiesInPreservingSpec => Loss::Emptied(fault.to_string()),
        F::NoSchema
        | F::DeclaredUnderOneOf { .. }
        | F::NotStructural { .. }
        | F::RefusedKeyword { .. }
        | F::OneOf
        | F::EmbeddedResource { .. }
        | F::PropertiesAndAdditional
        | F::NoType
        | F::WrongType { .. }
        | F::ListedKeysOnly { .. }
        | F::NoOtherKeys
        | F::ValuesWithoutType
        | F::ValuesOfWrongType { .. } => Loss::Obstacle(fault.to_string()),
        _ => return None,
    })
}

/// The kinds whose CustomResourceDefinition says that their tags cannot change: group and kind.
pub(super) fn immutable(fleet: &Fleet) -> BTreeSet<(String, String)> {
    let is_definition = |object: &&FleetObject| object.id.kind == "CustomResourceDefinition";
    let kinds = fleet.objects().filter(is_definition).filter_map(|object| {
        let value = object.value();
        let (group, kind) = (text(value.get("spec")?, "group"), text(value.pointer("/spec/names")?, "kind"));
        let field = tags_of_kind(group, kind)?.tags.field()?;
        let versions = value.pointer("/spec/versions")?.as_array()?;
        let is_fixed = |version: &Value| {
            let schema = version.pointer("/schema/openAPIV3Schema");
            schema.is_some_and(|schema| is_fixed(schema, field).unwrap_or(false))
        };
        versions.iter().any(is_fixed).then(|| (group.to_owned(), kind.to_owned()))
    });
    kinds.collect()
}

/// Whether a rule in CEL says that a field keeps its value: its own, or one of the object that it is in.
fn is_fixed(schema: &Value, field: &str) -> Option<bool> {
    let (mut here, mut names) = (schema, field.split('.'));
    let has_rule = |schema: &Value, wanted: &str| {
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
        rules.map(|rule| text(rule, "rule").replace(' ', "")).any(|rule| rule == wanted)
    };
    Some(names.any(|name| {
        let parent = here;
        here = parent.get("properties").and_then(|all| all.get(name)).unwrap_or(&Value::Null);
        has_rule(here, "self==oldSelf")
            || field.ends_with(&format!(".{name}")) && has_rule(parent, &format!("self.{name}==oldSelf.{name}"))
    }))
}
