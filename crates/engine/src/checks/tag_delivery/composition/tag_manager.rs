//! function-tag-manager: merges maps into the tags of every resource that was composed before, of the providers that it
//! serves, and removes keys.
//!
//! Source: its input/v1beta1/input.go, fn.go and tags.go.

use super::apply::Expansion;
use super::field_path::Step;
use super::halt::Halt;
use super::patch::steps;
use super::resource::ComposedResource;
use super::value::{Policy, Prefixes, Value, begins};
use crate::catalog::carriers::Tags;
use crate::checks::tag_delivery::faults::Faults;
use crate::checks::tag_delivery::faults::Severity::Loss;
use crate::json::document::Json;
use crate::report::messages::tag_delivery as messages;

/// With the value `true` on a resource, the function leaves it alone; the annotation wins over the label.
const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// What one step of the function adds and removes.
pub(super) struct TagManager<'a> {
    /// Entries of `addTags` that bring `spec.cloudTags`, and whether existing tags stay.
    added: Vec<(Value<'a>, Policy)>,
    /// Entries of `addTags` that bring what the environment has.
    unknown: Vec<Json<'a>>,
    /// Keys of `removeTags` that begin as cloud tags do, and where each stands.
    removed: Vec<(&'a str, Json<'a>)>,
}

impl<'a> TagManager<'a> {
    /// Reads the input of a step. An entry that would bring `spec.cloudTags`, but for its type, is a fault.
    pub(super) fn read(
        input: Json<'a>,
        composite: &Value<'a>,
        prefixes: Prefixes<'a>,
        environment: &Value<'a>,
        faults: &mut Faults<'a>,
    ) -> Result<Self, Halt<'a>> {
        let mut manager = TagManager { added: Vec::new(), unknown: Vec::new(), removed: Vec::new() };
        for entry in input.get("addTags")?.elements()? {
            let from = steps(entry, entry.string(&["fromFieldPath"])?.unwrap_or_default())?;
            let is_tags = |value: &Value<'a>| matches!(value, Value::Object(object) if object.tags.is_some());
            let found = match entry.string(&["type"])?.unwrap_or("FromValue") {
                "FromCompositeFieldPath" => composite.get(&from),
                "FromEnvironmentFieldPath" => environment.get(&from),
                found => {
                    if composite.get(&from).is_ok_and(|value| is_tags(&value)) {
                        faults.add(Loss, entry, messages::tag_manager_type(found));
                    }
                    continue;
                }
            };
            let Ok(value) = found else { continue };
            if is_tags(&value) {
                let keeps = entry.string(&["policy"])? == Some("Retain");
                let policy = if keeps { Policy::Merge } else { Policy::ForceMerge };
                manager.added.push((value.into_owned().brought_by(entry), policy));
            } else if matches!(*value, Value::Unknown) && entry.string(&["type"])? == Some("FromEnvironmentFieldPath") {
                manager.unknown.push(entry);
            }
        }
        for entry in input.get("removeTags")?.elements()? {
            if entry.string(&["type"])?.unwrap_or("FromValue") != "FromValue" {
                continue;
            }
            for key in entry.get("keys")?.elements()? {
                let name = key.as_string()?;
                if begins(prefixes, name) {
                    manager.removed.push((name, key));
                }
            }
        }
        Ok(manager)
    }

    /// The entry that brings `spec.cloudTags`, if one does.
    pub(super) fn brings_tags(&self) -> Option<Json<'a>> {
        self.added.iter().find_map(|(value, _)| match value {
            Value::Object(object) => object.tags?.by,
            _ => None,
        })
    }

    /// Tags one resource.
    pub(super) fn tag(&self, resource: &mut ComposedResource<'a>, expansion: &mut Expansion) -> Result<(), Halt<'a>> {
        let serves = resource.kind.known.is_some_and(|known| known.managed && matches!(known.tags, Tags::Map(_)));
        if !serves || is_left_alone(&resource.object) {
            return Ok(());
        }
        let field = resource.kind.steps();
        // Where tags cannot be written, the function leaves the resource as it is.
        for (value, policy) in &self.added {
            resource.object.write(&field, value.clone(), *policy).unwrap_or_default();
        }
        let doubt = messages::from_environment(resource.kind.field()).to_string();
        resource.doubts.extend(self.unknown.iter().map(|entry| (*entry, doubt.clone())));
        expansion.charge(self.removed.len(), resource.at)?;
        for (key, at) in &self.removed {
            if resource.tags().is_some() {
                let path: Vec<Step<'a>> = field.iter().copied().chain([Step::Field(key)]).collect();
                resource.object.write(&path, Value::Absent, Policy::Replace).unwrap_or_default();
                resource.fault(Loss, *at, messages::tag_manager_removes(key));
            }
        }
        Ok(())
    }
}

fn is_left_alone(object: &Value<'_>) -> bool {
    let mark = |map| {
        object.get(&["metadata", map, LEFT_ALONE].map(Step::Field)).ok().map(|mark| match &*mark {
            Value::Given(json) => json.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true")),
            _ => false,
        })
    };
    mark("annotations").or_else(|| mark("labels")).unwrap_or(false)
}
