//! Compositions: what each of their resources gets, from templates and from functions.

use crate::settings::CloudTags;
use std::borrow::Cow;

use super::fault::Faults;
use super::fault::Weight::{Lost, Note};
use super::node::{Node, Wrong};
use super::patches::{Verdict, judge};
use super::{CLOUD_TAGS, path};
use crate::kube::object::group_and_version;

/// API group of function-patch-and-transform's input.
const PATCH_AND_TRANSFORM: &str = "pt.fn.crossplane.io";
/// API group of function-tag-manager's input.
const TAG_MANAGER: &str = "tag-manager.fn.crossplane.io";
/// What functions are called that look at resources and write none.
const READS_ONLY: &str = "function-auto-ready";

/// How much may come of patch sets, in bytes of text and as [`PATCH`] counts it: sets of a few kilobytes, on thousands of
/// resources. Crossplane has no such limit; resources times patches would otherwise be the square of what was sent.
const SHARED: usize = 16 << 20;
/// What it takes to look at a patch, however short, in the bytes of [`SHARED`].
const PATCH: usize = 100;

/// One resource that a Composition makes.
pub(super) struct Resource<'a> {
    pub(super) name: Cow<'a, str>,
    /// Its template.
    pub(super) at: Node<'a>,
    /// The object before patches; absent where an earlier function makes it.
    pub(super) base: Node<'a>,
    /// In order, patch sets resolved.
    pub(super) patches: Vec<&'a str>,
    /// The number of the step that makes it.
    step: usize,
    /// function-tag-manager adds the tags of the composite, as far as it serves the kind. Known after the last step.
    pub(super) managed: bool,
    /// A function that nobody here knows comes after it. Known after the last step.
    pub(super) unclear: bool,
}

/// What the steps made so far.
#[derive(Default)]
struct Made<'a> {
    resources: Vec<Resource<'a>>,
    /// The names of those that have one.
    names: Names,
    /// How much came of patch sets.
    shared: usize,
    /// The number of this step, from 1.
    step: usize,
    /// The last step that tags the resources before it, 0 for none.
    managing: usize,
    /// The last step of which nobody here knows what it does, 0 for none.
    unknown: usize,
}

/// Which entries of a list may have a name, by a sum over its bytes: a map would be a large part of the module.
struct Names([Vec<usize>; 256]);

impl Names {
    /// The numbers of the entries, in the order they were added.
    fn like(&mut self, name: &str) -> Option<&mut Vec<usize>> {
        let sum = name.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        self.0.get_mut(usize::from(sum))
    }
}

impl Default for Names {
    fn default() -> Self {
        Names([const { Vec::new() }; 256])
    }
}

/// A set of patches that resources share.
struct PatchSet<'a> {
    name: Cow<'a, str>,
    patches: Vec<&'a str>,
    /// Where the last resource begins that took it, 0 for none.
    taken: usize,
}

/// All ways in which resources do not get the tags of their composite; `composites` says which groups those are of.
///
/// # Errors
/// When the Composition has another shape than Crossplane gives it, or its patch sets come to more than [`SHARED`].
pub(super) fn faults<'a>(spec: Node<'a>, composites: &CloudTags, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let mut made = Made::default();
    let pipeline = spec.get(&["pipeline"])?;
    let is_pipeline = match &*spec.string(&["mode"])? {
        // The default was `Resources` in Crossplane 1, and is `Pipeline` since.
        "" => !pipeline.is_null(),
        mode => mode == "Pipeline",
    };
    if is_pipeline {
        for step in pipeline.elements()? {
            made.step += 1;
            run(Node(step), &mut made, faults)?;
        }
    } else {
        template(spec, &mut made, faults)?;
    }
    let mut open = Vec::new();
    let mut is_settled = true;
    for resource in &mut made.resources {
        resource.managed = resource.step < made.managing;
        resource.unclear = resource.step < made.unknown;
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
fn run<'a>(step: Node<'a>, made: &mut Made<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let input = step.get(&["input"])?;
    faults.about.clear();
    match group_and_version(&input.string(&["apiVersion"])?).0 {
        PATCH_AND_TRANSFORM => template(input, made, faults),
        TAG_MANAGER => manage(input, made, faults),
        _ => {
            let function = step.string(&["functionRef", "name"])?;
            if !function.ends_with(READS_ONLY) {
                faults.add(Note, step, format_args!("cannot tell what `{function}` does with `spec.cloudTags`"));
                made.unknown = made.step;
            }
            Ok(())
        }
    }
}

/// `resources` and `patchSets`, as Crossplane 1 and function-patch-and-transform have them.
fn template<'a>(holder: Node<'a>, made: &mut Made<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let (mut sets, mut names) = (Vec::new(), Names::default());
    for set in holder.get(&["patchSets"])?.elements()? {
        let set = Node(set);
        let name = set.string(&["name"])?;
        if let Some(like) = names.like(&name) {
            like.push(sets.len());
        }
        sets.push(PatchSet { name, patches: set.get(&["patches"])?.elements()?, taken: 0 });
    }
    for at in holder.get(&["resources"])?.elements()? {
        let at = Node(at);
        let name = at.string(&["name"])?;
        let begin = at.0.as_ptr() as usize;
        let mut patches = Vec::new();
        for patch in at.get(&["patches"])?.elements()? {
            if Node(patch).string(&["type"])? != "PatchSet" {
                patches.push(patch);
                continue;
            }
            let wanted = Node(patch).string(&["patchSetName"])?;
            // The last of several sets of one name counts.
            let is_wanted = |index: &usize| sets.get(*index).is_some_and(|set| set.name == wanted);
            let found = names.like(&wanted).and_then(|like| like.iter().copied().rfind(is_wanted));
            let Some(set) = found.and_then(|index| sets.get_mut(index)) else {
                faults.add(Lost, Node(patch), format_args!("`{name}`: there is no patch set `{wanted}`"));
                continue;
            };
            // The same patches once more write what they wrote.
            if std::mem::replace(&mut set.taken, begin) == begin {
                continue;
            }
            made.shared += set.patches.iter().map(|patch| patch.len() + PATCH).sum::<usize>();
            if made.shared > SHARED {
                return Err(Node(patch).wrong("names more patches than are looked at"));
            }
            patches.extend_from_slice(&set.patches);
        }
        let base = at.get(&["base"])?;
        let resource = Resource { name, at, base, patches, step: made.step, managed: false, unclear: false };
        // A name joins the templates of several steps; resources of Crossplane 1 need none.
        let is_same = |index: &usize| made.resources.get(*index).is_some_and(|known| known.name == resource.name);
        let known = made.names.like(&resource.name).and_then(|like| like.iter().copied().find(is_same));
        match known.and_then(|index| made.resources.get_mut(index)) {
            // Without a base, the patches are for what an earlier step made.
            Some(known) if base.is_null() => known.patches.extend(resource.patches),
            Some(known) => *known = resource,
            None => {
                if let Some(like) = made.names.like(&resource.name).filter(|_| !resource.name.is_empty()) {
                    like.push(made.resources.len());
                }
                made.resources.push(resource);
            }
        }
    }
    Ok(())
}

/// function-tag-manager: merges a map of the composite into `spec.forProvider.tags` of every resource made before.
///
/// Source: its input/v1beta1/input.go and tags.go, `ResolveAddTags`.
fn manage<'a>(input: Node<'a>, made: &mut Made<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    for tags in input.get(&["addTags"])?.elements()? {
        let tags = Node(tags);
        if path::plain(&tags.string(&["fromFieldPath"])?) != CLOUD_TAGS {
            continue;
        }
        match &*tags.string(&["type"])? {
            "FromCompositeFieldPath" if made.resources.is_empty() => {
                faults.add(Lost, tags, format_args!("the tag manager comes before the resources that it is to tag"));
            }
            "FromCompositeFieldPath" => made.managing = made.step,
            other => {
                let other = if other.is_empty() { "FromValue" } else { other };
                faults.add(Lost, tags, format_args!("`type` is `{other}`, which reads no field of the composite"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tag_delivery::node::Places;
    use crate::settings::Settings;
    use crate::settings::Stance;

    const CARRYING: &str =
        r#"{"fromFieldPath":"spec.cloudTags","toFieldPath":"spec.forProvider.tags","type":"FromCompositeFieldPath"}"#;

    fn resource(name: &str, patches: &str) -> String {
        let base = r#"{"apiVersion":"ec2.aws.upbound.io/v1beta1","kind":"Instance"}"#;
        format!(r#"{{"name":"{name}","base":{base},"patches":[{patches}]}}"#)
    }

    fn listed(count: usize, item: impl FnMut(usize) -> String) -> String {
        (0..count).map(item).collect::<Vec<_>>().join(",")
    }

    /// What is told of the last of it, and how much is told.
    fn told(spec: &str) -> (usize, Option<(String, String)>) {
        let mut found = Faults::default();
        faults(Node(spec), &Settings::from_json("{}").unwrap().cloud_tags, &mut found).unwrap();
        let findings = found.findings(Node(spec), "cloudTags.compositions", Stance::Warn);
        (findings.len(), findings.into_iter().next_back().map(|last| (last.at, last.message)))
    }

    #[test]
    fn ten_thousand_resources_are_looked_at() {
        let resources = listed(10_000, |n| resource(&format!("r{n}"), ""));
        let more = ("spec".to_owned(), "and 9900 more".to_owned());
        assert_eq!(told(&format!(r#"{{"resources":[{resources}]}}"#)), (101, Some(more)));
        let patched = listed(1_000, |n| resource(&format!("r{n}"), if n < 950 { CARRYING } else { "" }));
        let last = (
            "spec.resources[999]".to_owned(),
            "`r999`: no patch carries `spec.cloudTags` to `spec.forProvider.tags`".to_owned(),
        );
        assert_eq!(told(&format!(r#"{{"resources":[{patched}]}}"#)), (50, Some(last)));
    }

    #[test]
    fn resources_are_joined_and_marked_by_thousands_of_steps() {
        let resources = listed(3_000, |n| resource(&format!("r{n}"), ""));
        let joined = listed(3_000, |n| format!(r#"{{"name":"r{n}","patches":[{CARRYING}]}}"#));
        let made = |resources| {
            format!(r#"{{"input":{{"apiVersion":"pt.fn.crossplane.io/v1beta1","resources":[{resources}]}}}}"#)
        };
        let steps = [made(resources), made(joined), listed(3_000, |_| "{}".to_owned())].join(",");
        let more = ("spec".to_owned(), "and 2900 more".to_owned());
        assert_eq!(told(&format!(r#"{{"mode":"Pipeline","pipeline":[{steps}]}}"#)), (101, Some(more)));
    }

    #[test]
    fn a_patch_set_counts_once_for_a_resource() {
        let set = listed(5_000, |_| "{}".to_owned());
        let named = listed(5_000, |_| r#"{"type":"PatchSet","patchSetName":"tags"}"#.to_owned());
        let spec = format!(
            r#"{{"patchSets":[{{"name":"tags","patches":[{set},{CARRYING}]}}],"resources":[{},{}]}}"#,
            resource("a", &named),
            resource("b", &named)
        );
        assert_eq!(told(&spec), (0, None));
    }

    #[test]
    fn the_last_of_several_patch_sets_of_one_name_counts() {
        let set = |patch: &str| format!(r#"{{"name":"tags","patches":[{patch}]}}"#);
        let named = resource("a", r#"{"type":"PatchSet","patchSetName":"tags"}"#);
        let spec = |first, last| format!(r#"{{"patchSets":[{},{}],"resources":[{named}]}}"#, set(first), set(last));
        let lost = "`a`: no patch carries `spec.cloudTags` to `spec.forProvider.tags`".to_owned();
        assert_eq!(told(&spec("", CARRYING)), (0, None));
        assert_eq!(told(&spec(CARRYING, "")), (1, Some(("spec.resources[0]".to_owned(), lost))));
    }

    #[test]
    fn patch_sets_that_multiply_are_refused() {
        let set = listed(5_000, |_| "{}".to_owned());
        let resources = listed(5_000, |n| resource(&format!("r{n}"), r#"{"type":"PatchSet","patchSetName":"tags"}"#));
        let spec = format!(r#"{{"patchSets":[{{"name":"tags","patches":[{set}]}}],"resources":[{resources}]}}"#);
        let wrong =
            faults(Node(&spec), &Settings::from_json("{}").unwrap().cloud_tags, &mut Faults::default()).unwrap_err();
        // 16 MiB hold the set of 5,000 patches, of 102 bytes each, 32 times.
        let at = Places::of(Node(&spec)).locate(wrong.node);
        assert_eq!(at, "spec.resources[32].patches[0]");
    }

    #[test]
    fn thousands_of_patches_share_one_base() {
        let labels = listed(5_000, |n| format!(r#""l{n}":"""#));
        let base = format!(
            r#"{{"apiVersion":"ec2.aws.upbound.io/v1beta1","kind":"Instance","metadata":{{"labels":{{{labels}}}}}}}"#
        );
        let patches = listed(5_000, |_| CARRYING.to_owned());
        let spec = format!(r#"{{"resources":[{{"name":"a","base":{base},"patches":[{patches}]}}]}}"#);
        assert_eq!(told(&spec), (0, None));
    }

    /// Every fault has the name of its resource: were all told, it would be told as often as there are patches.
    #[test]
    fn a_long_name_is_not_told_for_every_patch() {
        let patches = listed(10_000, |_| r#"{"type":"PatchSet"}"#.to_owned());
        let more = ("spec".to_owned(), "and 9901 more".to_owned());
        let spec = format!(r#"{{"resources":[{}]}}"#, resource(&"a".repeat(100_000), &patches));
        assert_eq!(told(&spec), (101, Some(more)));
    }
}
