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
use crate::faults::FaultSeverity::{CannotTell, Loss};
use crate::faults::{FaultSeverity, Faults};
use crate::json::{Json, Malformed};

/// With the value `true` on a resource, the function ignores it; the annotation takes precedence over the label.
pub(super) const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// What one step of the function adds and removes.
pub(super) struct TagManager<'a> {
    input: Json<'a>,
    /// What is known of the entries of `addTags`.
    added: Added<'a>,
    /// The same if those that copy from the environment have any key.
    worst: Added<'a>,
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
    /// Lists of keys that a composite or the environment has, and what happens to the tags.
    lists: Vec<(FaultSeverity, Json<'a>, TagFault)>,
}

/// The tags of entries of `addTags`. Of two entries in a group with one key the first one counts.
struct Added<'a> {
    /// Those that do not replace the tags of a resource.
    retained: SimulatedValue<'a>,
    /// Those that do.
    replacing: SimulatedValue<'a>,
}

impl<'a> Added<'a> {
    const NONE: Self = Added { retained: SimulatedValue::Absent, replacing: SimulatedValue::Absent };

    fn group(&mut self, replaces: bool) -> &mut SimulatedValue<'a> {
        if replaces { &mut self.replacing } else { &mut self.retained }
    }

    /// Adds the tags of an entry. The write ends at the root of the group, so every step exists.
    fn add(&mut self, entry: Json<'a>, replaces: bool, value: SimulatedValue<'a>) {
        self.group(replaces).write(&[], value.brought_by(entry), MergePolicy::Merge).unwrap_or_default();
    }

    /// Tags an object. If tags cannot be written, the function does not change the resource.
    fn write(&self, object: &mut SimulatedValue<'a>, field: &[FieldPathStep<'a>]) {
        for (value, policy) in [(&self.retained, MergePolicy::Merge), (&self.replacing, MergePolicy::ForceMerge)] {
            if !value.is_absent() {
                object.write(field, value.clone(), policy).unwrap_or_default();
            }
        }
    }
}

/// A fault about a key.
type FaultOfKey = fn(&str) -> TagFault;

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
            input,
            added: Added::NONE,
            worst: Added::NONE,
            size: 0,
            brings: None,
            unknown: Vec::new(),
            of_author: Vec::new(),
            fixed: Vec::new(),
            lost: Vec::new(),
            lists: Vec::new(),
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
                manager.worst.add(entry, replaces(entry)?, SimulatedValue::OfAuthor);
            } else if has_tags(&value) || matches!(*value, SimulatedValue::Given(_) | SimulatedValue::OfAuthor) {
                manager.add(entry, replaces(entry)?, value.into_owned(), prefixes)?;
            }
        }
        let read = |kind: &str, path: &[FieldPathStep<'a>]| match kind {
            "FromCompositeFieldPath" if !is_text_map(path) => composite.get(path).ok().map(Cow::into_owned),
            "FromEnvironmentFieldPath" => environment.get(path).ok().map(Cow::into_owned),
            _ => None,
        };
        manager.list(input, "ignoreTags", prefixes, read, |key| TagFault::TagManagerIgnores { key: key.into() })?;
        manager.list(input, "removeTags", prefixes, read, |key| TagFault::TagManagerRemoves { key: key.into() })?;
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
        if let SimulatedValue::Given(tags) = value {
            // An earlier entry of its group takes precedence.
            let is_late = has_tags(self.added.group(replaces));
            // The function decodes its input strictly.
            if tags.fields()?.any(|(_, value)| !value.is_null() && value.as_str().is_none()) {
                return Err(Halt::Fails(entry, TagFault::UnusableInputValue));
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
        self.worst.add(entry, replaces, value.clone());
        self.added.add(entry, replaces, value);
        Ok(())
    }

    /// Lists the keys of `ignoreTags` or `removeTags` that have the prefix of cloud tags. An ignored tag gets the
    /// cloud's value, unless the entry retains that of the resource.
    fn list(
        &mut self,
        input: Json<'a>,
        list: &'static str,
        prefixes: Prefixes<'a>,
        read: impl Fn(&str, &[FieldPathStep<'a>]) -> Option<SimulatedValue<'a>>,
        fault: FaultOfKey,
    ) -> Result<(), Halt<'a>> {
        for entry in input.get(list)?.elements()? {
            let kind = entry.string(&["type"])?.unwrap_or_default();
            if list == "ignoreTags" && !replaces(entry)? {
                continue;
            }
            if !matches!(kind, "" | "FromValue") {
                match read(kind, &from(entry)?) {
                    Some(SimulatedValue::OfAuthor) => {
                        self.lists.push((Loss, entry, TagFault::TagManagerKeysOfAuthor { list }));
                    }
                    Some(SimulatedValue::Unknown) => {
                        self.lists.push((CannotTell, entry, TagFault::TagManagerKeysUnknown { list }));
                    }
                    _ => {}
                }
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

    pub(super) fn tag(&self, resource: &mut ComposedResource<'a>, expansion: &mut Expansion) -> Result<(), Halt<'a>> {
        let faults = self.lost.len() + self.lists.len() + self.fixed.len() + self.unknown.len();
        expansion.charge(self.size + PATCH * (1 + faults), resource.at)?;
        let serves = resource.kind.known.is_some_and(|known| known.managed && matches!(known.tags, Tags::Map(_)));
        if !serves {
            return Ok(());
        }
        match LeftAlone::of(resource) {
            LeftAlone::No => {}
            LeftAlone::Yes => {
                resource.is_ignored |= self.brings.is_some();
                return Ok(());
            }
            LeftAlone::Maybe(severity, at, map) => {
                if self.brings.is_some() && resource.tags().is_none() {
                    resource.fault(severity, at, TagFault::TagManagerMayIgnore { map, mark: LEFT_ALONE.into() });
                }
            }
        }
        resource.managed_by = Some(self.input);
        let field = resource.kind.steps();
        let (had, is_whole) = (resource.tags().is_some(), |tags: Option<super::value::ComposedTags<'a>>| {
            tags.is_some_and(|tags| tags.is_whole)
        });
        let was_whole = is_whole(resource.tags());
        let is_safe = self.unknown.is_empty() || self.keeps_tags_at_worst(resource, expansion)?;
        self.added.write(&mut resource.object, &field);
        let doubt = TagFault::FromEnvironment { field: resource.kind.field().into() };
        if !is_safe && is_whole(resource.tags()) {
            for entry in &self.unknown {
                resource.fault(CannotTell, *entry, doubt.clone());
            }
        }
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
        for (severity, at, fault) in &self.lists {
            resource.fault(*severity, *at, fault.clone());
        }
        Ok(())
    }

    /// Whether a resource has all tags if entries that copy from the environment have any key.
    fn keeps_tags_at_worst(
        &self,
        resource: &ComposedResource<'a>,
        expansion: &mut Expansion,
    ) -> Result<bool, Halt<'a>> {
        let mut tags = resource.object.get(&resource.kind.steps()).map_or(SimulatedValue::Absent, Cow::into_owned);
        let unread = if let SimulatedValue::Given(base) = &tags { base.text().len() } else { 0 };
        expansion.charge(unread, resource.at)?;
        expansion.charge_copy(&tags, resource.at)?;
        self.worst.write(&mut tags, &[]);
        Ok(tags.tags_at(&[], &mut 0).is_some_and(|tags| tags.is_whole))
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

/// Whether a path leads to labels or annotations: their values are no lists.
fn is_text_map(path: &[FieldPathStep<'_>]) -> bool {
    matches!(path, [FieldPathStep::Field("metadata"), FieldPathStep::Field("labels" | "annotations"), ..])
}

/// Whether the function ignores a resource.
enum LeftAlone<'a> {
    No,
    Yes,
    /// It depends on what a patch writes to this map of `metadata`.
    Maybe(FaultSeverity, Json<'a>, &'static str),
}

impl<'a> LeftAlone<'a> {
    fn of(resource: &ComposedResource<'a>) -> Self {
        let mark = |map| Self::by(resource, map);
        mark("annotations").or_else(|| mark("labels")).unwrap_or(LeftAlone::No)
    }

    /// `None` if a map does not have the mark.
    fn by(resource: &ComposedResource<'a>, map: &'static str) -> Option<Self> {
        let path = ["metadata", map, LEFT_ALONE].map(FieldPathStep::Field);
        let value = resource.object.get(&path).ok()?;
        let by = |path: &[FieldPathStep<'a>]| resource.patches.get(path).copied();
        let (exact, whole) = (by(&path), path.split_last().and_then(|(_, parent)| by(parent)));
        let at = exact.or(whole).unwrap_or(resource.at);
        Some(match &*value {
            SimulatedValue::Given(json) if json.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true")) => {
                LeftAlone::Yes
            }
            // A patch that is for the mark lets the author decide; one that copies all labels has other purposes.
            SimulatedValue::OfAuthor if exact.is_some() => LeftAlone::Maybe(Loss, at, map),
            SimulatedValue::OfAuthor | SimulatedValue::Unknown | SimulatedValue::Scalar(_) => {
                LeftAlone::Maybe(CannotTell, at, map)
            }
            _ => LeftAlone::No,
        })
    }
}
