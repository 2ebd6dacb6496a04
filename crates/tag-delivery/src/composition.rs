//! Compositions: every resource must get the tags of its composite.

mod apply;
mod beside;
mod delivery;
mod field_path;
mod halt;
mod input;
mod limits;
mod nested;
mod other_cloud;
mod patch;
mod patch_sets;
mod pipeline;
mod policies;
mod resource;
mod resource_kind;
pub mod simulation;
mod tag_keys;
mod tag_manager;
mod transform;
mod types;
mod value;

use std::borrow::Cow;

use self::halt::Halt;
use self::pipeline::Pipeline;
pub use self::policies::CROSSPLANE_PAUSED;
use self::tag_keys::TagKeys;
use self::value::SimulatedValue;
use super::faults::FaultSeverity::Fails;
use super::faults::Faults;
use crate::json::{Json, Malformed};
use tag_rules::CloudTags;

/// All ways in which resources do not get the tags of their composite; `composites` says which groups those are of, and
/// `prefixes` which prefixes the keys of their tags have.
///
/// # Errors
/// When the Composition does not have the structure that Crossplane defines, or its patches expand to more than the
/// limit.
pub(super) fn faults<'a>(
    spec: Json<'a>,
    composites: &CloudTags,
    prefixes: &'a [Cow<'a, str>],
    faults: &mut Faults<'a>,
) -> Result<(), Malformed> {
    let composite = SimulatedValue::composite(prefixes);
    let pipeline = match Pipeline::play(spec, [composite, SimulatedValue::Unknown], prefixes, composites, faults) {
        Ok(pipeline) => pipeline,
        Err(Halt::Malformed(malformed)) => return Err(malformed),
        Err(Halt::Fails(at, fault)) => {
            faults.about_all_resources();
            faults.add(Fails, at, fault);
            return Ok(());
        }
    };
    let keys = TagKeys::of(spec, composites)?;
    for resource in &pipeline.resources {
        faults.about_resource(resource.name);
        delivery::judge(resource, resource.step < pipeline.last_unread, composites, keys, faults)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;
    use kubernetes::settings::Stance;

    const PATCH: &str =
        r#"{"fromFieldPath":"spec.cloudTags","toFieldPath":"spec.forProvider.tags","type":"FromCompositeFieldPath"}"#;

    const OTHER_PATCH: &str = r#"{"fromFieldPath":"a"}"#;
    const SET: &str = r#"{"type":"PatchSet","patchSetName":"tags"}"#;

    fn resource(name: &str, patches: &str) -> String {
        let base = r#"{"apiVersion":"sqs.aws.upbound.io/v1beta1","kind":"Queue"}"#;
        format!(r#"{{"name":"{name}","base":{base},"patches":[{patches}]}}"#)
    }

    fn listed(count: usize, item: impl FnMut(usize) -> String) -> String {
        (0..count).map(item).collect::<Vec<_>>().join(",")
    }

    /// How many findings there are, and the last one's place and message.
    fn last_finding(spec: &str) -> Result<(usize, Option<(String, String)>), Malformed> {
        let document = Document::new(format!(r#"{{"spec":{spec}}}"#));
        let settings = CloudTags::default();
        let prefixes = settings.prefixes();
        let (spec, mut found) = (document.root().get("spec")?, Faults::default());
        faults(spec, &settings, &prefixes, &mut found)?;
        let findings = found.findings(spec, "cloudTags.compositions", Stance::Warn);
        Ok((findings.len(), findings.into_iter().next_back().map(|last| (last.at, last.message.to_string()))))
    }

    #[test]
    fn ten_thousand_resources_are_checked() {
        let resources = listed(10_000, |n| resource(&format!("r{n}"), ""));
        let more = ("spec".to_owned(), "and 9900 more".to_owned());
        assert_eq!(last_finding(&format!(r#"{{"resources":[{resources}]}}"#)), Ok((101, Some(more))));
        let patched = listed(1_000, |n| resource(&format!("r{n}"), if n < 950 { PATCH } else { "" }));
        let last = (
            "spec.resources[999]".to_owned(),
            "resource `r999`: `spec.cloudTags` is not patched to `spec.forProvider.tags`".to_owned(),
        );
        assert_eq!(last_finding(&format!(r#"{{"resources":[{patched}]}}"#)), Ok((50, Some(last))));
    }

    #[test]
    fn resources_are_joined_and_marked_by_thousands_of_steps() {
        let resources = listed(3_000, |n| resource(&format!("r{n}"), ""));
        let joined = listed(3_000, |n| format!(r#"{{"name":"r{n}","patches":[{PATCH}]}}"#));
        let made = |resources| {
            format!(r#"{{"input":{{"apiVersion":"pt.fn.crossplane.io/v1beta1","resources":[{resources}]}}}}"#)
        };
        let steps = [made(resources), made(joined), listed(3_000, |_| "{}".to_owned())].join(",");
        let more = ("spec".to_owned(), "and 2900 more".to_owned());
        assert_eq!(last_finding(&format!(r#"{{"mode":"Pipeline","pipeline":[{steps}]}}"#)), Ok((101, Some(more))));
    }

    #[test]
    fn a_patch_set_counts_once_for_patches_in_a_row() {
        let set = listed(5_000, |_| OTHER_PATCH.to_owned());
        let named = listed(5_000, |_| SET.to_owned());
        let spec = format!(
            r#"{{"patchSets":[{{"name":"tags","patches":[{set},{PATCH}]}}],"resources":[{},{}]}}"#,
            resource("a", &named),
            resource("b", &named)
        );
        assert_eq!(last_finding(&spec), Ok((0, None)));
    }

    #[test]
    fn the_last_of_several_patch_sets_of_one_name_counts() {
        let set = |patch: &str| format!(r#"{{"name":"tags","patches":[{patch}]}}"#);
        let named = resource("a", SET);
        let spec = |first, last| format!(r#"{{"patchSets":[{},{}],"resources":[{named}]}}"#, set(first), set(last));
        let not_patched = "resource `a`: `spec.cloudTags` is not patched to `spec.forProvider.tags`".to_owned();
        assert_eq!(last_finding(&spec("", PATCH)), Ok((0, None)));
        assert_eq!(last_finding(&spec(PATCH, "")), Ok((1, Some(("spec.resources[0]".to_owned(), not_patched)))));
    }

    #[test]
    fn patch_sets_that_multiply_are_refused() {
        let set = listed(5_000, |_| OTHER_PATCH.to_owned());
        let resources = listed(5_000, |n| resource(&format!("r{n}"), SET));
        let spec = format!(r#"{{"patchSets":[{{"name":"tags","patches":[{set}]}}],"resources":[{resources}]}}"#);
        // 13 MiB, 1 more than 16 times the text, hold the set of 5,000 patches, of 121 bytes each, 22 times.
        let malformed = "`spec.resources[22].patches[0]` exceeds the limit of 13 MiB for expanded patches";
        assert_eq!(last_finding(&spec).unwrap_err().to_string(), malformed);
    }

    #[test]
    fn tags_that_a_step_adds_to_thousands_of_resources_are_refused() {
        let resources = listed(5_000, |n| resource(&format!("r{n}"), ""));
        let tags = listed(5_000, |n| format!(r#""t{n}":"v""#));
        let step = |version: &str, input: &str| {
            format!(r#"{{"input":{{"apiVersion":"{version}.fn.crossplane.io/v1beta1",{input}}}}}"#)
        };
        let steps = [
            step("pt", &format!(r#""resources":[{resources}]"#)),
            step("tag-manager", &format!(r#""addTags":[{{"tags":{{{tags}}}}}]"#)),
        ];
        // 9 MiB hold the tags, of 58,991 bytes with one step, 159 times.
        let malformed = "`spec.pipeline[0].input.resources[159]` exceeds the limit of 9 MiB for expanded patches";
        let spec = format!(r#"{{"mode":"Pipeline","pipeline":[{}]}}"#, steps.join(","));
        assert_eq!(last_finding(&spec).unwrap_err().to_string(), malformed);
    }

    #[test]
    fn wildcards_that_multiply_are_refused() {
        let labels = listed(5_000, |n| format!(r#""l{n}":"""#));
        let base = format!(
            r#"{{"apiVersion":"sqs.aws.upbound.io/v1beta1","kind":"Queue","metadata":{{"labels":{{{labels}}}}}}}"#
        );
        let patches = listed(5_000, |_| r#"{"fromFieldPath":"a","toFieldPath":"metadata.labels[*]"}"#.to_owned());
        let spec = format!(r#"{{"resources":[{{"name":"a","base":{base},"patches":[{patches}]}}]}}"#);
        let malformed = "`spec.resources[0].patches[12]` exceeds the limit of 6 MiB for expanded patches";
        assert_eq!(last_finding(&spec).unwrap_err().to_string(), malformed);
    }

    #[test]
    fn a_path_deeper_than_objects_are_is_refused() {
        let patch = format!(r#"{{"fromFieldPath":"a","toFieldPath":"{}a"}}"#, "a.".repeat(100_000));
        let malformed = "`spec.resources[0].patches[0]` has more than 100 segments";
        let spec = format!(r#"{{"resources":[{}]}}"#, resource("a", &patch));
        assert_eq!(last_finding(&spec).unwrap_err().to_string(), malformed);
    }

    #[test]
    fn thousands_of_patches_share_one_base() {
        let labels = listed(5_000, |n| format!(r#""l{n}":"""#));
        let base = format!(
            r#"{{"apiVersion":"sqs.aws.upbound.io/v1beta1","kind":"Queue","metadata":{{"labels":{{{labels}}}}}}}"#
        );
        let patches = listed(5_000, |_| PATCH.to_owned());
        let spec = format!(r#"{{"resources":[{{"name":"a","base":{base},"patches":[{patches}]}}]}}"#);
        assert_eq!(last_finding(&spec), Ok((0, None)));
    }

    /// Every fault repeats the name of its resource.
    #[test]
    fn a_long_name_is_not_repeated_for_every_patch() {
        let required = PATCH.replace('{', r#"{"policy":{"fromFieldPath":"Required"},"#);
        let patches = listed(10_000, |_| required.clone());
        let more = ("spec".to_owned(), "and 9900 more".to_owned());
        let spec = format!(r#"{{"resources":[{}]}}"#, resource(&"a".repeat(100_000), &patches));
        assert_eq!(last_finding(&spec), Ok((101, Some(more))));
    }
}
