//! Compositions: what each of their resources gets, from templates and from functions.

use std::borrow::Cow;

use super::fault::{Fault, Weight};
use super::patches::{Verdict, judge};
use super::{CLOUD_TAGS, path};
use crate::json::{Json, Malformed};
use crate::object::group_and_version;

/// API group of function-patch-and-transform's input.
const PATCH_AND_TRANSFORM: &str = "pt.fn.crossplane.io";
/// API group of function-tag-manager's input.
const TAG_MANAGER: &str = "tag-manager.fn.crossplane.io";
/// What functions are called that look at resources and write none.
const READS_ONLY: &str = "function-auto-ready";

/// One resource that a Composition makes.
pub(super) struct Resource<'a> {
    /// Its name, or where it stands when it has none.
    pub(super) name: String,
    pub(super) at: String,
    /// The object before patches; `None` where an earlier function makes it.
    pub(super) base: Option<Json<'a>>,
    /// In order, patch sets resolved.
    pub(super) patches: Vec<Json<'a>>,
    /// function-tag-manager adds the tags of the composite, as far as it serves the kind.
    pub(super) managed: bool,
    /// A function that nobody here knows comes after it.
    pub(super) unclear: bool,
}

/// All ways in which resources do not get the tags of their composite; `groups` are API groups of composites.
///
/// # Errors
/// When the Composition has another shape than Crossplane gives it.
pub(super) fn faults(spec: &Json<'_>, groups: &[String], faults: &mut Vec<Fault>) -> Result<(), Malformed> {
    let mut resources = Vec::new();
    let pipeline = spec.at(&["pipeline"], None)?;
    let is_pipeline = match spec.string(&["mode"])?.as_deref() {
        Some(mode) => mode == "Pipeline",
        // The default was `Resources` in Crossplane 1, and is `Pipeline` since.
        None => pipeline.is_some(),
    };
    match pipeline.filter(|_| is_pipeline) {
        Some(steps) => {
            for step in steps.elements()? {
                run(&step, &mut resources, faults)?;
            }
        }
        None => template(spec, &mut resources, faults)?,
    }
    let mut verdicts = Vec::new();
    for resource in &resources {
        verdicts.push((resource, judge(resource, groups, faults)?));
    }
    let nothing_known = verdicts
        .iter()
        .all(|(resource, verdict)| !resource.unclear && matches!(verdict, Verdict::Settled | Verdict::Open(_)));
    for (resource, verdict) in &verdicts {
        if let Verdict::Open(carrier) = verdict {
            let (weight, why) = match nothing_known {
                true => (Weight::Lost, "and no other resource gets it"),
                false => (Weight::Note, "cannot tell whether it has the field"),
            };
            let what = format!("`{}`: no patch carries `spec.cloudTags` to `{carrier}`; {why}", resource.name);
            faults.push(Fault::new(weight, &resource.at, what));
        }
    }
    Ok(())
}

/// One step of a pipeline, after the ones before it.
fn run<'a>(step: &Json<'a>, resources: &mut Vec<Resource<'a>>, faults: &mut Vec<Fault>) -> Result<(), Malformed> {
    let input = step.at(&["input"], None)?;
    let group = match &input {
        Some(input) => input.string(&["apiVersion"])?.unwrap_or_default(),
        None => Default::default(),
    };
    match (group_and_version(&group).0, input) {
        (PATCH_AND_TRANSFORM, Some(input)) => template(&input, resources, faults),
        (TAG_MANAGER, Some(input)) => manage(&input, resources, faults),
        _ => {
            let function = step.string(&["functionRef", "name"])?.unwrap_or_default();
            if !function.ends_with(READS_ONLY) {
                let what = format!("cannot tell what `{}` does with `spec.cloudTags`", path::shown(&function));
                faults.push(Fault::new(Weight::Note, step.path(), what));
                for resource in resources {
                    resource.unclear = true;
                }
            }
            Ok(())
        }
    }
}

/// `resources` and `patchSets`, as Crossplane 1 and function-patch-and-transform have them.
fn template<'a>(
    holder: &Json<'a>,
    resources: &mut Vec<Resource<'a>>,
    faults: &mut Vec<Fault>,
) -> Result<(), Malformed> {
    let mut sets = Vec::new();
    if let Some(all) = holder.at(&["patchSets"], None)? {
        for set in all.elements()? {
            sets.push((set.string(&["name"])?.unwrap_or_default(), patches_of(&set)?));
        }
    }
    let Some(all) = holder.at(&["resources"], None)? else {
        return Ok(());
    };
    for one in all.elements()? {
        let name = one.string(&["name"])?.map_or_else(|| one.path().to_owned(), Cow::into_owned);
        let mut patches = Vec::new();
        for patch in patches_of(&one)? {
            if patch.string(&["type"])?.as_deref() != Some("PatchSet") {
                patches.push(patch);
                continue;
            }
            let set = patch.string(&["patchSetName"])?.unwrap_or_default();
            match sets.iter().find(|(known, _)| *known == set) {
                Some((_, known)) => patches.extend(known.iter().cloned()),
                None => {
                    let what = format!("`{name}`: there is no patch set `{}`", path::shown(&set));
                    faults.push(Fault::new(Weight::Lost, patch.path(), what));
                }
            }
        }
        let base = one.at(&["base"], None)?;
        match resources.iter_mut().find(|known| known.name == name) {
            // Without a base, the patches are for what an earlier step made under this name.
            Some(known) if base.is_none() => known.patches.append(&mut patches),
            known => {
                let at = one.path().to_owned();
                let resource = Resource { name, at, base, patches, managed: false, unclear: false };
                match known {
                    Some(known) => *known = resource,
                    None => resources.push(resource),
                }
            }
        }
    }
    Ok(())
}

fn patches_of<'a>(holder: &Json<'a>) -> Result<Vec<Json<'a>>, Malformed> {
    match holder.at(&["patches"], None)? {
        Some(patches) => patches.elements(),
        None => Ok(Vec::new()),
    }
}

/// function-tag-manager: merges a map of the composite into `spec.forProvider.tags` of every resource made before.
///
/// Source: its input/v1beta1/input.go and tags.go, `ResolveAddTags`.
fn manage(input: &Json<'_>, resources: &mut [Resource<'_>], faults: &mut Vec<Fault>) -> Result<(), Malformed> {
    let Some(added) = input.at(&["addTags"], None)? else {
        return Ok(());
    };
    for tags in added.elements()? {
        if path::fields(&tags.string(&["fromFieldPath"])?.unwrap_or_default()) != CLOUD_TAGS {
            continue;
        }
        match tags.string(&["type"])?.as_deref() {
            Some("FromCompositeFieldPath") if resources.is_empty() => {
                let what = "the tag manager comes before the resources that it is to tag";
                faults.push(Fault::new(Weight::Lost, tags.path(), what));
            }
            Some("FromCompositeFieldPath") => {
                for resource in resources.iter_mut() {
                    resource.managed = true;
                }
            }
            other => {
                let what =
                    format!("`type` is `{}`, which reads no field of the composite", other.unwrap_or("FromValue"));
                faults.push(Fault::new(Weight::Lost, tags.path(), what));
            }
        }
    }
    Ok(())
}
