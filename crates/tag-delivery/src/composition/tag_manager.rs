//! function-tag-manager: merges maps into the tags of every resource that was composed before and whose provider it
//! supports, and removes keys.
//!
//! Source: its input/v1beta1/input.go, fn.go, and tags.go: `ResolveAddTags`, where of two entries with one key the
//! first one counts; `MergeTags`, which adds retained tags first; `ResolveIgnoreTags`, which restores the cloud's tags.

use std::borrow::Cow;

use super::apply::{Expansion, PATCH};
use super::field_path::FieldPathStep;
use super::halt::Halt;
use super::patch::steps;
use super::resource::ComposedResource;
use super::value::{MergePolicy, NoPathValue, Prefixes, SimulatedValue, begins};
use crate::carriers::Tags;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::Loss;
use crate::faults::Faults;
use crate::json::Malformed;
use crate::json::document::Json;

/// With the value `true` on a resource, the function ignores it; the annotation takes precedence over the label.
pub(super) const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// What one step of the function adds and removes.
pub(super) struct TagManager<'a> {
    /// All entries of `addTags` whose tags do not replace those of a resource. Of two with one key the first one
    /// counts.
    retained: SimulatedValue<'a>,
    /// The same for those that do.
    replacing: SimulatedValue<'a>,
    /// The length of both, as written.
    size: usize,
    /// The first entry that copies `spec.cloudTags`.
    brings: Option<Json<'a>>,
    /// Entries of `addTags` that copy from the environment.
    unknown: Vec<Json<'a>>,
    /// Entries of `addTags` that copy a map of the author.
    of_author: Vec<Json<'a>>,
    /// Fixed tags whose keys have the prefix of cloud tags, and which replace them.
    fixed: Vec<Fixed<'a>>,
    /// Keys that have the prefix of cloud tags, where each is set, and what happens to its tag.
    lost: Vec<(&'a str, Json<'a>, FaultOfKey)>,
}

/// A fault about a key.
type FaultOfKey = fn(&str) -> TagFault;

/// A tag with a fixed value.
struct Fixed<'a> {
    key: &'a str,
    at: Json<'a>,
    /// Whether it replaces what a resource has.
    replaces: bool,
}

impl<'a> TagManager<'a> {
    /// Reads the input of a step. An entry that would copy `spec.cloudTags` if it had another type is a fault.
    pub(super) fn read(
        input: Json<'a>,
        composite: &SimulatedValue<'a>,
        prefixes: Prefixes<'a>,
        environment: &SimulatedValue<'a>,
        expansion: &mut Expansion,
        faults: &mut Faults<'a>,
    ) -> Result<Self, Halt<'a>> {
        let mut manager = TagManager {
            retained: SimulatedValue::Absent,
            replacing: SimulatedValue::Absent,
            size: 0,
            brings: None,
            unknown: Vec::new(),
            of_author: Vec::new(),
            fixed: Vec::new(),
            lost: Vec::new(),
        };
        for entry in input.get("addTags")?.elements()? {
            let kind = entry.string(&["type"])?.unwrap_or_default();
            let found = match kind {
                "" | "FromValue" => Ok(Cow::Owned(SimulatedValue::Given(entry.get("tags")?))),
                "FromCompositeFieldPath" => composite.get(&from(entry)?),
                "FromEnvironmentFieldPath" => environment.get(&from(entry)?),
                _ => Err(NoPathValue::NotFound),
            };
            let is_read = matches!(kind, "FromCompositeFieldPath" | "FromEnvironmentFieldPath");
            if !is_read && composite.get(&from(entry)?).is_ok_and(|value| has_tags(&value)) {
                let kind = if kind.is_empty() { "FromValue" } else { kind };
                faults.add(Loss, entry, TagFault::TagManagerType { found: kind.into() });
            }
            let Ok(value) = found else { continue };
            if kind == "FromEnvironmentFieldPath" {
                expansion.charge_copy(&value, entry)?;
            }
            if kind == "FromEnvironmentFieldPath" && matches!(*value, SimulatedValue::Unknown) {
                manager.unknown.push(entry);
            } else if has_tags(&value) || matches!(*value, SimulatedValue::Given(_) | SimulatedValue::OfAuthor) {
                manager.add(entry, replaces(entry)?, value.into_owned(), prefixes)?;
            }
        }
        manager.list(input, "ignoreTags", prefixes, |key| TagFault::TagManagerIgnores { key: key.into() })?;
        manager.list(input, "removeTags", prefixes, |key| TagFault::TagManagerRemoves { key: key.into() })?;
        Ok(manager)
    }

    /// Adds the tags of an entry of `addTags`.
    fn add(
        &mut self,
        entry: Json<'a>,
        replaces: bool,
        value: SimulatedValue<'a>,
        prefixes: Prefixes<'a>,
    ) -> Result<(), Halt<'a>> {
        let group = if replaces { &mut self.replacing } else { &mut self.retained };
        if let SimulatedValue::Given(tags) = value {
            // An earlier entry of its group takes precedence.
            let is_late = has_tags(group);
            // The function decodes its input strictly.
            if tags.fields()?.any(|(_, value)| !value.is_null() && value.as_str().is_none()) {
                return Err(Halt::fails(entry, TagFault::UnusableInputValue));
            }
            for (key, value) in tags.fields()?.filter(|(key, _)| !is_late && begins(prefixes, key)) {
                self.fixed.push(Fixed { key, at: value, replaces });
            }
            self.size += tags.text().len();
        } else if matches!(value, SimulatedValue::OfAuthor) {
            self.of_author.push(entry);
        } else {
            self.brings = self.brings.or(Some(entry));
        }
        // The write ends at the root of the group, so every step exists.
        group.write(&[], value.brought_by(entry), MergePolicy::Merge).unwrap_or_default();
        Ok(())
    }

    /// Lists the keys of `ignoreTags` or `removeTags` that have the prefix of cloud tags. An ignored tag gets the
    /// cloud's value, unless the entry retains that of the resource.
    fn list(
        &mut self,
        input: Json<'a>,
        list: &str,
        prefixes: Prefixes<'a>,
        fault: FaultOfKey,
    ) -> Result<(), Malformed> {
        for entry in input.get(list)?.elements()? {
            let is_fixed = matches!(entry.string(&["type"])?, None | Some("" | "FromValue"));
            if !is_fixed || (list == "ignoreTags" && !replaces(entry)?) {
                continue;
            }
            for key in entry.get("keys")?.elements()? {
                let name = key.as_string()?;
                if begins(prefixes, name) {
                    self.lost.push((name, key, fault));
                }
            }
        }
        Ok(())
    }

    /// The entry that copies `spec.cloudTags`, if there is one.
    pub(super) fn brings_tags(&self) -> Option<Json<'a>> {
        self.brings
    }

    /// Tags one resource.
    pub(super) fn tag(&self, resource: &mut ComposedResource<'a>, expansion: &mut Expansion) -> Result<(), Halt<'a>> {
        let faults = self.lost.len() + self.fixed.len() + self.unknown.len();
        expansion.charge(self.size + PATCH * (1 + faults), resource.at)?;
        let serves = resource.kind.known.is_some_and(|known| known.managed && matches!(known.tags, Tags::Map(_)));
        let is_ignored = is_left_alone(&resource.object);
        resource.is_ignored |= serves && is_ignored && self.brings.is_some();
        if !serves || is_ignored {
            return Ok(());
        }
        let field = resource.kind.steps();
        let (had, is_whole) = (resource.tags().is_some(), |tags: Option<super::value::ComposedTags<'a>>| {
            tags.is_some_and(|tags| tags.is_whole)
        });
        let was_whole = is_whole(resource.tags());
        // If tags cannot be written, the function does not change the resource.
        for (value, policy) in [(&self.retained, MergePolicy::Merge), (&self.replacing, MergePolicy::ForceMerge)] {
            if !value.is_absent() {
                resource.object.write(&field, value.clone(), policy).unwrap_or_default();
            }
        }
        let doubt = TagFault::FromEnvironment { field: resource.kind.field().into() };
        resource.doubts.extend(self.unknown.iter().map(|entry| (*entry, doubt.clone())));
        if resource.tags().is_none() {
            return Ok(());
        }
        if !is_whole(resource.tags()) && (was_whole || !had) {
            let fixed: Vec<&Fixed<'a>> = self.fixed.iter().filter(|fixed| fixed.replaces || !had).collect();
            for fixed in &fixed {
                resource.fault(Loss, fixed.at, TagFault::TagManagerOverwrites { key: fixed.key.into() });
            }
            for entry in &self.of_author {
                resource.fault(Loss, *entry, TagFault::OverwrittenLater { field: resource.kind.field().into() });
            }
            if let Some(entry) = self.brings.filter(|_| fixed.is_empty() && self.of_author.is_empty()) {
                resource.fault(Loss, entry, TagFault::TagManagerRetains { field: resource.kind.field().into() });
            }
        }
        for (key, at, fault) in &self.lost {
            let path: Vec<FieldPathStep<'a>> = field.iter().copied().chain([FieldPathStep::Field(key)]).collect();
            resource.object.write(&path, SimulatedValue::Absent, MergePolicy::Replace).unwrap_or_default();
            resource.fault(Loss, *at, fault(key));
        }
        Ok(())
    }
}

/// The steps of `fromFieldPath`.
fn from<'a>(entry: Json<'a>) -> Result<Vec<FieldPathStep<'a>>, Halt<'a>> {
    steps(entry, entry.string(&["fromFieldPath"])?.unwrap_or_default())
}

fn has_tags(value: &SimulatedValue<'_>) -> bool {
    matches!(value, SimulatedValue::Object(object) if object.tags.is_some())
}

/// Whether the tags of an entry replace those of a resource. Without a type the entry's policy is not used.
fn replaces(entry: Json<'_>) -> Result<bool, Malformed> {
    let has_type = entry.string(&["type"])?.is_some_and(|kind| !kind.is_empty());
    Ok(!has_type || entry.string(&["policy"])? != Some("Retain"))
}

fn is_left_alone(object: &SimulatedValue<'_>) -> bool {
    let mark = |map| {
        object.get(&["metadata", map, LEFT_ALONE].map(FieldPathStep::Field)).ok().map(|mark| match &*mark {
            SimulatedValue::Given(json) => json.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true")),
            _ => false,
        })
    };
    mark("annotations").or_else(|| mark("labels")).unwrap_or(false)
}
