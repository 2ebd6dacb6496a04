//! One patch: what it reads, where it writes, and how.
//!
//! Source: function-patch-and-transform, input/v1beta1/resources_patches.go, patches.go and validate.go; Crossplane 1.20,
//! apis/apiextensions/v1/composition_patches.go.

use super::field_path::{self, FieldPathStep};
use super::halt::Halt;
use super::transform::Transform;
use super::value::MergePolicy;
use crate::fault::TagFault;
use crate::json::{Json, Malformed};
use crate::messages;

/// No real object has more levels.
const MOST_STEPS: usize = 100;

/// What a patch reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatchSource {
    Composite,
    Environment,
    /// The resource as it was stored before.
    Resource,
}

/// What a patch writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Resource,
    Environment,
    /// Of which functions only write the status.
    Composite,
}

/// The types of patches: what they read, what they write, and whether they combine several values into a text.
#[rustfmt::skip]
const TYPES: [(&str, PatchSource, Target, bool); 8] = [
    ("FromCompositeFieldPath",   PatchSource::Composite,   Target::Resource,    false),
    ("CombineFromComposite",     PatchSource::Composite,   Target::Resource,    true),
    ("FromEnvironmentFieldPath", PatchSource::Environment, Target::Resource,    false),
    ("CombineFromEnvironment",   PatchSource::Environment, Target::Resource,    true),
    ("ToEnvironmentFieldPath",   PatchSource::Resource,    Target::Environment, false),
    ("CombineToEnvironment",     PatchSource::Resource,    Target::Environment, true),
    ("ToCompositeFieldPath",     PatchSource::Resource,    Target::Composite,   false),
    ("CombineToComposite",       PatchSource::Resource,    Target::Composite,   true),
];

/// The same for patches between the composite and the environment.
#[rustfmt::skip]
const ENVIRONMENT_TYPES: [(&str, PatchSource, Target, bool); 6] = [
    ("FromCompositeFieldPath",   PatchSource::Composite,   Target::Environment, false),
    ("ToEnvironmentFieldPath",   PatchSource::Composite,   Target::Environment, false),
    ("CombineFromComposite",     PatchSource::Composite,   Target::Environment, true),
    ("ToCompositeFieldPath",     PatchSource::Environment, Target::Composite,   false),
    ("FromEnvironmentFieldPath", PatchSource::Environment, Target::Composite,   false),
    ("CombineToComposite",       PatchSource::Environment, Target::Composite,   true),
];

/// What patches may do to the value at their target.
#[rustfmt::skip]
const POLICIES: [(&str, MergePolicy); 7] = [
    ("Replace",                       MergePolicy::Replace),
    ("MergeObjects",                  MergePolicy::Merge),
    ("MergeObjectsAppendArrays",      MergePolicy::Merge),
    ("MergeObject",                   MergePolicy::Merge),
    ("ForceMergeObjects",             MergePolicy::ForceMerge),
    ("ForceMergeObjectsAppendArrays", MergePolicy::ForceMerge),
    ("AppendArray",                   MergePolicy::ForceMerge),
];

pub(super) struct Patch<'a> {
    /// The patch as written.
    pub(super) at: Json<'a>,
    pub(super) source: PatchSource,
    pub(super) target: Target,
    /// What is read; `None` if several values are combined.
    pub(super) from: Option<Vec<FieldPathStep<'a>>>,
    /// The path that is read, as written.
    pub(super) from_text: &'a str,
    pub(super) to: Vec<FieldPathStep<'a>>,
    /// The path that is written to; the one that is read if there is no other.
    pub(super) to_text: &'a str,
    pub(super) is_expanded: bool,
    /// Whether the resource is not created until there is a value to read.
    pub(super) is_required: bool,
    pub(super) policy: MergePolicy,
    pub(super) transforms: Vec<Transform<'a>>,
}

/// The format of the template that a patch is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The input of function-patch-and-transform, decoded strictly.
    Function,
    /// A Composition of Crossplane 1.
    Native,
}

impl<'a> Patch<'a> {
    /// Reads a patch of a resource; not one that refers to a patch set.
    pub(super) fn of_resource(at: Json<'a>) -> Result<Self, Halt<'a>> {
        Patch::read(at, &TYPES)
    }

    pub(super) fn of_environment(at: Json<'a>) -> Result<Self, Halt<'a>> {
        Patch::read(at, &ENVIRONMENT_TYPES)
    }

    /// Whether Crossplane 1 keeps what is stored where the patch writes.
    ///
    /// Source: Crossplane 1.20.13, internal/controller/apiextensions/composite/merge.go, `mergeOptions`.
    pub(super) fn keeps_stored_values(&self) -> Result<bool, Malformed> {
        let keeps = self.at.at(&["policy", "mergeOptions", "keepMapValues"])?.is_true();
        Ok(keeps && self.source == PatchSource::Composite && !self.at.get("toFieldPath")?.is_null())
    }

    /// Refuses what the function refuses in a patch of a patch set, whether a resource uses it or not.
    pub(super) fn validate(at: Json<'a>) -> Result<(), Halt<'a>> {
        if at.string(&["type"])? == Some("PatchSet") {
            return Ok(());
        }
        PatchHeader::read(at, &TYPES)?;
        policy(at).map(drop)
    }

    fn read(at: Json<'a>, types: &[(&str, PatchSource, Target, bool)]) -> Result<Self, Halt<'a>> {
        let PatchHeader { source, target, combines, from_text, to_text } = PatchHeader::read(at, types)?;
        Ok(Patch {
            at,
            source,
            target,
            from: if combines { None } else { Some(steps(at, from_text)?) },
            from_text,
            to: steps(at, to_text)?,
            to_text,
            is_expanded: !combines && to_text.contains("[*]"),
            is_required: at.string(&["policy", "fromFieldPath"])? == Some("Required"),
            policy: policy(at)?,
            transforms: Transform::read(at)?,
        })
    }
}

/// The type of a patch, and its paths as written.
struct PatchHeader<'a> {
    source: PatchSource,
    target: Target,
    combines: bool,
    from_text: &'a str,
    to_text: &'a str,
}

impl<'a> PatchHeader<'a> {
    fn read(at: Json<'a>, types: &[(&str, PatchSource, Target, bool)]) -> Result<Self, Halt<'a>> {
        let name = at.string(&["type"])?.unwrap_or("FromCompositeFieldPath");
        let Some((_, source, target, combines)) = types.iter().find(|(known, ..)| *known == name) else {
            return Err(Halt::Fails(at, TagFault::UnknownInputValue { value: name.into(), field: "type".into() }));
        };
        let from_text = at.string(&["fromFieldPath"])?.unwrap_or_default();
        let to_text = at.get("toFieldPath")?.present().map(Json::as_string).transpose()?;
        let missing = match (combines, at.get("combine")?.is_null(), to_text.unwrap_or_default()) {
            (false, ..) if from_text.is_empty() => Some("fromFieldPath"),
            (true, true, _) => Some("combine"),
            (true, _, "") => Some("toFieldPath"),
            _ => None,
        };
        if let Some(field) = missing {
            return Err(Halt::Fails(at, TagFault::MissingInputField { field: field.into() }));
        }
        let (source, target, combines) = (*source, *target, *combines);
        Ok(PatchHeader { source, target, combines, from_text, to_text: to_text.unwrap_or(from_text) })
    }
}

/// The steps of a path that a patch, or another entry of an input, names.
pub(super) fn steps<'a>(at: Json<'a>, path: &'a str) -> Result<Vec<FieldPathStep<'a>>, Halt<'a>> {
    match field_path::parse(path) {
        Ok(steps) if steps.len() > MOST_STEPS => Err(at.malformed(messages::too_deep(MOST_STEPS)).into()),
        Ok(steps) => Ok(steps),
        Err(problem) => Err(Halt::Fails(at, TagFault::UnusablePath { path: path.into(), problem })),
    }
}

/// Fails if there is an unknown field.
pub(super) fn only<'a>(at: Json<'a>, known: &[&str]) -> Result<(), Halt<'a>> {
    match at.fields()?.find(|(name, _)| !known.contains(name)) {
        Some((name, _)) => Err(Halt::Fails(at, TagFault::UnknownInputField { field: name.into() })),
        None => Ok(()),
    }
}

/// `Replace` is the default. Crossplane 1 has `mergeOptions` instead, which merge always.
fn policy<'a>(at: Json<'a>) -> Result<MergePolicy, Halt<'a>> {
    let policy = at.get("policy")?;
    let options = policy.get("mergeOptions")?;
    if !options.is_null() {
        let keeps = options.get("keepMapValues")?.is_true();
        return Ok(if keeps { MergePolicy::Merge } else { MergePolicy::ForceMerge });
    }
    let name = policy.string(&["toFieldPath"])?.unwrap_or("Replace");
    match POLICIES.iter().find(|(known, _)| *known == name) {
        Some((_, policy)) => Ok(*policy),
        None => {
            let (value, field) = (name.into(), "policy.toFieldPath".into());
            Err(Halt::Fails(at, TagFault::UnknownInputValue { value, field }))
        }
    }
}
