//! One resource that a Composition composes, patch by patch.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::{self, Expansion};
use super::field_path::FieldPathStep;
use super::halt::Halt;
use super::patch::{Patch, PatchSource, Target};
use super::resource_kind::ResourceKind;
use super::value::{ComposedTags, MergePolicy, SimulatedObject, SimulatedValue};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{self, CannotTell, Fails, Loss};
use crate::json::Json;

/// What the steps of a Composition set in one resource.
pub struct ComposedResource<'a> {
    /// Its name; empty if it needs none, as in Crossplane 1.
    pub name: &'a str,
    /// Its entry in a list of `resources`.
    pub at: Json<'a>,
    /// The object before patches; absent if another function creates it.
    pub base: Json<'a>,
    /// Its kind.
    pub kind: ResourceKind<'a>,
    /// The object after the patches so far.
    pub object: SimulatedValue<'a>,
    /// The number of the step that composes it, from 1; 0 without a pipeline.
    pub(super) step: usize,
    /// Whether Crossplane drops fields that the kind does not declare, as Crossplane 1 does; otherwise it fails over them.
    pub is_pruned: bool,
    /// How patches lose tags, or prevent the creation of the resource.
    pub(super) faults: Vec<(FaultSeverity, Json<'a>, TagFault)>,
    /// The patch that last wrote the entry of the field for tags with this key; with an empty key, the whole field.
    pub writers: BTreeMap<&'a str, Json<'a>>,
    /// The patch that last wrote a value under exactly this path.
    pub patches: BTreeMap<Vec<FieldPathStep<'a>>, Json<'a>>,
    /// Where patches of Crossplane 1 keep the values that are stored.
    pub kept: BTreeSet<Vec<FieldPathStep<'a>>>,
    /// The last input of function-tag-manager that applies to it.
    pub managed_by: Option<Json<'a>>,
    /// Patches that may copy the tags, and what is not known about them.
    pub(super) doubts: Vec<(Json<'a>, TagFault)>,
    /// Whether function-tag-manager would add tags, and ignores it.
    pub(super) is_ignored: bool,
    /// Whether a patch wrote other tags, as a whole map.
    has_patched_tags: bool,
    /// … of the environment.
    has_environment_tags: bool,
}

impl<'a> ComposedResource<'a> {
    /// A resource before its first patch.
    pub(super) fn new(name: &'a str, at: Json<'a>, base: Json<'a>, kind: ResourceKind<'a>, step: usize) -> Self {
        let is_pruned = step == 0;
        ComposedResource {
            name,
            at,
            base,
            kind,
            object: if base.is_null() { SimulatedValue::Unknown } else { template(base, is_pruned) },
            step,
            is_pruned,
            faults: Vec::new(),
            writers: BTreeMap::new(),
            patches: BTreeMap::new(),
            kept: BTreeSet::new(),
            managed_by: None,
            doubts: Vec::new(),
            is_ignored: false,
            has_patched_tags: false,
            has_environment_tags: false,
        }
    }

    pub(super) fn apply(
        &mut self,
        patch: &Patch<'a>,
        composite: &SimulatedValue<'a>,
        environment: &mut SimulatedValue<'a>,
        expansion: &mut Expansion,
    ) -> Result<(), Halt<'a>> {
        let Some(value) = apply::read(patch, composite, environment)? else {
            if patch.is_required && patch.target == Target::Resource {
                self.fault(Fails, patch.at, TagFault::RequiredAndAbsent { from: patch.from_text.into() });
            }
            return Ok(());
        };
        if patch.source == PatchSource::Environment {
            expansion.charge_copy(&value, patch.at)?;
        }
        match patch.target {
            Target::Composite => Ok(()),
            Target::Environment => apply::write(environment, patch, value, expansion),
            Target::Resource => self.apply_value(patch, value, expansion),
        }
    }

    fn apply_value(
        &mut self,
        patch: &Patch<'a>,
        value: SimulatedValue<'a>,
        expansion: &mut Expansion,
    ) -> Result<(), Halt<'a>> {
        let field = self.kind.field();
        let is_to_field = patch.to == self.kind.steps();
        let brings_tags = matches!(&value, SimulatedValue::Object(object) if object.tags.is_some());
        let is_unknown = matches!(value, SimulatedValue::Unknown | SimulatedValue::OfAuthor);
        self.record_writer(patch);
        if !patch.is_expanded {
            self.patches.insert(patch.to.clone(), patch.at);
        }
        if self.is_pruned && patch.keeps_stored_values()? {
            self.kept.insert(patch.to.clone());
        }
        if brings_tags && patch.is_required {
            self.fault(Fails, patch.at, TagFault::RequiredSource);
        }
        let mut searched = 0;
        let before = self.object.tags_at(&self.kind.steps(), &mut searched);
        let replaces = brings_tags && is_to_field && patch.policy == MergePolicy::Replace;
        let replaced = if replaces { self.replaced() } else { None };
        apply::write(&mut self.object, patch, value, expansion)?;
        let after = self.object.tags_at(&self.kind.steps(), &mut searched);
        expansion.charge(searched, patch.at)?;
        let lost = match (before.is_some_and(|tags| tags.is_whole), after.map(|tags| tags.is_whole)) {
            _ if replaced.is_some() => replaced,
            (true, None) => Some(TagFault::ReplacedLater { field: field.into() }),
            (true, Some(false)) => Some(TagFault::OverwrittenLater { field: field.into() }),
            (false, Some(false)) if before.is_none() => Some(TagFault::KeptFromMerge { field: field.into() }),
            _ => None,
        };
        let is_lost = lost.is_some();
        match (lost, after) {
            (Some(lost), _) => self.fault(Loss, patch.at, lost),
            (None, None) if is_to_field && is_unknown => self.doubt_patch(patch),
            _ => {}
        }
        if !is_lost {
            self.judge_environment(patch, is_to_field && is_unknown, brings_tags && is_to_field);
        }
        self.has_patched_tags |= is_to_field && is_unknown;
        Ok(())
    }

    /// Elements of lists on the way to the field do not count.
    fn record_writer(&mut self, patch: &Patch<'a>) {
        let field = self.kind.known.and_then(|known| known.tags.field()).unwrap_or_default();
        let mut names = patch.to.iter().filter_map(|step| match step {
            FieldPathStep::Field(name) => Some(*name),
            FieldPathStep::Element(_) => None,
        });
        if !field.is_empty() && field.split('.').all(|name| names.next() == Some(name)) {
            self.writers.insert(names.next().unwrap_or_default(), patch.at);
        }
    }

    /// Of a map of the environment and the tags, one may replace entries of the other.
    fn judge_environment(&mut self, patch: &Patch<'a>, is_unknown: bool, brings_tags: bool) {
        let is_of_environment = is_unknown && patch.source == PatchSource::Environment;
        let wins = match patch.policy {
            MergePolicy::Replace => false,
            MergePolicy::Merge => brings_tags && self.has_environment_tags,
            MergePolicy::ForceMerge => is_of_environment && self.tags().is_some(),
        };
        if wins {
            self.fault(CannotTell, patch.at, TagFault::EnvironmentWins { field: self.kind.field().into() });
        }
        self.has_environment_tags |= is_of_environment;
    }

    /// A patch may copy the tags.
    fn doubt_patch(&mut self, patch: &Patch<'a>) {
        if patch.source == PatchSource::Environment {
            self.doubts.push((patch.at, TagFault::FromEnvironment { field: self.kind.field().into() }));
        } else if !patch.transforms.is_empty() && apply::is_from_tags(patch) {
            self.doubts.push((patch.at, TagFault::Transforms));
        }
    }

    /// The entries of `spec.cloudTags` in the field for tags.
    pub(super) fn tags(&self) -> Option<ComposedTags<'a>> {
        self.object.tags_at(&self.kind.steps(), &mut 0)
    }

    /// What a patch replaces other than tags of the composite.
    fn replaced(&self) -> Option<TagFault> {
        let is_given = |value: &SimulatedValue<'a>| matches!(value, SimulatedValue::Given(_));
        match &*self.object.get(&self.kind.steps()).ok()? {
            SimulatedValue::Given(base) if base.as_fields().is_some_and(|fields| fields.len() > 0) => {
                Some(TagFault::ReplacesBase)
            }
            SimulatedValue::Object(object) if object.fields.values().any(is_given) => Some(TagFault::ReplacesBase),
            SimulatedValue::Object(object) if !object.fields.is_empty() => Some(TagFault::ReplacesEarlierPatch),
            SimulatedValue::OfAuthor if self.has_patched_tags => Some(TagFault::ReplacesMap),
            _ if self.has_patched_tags => Some(TagFault::ReplacesEarlierPatch),
            _ => None,
        }
    }

    /// What is not known about its tags, if something is not.
    pub fn doubt(&self) -> Option<&TagFault> {
        let unknown = self.faults.iter().filter(|(severity, ..)| *severity == CannotTell).map(|(.., fault)| fault);
        self.doubts.iter().map(|(_, doubt)| doubt).chain(unknown).next()
    }

    /// Why a patch prevents its creation.
    pub fn failures(&self) -> impl Iterator<Item = &TagFault> {
        self.faults.iter().filter(|(severity, ..)| *severity == Fails).map(|(.., fault)| fault)
    }

    pub(super) fn fault(&mut self, severity: FaultSeverity, at: Json<'a>, fault: TagFault) {
        self.faults.push((severity, at, fault));
    }
}

/// A base before its first patch. Crossplane 1 declares it as an embedded resource: the API server stores `metadata:
/// null`, as in a file, as an empty object. In the input of a function it remains null, and a patch of labels fails.
fn template<'a>(base: Json<'a>, is_embedded: bool) -> SimulatedValue<'a> {
    let Some(fields) = base.as_fields().filter(|_| is_embedded) else { return SimulatedValue::Given(base) };
    let fields = fields.map(|(name, value)| match value.is_null() && name == "metadata" {
        true => (name, SimulatedValue::Object(SimulatedObject::default())),
        false => (name, SimulatedValue::Given(value)),
    });
    SimulatedValue::Object(SimulatedObject { fields: fields.collect(), ..SimulatedObject::default() })
}
