//! The patches of one resource: whether one of them carries `spec.cloudTags` to where a cloud takes tags from.
//!
//! Source: function-patch-and-transform, input/v1beta1/resources_patches.go and patches.go; Crossplane 1.20,
//! apis/apiextensions/v1/composition_patches.go.

use super::composition::Resource;
use super::fault::Faults;
use super::fault::Weight::{Lost, Note};
use super::node::{Node, Wrong};
use super::{CLOUD_TAGS, exempt, path};
use crate::catalog::carriers::{Known, Tags, carrier};
use crate::catalog::keys::EXEMPT;
use crate::kube::object::group_and_version;
use crate::settings::CloudTags;

/// With the value `true` on a resource, function-tag-manager leaves it alone. Source: its tags.go.
const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// Fields that are tags somewhere, and something else elsewhere.
const TAG_LIKE: [&str; 3] = ["spec.forProvider.tags", "spec.forProvider.labels", "spec.forProvider.metadata"];

/// Patches that write to the resource.
const WRITING: [&str; 4] =
    ["FromCompositeFieldPath", "CombineFromComposite", "FromEnvironmentFieldPath", "CombineFromEnvironment"];

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

/// Judges one resource; `composites` says which groups are those of composites.
///
/// # Errors
/// When the resource has another shape than Crossplane gives it.
pub(super) fn judge<'a>(
    resource: &Resource<'a>,
    composites: &CloudTags,
    faults: &mut Faults<'a>,
) -> Result<Verdict, Wrong<'a>> {
    let base = resource.base;
    if base.is_null() {
        faults.add(Note, resource.at, format_args!("cannot tell what it is, its base is made elsewhere"));
        return Ok(Verdict::Settled);
    }
    let reason = base.get(&["metadata", "annotations", EXEMPT])?;
    if !reason.is_null() && exempt(&reason.string(&[])?, reason, faults) {
        return Ok(Verdict::Settled);
    }
    let api_version = base.string(&["apiVersion"])?;
    let kind = base.string(&["kind"])?;
    let group = group_and_version(&api_version).0;
    // A composite below this one has tags of its own.
    if composites.has_group(group) {
        return Ok(Verdict::Settled);
    }
    let Some(known) = carrier(group, &kind) else {
        faults.add(Note, resource.at, format_args!("cannot tell where `{kind}` of group `{group}` keeps its tags"));
        return Ok(Verdict::Settled);
    };
    let present = match known.tags {
        Tags::Map(field) => content(base, field),
        Tags::List(_) | Tags::Nowhere => Node("null"),
    };
    let mut carried = Carried {
        kind: &kind,
        known,
        has_tags: present.fields().is_ok_and(|fields| !fields.is_empty()),
        served: false,
        lost: false,
        unclear: false,
        others: false,
    };
    for patch in &resource.patches {
        carried.patch(Node(patch), faults)?;
    }
    let is_map = matches!(known.tags, Tags::Map(_));
    if carried.lost {
        return Ok(Verdict::Lost);
    }
    if carried.served || (is_map && known.managed && resource.managed && !is_left_alone(base)?) {
        return Ok(Verdict::Carried);
    }
    match known.tags {
        _ if carried.unclear => Ok(Verdict::Settled),
        Tags::Nowhere => Ok(Verdict::Settled),
        Tags::List(field) => {
            let what = format_args!("tags of `{kind}` are a list at `{field}`, which no patch fills from a map");
            faults.add(Note, resource.at, what);
            Ok(Verdict::Settled)
        }
        Tags::Map(field) if !known.by_name && present.is_null() => Ok(Verdict::Open(field)),
        Tags::Map(field) => {
            let (weight, doubt, verdict) = match resource.unclear {
                true => (Note, ", as far as can be told", Verdict::Settled),
                false => (Lost, "", Verdict::Lost),
            };
            faults.add(weight, resource.at, format_args!("no patch carries `spec.cloudTags` to `{field}`{doubt}"));
            Ok(verdict)
        }
    }
}

/// Whether function-tag-manager is told to leave a resource alone; the annotation wins over the label.
fn is_left_alone(base: Node<'_>) -> Result<bool, Wrong<'_>> {
    let mark = base.string(&["metadata", "annotations", LEFT_ALONE])?;
    let mark = if mark.is_empty() { base.string(&["metadata", "labels", LEFT_ALONE])? } else { mark };
    Ok(mark.eq_ignore_ascii_case("true"))
}

/// What the patches of a resource did so far.
struct Carried<'k> {
    kind: &'k str,
    known: Known,
    /// Its base has tags.
    has_tags: bool,
    /// The tags are where they belong.
    served: bool,
    /// A fault was found.
    lost: bool,
    /// It cannot be told what a patch does.
    unclear: bool,
    /// An earlier patch wrote other tags there.
    others: bool,
}

impl Carried<'_> {
    fn patch<'a>(&mut self, patch: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        let kind = patch.string(&["type"])?;
        let kind = if kind.is_empty() { "FromCompositeFieldPath" } else { &*kind };
        let to = path::plain(&patch.string(&["toFieldPath"])?);
        if kind == "FromCompositeFieldPath" && path::plain(&patch.string(&["fromFieldPath"])?) == CLOUD_TAGS {
            return self.source(patch, &to, faults);
        }
        // What goes from the composite or the environment to the resource may meet the tags there.
        let Tags::Map(field) = self.known.tags else {
            return Ok(());
        };
        if !WRITING.contains(&kind) || (to != field && !path::below(&to, field)) {
            return Ok(());
        }
        self.others = true;
        if to != field {
            return Ok(());
        }
        if self.served && !merges(patch)? {
            self.lost = true;
            faults.add(Lost, patch, format_args!("a later patch replaces `{field}`, tags and all"));
        } else if kind == "FromEnvironmentFieldPath" && !self.served {
            self.unclear = true;
            faults.add(Note, patch, format_args!("cannot tell what the environment carries there"));
        }
        Ok(())
    }

    /// A patch that takes `spec.cloudTags` somewhere.
    fn source<'a>(&mut self, patch: Node<'a>, to: &str, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        let kind = self.kind;
        if to.is_empty() {
            self.lost = true;
            let what =
                format_args!("without `toFieldPath` the tags go to `spec.cloudTags` of the {kind}, and are dropped");
            faults.add(Lost, patch, what);
            return Ok(());
        }
        if patch.string(&["policy", "fromFieldPath"])? == "Required" {
            self.lost = true;
            faults.add(Lost, patch, format_args!("`Required` keeps back the resource of a composite without tags"));
        }
        match self.known.tags {
            Tags::Map(field) if to == field => {
                let whose = if self.has_tags { "in its base" } else { "of an earlier patch" };
                if (self.has_tags || self.others) && !merges(patch)? {
                    self.lost = true;
                    let what = format_args!("`Replace` drops the tags {whose}; `toFieldPath: MergeObjects` keeps them");
                    faults.add(Lost, patch, what);
                } else if !patch.get(&["transforms"])?.elements()?.is_empty() {
                    self.unclear = true;
                    faults.add(Note, patch, format_args!("cannot tell what its transforms make of the tags"));
                } else {
                    self.served = true;
                }
            }
            Tags::Map(field) if self.known.by_name || TAG_LIKE.contains(&to) => {
                self.lost = true;
                let what = format_args!("carries `spec.cloudTags` to `{to}`; tags of {kind} stand at `{field}`");
                faults.add(Lost, patch, what);
            }
            Tags::Map(_) => {
                self.unclear = true;
                faults.add(Note, patch, format_args!("cannot tell whether `{to}` of {kind} holds tags"));
            }
            Tags::List(field) if to == field => {
                self.lost = true;
                let what = format_args!("carries the map `spec.cloudTags` to `{field}`, which is a list");
                faults.add(Lost, patch, what);
            }
            Tags::List(_) | Tags::Nowhere => {
                self.lost = true;
                let what = format_args!("carries `spec.cloudTags` to `{to}`, and {kind} has no map of tags");
                faults.add(Lost, patch, what);
            }
        }
        Ok(())
    }
}

/// Whether a patch leaves what stands at its target: `Replace` is the default.
fn merges(patch: Node<'_>) -> Result<bool, Wrong<'_>> {
    let policy = patch.get(&["policy"])?;
    let of_function = policy.string(&["toFieldPath"])?;
    Ok(!["", "Replace"].contains(&&*of_function) || !policy.get(&["mergeOptions"])?.is_null())
}

/// What the base has at a path; the base is the provider's, and what has another shape there has no tags.
fn content<'a>(base: Node<'a>, field: &str) -> Node<'a> {
    let mut here = base;
    for step in field.split('.') {
        here = here.get(&[step]).unwrap_or(Node("null"));
    }
    here
}
