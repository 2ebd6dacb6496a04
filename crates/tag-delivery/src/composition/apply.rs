//! What a patch reads and writes.
//!
//! Source: function-patch-and-transform, patches.go, `ApplyFromFieldPathPatch` and `patchFieldValueToMultiple`.

use super::field_path::FieldPathStep;
use super::halt::Halt;
use super::patch::{Patch, PatchSource, Target};
use super::transform::{TransformedValue, transformed};
use super::value::{Expanded, NoPathValue, ScalarType, SimulatedValue};
use crate::fault::TagFault;
use crate::json::Json;
use crate::messages;
use crate::path_problem::PathProblem;

/// The maximum expanded size of patch sets and wildcards, in MiB of text plus [`PATCH`] for each patch: sets of a few
/// kilobytes, on thousands of resources. Crossplane has no such limit; without one, resources times patches would be
/// the square of the input.
const MOST_EXPANDED: usize = 16;
/// How many times its own size a Composition may expand to, in addition to 1 MiB.
const MOST_TIMES: usize = 16;
/// The cost of a patch, however short, in bytes.
pub(super) const PATCH: usize = 100;
/// The cost of a value that is copied.
const COPIED: usize = 10;

/// The expanded size of patch sets and wildcards.
pub(super) struct Expansion {
    bytes: usize,
    /// The most that there may be, in MiB.
    most: usize,
}

impl Expansion {
    /// That of a Composition before its first patch.
    pub(super) fn of(spec: Json<'_>) -> Self {
        Expansion { bytes: 0, most: MOST_EXPANDED.min(1 + ((spec.text().len() * MOST_TIMES) >> 20)) }
    }

    /// Counts more bytes.
    pub(super) fn charge<'a>(&mut self, bytes: usize, at: Json<'a>) -> Result<(), Halt<'a>> {
        self.bytes += bytes;
        if self.bytes > self.most << 20 {
            return Err(at.malformed(messages::too_many_patches(self.most)).into());
        }
        Ok(())
    }

    /// Counts a value that was copied from the environment, which grows with every patch.
    pub(super) fn charge_copy<'a>(&mut self, value: &SimulatedValue<'a>, at: Json<'a>) -> Result<(), Halt<'a>> {
        self.charge(value.values() * COPIED, at)
    }
}

/// The value that a patch reads, after its transforms; `None` if it is absent.
pub(super) fn read<'a>(
    patch: &Patch<'a>,
    composite: &SimulatedValue<'a>,
    environment: &SimulatedValue<'a>,
) -> Result<Option<SimulatedValue<'a>>, Halt<'a>> {
    let combined = || Ok(SimulatedValue::Scalar(ScalarType::Text));
    let found = match (&patch.from, patch.source) {
        (None, _) => combined(),
        (Some(from), PatchSource::Composite) => composite.get(from).map(|value| value.into_owned()),
        (Some(from), PatchSource::Environment) => environment.get(from).map(|value| match &*value {
            SimulatedValue::Object(object) if object.tags.is_some() => SimulatedValue::Object(object.clone()),
            SimulatedValue::Scalar(of) => SimulatedValue::Scalar(*of),
            SimulatedValue::OfAuthor => SimulatedValue::OfAuthor,
            SimulatedValue::Given(json) => SimulatedValue::Given(*json),
            _ => SimulatedValue::Unknown,
        }),
        (Some(_), PatchSource::Resource) => Ok(SimulatedValue::Unknown),
    };
    match found {
        Err(NoPathValue::NotFound) => Ok(None),
        Err(NoPathValue::Mismatch(problem)) => Err(unusable(patch, patch.from_text, problem)),
        Ok(value) => {
            let is_map = value.other_than_text() == Some("an object");
            Ok(Some(match transformed(&patch.transforms, is_map).map_err(|fault| Halt::Fails(patch.at, fault))? {
                TransformedValue::Same => value.brought_by(patch.at),
                TransformedValue::Scalar(of) => SimulatedValue::Scalar(of),
                TransformedValue::Unknown => SimulatedValue::Unknown,
            }))
        }
    }
}

/// Whether a patch reads all of `spec.cloudTags`.
pub(super) fn is_from_tags(patch: &Patch<'_>) -> bool {
    patch.source == PatchSource::Composite
        && patch.from.as_deref() == Some(&[FieldPathStep::Field("spec"), FieldPathStep::Field("cloudTags")])
}

/// Applies a patch between the composite and the environment.
pub(super) fn to_environment<'a>(
    patch: &Patch<'a>,
    composite: &SimulatedValue<'a>,
    environment: &mut SimulatedValue<'a>,
    expansion: &mut Expansion,
) -> Result<(), Halt<'a>> {
    match (patch.target, read(patch, composite, environment)?) {
        (Target::Environment, Some(value)) => write(environment, patch, value, expansion),
        _ => Ok(()),
    }
}

/// Writes to the target of a patch.
///
/// # Errors
/// When the path leads through something other than objects and lists, or a wildcard matches nothing.
pub(super) fn write<'a>(
    to: &mut SimulatedValue<'a>,
    patch: &Patch<'a>,
    value: SimulatedValue<'a>,
    expansion: &mut Expansion,
) -> Result<(), Halt<'a>> {
    if !patch.is_expanded {
        return write_at(to, &patch.to, patch, value);
    }
    let expanded = match to.expand(&patch.to) {
        Err(NoPathValue::Mismatch(problem)) => return Err(unusable(patch, patch.to_text, problem)),
        Err(NoPathValue::NotFound) => Expanded::default(),
        Ok(expanded) => expanded,
    };
    if expanded.paths.is_empty() && !expanded.is_open {
        return Err(Halt::Fails(patch.at, TagFault::NoMatch { path: patch.to_text.into() }));
    }
    expansion.charge(expanded.paths.len() * PATCH + expanded.searched, patch.at)?;
    expanded.paths.iter().try_for_each(|path| write_at(to, path, patch, value.clone()))
}

fn write_at<'a>(
    to: &mut SimulatedValue<'a>,
    path: &[FieldPathStep<'a>],
    patch: &Patch<'a>,
    value: SimulatedValue<'a>,
) -> Result<(), Halt<'a>> {
    to.write(path, value, patch.policy).map_err(|problem| unusable(patch, patch.to_text, problem))
}

fn unusable<'a>(patch: &Patch<'a>, path: &str, problem: PathProblem) -> Halt<'a> {
    Halt::Fails(patch.at, TagFault::UnusablePath { path: path.into(), problem })
}
