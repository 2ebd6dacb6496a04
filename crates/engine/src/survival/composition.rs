//! Compositions: what each of their resources gets, from templates and from functions.

use crate::settings::CloudTags;
use std::borrow::Cow;

use super::fault::Faults;
use super::fault::Weight::{Lost, Note};
use super::node::{Node, Wrong};
use super::patches::{Verdict, judge};
use super::{CLOUD_TAGS, path};
use crate::object::group_and_version;

/// API group of function-patch-and-transform's input.
const PATCH_AND_TRANSFORM: &str = "pt.fn.crossplane.io";
/// API group of function-tag-manager's input.
const TAG_MANAGER: &str = "tag-manager.fn.crossplane.io";
/// What functions are called that look at resources and write none.
const READS_ONLY: &str = "function-auto-ready";

/// One resource that a Composition makes.
pub(super) struct Resource<'a> {
    pub(super) name: Cow<'a, str>,
    /// Its template.
    pub(super) at: Node<'a>,
    /// The object before patches; absent where an earlier function makes it.
    pub(super) base: Node<'a>,
    /// In order, patch sets resolved.
    pub(super) patches: Vec<&'a str>,
    /// function-tag-manager adds the tags of the composite, as far as it serves the kind.
    pub(super) managed: bool,
    /// A function that nobody here knows comes after it.
    pub(super) unclear: bool,
}

/// All ways in which resources do not get the tags of their composite; `composites` says which groups those are of.
///
/// # Errors
/// When the Composition has another shape than Crossplane gives it.
pub(super) fn faults<'a>(spec: Node<'a>, composites: &CloudTags, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let mut resources = Vec::new();
    let pipeline = spec.get(&["pipeline"])?;
    let is_pipeline = match &*spec.string(&["mode"])? {
        // The default was `Resources` in Crossplane 1, and is `Pipeline` since.
        "" => !pipeline.is_null(),
        mode => mode == "Pipeline",
    };
    if is_pipeline {
        for step in pipeline.elements()? {
            run(Node(step), &mut resources, faults)?;
        }
    } else {
        template(spec, &mut resources, faults)?;
    }
    let mut open = Vec::new();
    let mut is_settled = true;
    for resource in &resources {
        faults.about = format!("`{}`: ", resource.name);
        match judge(resource, composites, faults)? {
            Verdict::Settled => {}
            Verdict::Open(field) => {
                is_settled &= !resource.unclear;
                open.push((resource, field));
            }
            Verdict::Carried | Verdict::Lost => is_settled = false,
        }
    }
    for (resource, field) in open {
        faults.about = format!("`{}`: ", resource.name);
        let (weight, why) = match is_settled {
            true => (Lost, "and no other resource gets it"),
            false => (Note, "cannot tell whether it has the field"),
        };
        faults.add(weight, resource.at, format_args!("no patch carries `spec.cloudTags` to `{field}`; {why}"));
    }
    Ok(())
}

/// One step of a pipeline, after the ones before it.
fn run<'a>(step: Node<'a>, resources: &mut Vec<Resource<'a>>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let input = step.get(&["input"])?;
    faults.about.clear();
    match group_and_version(&input.string(&["apiVersion"])?).0 {
        PATCH_AND_TRANSFORM => template(input, resources, faults),
        TAG_MANAGER => manage(input, resources, faults),
        _ => {
            let function = step.string(&["functionRef", "name"])?;
            if !function.ends_with(READS_ONLY) {
                faults.add(Note, step, format_args!("cannot tell what `{function}` does with `spec.cloudTags`"));
                for resource in resources {
                    resource.unclear = true;
                }
            }
            Ok(())
        }
    }
}

/// `resources` and `patchSets`, as Crossplane 1 and function-patch-and-transform have them.
fn template<'a>(holder: Node<'a>, resources: &mut Vec<Resource<'a>>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let sets = holder.get(&["patchSets"])?.elements()?;
    for at in holder.get(&["resources"])?.elements()? {
        let at = Node(at);
        let name = at.string(&["name"])?;
        let mut patches = Vec::new();
        for patch in at.get(&["patches"])?.elements()? {
            if Node(patch).string(&["type"])? != "PatchSet" {
                patches.push(patch);
                continue;
            }
            let wanted = Node(patch).string(&["patchSetName"])?;
            let mut is_known = false;
            for set in &sets {
                if Node(set).string(&["name"])? == wanted {
                    is_known = true;
                    patches.append(&mut Node(set).get(&["patches"])?.elements()?);
                }
            }
            if !is_known {
                faults.add(Lost, Node(patch), format_args!("`{name}`: there is no patch set `{wanted}`"));
            }
        }
        let base = at.get(&["base"])?;
        let resource = Resource { name, at, base, patches, managed: false, unclear: false };
        // A name joins the templates of several steps; resources of Crossplane 1 need none.
        match resources.iter_mut().find(|known| known.name == resource.name && !known.name.is_empty()) {
            // Without a base, the patches are for what an earlier step made.
            Some(known) if base.is_null() => known.patches.extend(resource.patches),
            Some(known) => *known = resource,
            None => resources.push(resource),
        }
    }
    Ok(())
}

/// function-tag-manager: merges a map of the composite into `spec.forProvider.tags` of every resource made before.
///
/// Source: its input/v1beta1/input.go and tags.go, `ResolveAddTags`.
fn manage<'a>(input: Node<'a>, resources: &mut [Resource<'a>], faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    for tags in input.get(&["addTags"])?.elements()? {
        let tags = Node(tags);
        if path::plain(&tags.string(&["fromFieldPath"])?) != CLOUD_TAGS {
            continue;
        }
        match &*tags.string(&["type"])? {
            "FromCompositeFieldPath" if resources.is_empty() => {
                faults.add(Lost, tags, format_args!("the tag manager comes before the resources that it is to tag"));
            }
            "FromCompositeFieldPath" => {
                for resource in resources.iter_mut() {
                    resource.managed = true;
                }
            }
            other => {
                let other = if other.is_empty() { "FromValue" } else { other };
                faults.add(Lost, tags, format_args!("`type` is `{other}`, which reads no field of the composite"));
            }
        }
    }
    Ok(())
}
