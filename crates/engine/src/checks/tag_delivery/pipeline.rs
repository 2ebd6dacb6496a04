//! The steps of a Composition: which resources they compose, and which functions run after them.

use std::collections::BTreeMap;

use super::faults::Faults;
use super::faults::Severity::{Loss, Note};
use super::field_path::{self, CLOUD_TAGS};
use super::patch_sets::PatchSets;
use super::resource::ComposedResource;
use crate::json::Malformed;
use crate::json::document::Json;
use crate::kube::object::group_and_version;
use crate::report::messages::tag_delivery as messages;

/// API group of function-patch-and-transform's input.
const PATCH_AND_TRANSFORM: &str = "pt.fn.crossplane.io";
/// API group of function-tag-manager's input.
const TAG_MANAGER: &str = "tag-manager.fn.crossplane.io";
/// How the names of functions end that read resources and write none.
const READS_ONLY: &str = "function-auto-ready";

/// The resources that a Composition composes, in the order of their first appearance.
///
/// # Errors
/// When the Composition has another shape than Crossplane gives it, or its patch sets come to more than is looked at.
pub(super) fn resources<'a>(spec: Json<'a>, faults: &mut Faults<'a>) -> Result<Vec<ComposedResource<'a>>, Malformed> {
    let mut pipeline = Pipeline::default();
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
        pipeline.patch_and_transform(spec, faults)?;
    }
    let (last_tagging, last_unknown) = (pipeline.last_tagging, pipeline.last_unknown);
    for resource in &mut pipeline.resources {
        resource.is_tagged_later = resource.step < last_tagging;
        resource.is_unknown_later = resource.step < last_unknown;
    }
    Ok(pipeline.resources)
}

/// What came of the steps so far.
#[derive(Default)]
struct Pipeline<'a> {
    resources: Vec<ComposedResource<'a>>,
    /// Which of them has a name.
    by_name: BTreeMap<String, usize>,
    /// How much came of patch sets.
    expanded: usize,
    /// The number of this step, from 1.
    step: usize,
    /// The last step that tags the resources before it, 0 for none.
    last_tagging: usize,
    /// The last step whose function is not known, 0 for none.
    last_unknown: usize,
}

impl<'a> Pipeline<'a> {
    fn run(&mut self, step: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        let input = step.get("input")?;
        faults.about.clear();
        match group_and_version(input.string(&["apiVersion"])?.unwrap_or_default()).0 {
            PATCH_AND_TRANSFORM => self.patch_and_transform(input, faults),
            TAG_MANAGER => self.add_tags(input, faults),
            _ => {
                let function = step.string(&["functionRef", "name"])?.unwrap_or_default();
                if !function.ends_with(READS_ONLY) {
                    faults.add(Note, step, messages::unknown_function(function));
                    self.last_unknown = self.step;
                }
                Ok(())
            }
        }
    }

    /// `resources` and `patchSets`, as Crossplane 1 and function-patch-and-transform have them.
    fn patch_and_transform(&mut self, template: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        let mut patch_sets = PatchSets::read(template)?;
        for at in template.get("resources")?.elements()? {
            let name = at.string(&["name"])?.unwrap_or_default();
            let resolved = patch_sets.resolve(at, &mut self.expanded)?;
            faults.about = messages::about_resource(name);
            for (patch, name) in resolved.missing {
                faults.add(Loss, patch, messages::no_patch_set(name));
            }
            self.compose(ComposedResource {
                name,
                at,
                base: at.get("base")?,
                patches: resolved.patches,
                step: self.step,
                is_tagged_later: false,
                is_unknown_later: false,
            });
        }
        Ok(())
    }

    /// Adds a resource, or joins it by its name with what an earlier step says of it. Without a name, as in Crossplane 1,
    /// it stands for itself.
    fn compose(&mut self, resource: ComposedResource<'a>) {
        let known = self.by_name.get(resource.name).and_then(|index| self.resources.get_mut(*index));
        match known {
            // Without a base, the patches are for what an earlier step composes.
            Some(known) if resource.base.is_null() => known.patches.extend(resource.patches),
            Some(known) => *known = resource,
            None => {
                if !resource.name.is_empty() {
                    self.by_name.insert(resource.name.to_owned(), self.resources.len());
                }
                self.resources.push(resource);
            }
        }
    }

    /// function-tag-manager: merges a map of the composite into `spec.forProvider.tags` of every resource composed before.
    ///
    /// Source: its input/v1beta1/input.go and tags.go, `ResolveAddTags`.
    fn add_tags(&mut self, input: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        for tags in input.get("addTags")?.elements()? {
            if field_path::plain(tags.string(&["fromFieldPath"])?.unwrap_or_default()) != CLOUD_TAGS {
                continue;
            }
            match tags.string(&["type"])?.unwrap_or_default() {
                "FromCompositeFieldPath" if self.resources.is_empty() => {
                    faults.add(Loss, tags, messages::TAG_MANAGER_TOO_EARLY);
                }
                "FromCompositeFieldPath" => self.last_tagging = self.step,
                found => {
                    let found = if found.is_empty() { "FromValue" } else { found };
                    faults.add(Loss, tags, messages::tag_manager_type(found));
                }
            }
        }
        Ok(())
    }
}
