//! The steps of a Composition, evaluated in their order: which resources they compose, and what happens to the tags.

use std::collections::BTreeMap;

use super::apply::{self, Expansion};
use super::halt::Halt;
use super::input;
use super::patch::{Dialect, Patch};
use super::patch_sets::PatchSets;
use super::resource::ComposedResource;
use super::resource_kind::ResourceKind;
use super::tag_manager::TagManager;
use super::value::{Prefixes, SimulatedValue};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{CannotTell, Fails, Loss};
use crate::faults::Faults;
use crate::functions::{Function, FunctionEffect};
use crate::json::Json;
use kubernetes::group_and_version;
use tag_rules::CloudTags;

/// The result of the steps of a Composition.
pub(super) struct Pipeline<'a, 's> {
    /// The resources, in the order of their first appearance.
    pub(super) resources: Vec<ComposedResource<'a>>,
    /// The last step with a function that is not evaluated, 0 for none.
    pub(super) last_unread: usize,
    /// The index of the resource with each name.
    by_name: BTreeMap<String, usize>,
    /// The composite, and the prefixes of the keys of its tags.
    composite: SimulatedValue<'a>,
    prefixes: Prefixes<'a>,
    pub(super) environment: SimulatedValue<'a>,
    /// The expanded size of patch sets and wildcards.
    expansion: Expansion,
    /// The number of this step, from 1.
    step: usize,
    composites: &'s CloudTags,
}

impl<'a, 's> Pipeline<'a, 's> {
    /// Evaluates all steps for a composite and its environment, and the prefixes of the keys of its tags.
    ///
    /// # Errors
    /// When the Composition does not have the structure that Crossplane defines, a function fails because of it, or its
    /// patches expand to more than the limit.
    pub(super) fn play(
        spec: Json<'a>,
        [composite, environment]: [SimulatedValue<'a>; 2],
        prefixes: Prefixes<'a>,
        composites: &'s CloudTags,
        faults: &mut Faults<'a>,
    ) -> Result<Self, Halt<'a>> {
        let mut pipeline = Pipeline {
            resources: Vec::new(),
            last_unread: 0,
            by_name: BTreeMap::new(),
            composite,
            prefixes,
            environment,
            expansion: Expansion::of(spec),
            step: 0,
            composites,
        };
        let steps = spec.get("pipeline")?;
        let is_pipeline = match spec.string(&["mode"])?.unwrap_or_default() {
            // The default was `Resources` in Crossplane 1, and is `Pipeline` since.
            "" => !steps.is_null(),
            mode => mode == "Pipeline",
        };
        if is_pipeline {
            for step in steps.elements()? {
                pipeline.step += 1;
                pipeline.run(step, faults)?;
            }
        } else {
            pipeline.patch_and_transform(spec, Dialect::Native)?;
        }
        Ok(pipeline)
    }

    fn run(&mut self, step: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Halt<'a>> {
        let input = step.get("input")?;
        let name = step.string(&["functionRef", "name"])?.unwrap_or_default();
        let group = group_and_version(input.string(&["apiVersion"])?.unwrap_or_default()).0;
        faults.about_all_resources();
        let function = Function::of(name, group);
        let unknown = || TagFault::UnknownFunction { function: name.into() };
        match function.map(|function| function.effect) {
            // A fork has the input of the original function, and its own fields.
            Some(FunctionEffect::Patches)
                if !function.is_some_and(|it| it.is_named(name)) && !input::is_decoded(input) =>
            {
                self.leave_unread(step, unknown(), faults);
            }
            Some(FunctionEffect::Patches) => self.patch_and_transform(input, Dialect::Function)?,
            Some(FunctionEffect::TagManager) => self.tag(input, faults)?,
            Some(FunctionEffect::ResourcesUnchanged) => {}
            Some(FunctionEffect::Programs) => {
                self.leave_unread(step, TagFault::Program { function: name.into() }, faults);
            }
            None => self.leave_unread(step, unknown(), faults),
        }
        Ok(())
    }

    fn leave_unread(&mut self, step: Json<'a>, fault: TagFault, faults: &mut Faults<'a>) {
        faults.add(CannotTell, step, fault);
        self.last_unread = self.step;
    }

    /// `resources` and `patchSets`, as in function-patch-and-transform and Crossplane 1.
    fn patch_and_transform(&mut self, template: Json<'a>, dialect: Dialect) -> Result<(), Halt<'a>> {
        if dialect == Dialect::Function {
            input::validate(template)?;
        }
        let patch_sets = PatchSets::read(template)?;
        for at in template.at(&["environment", "patches"])?.elements()? {
            let patch = Patch::of_environment(at)?;
            apply::to_environment(&patch, &self.composite, &mut self.environment, &mut self.expansion)?;
        }
        for at in template.get("resources")?.elements()? {
            let patches = patch_sets.resolve(at, &mut self.expansion)?;
            let index = self.compose(at, dialect)?;
            let Some(resource) = self.resources.get_mut(index) else { continue };
            let mut apply = |at| {
                let patch = Patch::of_resource(at)?;
                resource.apply(&patch, &self.composite, &mut self.environment, &mut self.expansion)
            };
            match patches.into_iter().try_for_each(&mut apply) {
                // Crossplane 1 composes the other resources.
                Err(Halt::Fails(at, fault)) if dialect == Dialect::Native => resource.fault(Fails, at, fault),
                applied => applied?,
            }
        }
        Ok(())
    }

    /// Adds a resource, or finds the one of an earlier step with the same name, and returns its index. A resource
    /// without a name, as in Crossplane 1, is always added.
    fn compose(&mut self, at: Json<'a>, dialect: Dialect) -> Result<usize, Halt<'a>> {
        let name = at.string(&["name"])?.unwrap_or_default();
        let base = at.get("base")?;
        let known = self.by_name.get(name).copied();
        match (dialect, known) {
            (Dialect::Function, _) if name.is_empty() => {
                return Err(Halt::Fails(at, TagFault::MissingInputField { field: "name".into() }));
            }
            (Dialect::Function, None) if base.is_null() && self.last_unread == 0 => {
                return Err(Halt::Fails(at, TagFault::NoEarlierBase { name: name.into() }));
            }
            (Dialect::Function, _) if !base.is_null() && base.string(&["kind"])?.unwrap_or_default().is_empty() => {
                return Err(Halt::Fails(base, TagFault::MissingInputField { field: "kind".into() }));
            }
            // Without a base, the patches apply to what an earlier step composes.
            (_, Some(index)) if base.is_null() => return Ok(index),
            _ => {}
        }
        let kind = ResourceKind::of(base, self.composites)?;
        let resource = ComposedResource::new(name, at, base, kind, self.step);
        let index = known.unwrap_or(self.resources.len());
        match self.resources.get_mut(index) {
            Some(known) => *known = resource,
            None => self.resources.push(resource),
        }
        if !name.is_empty() {
            self.by_name.insert(name.to_owned(), index);
        }
        Ok(index)
    }

    fn tag(&mut self, input: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Halt<'a>> {
        let (environment, expansion) = (&self.environment, &mut self.expansion);
        let manager = TagManager::read(input, &self.composite, self.prefixes, environment, expansion, faults)?;
        if let Some(entry) = manager.brings_tags().filter(|_| self.resources.is_empty() && self.last_unread == 0) {
            faults.add(Loss, entry, TagFault::TagManagerTooEarly);
        }
        self.resources.iter_mut().try_for_each(|resource| manager.tag(resource, &mut self.expansion))
    }
}
