//! What to do about a fact about tags, if that depends on what the fact names.

use metadata_propagation::tags::{STRICT_PROFILES, StrictProfile, TagSkipReason};
use metadata_propagation::{CloudTagFact, Fact, TagFault};

/// Fields that function-patch-and-transform does not have, and what it has instead.
const INSTEAD: [(&str, &str); 1] = [("mergeOptions", "toFieldPath: MergeObjects")];

/// What to do about a fact, if more is known than its code says.
pub(crate) fn help_of(fact: &Fact) -> Option<String> {
    match fact {
        Fact::TagDelivery { fault } => match &fault.fault {
            TagFault::UnknownInputField { field } => Some(match INSTEAD.iter().find(|(name, _)| *name == field.0) {
                Some((_, instead)) => format!("write `policy: {{ {instead} }}` instead of `{field}`"),
                None => format!("remove `{field}`, or correct its name"),
            }),
            TagFault::MissingInputField { field } if field.0 == "fromFieldPath" => {
                Some("add `fromFieldPath`; a patch with `patchSetName` needs `type: PatchSet` instead".to_owned())
            }
            TagFault::NoSuchFieldBut { path, .. } if path.0 == "spec.deletionPolicy" => Some(
                "remove `deletionPolicy`; instead of `Orphan`, list `managementPolicies` without `*` and `Delete`"
                    .to_owned(),
            ),
            _ => None,
        },
        Fact::CloudTags { fact: CloudTagFact::NoProvider { place, .. } } => {
            Some(format!("set `{place}`, or correct the path in `cloudTags.composites`"))
        }
        Fact::CloudTags { fact: CloudTagFact::UnknownProvider { provider, .. } } => Some(match strict(&provider.0) {
            Some(profile) => format!("set `cloudTags.profiles: {{{provider}: {}}}`", profile.name),
            None => "name its profile in `cloudTags.profiles`: `propagate profiles` lists them".to_owned(),
        }),
        Fact::CloudTags {
            fact: CloudTagFact::TagRefused { cloud, problem, .. } | CloudTagFact::TagsRefused { cloud, problem, .. },
        } => strict(cloud).map(|profile| refused(cloud, *problem, profile.name)),
        _ => None,
    }
}

/// A strict profile spells keys, and leaves out tags whose values the cloud does not accept.
fn refused(cloud: &str, problem: TagSkipReason, profile: &str) -> String {
    let set = format!("set `cloudTags.profiles: {{{cloud}: {profile}}}`");
    match problem {
        TagSkipReason::ValueTooLong | TagSkipReason::ReservedValue | TagSkipReason::ValueCharacterClass => {
            format!("change the value of the label, or {set}, which leaves the tag out")
        }
        _ => format!("{set}, which spells keys as the cloud accepts them"),
    }
}

fn strict(cloud: &str) -> Option<&'static StrictProfile> {
    STRICT_PROFILES.iter().find(|profile| profile.cloud.provider.eq_ignore_ascii_case(cloud))
}
