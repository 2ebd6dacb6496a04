//! What a request newly says of a composite's origin: that it was adopted, which waives its tags, or something unknown.

use super::crossplane;
use super::labels::{Assigned, CompositeOrigin, PROVISIONED};
use crate::fact::{CloudTagFact, Finding};
use kubernetes::settings::{Mode, Stance};
use kubernetes::{Object, ReviewedObject};
use tag_rules::TagSettings;
use tag_rules::keys::{ADOPTED, ASSIGNMENTS, ORIGIN};

/// The finding if a request newly marks a composite as adopted, or gives it an unknown origin. Crossplane copies what it
/// finds in a claim or in a parent's Composition, so that is a warning at most.
pub fn finding(subject: &ReviewedObject<'_>, settings: TagSettings<'_>) -> Option<Finding> {
    if settings.mode != Mode::Mutate || subject.object.deleting {
        return None;
    }
    let tags = &settings.cloud_tags;
    let origin = origin_of(&subject.object)?;
    let (check, stance, message) = match &origin {
        CompositeOrigin::Provisioned => return None,
        CompositeOrigin::Adopted => {
            let label = format!("{ORIGIN}: {ADOPTED}").as_str().into();
            ("cloudTags.adopted", tags.adopted, CloudTagFact::AdoptedWaivesTags { label })
        }
        CompositeOrigin::Unknown(value) => {
            let (label, value) = (ORIGIN.into(), value.as_str().into());
            let fact = CloudTagFact::UnknownOrigin { label, value, counts: PROVISIONED.into(), other: ADOPTED.into() };
            ("cloudTags.unknownOrigin", tags.unknown_origin, fact)
        }
    };
    let was = || subject.old().ok().flatten().and_then(origin_of);
    if stance == Stance::Ignore || was() == Some(origin) {
        return None;
    }
    let is_label = subject.object.labels.get(ORIGIN).is_some();
    Some(Finding {
        check,
        at: if is_label { "metadata.labels" } else { "metadata.annotations" }.to_owned(),
        message,
        stance: if crossplane::is_copied(subject, tags) { Stance::Warn } else { stance },
    })
}

/// The origin that an object's label or assignment gives.
fn origin_of(object: &Object<'_>) -> Option<CompositeOrigin> {
    let may_have_one = object.labels.contains_key(ORIGIN) || object.annotations.contains_key(ASSIGNMENTS);
    if may_have_one { Assigned::read(object).ok()?.origin() } else { None }
}
