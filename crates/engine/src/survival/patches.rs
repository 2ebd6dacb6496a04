//! The patches of one resource: whether one of them carries `spec.cloudTags` to where a cloud takes tags from.
//!
//! Source: function-patch-and-transform, input/v1beta1/resources_patches.go and patches.go; Crossplane 1.20,
//! apis/apiextensions/v1/composition_patches.go.

use super::carriers::{Known, Tags, carrier};
use super::composition::Resource;
use super::fault::{Fault, Weight};
use super::{CLOUD_TAGS, exempt, path};
use crate::json::{Json, Malformed};
use crate::keys::EXEMPT;
use crate::object::group_and_version;

/// With the value `true` on a resource, function-tag-manager leaves it alone. Source: its tags.go.
const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// Fields that are tags somewhere, and something else elsewhere.
const TAG_LIKE: [&str; 3] = ["spec.forProvider.tags", "spec.forProvider.labels", "spec.forProvider.metadata"];

/// What is known of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It gets the tags.
    Carried,
    /// It does not get them, and a fault says so.
    Lost,
    /// There is nothing to carry them to, or it cannot be told.
    Settled,
    /// No patch carries them to this path, which kinds of the provider have, though maybe not this one.
    Open(&'static str),
}

/// Judges one resource; `groups` are API groups of composites.
///
/// # Errors
/// When the resource has another shape than Crossplane gives it.
pub(super) fn judge(resource: &Resource<'_>, groups: &[String], faults: &mut Vec<Fault>) -> Result<Verdict, Malformed> {
    let name = &resource.name;
    let Some(base) = &resource.base else {
        let what = format!("`{name}`: cannot tell what it is, its base is made elsewhere");
        faults.push(Fault::new(Weight::Note, &resource.at, what));
        return Ok(Verdict::Settled);
    };
    let annotations = base.map(&["metadata", "annotations"])?;
    let at = format!("{}.metadata.annotations", base.path());
    if exempt(annotations.get(EXEMPT).map(|reason| &**reason), &format!("`{name}`: "), &at, faults) {
        return Ok(Verdict::Settled);
    }
    let mut fault = |weight, at: &str, what: String| faults.push(Fault::new(weight, at, format!("`{name}`: {what}")));
    let api_version = base.string(&["apiVersion"])?.unwrap_or_default();
    let kind = base.string(&["kind"])?.unwrap_or_default();
    let group = group_and_version(&api_version).0;
    if groups.iter().any(|known| known == group) {
        // A composite below this one has tags of its own.
        return Ok(Verdict::Settled);
    }
    let Some(known) = carrier(group, &kind) else {
        let what = format!("cannot tell where `{kind}` of group `{}` keeps its tags", path::shown(group));
        fault(Weight::Note, &resource.at, what);
        return Ok(Verdict::Settled);
    };
    let mut carried = Carried::default();
    for patch in &resource.patches {
        carried.patch(patch, base, &kind, &known, &mut fault)?;
    }
    let ignored = || -> Result<bool, Malformed> {
        let labels = base.map(&["metadata", "labels"])?;
        let value = annotations.get(LEFT_ALONE).or_else(|| labels.get(LEFT_ALONE));
        Ok(value.is_some_and(|value| value.eq_ignore_ascii_case("true")))
    };
    let managed = resource.managed && known.managed && matches!(known.tags, Tags::Map(_));
    if carried.lost {
        return Ok(Verdict::Lost);
    }
    if carried.served || (managed && !ignored()?) {
        return Ok(Verdict::Carried);
    }
    if carried.unclear {
        return Ok(Verdict::Settled);
    }
    match known.tags {
        Tags::Nowhere => Ok(Verdict::Settled),
        Tags::List(field) => {
            let what = format!("tags of `{kind}` are a list at `{field}`, which no patch fills from a map");
            fault(Weight::Note, &resource.at, what);
            Ok(Verdict::Settled)
        }
        Tags::Map(field) if !known.by_name && has(base, field).is_none() => Ok(Verdict::Open(field)),
        Tags::Map(field) => {
            let (weight, doubt) = match resource.unclear {
                true => (Weight::Note, ", as far as can be told"),
                false => (Weight::Lost, ""),
            };
            fault(weight, &resource.at, format!("no patch carries `spec.cloudTags` to `{field}`{doubt}"));
            Ok(if resource.unclear { Verdict::Settled } else { Verdict::Lost })
        }
    }
}

/// What the patches of a resource did so far.
#[derive(Default)]
struct Carried {
    /// The tags are where they belong.
    served: bool,
    /// A fault was found.
    lost: bool,
    /// It cannot be told what a patch does.
    unclear: bool,
    /// An earlier patch wrote other tags there.
    others: bool,
}

impl Carried {
    fn patch(
        &mut self,
        patch: &Json<'_>,
        base: &Json<'_>,
        kind: &str,
        known: &Known,
        fault: &mut impl FnMut(Weight, &str, String),
    ) -> Result<(), Malformed> {
        let kind_of_patch = patch.string(&["type"])?;
        let kind_of_patch = kind_of_patch.as_deref().unwrap_or("FromCompositeFieldPath");
        let (from, to) = (patch.string(&["fromFieldPath"])?, patch.string(&["toFieldPath"])?);
        let from = from.unwrap_or_default();
        if kind_of_patch == "FromCompositeFieldPath" && path::fields(&from) == CLOUD_TAGS {
            return self.source(patch, to.as_deref(), base, kind, known, fault);
        }
        // What goes from the composite or the environment to the resource may meet the tags there.
        let (Tags::Map(field), Some(to)) = (known.tags, to.filter(|_| is_to_resource(kind_of_patch))) else {
            return Ok(());
        };
        if path::below(&to, field) {
            self.others = true;
        } else if path::same(&to, field) {
            self.others = true;
            if self.served && !merges(patch)? {
                self.lost = true;
                fault(Weight::Lost, patch.path(), format!("a later patch replaces `{field}`, tags and all"));
            } else if kind_of_patch == "FromEnvironmentFieldPath" && !self.served {
                self.unclear = true;
                fault(Weight::Note, patch.path(), "cannot tell what the environment carries there".to_owned());
            }
        }
        Ok(())
    }

    /// A patch that takes `spec.cloudTags` somewhere.
    fn source(
        &mut self,
        patch: &Json<'_>,
        to: Option<&str>,
        base: &Json<'_>,
        kind: &str,
        known: &Known,
        fault: &mut impl FnMut(Weight, &str, String),
    ) -> Result<(), Malformed> {
        let mut lost = |what: String| {
            self.lost = true;
            fault(Weight::Lost, patch.path(), what);
        };
        let Some(to) = to else {
            lost(format!("without `toFieldPath` the tags go to `spec.cloudTags` of the {kind}, and are dropped"));
            return Ok(());
        };
        if patch.string(&["policy", "fromFieldPath"])?.as_deref() == Some("Required") {
            lost("`Required` keeps back the resource of a composite without tags".to_owned());
        }
        match known.tags {
            Tags::Map(field) if path::same(to, field) => {
                let replaces = !merges(patch)?;
                if replaces && has(base, field) == Some(true) {
                    lost("`Replace` drops the tags in its base; `toFieldPath: MergeObjects` keeps them".to_owned());
                } else if replaces && self.others {
                    lost(
                        "`Replace` drops the tags of an earlier patch; `toFieldPath: MergeObjects` keeps them"
                            .to_owned(),
                    );
                } else if has_transforms(patch)? {
                    self.unclear = true;
                    fault(Weight::Note, patch.path(), "cannot tell what its transforms make of the tags".to_owned());
                } else {
                    self.served = true;
                }
            }
            Tags::Map(field) if known.by_name || TAG_LIKE.contains(&to) => {
                let to = path::shown(to);
                lost(format!("carries `spec.cloudTags` to `{to}`; tags of {kind} stand at `{field}`"));
            }
            Tags::Map(_) => {
                self.unclear = true;
                let to = path::shown(to);
                fault(Weight::Note, patch.path(), format!("cannot tell whether `{to}` of {kind} holds tags"));
            }
            Tags::List(field) if path::same(to, field) => {
                lost(format!("carries the map `spec.cloudTags` to `{field}`, which is a list"));
            }
            Tags::List(_) | Tags::Nowhere => {
                let to = path::shown(to);
                lost(format!("carries `spec.cloudTags` to `{to}`, and {kind} has no map of tags"));
            }
        }
        Ok(())
    }
}

/// Whether a patch writes to the resource, rather than reading from it.
fn is_to_resource(kind_of_patch: &str) -> bool {
    ["FromCompositeFieldPath", "CombineFromComposite", "FromEnvironmentFieldPath", "CombineFromEnvironment"]
        .contains(&kind_of_patch)
}

/// Whether a patch leaves what stands at its target: `Replace` is the default.
fn merges(patch: &Json<'_>) -> Result<bool, Malformed> {
    let of_function = patch.string(&["policy", "toFieldPath"])?.is_some_and(|policy| policy != "Replace");
    Ok(of_function || patch.at(&["policy", "mergeOptions"], None)?.is_some())
}

fn has_transforms(patch: &Json<'_>) -> Result<bool, Malformed> {
    Ok(match patch.at(&["transforms"], None)? {
        Some(transforms) => !transforms.elements()?.is_empty(),
        None => false,
    })
}

/// Whether the base has the field, and whether anything is in it.
fn has(base: &Json<'_>, field: &str) -> Option<bool> {
    // The base is the provider's: what has another shape there has no tags at this path.
    let found = base.at(&path::fields(field), None).ok().flatten()?;
    Some(found.fields().is_ok_and(|fields| !fields.is_empty()))
}
